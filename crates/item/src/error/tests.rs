use super::*;

#[test]
fn repeated_strings_are_shown_sorted_up_to_the_first_repeat() {
    let shown = |sent: &[&str]| {
        let sent = sent.iter().map(|text| (*text).to_owned()).collect();
        Duplicates::Strings(sent).sorted_to_first_repeat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown(&["b", "a", "b"]), ["a", "b", "b"]);
    assert_eq!(shown(&["d", "c", "d", "b", "c"]), ["b", "c", "c"]);
    assert_eq!(shown(&["a", "a", "a"]), ["a", "a"]);
}

#[test]
fn errors_of_sets_become_errors_of_values() {
    assert_eq!(ValueError::from(SetError::Empty(Kind::Ss)), ValueError::EmptyStringSet);
    assert_eq!(ValueError::from(SetError::Empty(Kind::Ns)), ValueError::EmptyNumberSet);
    assert_eq!(ValueError::from(SetError::Empty(Kind::Bs)), ValueError::EmptyBinarySet);
    let duplicates = Duplicates::Binaries(vec![vec![0], vec![0]]);
    assert_eq!(
        ValueError::from(SetError::Duplicate(duplicates.clone())),
        ValueError::Duplicates(duplicates.clone())
    );
    assert_eq!(duplicates.kind(), Kind::Bs);
}
