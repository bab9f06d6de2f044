//! PartiQL statements: parsed, printed, bound, and their keys taken out.

use hashrange_item::{AttributeValue, Attributes, KeyAttribute, KeyKind, Number, Row};
use hashrange_language::Condition;
use hashrange_language::partiql::{Bound, Select, Statement, check_key, item_key, reads};

use super::{MEGABYTE, Run, Target};
use crate::corpus::Golden;

/// The input is the text of a statement.
pub const TARGET: Target = Target {
    name: "statements",
    words: &[
        "SELECT ",
        " * ",
        " FROM ",
        " WHERE ",
        " AND ",
        " OR ",
        " NOT ",
        " IN [",
        " IN (",
        " BETWEEN ",
        " IS ",
        "MISSING",
        "NULL",
        "ORDER BY ",
        " DESC",
        " ASC",
        "INSERT INTO ",
        " VALUE {",
        "UPDATE ",
        " SET ",
        " REMOVE ",
        "DELETE FROM ",
        " RETURNING ",
        "ALL OLD *",
        "MODIFIED NEW *",
        "EXISTS(",
        "\"t\"",
        "\"t\".\"i\"",
        "\"pk\"",
        "sk",
        "a.b[0]",
        "begins_with(",
        "contains(",
        "size(",
        "attribute_type(",
        "list_append(",
        "set_add(",
        "set_delete(",
        "?",
        "'",
        "''",
        "\"",
        "<<",
        ">>",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "((",
        "))",
        "=",
        "<>",
        "!=",
        "<=",
        ">=",
        " + ",
        " - ",
        "1",
        "1.5e-3",
        "TRUE",
        "false",
        ",",
        ":",
        ";",
        "--",
        "é",
    ],
    length: 8400,
    memory: 8 * MEGABYTE,
    seeds,
    make,
};

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    golden.texts(&["Statement"]).into_iter().map(String::into_bytes).collect()
}

/// What statements are bound to and judged by.
struct World {
    parameters: Vec<AttributeValue>,
    hash: KeyAttribute,
    range: KeyAttribute,
    item: Attributes,
    row: Row,
}

fn make() -> Run {
    let number = |value| AttributeValue::N(Number::from_i64(value));
    let item = Attributes::from([
        ("pk", "a".into()),
        ("sk", number(1)),
        ("a", AttributeValue::M(Attributes::from([("b", AttributeValue::L(vec![number(2), "x".into()]))]))),
        ("n", number(5)),
    ]);
    let world = World {
        parameters: vec!["a".into(), number(1), AttributeValue::L(vec![number(2)]), AttributeValue::Null],
        hash: KeyAttribute { name: "pk".to_owned(), kind: KeyKind::S },
        range: KeyAttribute { name: "sk".to_owned(), kind: KeyKind::N },
        row: Row::encode(&item),
        item,
    };
    Box::new(move |input| {
        if let Ok(text) = str::from_utf8(input) {
            world.run(text);
        }
    })
}

impl World {
    fn run(&self, text: &str) {
        let Ok(statement) = Statement::parse(text) else { return };
        let printed = statement.to_string();
        let again = Statement::parse(&printed).map(|statement| statement.to_string());
        assert_eq!(again.as_ref(), Ok(&printed), "a printed statement is read as the same one");
        let _ = statement.verb();
        match statement.bind(&self.parameters) {
            Ok(Bound::Select(select) | Bound::Exists(select)) => self.select(select),
            Ok(Bound::Update { update, condition, .. }) => {
                let _ = update.apply(Some(&self.item), &self.item);
                self.condition(condition);
            }
            Ok(Bound::Delete { condition, .. }) => self.condition(condition),
            Ok(Bound::Insert { item, .. }) => assert_eq!(Row::encode(&item).decode().as_ref(), Ok(&item)),
            Err(_) => {}
        }
    }

    fn select(&self, select: Select) {
        if let Some(projection) = &select.projection {
            assert_eq!(
                projection.project(&self.item),
                projection.project(&self.row),
                "a tree and a row differ"
            );
        }
        let _ = reads(select.condition.clone(), &self.hash, Some(&self.range));
        self.condition(select.condition);
    }

    fn condition(&self, condition: Option<Condition>) {
        if let Some(condition) = &condition {
            assert_eq!(
                condition.evaluate(Some(&self.item)),
                condition.evaluate(Some(&self.row)),
                "a tree and a row differ"
            );
        }
        let keys = [&self.hash, &self.range];
        let _ = check_key(condition.clone(), &keys);
        let _ = item_key(condition, &keys);
    }
}
