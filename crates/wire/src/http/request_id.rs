//! Request ids: 52 characters, 260 random bits in the digits of base 32, as AWS's look.

use std::sync::Arc;

use hashrange_env::Random;

/// Length of a request id in characters.
pub(crate) const LENGTH: usize = 52;

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Twelve digits of five bits fit one random value.
const DIGITS_PER_DRAW: usize = 12;

/// A new request id.
pub(crate) fn draw(random: &dyn Random) -> Arc<str> {
    let mut id = [0; LENGTH];
    for part in id.chunks_mut(DIGITS_PER_DRAW) {
        let mut bits = random.next_u64();
        for digit in part {
            *digit = DIGITS[(bits & 31) as usize];
            bits >>= 5;
        }
    }
    str::from_utf8(&id).expect("the digits are ASCII").into()
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
