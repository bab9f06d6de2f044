//! Request ids: 52 characters, 260 random bits in the digits of base 32, as AWS's look.

use hashrange_env::Random;

/// Length of a request id in characters.
pub(crate) const LENGTH: usize = 52;

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Twelve digits of five bits fit one random value.
const DIGITS_PER_DRAW: usize = 12;

/// A new request id.
pub(crate) fn draw(random: &dyn Random) -> String {
    let mut id = String::with_capacity(LENGTH);
    while id.len() < LENGTH {
        let mut bits = random.next_u64();
        for _ in 0..DIGITS_PER_DRAW.min(LENGTH - id.len()) {
            id.push(char::from(DIGITS[(bits & 31) as usize]));
            bits >>= 5;
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_env::Simulation;

    #[test]
    fn an_id_has_52_digits_and_letters_and_differs_from_the_next() {
        let (env, _simulation) = Simulation::new(1);
        let id = draw(&*env.random);
        assert_eq!(id.len(), LENGTH);
        assert!(id.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()), "{id}");
        assert_ne!(id, draw(&*env.random));
    }
}
