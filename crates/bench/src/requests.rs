//! The requests of the workload, built once and only patched per send.
//!
//! Every variable part has a fixed width, so a request is a copy of its template with a few digits and some
//! filler text replaced: the generator spends its time in the kernel, as a C client would. The headers are
//! those that boto3 sends. The signature has the right form only; the server of this version accepts it.

/// The table that all workloads use.
pub(crate) const TABLE: &str = "bench-items";

/// A table of the same shape with five global indexes.
pub(crate) const INDEXED_TABLE: &str = "bench-items-indexed";

/// Items of one batch: as many as a BatchWriteItem takes.
pub(crate) const BATCH: u64 = 25;

/// Items of a large transaction: as many as a TransactWriteItems takes.
pub(crate) const MANY: u64 = 100;

/// Digits of the partition key's and the sort key's number.
const PARTITION_DIGITS: usize = 8;
const SORT_DIGITS: usize = 10;

/// Bytes of the free text that brings an item to exactly 400 bytes by DynamoDB's rules.
const NOTE_BYTES: usize = 178;

/// Free text to draw from: letters and digits without repetition, so that compression finds little to gain.
const POOL_BYTES: usize = 1 << 16;

/// Digits of a client's token, unlike for each request.
const TOKEN_DIGITS: usize = 16;

const TOKEN_MARK: &str = "{token}";
const PARTITION_MARK: &str = "{partition}";
const SORT_MARK: &str = "{sort}";
const NOTE_MARK: &str = "{note}";

const KEY: &str = r#""pk":{"S":"customer#{partition}"},"sk":{"S":"order#2026-{sort}"}"#;

/// Ten attributes besides the key: text, numbers, a Boolean, a set and a map.
const ATTRIBUTES: &str = concat!(
    r#""status":{"S":"SHIPPED"},"placed_at":{"S":"2026-11-30T12:00:00Z"},"total":{"N":"1234.56"},"#,
    r#""quantity":{"N":"3"},"visits":{"N":"7"},"gift":{"BOOL":true},"tags":{"SS":["express","fragile","insured"]},"#,
    r#""address":{"M":{"street":{"S":"12 Harbour Lane"},"city":{"S":"Bremen"},"zip":{"S":"28195"}}},"#,
    r#""email":{"S":"customer@example.com"},"note":{"S":"{note}"}"#,
);

/// What every fresh item holds in `visits`, the attribute that the counter workloads add to.
pub(crate) const FIRST_VISITS: u64 = 7;

/// Where the items of a workload live: item `n` has place `n % per_partition` of partition `n / per_partition`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) table: &'a str,
    pub(crate) per_partition: u64,
}

impl Default for Layout<'_> {
    fn default() -> Self {
        Layout { table: TABLE, per_partition: 10 }
    }
}

/// A request whose marks are filled in per send.
#[derive(Debug)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    per_partition: u64,
    /// Where the client's token begins, in requests that have one.
    token: Option<usize>,
    /// One per item that the request names.
    items: Vec<Marks>,
    pool: Vec<u8>,
}

/// Where the variable parts of one item begin.
#[derive(Clone, Copy, Debug)]
struct Marks {
    partition: usize,
    sort: Option<usize>,
    note: Option<usize>,
}

impl Template {
    /// Reads one item.
    pub(crate) fn get(layout: Layout<'_>) -> Template {
        let Layout { table, .. } = layout;
        let body = format!(r#"{{"TableName":"{table}","Key":{{{KEY}}},"ConsistentRead":true}}"#);
        Template::new("GetItem", &body, layout)
    }

    /// Reads all items of one partition.
    pub(crate) fn query(layout: Layout<'_>) -> Template {
        let Layout { table, .. } = layout;
        let condition = r#""KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{":pk":{"S":"customer#{partition}"}}"#;
        let body = format!(r#"{{"TableName":"{table}",{condition},"ConsistentRead":true}}"#);
        Template::new("Query", &body, layout)
    }

    /// Writes one whole item.
    pub(crate) fn put(layout: Layout<'_>) -> Template {
        let Layout { table, .. } = layout;
        let body = format!(r#"{{"TableName":"{table}","Item":{{{KEY},{ATTRIBUTES}}}}}"#);
        Template::new("PutItem", &body, layout)
    }

    /// Writes [`BATCH`] whole items, each after the one before.
    pub(crate) fn batch(layout: Layout<'_>) -> Template {
        let put = format!(r#"{{"PutRequest":{{"Item":{{{KEY},{ATTRIBUTES}}}}}}}"#);
        let puts = (0..BATCH).map(|_| put.as_str()).collect::<Vec<_>>().join(",");
        let body = format!(r#"{{"RequestItems":{{"{}":[{puts}]}}}}"#, layout.table);
        Template::new("BatchWriteItem", &body, layout)
    }

    /// Writes so many whole items, each after the one before, in one transaction with a token, as SDKs send them.
    pub(crate) fn transact_put(layout: Layout<'_>, items: u64) -> Template {
        let put = format!(r#"{{"Put":{{"TableName":"{}","Item":{{{KEY},{ATTRIBUTES}}}}}}}"#, layout.table);
        let puts = (0..items).map(|_| put.as_str()).collect::<Vec<_>>().join(",");
        // Loads of one seed draw the same numbers: without the process, a later one would only repeat an earlier one.
        let process = std::process::id();
        let body =
            format!(r#"{{"ClientRequestToken":"token-{TOKEN_MARK}-{process}","TransactItems":[{puts}]}}"#);
        Template::new("TransactWriteItems", &body, layout)
    }

    /// Reads two items, one after the other, at one instant.
    pub(crate) fn transact_get(layout: Layout<'_>) -> Template {
        let get = format!(r#"{{"Get":{{"TableName":"{}","Key":{{{KEY}}}}}}}"#, layout.table);
        let body = format!(r#"{{"TransactItems":[{get},{get}]}}"#);
        Template::new("TransactGetItems", &body, layout)
    }

    /// Reads one item by a statement.
    pub(crate) fn select(layout: Layout<'_>) -> Template {
        let statement = format!(r#"SELECT * FROM \"{}\" WHERE pk = ? AND sk = ?"#, layout.table);
        let parameters = r#"[{"S":"customer#{partition}"},{"S":"order#2026-{sort}"}]"#;
        let body =
            format!(r#"{{"Statement":"{statement}","Parameters":{parameters},"ConsistentRead":true}}"#);
        Template::new("ExecuteStatement", &body, layout)
    }

    /// Deletes one item.
    pub(crate) fn delete(layout: Layout<'_>) -> Template {
        let body = format!(r#"{{"TableName":"{}","Key":{{{KEY}}}}}"#, layout.table);
        Template::new("DeleteItem", &body, layout)
    }

    /// Adds 1 to `visits` of one item.
    pub(crate) fn add(layout: Layout<'_>) -> Template {
        let Layout { table, .. } = layout;
        let update = r#""UpdateExpression":"ADD visits :one","ExpressionAttributeValues":{":one":{"N":"1"}}"#;
        let body = format!(r#"{{"TableName":"{table}","Key":{{{KEY}}},{update}}}"#);
        Template::new("UpdateItem", &body, layout)
    }

    fn new(operation: &str, body: &str, layout: Layout<'_>) -> Template {
        let body = body
            .replace(PARTITION_MARK, &"0".repeat(PARTITION_DIGITS))
            .replace(SORT_MARK, &"0".repeat(SORT_DIGITS))
            .replace(TOKEN_MARK, &"0".repeat(TOKEN_DIGITS))
            .replace(NOTE_MARK, &"n".repeat(NOTE_BYTES));
        let bytes = request(operation, &body).into_bytes();
        let sorts = places(&bytes, "order#2026-");
        let notes = places(&bytes, r#""note":{"S":""#);
        let marks = |(item, partition)| Marks {
            partition,
            sort: sorts.get(item).copied(),
            note: notes.get(item).copied(),
        };
        let items = places(&bytes, "customer#").into_iter().enumerate().map(marks).collect();
        let token = places(&bytes, "\"token-").first().copied();
        Template { bytes, per_partition: layout.per_partition, token, items, pool: pool() }
    }

    /// The request for item number `item` and those after it, as many as the template has, with free text chosen
    /// by `draw`.
    pub(crate) fn fill(&mut self, item: u64, draw: u64) -> &[u8] {
        let mut start = usize::try_from(draw % (1 << 32)).expect("four bytes");
        if let Some(at) = self.token {
            digits(&mut self.bytes[at..][..TOKEN_DIGITS], draw);
        }
        for (item, marks) in (item..).zip(&self.items) {
            let (partition, sort) = (item / self.per_partition, item % self.per_partition);
            digits(&mut self.bytes[marks.partition..][..PARTITION_DIGITS], partition);
            if let Some(at) = marks.sort {
                digits(&mut self.bytes[at..][..SORT_DIGITS], sort);
            }
            if let Some(at) = marks.note {
                start = (start + NOTE_BYTES) % (POOL_BYTES - NOTE_BYTES);
                self.bytes[at..][..NOTE_BYTES].copy_from_slice(&self.pool[start..][..NOTE_BYTES]);
            }
        }
        &self.bytes
    }
}

/// The answer to a GetItem as the bare server gives it: the same bytes as for a real item.
pub(crate) fn get_answer() -> String {
    format!(r#"{{"Item":{}}}"#, stored_item())
}

/// The answer to a Query that finds `count` items, in the same way.
pub(crate) fn query_answer(count: usize) -> String {
    let items = vec![stored_item(); count].join(",");
    format!(r#"{{"Count":{count},"Items":[{items}],"ScannedCount":{count}}}"#)
}

fn stored_item() -> String {
    let item = format!("{KEY},{ATTRIBUTES}")
        .replace(PARTITION_MARK, &"0".repeat(PARTITION_DIGITS))
        .replace(SORT_MARK, &"0".repeat(SORT_DIGITS));
    let note = String::from_utf8(pool()[..NOTE_BYTES].to_vec()).expect("the pool is ASCII");
    format!("{{{}}}", item.replace(NOTE_MARK, &note))
}

/// The body that makes the table.
pub(crate) fn create_table() -> String {
    let attributes = definitions(&[("pk", "S"), ("sk", "S")]);
    format!(
        r#"{{"TableName":"{TABLE}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{attributes}],{}}}"#,
        key_schema("pk", "sk")
    )
}

/// The body that makes the table with five indexes. Each projects all attributes, so that every overwrite writes
/// all five entries; the sort key of the last one is the free text, so that its entry moves each time.
pub(crate) fn create_indexed_table() -> String {
    let names = [
        ("pk", "S"),
        ("sk", "S"),
        ("status", "S"),
        ("placed_at", "S"),
        ("total", "N"),
        ("email", "S"),
        ("note", "S"),
    ];
    let keys = [("sk", "pk"), ("status", "placed_at"), ("email", "sk"), ("pk", "total"), ("pk", "note")];
    let index = |(number, (hash, range))| {
        let keys = key_schema(hash, range);
        format!(r#"{{"IndexName":"by-{number}",{keys},"Projection":{{"ProjectionType":"ALL"}}}}"#)
    };
    let indexes = keys.into_iter().enumerate().map(index).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"TableName":"{INDEXED_TABLE}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{}],{},"GlobalSecondaryIndexes":[{indexes}]}}"#,
        definitions(&names),
        key_schema("pk", "sk")
    )
}

fn definitions(attributes: &[(&str, &str)]) -> String {
    let one =
        |(name, kind): &(&str, &str)| format!(r#"{{"AttributeName":"{name}","AttributeType":"{kind}"}}"#);
    attributes.iter().map(one).collect::<Vec<_>>().join(",")
}

fn key_schema(hash: &str, range: &str) -> String {
    format!(
        r#""KeySchema":[{{"AttributeName":"{hash}","KeyType":"HASH"}},{{"AttributeName":"{range}","KeyType":"RANGE"}}]"#
    )
}

/// A whole HTTP/1.1 request with the headers of a boto3 client.
pub(crate) fn request(operation: &str, body: &str) -> String {
    const SIGNED: &str = "content-type;host;x-amz-date;x-amz-target";
    let signature = "5f2c9d0b7e184a63".repeat(4);
    format!(
        "POST / HTTP/1.1\r\n\
         Host: 127.0.0.1:8000\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\n\
         User-Agent: Boto3/1.42.4 md/Botocore#1.42.4 ua/2.1 os/linux#6.18.2 md/arch#x86_64 \
         lang/python#3.13.5 md/pyimpl#CPython m/Z,b,D cfg/retry-mode#legacy Botocore/1.42.4\r\n\
         X-Amz-Date: 20261130T120000Z\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261130/us-east-1/dynamodb/aws4_request, \
         SignedHeaders={SIGNED}, Signature={signature}\r\n\
         amz-sdk-invocation-id: 6a1f3b52-8c0e-4d5b-9a77-3f1d2c4b5a69\r\n\
         amz-sdk-request: attempt=1\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Where each occurrence of `mark` ends.
fn places(bytes: &[u8], mark: &str) -> Vec<usize> {
    let windows = bytes.windows(mark.len()).enumerate();
    windows.filter(|(_, window)| *window == mark.as_bytes()).map(|(at, _)| at + mark.len()).collect()
}

/// Writes `value` right-aligned with leading zeros.
fn digits(target: &mut [u8], mut value: u64) {
    for digit in target.iter_mut().rev() {
        *digit = b'0' + u8::try_from(value % 10).expect("a remainder of ten fits");
        value /= 10;
    }
}

fn pool() -> Vec<u8> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz 01234";
    let mut draws = Draws::new(0x0d15_ea5e);
    (0..POOL_BYTES).map(|_| LETTERS[usize::try_from(draws.next() % 32).expect("below 32")]).collect()
}

/// A small fast sequence of pseudo-random numbers (SplitMix64), the same for the same seed.
#[derive(Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(request: &[u8]) -> serde_json::Value {
        let text = std::str::from_utf8(request).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
        serde_json::from_str(body).unwrap()
    }

    #[test]
    fn a_filled_template_names_the_item_it_was_asked_for() {
        let mut template = Template::get(Layout::default());
        let body = body_of(template.fill(12_347, 0));
        assert_eq!(body["Key"]["pk"]["S"], "customer#00001234");
        assert_eq!(body["Key"]["sk"]["S"], "order#2026-0000000007");
    }

    #[test]
    fn two_draws_give_two_items_of_the_same_shape() {
        let mut template = Template::put(Layout::default());
        let one = body_of(template.fill(1, 11));
        let two = body_of(template.fill(1, 12));
        assert_eq!(one["Item"].as_object().unwrap().len(), 12);
        assert_ne!(one["Item"]["note"], two["Item"]["note"]);
        assert_eq!(one["Item"]["pk"], two["Item"]["pk"]);
    }

    #[test]
    fn the_bare_answer_has_the_shape_of_a_stored_item() {
        let answer: serde_json::Value = serde_json::from_str(&get_answer()).unwrap();
        let put = body_of(Template::put(Layout::default()).fill(0, 0));
        let names =
            |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&answer["Item"]), names(&put["Item"]));
        let answer: serde_json::Value = serde_json::from_str(&query_answer(3)).unwrap();
        assert_eq!(answer["Items"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn both_tables_are_described_in_json() {
        for body in [create_table(), create_indexed_table()] {
            serde_json::from_str::<serde_json::Value>(&body).unwrap();
        }
    }

    #[test]
    fn a_batch_names_items_in_a_row() {
        let layout = Layout { table: "other", per_partition: 50 };
        let body = body_of(Template::batch(layout).fill(40, 3));
        let puts = body["RequestItems"]["other"].as_array().unwrap();
        let keys: std::collections::BTreeSet<_> = puts
            .iter()
            .map(|put| &put["PutRequest"]["Item"])
            .map(|item| format!("{}{}", item["pk"]["S"], item["sk"]["S"]))
            .collect();
        assert_eq!(keys.len(), 25);
        assert!(keys.first().unwrap().ends_with("00000000\"\"order#2026-0000000040\""), "{keys:?}");
        assert!(keys.last().unwrap().ends_with("00000001\"\"order#2026-0000000014\""), "{keys:?}");
    }

    #[test]
    fn a_transaction_names_items_in_a_row_and_a_token_of_its_own() {
        let mut template = Template::transact_put(Layout::default(), 2);
        let one = body_of(template.fill(8, 3));
        let other = body_of(template.fill(8, 4));
        let key = |at: usize| one["TransactItems"][at]["Put"]["Item"]["sk"]["S"].as_str().unwrap();
        assert_eq!((key(0), key(1)), ("order#2026-0000000008", "order#2026-0000000009"));
        let token = format!("token-0000000000000003-{}", std::process::id());
        assert_eq!(one["ClientRequestToken"], token);
        assert_ne!(one["ClientRequestToken"], other["ClientRequestToken"]);
        let read = body_of(Template::transact_get(Layout::default()).fill(3, 0));
        assert_eq!(read["TransactItems"][1]["Get"]["Key"]["sk"]["S"], "order#2026-0000000004");
    }

    #[test]
    fn a_statement_names_the_item_in_its_parameters() {
        let body = body_of(Template::select(Layout::default()).fill(12_347, 0));
        assert_eq!(body["Statement"], r#"SELECT * FROM "bench-items" WHERE pk = ? AND sk = ?"#);
        assert_eq!(body["Parameters"][1]["S"], "order#2026-0000000007");
    }

    #[test]
    fn a_query_names_a_partition_only() {
        let body = body_of(Template::query(Layout::default()).fill(12_347, 0));
        assert_eq!(body["ExpressionAttributeValues"][":pk"]["S"], "customer#00001234");
    }
}
