//! What must be in the table: everything answered, and perhaps what was on its way when the server died.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::http::{Answer, Connection};
use crate::item::{Item, Key, OPTIONAL, key_json};
use crate::server::Server;

const TABLE: &str = "crash";

/// Writers, each with items of its own and all with the counters.
const WRITERS: usize = 8;
const SLOTS: usize = 12;
const COUNTERS: usize = 3;

/// All writers share these partitions, so that they meet in the rows that a partition has once.
const PARTITIONS: usize = 4;

/// The latest moment of a kill after the writers have begun, in milliseconds.
const KILL_WITHIN_MS: u64 = 400;

/// The most requests of one writer in one round; the kill comes long before.
const REQUESTS_MAX: usize = 1_000_000;

/// What the test believes.
pub(crate) struct World {
    draws: Draws,
    writers: Vec<Writer>,
    /// Each counter as it was last read after a start.
    counters: [u64; COUNTERS],
    seen: Seen,
    kills: u64,
}

/// The most recent states that a reader was shown.
#[derive(Default)]
struct Seen {
    /// The highest `seq` of each item.
    items: BTreeMap<Key, u64>,
    counters: [u64; COUNTERS],
}

struct Writer {
    draws: Draws,
    slots: Vec<Slot>,
    /// Numbers every attempted change of this writer.
    seq: u64,
    /// Additions answered in this round, and the counter that one more may have reached.
    added: [u64; COUNTERS],
    adding: Option<usize>,
    answered: u64,
}

/// One item of a writer.
struct Slot {
    key: Key,
    /// Its state by the last answer.
    known: Option<Item>,
    /// The change whose answer has not come.
    on_its_way: Option<Change>,
}

#[derive(Clone, Debug)]
struct Change {
    condition: Condition,
    /// The image to put or to update to; none deletes.
    image: Option<Item>,
    update: bool,
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    None,
    Absent,
    Seq(u64),
}

impl World {
    pub(crate) fn new(seed: u64) -> World {
        let mut draws = Draws(seed);
        let writers = (0..WRITERS).map(|number| Writer::new(number, Draws(draws.next()))).collect();
        World { draws, writers, counters: [0; COUNTERS], seen: Seen::default(), kills: 0 }
    }

    /// Makes the table and the counters.
    pub(crate) fn begin(server: &Server) {
        server.call("CreateTable", &create_table());
        for number in 0..COUNTERS {
            let counter = counter(number, 0);
            server.call("PutItem", &json!({ "TableName": TABLE, "Item": counter.to_json() }));
        }
    }

    /// Runs all writers and a reader, and kills the server under them.
    pub(crate) fn run_until_killed(&mut self, server: Server) {
        let (addr, killed) = (server.addr(), AtomicBool::new(false));
        let delay = Duration::from_millis(self.draws.below(KILL_WITHIN_MS));
        let reader = Draws(self.draws.next());
        let keys: Vec<Key> = self.writers.iter().flat_map(Writer::keys).collect();
        let (writers, seen) = (&mut self.writers, &mut self.seen);
        std::thread::scope(|scope| {
            for writer in writers {
                let killed = &killed;
                scope.spawn(move || until_killed(killed, || writer.run(addr)));
            }
            let killed = &killed;
            scope.spawn(move || until_killed(killed, || seen.run(addr, &keys, reader)));
            pause(delay);
            killed.store(true, Ordering::Release);
            server.kill();
        });
        self.kills += 1;
    }

    /// Reads everything through the server and compares.
    pub(crate) fn check(&mut self, server: &Server) {
        let mut connection = Connection::open(server.addr()).expect("the server accepts a connection");
        let keys = self.writers.iter().flat_map(Writer::keys).chain((0..COUNTERS).map(counter_key));
        let mut found = BTreeMap::new();
        for key in keys.collect::<Vec<_>>() {
            if let Some(item) = get(&mut connection, &key).expect("the server answers") {
                found.insert(key, item);
            }
        }
        self.settle(&found);
        check_totals(&server.describe(TABLE), found.values());
    }

    /// Compares all items with what must be there, and believes them from then on.
    pub(crate) fn settle(&mut self, found: &BTreeMap<Key, Item>) {
        let mut known = 0;
        for writer in &mut self.writers {
            for slot in &mut writer.slots {
                slot.settle(found.get(&slot.key), self.seen.items.get(&slot.key).copied());
                known += usize::from(slot.known.is_some());
            }
        }
        assert_eq!(found.len(), known + COUNTERS, "there are items that nobody wrote");
        for number in 0..COUNTERS {
            self.settle_counter(number, found.get(&counter_key(number)));
        }
        self.seen = Seen::default();
        for writer in &mut self.writers {
            (writer.added, writer.adding) = ([0; COUNTERS], None);
        }
    }

    fn settle_counter(&mut self, number: usize, found: Option<&Item>) {
        let found = found.unwrap_or_else(|| panic!("counter {number} is gone"));
        let value = found.number("n").expect("a counter has a number");
        assert_eq!(*found, counter(number, value), "an addition changed other attributes");
        let answered: u64 = self.writers.iter().map(|writer| writer.added[number]).sum();
        let on_its_way = self.writers.iter().filter(|writer| writer.adding == Some(number)).count() as u64;
        let least = self.counters[number] + answered;
        let range = least..=least + on_its_way;
        assert!(range.contains(&value), "counter {number} is {value}, must be in {range:?}");
        assert!(value >= self.seen.counters[number], "a reader saw an addition that the crash took back");
        self.counters[number] = value;
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered: u64 = self.writers.iter().map(|writer| writer.answered).sum();
        let items =
            self.writers.iter().flat_map(|writer| &writer.slots).filter(|slot| slot.known.is_some()).count();
        let (kills, counters) = (self.kills, self.counters);
        write!(f, "{kills} kills, {answered} writes answered, {items} items, counters {counters:?}")
    }
}

/// A connection may break only because the server was killed.
fn until_killed(killed: &AtomicBool, work: impl FnOnce() -> std::io::Result<()>) {
    if let Err(error) = work() {
        assert!(
            killed.load(Ordering::Acquire),
            "the server broke a connection before it was killed: {error}"
        );
    }
}

impl Seen {
    /// Reads random items and remembers the newest state of each.
    fn run(&mut self, addr: SocketAddr, keys: &[Key], mut draws: Draws) -> std::io::Result<()> {
        let mut connection = Connection::open(addr)?;
        for _ in 0..REQUESTS_MAX {
            let number = draws.index(COUNTERS);
            if let Some(counter) = get(&mut connection, &counter_key(number))? {
                let value = counter.number("n").expect("a counter has a number");
                assert!(value >= self.counters[number], "a counter went back");
                self.counters[number] = value;
            }
            let key = &keys[draws.index(keys.len())];
            if let Some(item) = get(&mut connection, key)? {
                item.assert_sealed();
                let seq = item.number("seq").expect("every item has a number");
                let before = self.items.insert(key.clone(), seq);
                assert!(before <= Some(seq), "an item went back");
            }
        }
        Ok(())
    }
}

impl Writer {
    fn new(number: usize, draws: Draws) -> Writer {
        let key = |slot| (format!("p{}", slot % PARTITIONS), format!("w{number}-{slot}"));
        let slots = (0..SLOTS).map(|slot| Slot { key: key(slot), known: None, on_its_way: None }).collect();
        Writer { draws, slots, seq: 1, added: [0; COUNTERS], adding: None, answered: 0 }
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        self.slots.iter().map(|slot| slot.key.clone())
    }

    /// Writes until the connection breaks.
    fn run(&mut self, addr: SocketAddr) -> std::io::Result<()> {
        let mut connection = Connection::open(addr)?;
        for _ in 0..REQUESTS_MAX {
            match self.draws.below(4) {
                0 => self.add(&mut connection)?,
                _ => self.change(&mut connection)?,
            }
            self.answered += 1;
        }
        Ok(())
    }

    fn add(&mut self, connection: &mut Connection) -> std::io::Result<()> {
        let number = self.draws.index(COUNTERS);
        self.adding = Some(number);
        let body = json!({
            "TableName": TABLE, "Key": key_json(&counter_key(number)), "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": { ":one": { "N": "1" } },
        });
        let answer = connection.call("UpdateItem", &body)?;
        assert_eq!(answer.status, 200, "{}", answer.body);
        self.adding = None;
        self.added[number] += 1;
        Ok(())
    }

    fn change(&mut self, connection: &mut Connection) -> std::io::Result<()> {
        let number = self.draws.index(SLOTS);
        let change = self.draw_change(number);
        let slot = &mut self.slots[number];
        let (operation, body) = change.request(&slot.key);
        slot.on_its_way = Some(change.clone());
        let answer = connection.call(operation, &body)?;
        slot.answered(&change, &answer);
        Ok(())
    }

    fn draw_change(&mut self, number: usize) -> Change {
        // The last digit is never zero, so that sizes of numbers follow from their digits alone.
        self.seq += 10;
        let draws = &mut self.draws;
        let slot = &self.slots[number];
        let known = slot.known.as_ref().and_then(|item| item.number("seq"));
        let condition = match draws.below(6) {
            0 => Condition::Absent,
            1 => Condition::Seq(known.unwrap_or(7)),
            2 => Condition::Seq(9),
            _ => Condition::None,
        };
        let delete = draws.below(4) == 0;
        let image = (!delete).then(|| draw_item(draws, &slot.key, self.seq));
        Change { condition, image, update: draws.below(2) == 0 }
    }
}

fn draw_item(draws: &mut Draws, key: &Key, seq: u64) -> Item {
    // A few items are large, so that a write spans many pages of the disk.
    let length = if draws.below(50) == 0 { 50_000 } else { draws.below(600) };
    let payload: String = (0..length).map(|at| char::from(b'a' + ((seq + at * at) % 26) as u8)).collect();
    let mut item = Item::new(key).with_number("seq", seq).with("payload", &payload);
    if draws.below(4) > 0 {
        item = item.with("gk", &format!("g{}", draws.below(3)));
    }
    if draws.below(4) > 0 {
        item = item.with_number("gs", 10 * draws.below(20) + 1);
    }
    if draws.below(3) > 0 {
        item = item.with("lk", &format!("l{}", draws.below(5)));
    }
    item.sealed()
}

impl Slot {
    /// Takes an answer for what it says.
    fn answered(&mut self, change: &Change, answer: &Answer) {
        if change.condition.holds(self.known.as_ref()) {
            assert_eq!(answer.status, 200, "{change:?}: {}", answer.body);
            self.known.clone_from(&change.image);
        } else {
            let kind = answer.body["__type"].as_str().unwrap_or_default();
            assert!(kind.ends_with("#ConditionalCheckFailedException"), "{change:?}: {}", answer.body);
        }
        self.on_its_way = None;
    }

    /// The item is as by the last answer, or as the change on its way makes it: wholly, and certainly so where a
    /// reader has seen that change.
    fn settle(&mut self, found: Option<&Item>, seen: Option<u64>) {
        if let Some(found) = found {
            found.assert_sealed();
        }
        let change = self.on_its_way.take().filter(|change| change.condition.holds(self.known.as_ref()));
        let kept = found == self.known.as_ref();
        let applied = change.as_ref().is_some_and(|change| found == change.image.as_ref());
        assert!(
            kept || applied,
            "{:?}: answered {:?}, on its way {change:?}, found {found:?}",
            self.key,
            self.known
        );
        let new_seq = change.and_then(|change| change.image?.number("seq"));
        let was_seen = new_seq.is_some() && seen >= new_seq;
        assert!(applied || !was_seen, "{:?}: a reader saw a write that the crash took back", self.key);
        self.known = found.cloned();
    }
}

impl Condition {
    fn holds(self, known: Option<&Item>) -> bool {
        match self {
            Condition::None => true,
            Condition::Absent => known.is_none(),
            Condition::Seq(seq) => known.is_some_and(|item| item.number("seq") == Some(seq)),
        }
    }
}

impl Change {
    fn request(&self, key: &Key) -> (&'static str, Json) {
        let mut body = json!({ "TableName": TABLE });
        let operation = match &self.image {
            Some(image) if self.update => {
                update_into(&mut body, key, image);
                "UpdateItem"
            }
            Some(image) => {
                body["Item"] = image.to_json();
                "PutItem"
            }
            None => {
                body["Key"] = key_json(key);
                "DeleteItem"
            }
        };
        match self.condition {
            Condition::None => {}
            Condition::Absent => body["ConditionExpression"] = "attribute_not_exists(pk)".into(),
            Condition::Seq(seq) => {
                body["ConditionExpression"] = "seq = :expected".into();
                body["ExpressionAttributeValues"][":expected"] = json!({ "N": seq.to_string() });
            }
        }
        (operation, body)
    }
}

/// Sets every attribute of the image and removes the optional ones that it lacks.
fn update_into(body: &mut Json, key: &Key, image: &Item) {
    let set = image.0.iter().filter(|(name, _)| *name != "pk" && *name != "sk");
    let mut clauses = Vec::new();
    for (name, value) in set {
        clauses.push(format!("{name} = :{name}"));
        body["ExpressionAttributeValues"][format!(":{name}")] = value.to_json();
    }
    let mut expression = format!("SET {}", clauses.join(", "));
    let missing: Vec<_> = OPTIONAL.into_iter().filter(|name| !image.0.contains_key(*name)).collect();
    if !missing.is_empty() {
        expression = format!("{expression} REMOVE {}", missing.join(", "));
    }
    body["Key"] = key_json(key);
    body["UpdateExpression"] = expression.into();
}

fn counter_key(number: usize) -> Key {
    ("counters".into(), format!("c{number}"))
}

/// A counter lies in both indexes, so each addition changes two entries.
fn counter(number: usize, value: u64) -> Item {
    let item = Item::new(&counter_key(number)).with_number("n", value).with_number("seq", 1);
    item.with("gk", "g0").with_number("gs", 1).with("lk", "l0")
}

fn get(connection: &mut Connection, key: &Key) -> std::io::Result<Option<Item>> {
    let body = json!({ "TableName": TABLE, "Key": key_json(key), "ConsistentRead": true });
    let answer = connection.call("GetItem", &body)?;
    assert_eq!(answer.status, 200, "{}", answer.body);
    Ok(answer.body["Item"].as_object().map(Item::from_json))
}

/// Number and bytes of the items, of the table and of each index, equal a recount.
fn check_totals<'i>(table: &Json, items: impl Iterator<Item = &'i Item> + Clone) {
    let local = items.clone().filter_map(Item::local_entry);
    let global = items.clone().filter_map(Item::global_entry);
    let told = |of: &Json, bytes: &str| (of["ItemCount"].as_u64(), of[bytes].as_u64());
    assert_eq!(told(table, "TableSizeBytes"), count(items.cloned()), "the table's totals");
    let index = |kind: &str| told(&table[kind][0], "IndexSizeBytes");
    assert_eq!(index("LocalSecondaryIndexes"), count(local), "the local index's totals");
    assert_eq!(index("GlobalSecondaryIndexes"), count(global), "the global index's totals");
}

fn count(items: impl Iterator<Item = Item>) -> (Option<u64>, Option<u64>) {
    let totals = items.fold((0, 0), |(count, bytes), item| (count + 1, bytes + item.size()));
    (Some(totals.0), Some(totals.1))
}

fn create_table() -> Json {
    let attribute = |name: &str, kind: &str| json!({ "AttributeName": name, "AttributeType": kind });
    let schema = |hash: &str, range: &str| json!([{ "AttributeName": hash, "KeyType": "HASH" }, { "AttributeName": range, "KeyType": "RANGE" }]);
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            attribute("pk", "S"), attribute("sk", "S"), attribute("gk", "S"), attribute("gs", "N"), attribute("lk", "S"),
        ],
        "KeySchema": schema("pk", "sk"),
        "LocalSecondaryIndexes": [{
            "IndexName": "local", "KeySchema": schema("pk", "lk"), "Projection": { "ProjectionType": "ALL" },
        }],
        "GlobalSecondaryIndexes": [{
            "IndexName": "global", "KeySchema": schema("gk", "gs"),
            "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["seq"] },
        }],
    })
}

#[expect(clippy::disallowed_methods, reason = "a kill must come at a real moment of real processes")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// A small sequence of pseudo-random numbers (SplitMix64), the same for the same seed.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("below a usize")
    }
}
