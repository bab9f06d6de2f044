//! Expressions made to hurt: each gets a clean error, in little time and with little stack.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Number};
use hashrange_language::{Binder, Condition, ExpressionKind, Problem};

/// Small on purpose: nothing here may need more stack with longer input.
const STACK: usize = 512 * 1024;

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    on_stack(STACK, test);
}

/// Statements are read by descent, to a bounded depth: half of the stack of a server's thread is enough for it, even
/// without optimisation.
fn on_half_a_stack(test: impl FnOnce() + Send + 'static) {
    on_stack(1024 * 1024, test);
}

fn on_stack(bytes: usize, test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(bytes).spawn(test).unwrap().join().unwrap();
}

fn values() -> Attributes {
    Attributes::from([(":v", AttributeValue::N(Number::from_i64(1))), (":l", AttributeValue::L(Vec::new()))])
}

fn condition(text: &str) -> Result<Condition, Problem> {
    let values = values();
    Binder::new(None, Some(&values)).condition(ExpressionKind::Condition, text).map_err(|error| error.problem)
}

fn update(text: &str) -> Result<(), Problem> {
    let values = values();
    Binder::new(None, Some(&values)).update(text).map(drop).map_err(|error| error.problem)
}

fn eof(near: &str) -> Problem {
    Problem::Syntax { token: "<EOF>".to_owned(), near: near.to_owned() }
}

#[test]
fn two_hundred_kilobytes_of_parentheses_are_too_long() {
    let text = "(".repeat(200 * 1024);
    assert_eq!(condition(&text), Err(Problem::ExpressionTooLong { size: 200 * 1024 }));
    assert_eq!(update(&text), Err(Problem::ExpressionTooLong { size: 200 * 1024 }));
}

#[test]
fn the_limit_of_length_is_inclusive() {
    let padded = |size: usize| format!("{:<size$}", "a = :v");
    assert!(condition(&padded(4096)).is_ok());
    assert_eq!(condition(&padded(4097)), Err(Problem::ExpressionTooLong { size: 4097 }));
}

#[test]
fn white_space_alone_is_not_the_empty_expression() {
    assert_eq!(condition(""), Err(Problem::Empty));
    assert_eq!(condition("  \n"), Err(eof("")));
    assert_eq!(update(" "), Err(eof("")));
}

#[test]
fn open_parentheses_without_end() {
    on_small_stack(|| {
        assert_eq!(condition(&"(".repeat(4096)), Err(eof("(")));
        assert_eq!(condition(&format!("a = {}", "(".repeat(4092))), Err(eof("(")));
        assert_eq!(update(&format!("SET a = {}", "(".repeat(4088))), Err(eof("(")));
    });
}

#[test]
fn deeply_enclosed_conditions() {
    on_small_stack(|| {
        let text = format!("{}a = :v{}", "(".repeat(2000), ")".repeat(2000));
        assert_eq!(condition(&text), Err(Problem::RedundantParentheses));
        let text = format!("{}a{} = :v", "(".repeat(2000), ")".repeat(2000));
        assert_eq!(condition(&text), Err(Problem::RedundantParentheses));
    });
}

#[test]
fn chains_of_operators() {
    on_small_stack(|| {
        let nots = |count: usize| format!("{}a = :v", "NOT ".repeat(count));
        assert!(condition(&nots(299)).is_ok());
        assert_eq!(condition(&nots(300)), Err(Problem::TooManyOperators { count: 301 }));
        assert_eq!(condition(&nots(1000)), Err(Problem::TooManyOperators { count: 1001 }));
        assert_eq!(condition("NOT ".repeat(1024).trim_end()), Err(eof("NOT")));
        let chain = |count: usize| vec!["a=:v"; count].join(" OR ");
        assert_eq!(condition(&chain(400)), Err(Problem::TooManyOperators { count: 799 }));
        assert!(condition(&chain(150)).is_ok());
        let nested = |count: usize| format!("{}a=:v{}", "(a=:v OR ".repeat(count), ")".repeat(count));
        assert!(condition(&nested(149)).is_ok());
        assert_eq!(condition(&nested(151)), Err(Problem::TooManyOperators { count: 303 }));
    });
}

#[test]
fn a_condition_as_deep_as_allowed_is_evaluated_and_printed() {
    on_small_stack(|| {
        let text = format!("{}a = :v", "NOT ".repeat(299));
        let deep = condition(&text).unwrap();
        assert!(deep.evaluate(None), "an odd number of NOT");
        assert_eq!(deep.clone().to_string().len(), text.len() - 1);
        assert_eq!(deep.top_level_attributes().len(), 1);
    });
}

#[test]
fn deeply_nested_functions() {
    on_small_stack(|| {
        let nested =
            |name: &str, count: usize| format!("{}a{}", format!("{name}(").repeat(count), ")".repeat(count));
        assert_eq!(
            condition(&format!("{} = :v", nested("f", 1300))),
            Err(Problem::InvalidFunction("f".to_owned()))
        );
        let sizes = condition(&format!("{} = :v", nested("size", 600)));
        assert!(matches!(sizes, Err(Problem::OperandType { name: "size", .. })), "{sizes:?}");
        assert_eq!(condition(&"size(".repeat(800)), Err(eof("(")));
        let defaults = format!("SET a = {}:v{}", "if_not_exists(b,".repeat(230), ")".repeat(230));
        assert_eq!(update(&defaults), Ok(()));
    });
}

#[test]
fn long_lists_of_operands() {
    let list = |count: usize| format!("a IN ({})", vec![":v"; count].join(","));
    assert!(condition(&list(100)).is_ok());
    assert_eq!(condition(&list(101)), Err(Problem::TooManyInOperands { count: 101 }));
    assert_eq!(condition(&list(1300)), Err(Problem::TooManyInOperands { count: 1300 }));
}

#[test]
fn long_and_deep_paths() {
    let path = |steps: usize| vec!["a"; steps].join(".");
    assert!(condition(&format!("{} = :v", path(32))).is_ok());
    assert_eq!(condition(&format!("{} = :v", path(33))), Err(Problem::PathTooDeep { levels: 33 }));
    assert_eq!(condition(&format!("{} = :v", path(2000))), Err(Problem::PathTooDeep { levels: 2000 }));
    let indexes = format!("REMOVE a{}", "[0]".repeat(1300));
    assert_eq!(update(&indexes), Err(Problem::PathTooDeep { levels: 1301 }));
}

#[test]
fn many_paths_in_one_expression() {
    let paths: Vec<String> = (0..500).map(|at| format!("a.b{at}")).collect();
    assert_eq!(update(&format!("REMOVE {}", paths.join(","))), Ok(()));
    let twice = format!("REMOVE {},a", paths.join(","));
    assert!(matches!(update(&twice), Err(Problem::Overlap { .. })));
}

#[test]
fn placeholders_have_limits_of_their_own() {
    let names = |key: String| BTreeMap::from([(key, "a".to_owned())]);
    let check = |names: &BTreeMap<String, String>| Binder::new(Some(names), None).check_placeholders();
    assert_eq!(check(&names(format!("#{}", "a".repeat(254)))), Ok(()));
    let long = check(&names(format!("#{}", "a".repeat(255)))).unwrap_err().problem;
    assert!(matches!(long, Problem::PlaceholderKeyTooLong { size: 256, .. }), "{long:?}");
    let empty = BTreeMap::from([("#a".to_owned(), String::new())]);
    assert_eq!(check(&empty).unwrap_err().problem, Problem::EmptyAttributeName { key: "#a".to_owned() });
    let values = Attributes::from([(":v", AttributeValue::S("x".repeat(2 * 1024 * 1024)))]);
    let large = Binder::new(None, Some(&values)).check_placeholders().unwrap_err().problem;
    assert_eq!(large, Problem::PlaceholdersTooLarge { size: 2 * 1024 * 1024 + 2 });
}

/// One `:value` of a megabyte, written hundreds of times, is held once.
#[test]
fn a_big_value_is_shared_by_all_its_uses() {
    let values = Attributes::from([(":v", AttributeValue::S("x".repeat(1_000_000)))]);
    let text = vec!["a=:v"; 140].join(" OR ");
    let mut binder = Binder::new(None, Some(&values));
    let conditions: Vec<_> =
        (0..50).map(|_| binder.condition(ExpressionKind::Filter, &text).unwrap()).collect();
    assert_eq!(conditions.len(), 50);
}

#[test]
fn statements_that_nest_are_refused_before_the_stack_ends() {
    use hashrange_language::partiql::{Detail, Statement, StatementError};
    on_half_a_stack(|| {
        let wheres = |text: String| Statement::parse(&format!("SELECT * FROM t WHERE {text}")).map(drop);
        let refused = Err(StatementError::Malformed(Detail::Nothing));
        for open in ["(", "NOT ", "a = [", "a = {'b': ", "size(", "a IN ("] {
            let deep = wheres(format!("{}1", open.repeat(4000)));
            assert!(deep.is_err(), "{open}");
        }
        assert_eq!(wheres(format!("{}a = 1{}", "(".repeat(4000), ")".repeat(4000))), refused);
        assert_eq!(wheres(format!("a = {}1{}", "[".repeat(4000), "]".repeat(4000))), refused);
        assert_eq!(wheres(format!("a = {}1", "- ".repeat(4000))), Ok(()));
        let sum = format!("UPDATE t SET a = b{} WHERE c = 1", " + 1".repeat(2000));
        assert_eq!(Statement::parse(&sum).map(drop), refused);
        assert_eq!(wheres(format!("a = 1{}", " AND a = 1".repeat(800))), Ok(()));
    });
}

#[test]
fn the_deepest_statement_that_is_read_can_be_bound_evaluated_and_dropped() {
    use hashrange_language::partiql::{Bound, Statement};
    on_half_a_stack(|| {
        let depth = 38;
        for (open, close) in [("(", ")"), ("NOT (", ")")] {
            let text = format!(
                "SELECT * FROM t WHERE {}a = 1 OR b = 2{}",
                open.repeat(depth / open.len().min(2)),
                close.repeat(depth / open.len().min(2))
            );
            let Bound::Select(select) = Statement::parse(&text).unwrap().bind(&[]).unwrap() else {
                panic!("{text}")
            };
            let item = Attributes::from([("b", AttributeValue::N(Number::from_i64(2)))]);
            select.condition.unwrap().evaluate(Some(&item));
        }
    });
}
