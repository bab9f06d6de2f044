//! A statement and its API twin: two databases get the same random work, one in PartiQL and one in the other operations.
//! Items, capacity and refusals are the same.

use std::collections::BTreeMap;

use hashrange_api::{
    AttributeDefinition, BillingMode, ConsumedCapacity, CreateTableInput, DeleteItemInput, Error, ErrorCode,
    ExecuteStatementInput, ExecuteStatementOutput, GetItemInput, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, LocalSecondaryIndex, Projection, ProjectionType, PutItemInput, QueryInput,
    ReturnConsumedCapacity, ReturnValue, ScalarAttributeType, ScanInput, UpdateItemInput,
};
use hashrange_item::{AttributeValue, Attributes, Image, Number};

use hashrange_sim::oracle::write::item_of;
use hashrange_sim::oracle::{Item, Rng};

use crate::database::Database;

const TABLE: &str = "twins";
const INDEXES: Option<ReturnConsumedCapacity> = Some(ReturnConsumedCapacity::Indexes);

/// Two databases that must not differ.
pub(crate) struct Twins {
    statements: Database,
    operations: Database,
    rng: Rng,
}

/// What an answer is compared by.
#[derive(Debug, PartialEq)]
struct Answer {
    items: Vec<Item>,
    capacity: Option<ConsumedCapacity>,
    last: Option<Attributes>,
}

type Outcome = Result<Answer, (ErrorCode, Option<String>)>;

impl Twins {
    pub(crate) fn new(seed: u64) -> Twins {
        let twins = Twins {
            statements: Database::in_memory(seed),
            operations: Database::in_memory(seed),
            rng: Rng::new(seed),
        };
        twins.statements.call(table()).expect("a new table");
        twins.operations.call(table()).expect("a new table");
        twins
    }

    pub(crate) fn play(&mut self, steps: usize) {
        for _ in 0..steps {
            match self.rng.below(8) {
                0 | 1 => self.insert(),
                2 | 3 => self.update(),
                4 => self.delete(),
                5 => self.get(),
                6 => self.query(),
                _ => self.scan(),
            }
        }
        let everything = || ScanInput { table_name: TABLE.to_owned(), ..Default::default() };
        let all = |database: &Database| {
            let output = database.call(everything()).expect("a scan");
            output.items.unwrap_or_default().iter().map(item_of).collect::<Vec<_>>()
        };
        assert_eq!(all(&self.statements), all(&self.operations));
    }

    fn statement(&self, text: &str, parameters: Vec<AttributeValue>, limit: Option<i32>) -> Outcome {
        let input = ExecuteStatementInput {
            statement: text.to_owned(),
            parameters: (!parameters.is_empty()).then_some(parameters),
            limit,
            consistent_read: Some(true),
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let output: ExecuteStatementOutput = self.statements.call(input).map_err(refusal)?;
        assert_eq!(output.next_token.is_some(), output.last_evaluated_key.is_some());
        Ok(Answer {
            items: output.items.unwrap_or_default().iter().map(item_of).collect(),
            capacity: output.consumed_capacity,
            last: output.last_evaluated_key,
        })
    }

    fn key(&mut self) -> Attributes {
        let pk = ["a", "b"][self.rng.below(2)];
        Attributes::from([("pk", pk.into()), ("sk", number(self.rng.below(4)))])
    }

    fn item(&mut self) -> Attributes {
        let mut item = self.key();
        for name in ["g", "l"] {
            if self.rng.below(3) > 0 {
                item.insert(name.to_owned(), ["x", "y", "z"][self.rng.below(3)].into());
            }
        }
        item.insert("n".to_owned(), number(self.rng.below(5)));
        item.insert("big".to_owned(), AttributeValue::S("y".repeat(self.rng.below(3) * 3000)));
        item
    }

    fn insert(&mut self) {
        let item = self.item();
        let fields: Vec<String> = item.names().map(|name| format!("'{name}': ?")).collect();
        let text = format!("INSERT INTO {TABLE} VALUE {{{}}}", fields.join(", "));
        let got = self.statement(&text, item.iter().map(|(_, value)| value.clone()).collect(), None);
        let input = PutItemInput {
            table_name: TABLE.to_owned(),
            item: item.into(),
            condition_expression: Some("attribute_not_exists(pk)".to_owned()),
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal);
        let twin = twin.map(|output| written(None, output.consumed_capacity));
        let twin = twin.map_err(|(code, message)| match code {
            ErrorCode::ConditionalCheckFailedException => {
                let text = hashrange_api::message::statement::duplicate_item();
                (ErrorCode::DuplicateItemException, Some(text))
            }
            code => (code, message),
        });
        assert_eq!(got, twin, "{text}");
    }

    fn update(&mut self) {
        let (key, wanted) = (self.key(), number(self.rng.below(5)));
        let (change, expression) = [
            ("SET n = n + ?", "SET n = n + :v"),
            ("SET fresh = ? REMOVE g", "SET fresh = :v REMOVE g"),
            ("SET l = 'x', m = ?", "SET l = :x, m = :v"),
            ("REMOVE l SET n = ?", "REMOVE l SET n = :v"),
        ][self.rng.below(4)];
        let conditional = self.rng.below(2) == 0;
        let text = format!(
            "UPDATE {TABLE} {change} WHERE pk = ? AND sk = ?{} RETURNING ALL NEW *",
            if conditional { " AND n < ?" } else { "" }
        );
        let mut parameters = vec![wanted.clone(), value(&key, "pk"), value(&key, "sk")];
        let mut values = Attributes::from([(":v", wanted)]);
        if expression.contains(":x") {
            values.insert(":x".to_owned(), "x".into());
        }
        let mut condition = "attribute_exists(pk)".to_owned();
        if conditional {
            parameters.push(number(3));
            values.insert(":c".to_owned(), number(3));
            condition += " AND n < :c";
        }
        let got = self.statement(&text, parameters, None);
        let input = UpdateItemInput {
            table_name: TABLE.to_owned(),
            key,
            update_expression: Some(expression.to_owned()),
            condition_expression: Some(condition),
            expression_attribute_values: Some(values),
            return_values: Some(ReturnValue::AllNew),
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal);
        assert_eq!(
            got,
            twin.map(|output| written(output.attributes.as_ref(), output.consumed_capacity)),
            "{text}"
        );
    }

    fn delete(&mut self) {
        let key = self.key();
        let conditional = self.rng.below(2) == 0;
        let more = if conditional { " AND n > 1" } else { "" };
        let text = format!("DELETE FROM {TABLE} WHERE pk = ? AND sk = ?{more} RETURNING ALL OLD *");
        let got = self.statement(&text, vec![value(&key, "pk"), value(&key, "sk")], None);
        let condition = "attribute_not_exists(pk) OR n > :one".to_owned();
        let input = DeleteItemInput {
            table_name: TABLE.to_owned(),
            key,
            condition_expression: conditional.then_some(condition),
            expression_attribute_values: conditional.then(|| Attributes::from([(":one", number(1))])),
            return_values: Some(ReturnValue::AllOld),
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal);
        assert_eq!(
            got,
            twin.map(|output| written(output.attributes.as_ref(), output.consumed_capacity)),
            "{text}"
        );
    }

    fn get(&mut self) {
        let key = self.key();
        let text = format!("SELECT pk, n, big FROM {TABLE} WHERE sk = ? AND pk = ?");
        let got = self.statement(&text, vec![value(&key, "sk"), value(&key, "pk")], None);
        let input = GetItemInput {
            table_name: TABLE.to_owned(),
            key,
            consistent_read: Some(true),
            projection_expression: Some("pk, n, big".to_owned()),
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal);
        assert_eq!(got, twin.map(|output| written(output.item.as_ref(), output.consumed_capacity)), "{text}");
    }

    fn query(&mut self) {
        let (index, key, sort, names) = [
            (None, "pk = :h", "sk", "sk > :s"),
            (Some("local"), "pk = :h", "l", "l > :s"),
            (Some("local"), "pk = :h", "l", "begins_with(l, :s)"),
        ][self.rng.below(3)];
        let low: AttributeValue = if sort == "sk" { number(self.rng.below(4)) } else { "x".into() };
        let filter = self.rng.below(2) == 0 && index.is_none();
        let descending = self.rng.below(2) == 0;
        let limit = (self.rng.below(3) == 0).then_some(2);
        let from = index.map_or(TABLE.to_owned(), |index| format!("{TABLE}.\"{index}\""));
        let text = format!(
            "SELECT * FROM {from} WHERE pk = ? AND {}{}{}",
            names.replace(":s", "?"),
            if filter { " AND n >= 2" } else { "" },
            if descending { format!(" ORDER BY {sort} DESC") } else { String::new() }
        );
        let got = self.statement(&text, vec!["a".into(), low.clone()], limit);
        let mut values = Attributes::from([(":h", "a".into()), (":s", low)]);
        if filter {
            values.insert(":n".to_owned(), number(2));
        }
        let input = QueryInput {
            table_name: TABLE.to_owned(),
            index_name: index.map(str::to_owned),
            key_condition_expression: Some(format!("{key} AND {names}")),
            filter_expression: filter.then(|| "n >= :n".to_owned()),
            expression_attribute_values: Some(values),
            scan_index_forward: Some(!descending),
            consistent_read: Some(true),
            limit,
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal).map(|output| Answer {
            items: items(output.items),
            capacity: output.consumed_capacity,
            last: output.last_evaluated_key,
        });
        assert_eq!(got, twin, "{text}");
    }

    fn scan(&mut self) {
        let limit = (self.rng.below(3) == 0).then_some(3);
        let text = format!("SELECT * FROM {TABLE} WHERE n = ? OR attribute_exists(fresh)");
        let got = self.statement(&text, vec![number(2)], limit);
        let input = ScanInput {
            table_name: TABLE.to_owned(),
            filter_expression: Some("n = :n OR attribute_exists(fresh)".to_owned()),
            expression_attribute_values: Some(Attributes::from([(":n", number(2))])),
            consistent_read: Some(true),
            limit,
            return_consumed_capacity: INDEXES,
            ..Default::default()
        };
        let twin = self.operations.call(input).map_err(refusal).map(|output| Answer {
            items: items(output.items),
            capacity: output.consumed_capacity,
            last: output.last_evaluated_key,
        });
        assert_eq!(got, twin, "{text}");
    }
}

fn number(value: usize) -> AttributeValue {
    AttributeValue::N(Number::from_i64(i64::try_from(value).expect("a small number")))
}

fn value(key: &Attributes, name: &str) -> AttributeValue {
    key.get(name).expect("a key attribute").clone()
}

fn items(images: Option<Vec<Image>>) -> Vec<Item> {
    images.unwrap_or_default().iter().map(item_of).collect()
}

fn written(image: Option<&Image>, capacity: Option<ConsumedCapacity>) -> Answer {
    Answer { items: image.map(item_of).into_iter().collect(), capacity, last: None }
}

fn refusal(error: Error) -> (ErrorCode, Option<String>) {
    (error.code, error.message)
}

/// A table with a local index that carries keys only and a global index.
fn table() -> CreateTableInput {
    let kinds = BTreeMap::from([
        ("pk", ScalarAttributeType::S),
        ("sk", ScalarAttributeType::N),
        ("l", ScalarAttributeType::S),
        ("g", ScalarAttributeType::S),
    ]);
    let definition = |(name, kind): (&str, ScalarAttributeType)| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: kind,
    };
    let element = |name: &str, kind| KeySchemaElement { attribute_name: name.to_owned(), key_type: kind };
    let projection = |kind| Projection { projection_type: Some(kind), ..Default::default() };
    CreateTableInput {
        table_name: TABLE.to_owned(),
        billing_mode: Some(BillingMode::PayPerRequest),
        attribute_definitions: Some(kinds.into_iter().map(definition).collect()),
        key_schema: Some(vec![element("pk", KeyType::Hash), element("sk", KeyType::Range)]),
        local_secondary_indexes: Some(vec![LocalSecondaryIndex {
            index_name: "local".to_owned(),
            key_schema: vec![element("pk", KeyType::Hash), element("l", KeyType::Range)],
            projection: projection(ProjectionType::KeysOnly),
        }]),
        global_secondary_indexes: Some(vec![GlobalSecondaryIndex {
            index_name: "global".to_owned(),
            key_schema: vec![element("g", KeyType::Hash)],
            projection: projection(ProjectionType::All),
            ..Default::default()
        }]),
        ..Default::default()
    }
}
