//! The requests of the workload, built once and only patched per send.
//!
//! Every variable part has a fixed width, so a request is a copy of its template with a few digits and some
//! filler text replaced: the generator spends its time in the kernel, as a C client would. The headers are
//! those that boto3 sends. The signature has the right form only; the server of this version accepts it.

/// The table that all workloads use.
pub(crate) const TABLE: &str = "bench-items";

/// Items of one partition.
const ITEMS_PER_PARTITION: u64 = 10;

/// Digits of the partition key's and the sort key's number.
const PARTITION_DIGITS: usize = 8;
const SORT_DIGITS: usize = 10;

/// Bytes of the free text that brings an item to exactly 400 bytes by DynamoDB's rules.
const NOTE_BYTES: usize = 178;

/// Free text to draw from: letters and digits without repetition, so that compression finds little to gain.
const POOL_BYTES: usize = 1 << 16;

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

/// A request whose marks are filled in per send.
#[derive(Debug)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    partition_at: usize,
    sort_at: usize,
    note_at: Option<usize>,
    pool: Vec<u8>,
}

impl Template {
    /// Reads one item.
    pub(crate) fn get() -> Template {
        Template::new(
            "GetItem",
            &format!(r#"{{"TableName":"{TABLE}","Key":{{{KEY}}},"ConsistentRead":true}}"#),
        )
    }

    /// Writes one whole item.
    pub(crate) fn put() -> Template {
        Template::new("PutItem", &format!(r#"{{"TableName":"{TABLE}","Item":{{{KEY},{ATTRIBUTES}}}}}"#))
    }

    /// Adds 1 to `visits` of one item.
    pub(crate) fn add() -> Template {
        let update = r#""UpdateExpression":"ADD visits :one","ExpressionAttributeValues":{":one":{"N":"1"}}"#;
        Template::new("UpdateItem", &format!(r#"{{"TableName":"{TABLE}","Key":{{{KEY}}},{update}}}"#))
    }

    fn new(operation: &str, body: &str) -> Template {
        let body = body
            .replace(PARTITION_MARK, &"0".repeat(PARTITION_DIGITS))
            .replace(SORT_MARK, &"0".repeat(SORT_DIGITS))
            .replace(NOTE_MARK, &"n".repeat(NOTE_BYTES));
        let bytes = request(operation, &body).into_bytes();
        let after = |mark: &str| find(&bytes, mark).map(|at| at + mark.len());
        Template {
            partition_at: after("customer#").expect("every body has a partition key"),
            sort_at: after("order#2026-").expect("every body has a sort key"),
            note_at: after(r#""note":{"S":""#),
            pool: pool(),
            bytes,
        }
    }

    /// The request for item number `item`, with free text chosen by `draw`.
    pub(crate) fn fill(&mut self, item: u64, draw: u64) -> &[u8] {
        digits(&mut self.bytes[self.partition_at..][..PARTITION_DIGITS], item / ITEMS_PER_PARTITION);
        digits(&mut self.bytes[self.sort_at..][..SORT_DIGITS], item % ITEMS_PER_PARTITION);
        if let Some(at) = self.note_at {
            let start = usize::try_from(draw).unwrap_or(usize::MAX) % (POOL_BYTES - NOTE_BYTES);
            self.bytes[at..][..NOTE_BYTES].copy_from_slice(&self.pool[start..][..NOTE_BYTES]);
        }
        &self.bytes
    }
}

/// The answer to a GetItem as the bare server gives it: the same bytes as for a real item.
pub(crate) fn get_answer() -> String {
    let item = format!("{KEY},{ATTRIBUTES}")
        .replace(PARTITION_MARK, &"0".repeat(PARTITION_DIGITS))
        .replace(SORT_MARK, &"0".repeat(SORT_DIGITS));
    let note = String::from_utf8(pool()[..NOTE_BYTES].to_vec()).expect("the pool is ASCII");
    format!(r#"{{"Item":{{{}}}}}"#, item.replace(NOTE_MARK, &note))
}

/// The body that makes the table.
pub(crate) fn create_table() -> String {
    format!(
        r#"{{"TableName":"{TABLE}","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}},{{"AttributeName":"sk","AttributeType":"S"}}],
        "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}},{{"AttributeName":"sk","KeyType":"RANGE"}}]}}"#
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

fn find(haystack: &[u8], needle: &str) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle.as_bytes())
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
        let mut template = Template::get();
        let body = body_of(template.fill(12_347, 0));
        assert_eq!(body["Key"]["pk"]["S"], "customer#00001234");
        assert_eq!(body["Key"]["sk"]["S"], "order#2026-0000000007");
    }

    #[test]
    fn two_draws_give_two_items_of_the_same_shape() {
        let mut template = Template::put();
        let one = body_of(template.fill(1, 11));
        let two = body_of(template.fill(1, 12));
        assert_eq!(one["Item"].as_object().unwrap().len(), 12);
        assert_ne!(one["Item"]["note"], two["Item"]["note"]);
        assert_eq!(one["Item"]["pk"], two["Item"]["pk"]);
    }

    #[test]
    fn the_bare_answer_has_the_shape_of_a_stored_item() {
        let answer: serde_json::Value = serde_json::from_str(&get_answer()).unwrap();
        let put = body_of(Template::put().fill(0, 0));
        let names =
            |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&answer["Item"]), names(&put["Item"]));
        serde_json::from_str::<serde_json::Value>(&create_table()).unwrap();
    }
}
