//! Bodies of requests: decoded, checked, refused.

use hashrange_api::Operation;
use hashrange_engine::Engine;
use hashrange_wire::json;

use super::{MEGABYTE, Run, Target};
use crate::corpus::Golden;

/// The first byte is the operation, the rest the body.
pub const TARGET: Target = Target {
    name: "requests",
    words: WORDS,
    length: 8192,
    memory: 4 * MEGABYTE,
    seeds,
    make: || -> Run { Box::new(run) },
};

pub const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "\"\"",
    "\\u0000",
    "\\ud83d\\ude00",
    "\\",
    "{\"S\":\"a\"}",
    "{\"N\":\"1\"}",
    "{\"B\":\"AA==\"}",
    "{\"SS\":[\"a\"]}",
    "{\"NS\":[\"1\"]}",
    "{\"BS\":[\"AA==\"]}",
    "{\"M\":{}}",
    "{\"L\":[]}",
    "{\"M\":{\"a\":",
    "{\"L\":[",
    "{\"NULL\":true}",
    "{\"BOOL\":true}",
    "\"TableName\":\"tab\",",
    "\"Item\":",
    "\"Key\":",
    "\"Expected\":",
    "\"ConditionExpression\":",
    "\"UpdateExpression\":",
    "\"ExpressionAttributeNames\":",
    "\"ExpressionAttributeValues\":",
    "\"ProjectionExpression\":",
    "\"FilterExpression\":",
    "\"KeyConditionExpression\":",
    "\"AttributeUpdates\":",
    "\"AttributesToGet\":",
    "\"KeyConditions\":",
    "\"ScanFilter\":",
    "\"QueryFilter\":",
    "\"ReturnValues\":",
    "\"Limit\":",
    "\"Segment\":",
    "\"TotalSegments\":",
    "\"ExclusiveStartKey\":",
    "\"RequestItems\":",
    "\"PutRequest\":",
    "\"DeleteRequest\":",
    "\"Keys\":",
    "\"IndexName\":",
    "\"Select\":",
    "\"TransactItems\":",
    "\"Statement\":",
    "\"ComparisonOperator\":\"EQ\"",
    "\"AttributeValueList\":",
    "\"ConditionalOperator\":\"OR\"",
    "\"Action\":\"ADD\"",
    "\"Exists\":false",
    "\"Value\":",
];

fn seeds(golden: &Golden) -> Vec<Vec<u8>> {
    let seed = |(operation, body): &(String, String)| {
        let at = Operation::ALL.iter().position(|known| known.name() == operation)?;
        let mut seed = vec![u8::try_from(at).ok()?];
        seed.extend_from_slice(body.as_bytes());
        Some(seed)
    };
    golden.requests().filter_map(seed).collect()
}

fn run(input: &[u8]) {
    let Some((first, body)) = input.split_first() else { return };
    let operation = Operation::ALL[usize::from(*first) % Operation::ALL.len()];
    match json::decode(operation, body).and_then(Engine::check) {
        Ok(_) => assert!(json::is_json(body), "a body that is no JSON was accepted"),
        Err(error) => {
            assert!(error.code.status() < 500, "{error}");
            let sent = json::encode_error(&error);
            let read: serde_json::Value = serde_json::from_slice(&sent).expect("an error answer is JSON");
            assert!(read["__type"].is_string());
        }
    }
}
