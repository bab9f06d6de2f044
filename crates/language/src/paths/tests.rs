use proptest::prelude::*;

use super::*;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop::sample::select(vec!["a", "b"]).prop_map(|name| Step::Name(name.to_owned())),
        (0_usize..2).prop_map(Step::Index),
    ]
}

fn path() -> impl Strategy<Value = Path> {
    (prop::sample::select(vec!["a", "b", "c"]), prop::collection::vec(step(), 0..4)).prop_map(
        |(top, rest)| {
            let mut path = Path::new(top);
            for step in rest {
                path.push(step);
            }
            path
        },
    )
}

fn steps(path: &Path) -> Vec<Step> {
    std::iter::once(Step::Name(path.top().to_owned())).chain(path.rest().iter().cloned()).collect()
}

/// How two paths clash, found by comparing them step by step.
fn relation(one: &Path, two: &Path) -> Option<Problem> {
    let (left, right) = (steps(one), steps(two));
    for (left, right) in left.iter().zip(&right) {
        if left == right {
            continue;
        }
        let differ =
            matches!((left, right), (Step::Name(_), Step::Index(_)) | (Step::Index(_), Step::Name(_)));
        return differ.then(|| Problem::Conflict { one: one.clone(), two: two.clone() });
    }
    Some(Problem::Overlap { one: one.clone(), two: two.clone() })
}

/// The first path that clashes with an earlier one, with the first such.
fn first_clash(paths: &[Path]) -> Option<Problem> {
    (0..paths.len()).find_map(|two| (0..two).find_map(|one| relation(&paths[one], &paths[two])))
}

proptest! {
    #[test]
    fn clashes_are_those_that_comparing_all_pairs_finds(paths in prop::collection::vec(path(), 0..6)) {
        let found = PathTree::new(&paths).err();
        let expected = first_clash(&paths);
        prop_assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            let (Problem::Overlap { two, .. } | Problem::Conflict { two, .. }) = &found else { panic!("{found:?}") };
            let (Problem::Overlap { two: same, .. } | Problem::Conflict { two: same, .. }) = &expected else { panic!("{expected:?}") };
            prop_assert_eq!(two, same);
        }
    }
}

#[test]
fn many_paths_of_one_map_take_little_time() {
    let paths: Vec<Path> = (0..200_000)
        .map(|number| {
            let mut path = Path::new("map");
            path.push(Step::Name(format!("entry{number}")));
            path
        })
        .collect();
    let tree = PathTree::new(&paths).unwrap();
    assert_eq!(tree.names["map"].names.len(), paths.len());
}

#[test]
fn one_leaf_of_a_list_is_taken_alone() {
    let mut path = Path::new("l");
    path.push(Step::Index(1));
    let list = AttributeValue::L(vec!["x".into(), "y".into()]);
    let item = Attributes::from([("l", list), ("other", "z".into())]);
    let parts = PathTree::new([&path]).unwrap().fragments(&item);
    assert_eq!(parts, Attributes::from([("l", AttributeValue::L(vec!["y".into()]))]));
}
