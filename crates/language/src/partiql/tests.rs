use hashrange_item::{AttributeValue, Attributes, Path};

use super::{Bound, Detail, Place, Statement, StatementError, Verb};

fn parse(text: &str) -> Result<Statement, StatementError> {
    Statement::parse(text)
}

fn printed(text: &str) -> String {
    parse(text).unwrap().to_string()
}

#[test]
fn a_statement_prints_in_one_form() {
    for (text, expected) in [
        ("select a.b[0] from T", r#"SELECT "a"."b"[0] FROM "T""#),
        (
            "SELECT * FROM \"t\".\"i\" WHERE 1 < a ORDER BY b",
            r#"SELECT * FROM "t"."i" WHERE 1 < "a" ORDER BY "b" ASC"#,
        ),
        (
            "DELETE FROM t WHERE a='it''s' RETURNING ALL OLD *;",
            r#"DELETE FROM "t" WHERE "a" = 'it''s' RETURNING ALL OLD *"#,
        ),
        (
            "FROM t WHERE a = ? SET b = b+1 REMOVE c",
            r#"UPDATE "t" SET "b" = "b" + 1 REMOVE "c" WHERE "a" = ?"#,
        ),
        ("INSERT INTO t VALUE {'a': <<2, 1>>, 'b': ?}", r#"INSERT INTO "t" VALUE {'a': <<1, 2>>, 'b': ?}"#),
        ("EXISTS(SELECT * FROM t WHERE a IS MISSING)", r#"EXISTS(SELECT * FROM "t" WHERE "a" IS MISSING)"#),
    ] {
        assert_eq!(printed(text), expected);
        assert_eq!(printed(expected), expected);
    }
}

#[test]
fn parameters_are_counted_in_the_order_of_the_text() {
    let statement = parse("FROM t WHERE a = ? SET b = ?").unwrap();
    assert_eq!(statement.verb(), Verb::Update);
    let bound = statement.bind(&["one".into(), "two".into()]).unwrap();
    let Bound::Update { update, condition, .. } = bound else { panic!("an update") };
    assert_eq!(condition.unwrap().to_string(), "a = \"one\"");
    assert_eq!(update.to_string(), "SET b = \"two\"");
    assert_eq!(statement.bind(&["one".into()]), Err(StatementError::TooFewParameters));
}

#[test]
fn places_count_lines_and_characters() {
    let error = parse("SELECT é FROM t").unwrap_err();
    assert_eq!(error, StatementError::Malformed(Detail::Nothing));
    let error = parse("SELECT 'é',\n  COUNT(*) FROM t").unwrap_err();
    assert_eq!(error, StatementError::ColumnNotAPath(Place { line: 1, column: 8, length: 3 }));
    let error = parse("SELECT a,\n  COUNT(*) FROM t").unwrap_err();
    assert_eq!(error, StatementError::ColumnNotAPath(Place { line: 2, column: 3, length: 5 }));
}

#[test]
fn syntax_is_told_of_before_anything_else() {
    assert_eq!(
        parse("SELECT COUNT(*) FROM t x WHERE").map(drop),
        Err(StatementError::Malformed(Detail::Term))
    );
    assert_eq!(parse("SELECT * FROM t x WHERE a = 1e126").map(drop), Err(StatementError::Alias));
}

#[test]
fn columns_come_under_their_last_name() {
    let bound = parse("SELECT a.b, c[1], d.e[0][2] FROM t").unwrap().bind(&[]).unwrap();
    let Bound::Select(select) = bound else { panic!("a select") };
    let list = |values: &[&str]| AttributeValue::L(values.iter().map(|value| (*value).into()).collect());
    let nested = AttributeValue::L(vec![list(&["x", "y", "z"])]);
    let item = Attributes::from([
        ("a", AttributeValue::M(Attributes::from([("b", "deep".into())]))),
        ("c", list(&["0", "1"])),
        ("d", AttributeValue::M(Attributes::from([("e", nested)]))),
    ]);
    let row = select.projection.unwrap().project(&item);
    let expected = Attributes::from([("b", "deep".into()), ("c[1]", "1".into()), ("e[0][2]", "z".into())]);
    assert_eq!(row, expected);
    assert_eq!(select.columns, ["a", "c", "d"]);
}

#[test]
fn order_keeps_its_paths() {
    let Bound::Select(select) =
        parse("SELECT * FROM t WHERE a = 1 ORDER BY b DESC, c").unwrap().bind(&[]).unwrap()
    else {
        panic!("a select")
    };
    let order: Vec<_> = select.order.iter().map(|order| (order.path.clone(), order.descending)).collect();
    assert_eq!(order, [(Path::new("b"), true), (Path::new("c"), false)]);
}

#[test]
fn a_statement_as_deep_as_can_be_read_is_read_again_as_printed() {
    let tests =
        ["\"n\"", "a = 1", "a IS NOT NULL", "a NOT IN [1]", "a NOT BETWEEN 1 AND 2", "(a = 1 AND NOT b = 2)"];
    for test in tests {
        for depth in 30..50 {
            let text = format!("SELECT * FROM t WHERE pk = 'a' AND {}{test}", "NOT ".repeat(depth));
            let Ok(statement) = Statement::parse(&text) else { continue };
            let printed = statement.to_string();
            let again = Statement::parse(&printed).map(|statement| statement.to_string());
            assert_eq!(again.as_ref(), Ok(&printed), "{text}");
        }
    }
    assert!(Statement::parse(&format!("SELECT * FROM t WHERE {}n", "NOT ".repeat(40))).is_ok());
    assert!(Statement::parse(&format!("SELECT * FROM t WHERE {}n", "NOT ".repeat(41))).is_err());
}

#[test]
fn a_chain_in_parentheses_counts_as_part_of_the_chain_it_begins() {
    let chain = |links: usize| "-1".repeat(links);
    for (inner, outer) in [(13, 25), (13, 26), (13, 27), (0, 38), (0, 39), (0, 40), (38, 1), (39, 1)] {
        for text in [
            format!("UPDATE t SET n = (a{}){}+9 WHERE pk = 'a'", chain(inner), chain(outer)),
            format!("UPDATE t SET n = ((a{}){})+9+'x' WHERE pk = 'a'", chain(inner), chain(outer)),
            format!("UPDATE t SET n = b - ((a{}){}) WHERE pk = 'a'", chain(inner), chain(outer)),
            format!("UPDATE t SET n = f((a{}){}) WHERE pk = 'a'", chain(inner), chain(outer)),
        ] {
            let Ok(statement) = Statement::parse(&text) else { continue };
            let printed = statement.to_string();
            let again = Statement::parse(&printed).map(|statement| statement.to_string());
            assert_eq!(again.as_ref(), Ok(&printed), "{text}");
        }
    }
    let both = |inner, outer| {
        let text = format!("UPDATE t SET n = (a{}){} WHERE pk = 'a'", chain(inner), chain(outer));
        Statement::parse(&text)
    };
    assert!(both(19, 20).is_ok());
    assert!(both(20, 20).is_err());
}

#[test]
fn conditions_as_arguments_are_read_again_as_printed() {
    let texts = [
        "SELECT * FROM t WHERE f((a = 1))",
        "SELECT * FROM t WHERE f((a = 1 AND b = 2), (NOT c)) = (d < 1)",
        "UPDATE t SET a = f(b + 1, c) WHERE pk = 'a'",
        "UPDATE t SET a = b - (c + f(1)) WHERE pk = 'a'",
    ];
    for text in texts {
        let printed = Statement::parse(text).unwrap().to_string();
        assert_eq!(Statement::parse(&printed).unwrap().to_string(), printed, "{text}");
    }
}
