use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn strings(members: &[&str]) -> Vec<String> {
    members.iter().map(|member| (*member).to_owned()).collect()
}

#[test]
fn members_come_sorted() {
    assert_eq!(StringSet::new(strings(&["b", "a", "c"])).unwrap().as_slice(), strings(&["a", "b", "c"]));
    let numbers = ["10", "9", "-1"].map(|text| Number::parse(text).unwrap()).to_vec();
    let sorted: Vec<String> = NumberSet::new(numbers).unwrap().iter().map(Number::to_string).collect();
    assert_eq!(sorted, ["-1", "9", "10"], "by value");
}

#[test]
fn no_members_are_no_set() {
    assert_eq!(StringSet::new(vec![]), Err(SetError::Empty(Kind::Ss)));
    assert_eq!(NumberSet::new(vec![]), Err(SetError::Empty(Kind::Ns)));
    assert_eq!(BinarySet::new(vec![]), Err(SetError::Empty(Kind::Bs)));
}

#[test]
fn duplicates_are_refused_and_kept_as_sent() {
    let sent = strings(&["b", "a", "b", "c"]);
    assert_eq!(StringSet::new(sent.clone()), Err(SetError::Duplicate(Duplicates::Strings(sent))));
    let sent = vec![vec![0], vec![255], vec![0]];
    assert_eq!(BinarySet::new(sent.clone()), Err(SetError::Duplicate(Duplicates::Binaries(sent))));
    let sent = ["1", "1.0"].map(|text| Number::parse(text).unwrap()).to_vec();
    assert_eq!(NumberSet::new(sent.clone()), Err(SetError::Duplicate(Duplicates::Numbers(sent))), "by value");
}

proptest! {
    #[test]
    fn sets_behave_as_sets(left in vec("[a-e]", 1..6), right in vec("[a-e]", 1..6)) {
        let tree = |members: &[String]| members.iter().cloned().collect::<BTreeSet<_>>();
        let (left_tree, right_tree) = (tree(&left), tree(&right));
        prop_assert_eq!(StringSet::new(left.clone()).is_ok(), left_tree.len() == left.len());
        let set = |tree: &BTreeSet<String>| StringSet::new(tree.iter().rev().cloned().collect()).unwrap();
        let (left, right) = (set(&left_tree), set(&right_tree));
        let union: Vec<String> = left_tree.union(&right_tree).cloned().collect();
        prop_assert_eq!(left.union(&right).into_vec(), union);
        let difference: Vec<String> = left_tree.difference(&right_tree).cloned().collect();
        prop_assert_eq!(left.difference(&right).map_or(vec![], Set::into_vec), difference);
        for member in ["a", "b", "c", "d", "e"].map(str::to_owned) {
            prop_assert_eq!(left.contains(&member), left_tree.contains(&member));
        }
    }
}
