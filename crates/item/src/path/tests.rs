use super::*;

fn path(steps: &[&str]) -> Path {
    let step = |text: &&str| text.parse().map_or_else(|_| Step::Name((*text).to_owned()), Step::Index);
    Path::from_steps(steps.iter().map(step)).unwrap()
}

#[test]
fn a_path_is_shown_as_it_is_written_and_as_a_list() {
    for (steps, written, listed) in [
        (&["a"][..], "a", "[a]"),
        (&["a", "b"], "a.b", "[a, b]"),
        (&["a", "1"], "a[1]", "[a, [1]]"),
        (&["a", "1", "b", "0", "2"], "a[1].b[0][2]", "[a, [1], b, [0], [2]]"),
    ] {
        assert_eq!(path(steps).to_string(), written);
        assert_eq!(path(steps).segments_text(), listed);
        assert_eq!(path(steps).depth(), steps.len());
        assert_eq!(path(steps).top(), "a");
    }
}

#[test]
fn a_path_begins_with_a_name() {
    assert_eq!(Path::from_steps([]), None);
    assert_eq!(Path::from_steps([Step::Index(0)]), None);
    assert!(Path::new("a").is_top_level());
}

#[test]
fn a_path_resolves_through_maps_and_lists() {
    let inner = AttributeValue::M(Attributes::from([("b", "x".into())]));
    let item = Attributes::from([("a", AttributeValue::L(vec![AttributeValue::Null, inner]))]);
    assert_eq!(path(&["a", "1", "b"]).resolve(&item), Some(&"x".into()));
    assert_eq!(path(&["a", "0"]).resolve(&item), Some(&AttributeValue::Null));
    for steps in [&["b"][..], &["a", "2"], &["a", "b"], &["a", "1", "0"], &["a", "1", "b", "c"]] {
        assert_eq!(path(steps).resolve(&item), None);
        assert_eq!(path(steps).resolve_in(&crate::Row::encode(&item)), None);
    }
}

#[test]
fn a_path_contains_itself_and_what_lies_below() {
    assert!(path(&["a"]).contains(&path(&["a"])));
    assert!(path(&["a", "1"]).contains(&path(&["a", "1", "b"])));
    assert!(!path(&["a", "1"]).contains(&path(&["a"])));
    assert!(!path(&["a", "1"]).contains(&path(&["a", "2"])));
    assert!(!path(&["a"]).contains(&path(&["ab"])));
}
