//! Finding bytes in bytes, in time linear in both whatever they are.

/// Whether `needle` occurs in `haystack` (Knuth, Morris and Pratt). The empty needle occurs everywhere.
pub(super) fn contains_bytes(haystack: &[u8], needle: &[u8]) -> bool {
    if needle.len() > haystack.len() {
        return false;
    }
    let borders = borders(needle);
    let mut matched = 0;
    for byte in haystack {
        if matched == needle.len() {
            break;
        }
        matched = advance(needle, &borders, matched, *byte);
    }
    matched == needle.len()
}

/// For each prefix of `needle`, the length of its longest proper prefix that is also its suffix.
fn borders(needle: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    for at in 1..needle.len() {
        borders[at] = advance(needle, &borders, borders[at - 1], needle[at]);
    }
    borders
}

/// Bytes of `needle` matched after one more `byte`, when `matched` were before it.
fn advance(needle: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    while matched > 0 && needle[matched] != byte {
        matched = borders[matched - 1];
    }
    matched + usize::from(needle[matched] == byte)
}

#[cfg(test)]
mod tests {
    use super::contains_bytes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_naive_search_finds(haystack in prop::collection::vec(0_u8..3, 0..40), needle in prop::collection::vec(0_u8..3, 0..6)) {
            let naive = needle.is_empty() || haystack.windows(needle.len()).any(|window| window == needle);
            prop_assert_eq!(contains_bytes(&haystack, &needle), naive);
        }
    }

    #[test]
    fn a_long_repetitive_search_is_linear() {
        let haystack = vec![0_u8; 400_000];
        let mut needle = vec![0_u8; 200_000];
        needle.push(1);
        assert!(!contains_bytes(&haystack, &needle));
    }
}
