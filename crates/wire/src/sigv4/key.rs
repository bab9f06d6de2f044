//! The key that signs: derived from a secret for one day, region and service.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::TERMINATOR;

type HmacSha256 = Hmac<Sha256>;

/// A signing key, as HMAC's state after the key block: two compressions fewer for each signature.
#[derive(Clone)]
pub struct SigningKey(HmacSha256);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// The key of `secret` for a credential scope. `date` is `YYYYMMDD`.
    pub fn derive(secret: &str, date: &str, region: &str, service: &str) -> SigningKey {
        let mut key = state([b"AWS4".as_slice(), secret.as_bytes()].concat().as_slice());
        for part in [date, region, service, TERMINATOR] {
            key.update(part.as_bytes());
            key = state(&key.finalize().into_bytes());
        }
        SigningKey(key)
    }

    /// The signature of a text.
    pub(super) fn sign(&self, text: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(text);
        mac.finalize().into_bytes().into()
    }

    /// Whether `signature`, in lower-case hexadecimal digits, is that of `text`. The time taken does not depend on
    /// where they differ.
    pub(super) fn has_signed(&self, text: &[u8], signature: &[u8]) -> bool {
        is_same(&hex(&self.sign(text)), signature)
    }
}

fn state(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

/// The SHA-256 hash.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The lower-case hexadecimal digits of a hash. Without branches and tables, so that many are made at once.
pub(super) fn hex(hash: &[u8; 32]) -> [u8; 64] {
    let digit = |half: u8| half + b'0' + u8::from(half > 9) * (b'a' - b'9' - 1);
    let mut digits = [0; 64];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(hash) {
        pair[0] = digit(byte >> 4);
        pair[1] = digit(byte & 15);
    }
    digits
}

/// Compares in a time that depends on the lengths alone, not on where the texts differ.
pub(crate) fn is_same(ours: &[u8], theirs: &[u8]) -> bool {
    let differences = ours.iter().zip(theirs).fold(0, |so_far, (a, b)| so_far | (a ^ b));
    ours.len() == theirs.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_signature_in_lower_case_is_taken() {
        // The key and the answer are those of RFC 4231, case 2.
        let key = SigningKey(state(b"Jefe"));
        let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let text = b"what do ya want for nothing?";
        assert!(key.has_signed(text, signature.as_bytes()));
        assert!(!key.has_signed(text, signature.to_uppercase().as_bytes()));
        assert!(!key.has_signed(text, &signature.as_bytes()[..63]));
        assert!(!key.has_signed(text, b""));
        assert!(!key.has_signed(b"", signature.as_bytes()));
    }

    #[test]
    fn a_key_does_not_show_itself() {
        assert_eq!(format!("{:?}", SigningKey::derive("a", "b", "c", "d")), "SigningKey(..)");
    }

    #[test]
    fn digits_are_written_in_lower_case() {
        let digits = hex(&digest(b""));
        assert_eq!(&digits[..], b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let mut all = [0; 32];
        all[..16].copy_from_slice(&std::array::from_fn::<u8, 16, _>(|n| u8::try_from(n * 17).unwrap()));
        assert!(hex(&all).starts_with(b"00112233445566778899aabbccddeeff00"));
    }

    #[test]
    fn texts_are_the_same_in_every_byte_and_in_length() {
        assert!(is_same(b"", b"") && is_same(b"ab", b"ab"));
        for other in [b"".as_slice(), b"a", b"ac", b"bb", b"abc"] {
            assert!(!is_same(b"ab", other) && !is_same(other, b"ab"));
        }
    }
}
