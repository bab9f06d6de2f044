//! The one internal model that every format is read into.
//!
//! `Option` and empty lists mean *not stated*, never *absent*: checks stay silent about what a format cannot say.

use std::collections::BTreeMap;

use hashrange_api::Operation;
use hashrange_item::Attributes;
use serde_json::{Map, Value};

use crate::finding::Severity;
use crate::template::Template;

/// Tables, entities and access patterns of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The tables, in the order of the file.
    pub tables: Vec<Table>,
    /// The kinds of item.
    pub entities: Vec<Entity>,
    /// The access patterns.
    pub patterns: Vec<Pattern>,
    /// Sequences of patterns that one caller runs one after another.
    pub flows: Vec<Flow>,
    /// Findings that are allowed, each with a reason and an end.
    pub waivers: Vec<Waiver>,
    /// Severities that this model gives to rules; `None` turns a rule off.
    pub severities: BTreeMap<String, Option<Severity>>,
    /// Thresholds that this model pins, by the name that `hashrange model rules` prints.
    pub thresholds: BTreeMap<String, f64>,
    /// Which attribute names the tenant.
    pub tenant: Option<String>,
    /// What the formats that were read can say.
    pub states: States,
    /// What a reader noticed and could go on from.
    pub notes: Vec<Note>,
    /// What files hold that no model states, for files of the same format.
    pub kept: Vec<Kept>,
}

/// Something that a file holds and no model states. It goes back into a file of the same format.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The format, as a command line calls it.
    pub format: &'static str,
    /// The members that lead to it; of a list, the name of the element.
    pub path: Vec<String>,
    /// What it is, as it was written.
    pub value: Value,
    /// Why it is kept.
    pub kept_as: KeptAs,
}

/// Why something is kept that no model states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAs {
    /// Nothing is known of it.
    Unknown,
    /// Only the tool that wrote the file has a use for it.
    Unused,
    /// It is the tool's default, which nobody chose: it counts where the model says nothing.
    Default,
}

/// What the formats of the files can state. Rules about the rest stay silent, or give one note for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a format, not a state")]
pub struct States {
    /// Conditions of writes, `Limit` and order of reads: false for the shapes that only name an operation.
    pub requests: bool,
    /// Local indexes.
    pub local_indexes: bool,
    /// The attribute of time to live.
    pub ttl: bool,
    /// Capacity, scaling, protection and recovery settings.
    pub settings: bool,
    /// Rates of patterns.
    pub rates: bool,
    /// Declarations such as waivers, flows, purposes and personal data: our own format only.
    pub declarations: bool,
}

impl Default for States {
    /// Everything, as our own format can.
    fn default() -> States {
        States {
            requests: true,
            local_indexes: true,
            ttl: true,
            settings: true,
            rates: true,
            declarations: true,
        }
    }
}

/// Something that a reader noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file, with line and column where they are known: `model.yaml:12:3`.
    pub place: String,
    /// What it is.
    pub message: String,
}

/// The type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

/// The keys of a table or an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Partition key attributes: one, or up to four in a global index.
    pub hash: Vec<String>,
    /// Sort key attributes: none, one, or up to four in a global index.
    pub range: Vec<String>,
}

impl Keys {
    /// Partition key attributes, then sort key attributes.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.hash.iter().chain(&self.range).map(String::as_str)
    }
}

/// What an index holds of each item besides its own keys and the table's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Everything.
    #[default]
    All,
    /// Keys alone.
    KeysOnly,
    /// These attributes too.
    Include(Vec<String>),
}

/// The sort of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexKind {
    /// A global secondary index.
    #[default]
    Global,
    /// A local secondary index.
    Local,
    /// A vector index.
    Vector,
}

/// An index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Global, local or vector.
    pub kind: IndexKind,
    /// Its keys; those of a vector index are the HASH elements of its search schema.
    pub keys: Keys,
    /// What it holds.
    pub projection: Projection,
    /// Its own provisioned capacity, where it has one.
    pub capacity: Option<Capacity>,
    /// Its auto scaling, read then write.
    pub scaling: [Option<Scaling>; 2],
    /// What only a vector index has, in the words of CreateTable's `VectorIndexes`.
    pub vector: Option<Map<String, Value>>,
    /// Throughput that it is kept warm for.
    pub warm: Units,
    /// Most units per second that it may use on demand.
    pub on_demand_max: Units,
    /// Its contributor insights; `None` where not stated.
    pub insights: Option<Insights>,
    /// Declared reason for an index that no pattern reads (`used_for`): operations, a stream, a replica.
    pub used_for: Option<String>,
    /// Bytes of one entry, where declared or observed.
    pub entry_bytes: Option<f64>,
    /// Entries, where declared or observed.
    pub entry_count: Option<f64>,
    /// What was read from it, where that was measured.
    pub usage: Option<Usage>,
}

/// Units per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Read units per second.
    pub read: f64,
    /// Write units per second.
    pub write: f64,
}

/// Units per second of reads and of writes, each where it is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Units {
    /// Read units per second.
    pub read: Option<f64>,
    /// Write units per second.
    pub write: Option<f64>,
}

impl Units {
    /// Whether either is stated.
    pub fn is_stated(&self) -> bool {
        self.read.is_some() || self.write.is_some()
    }
}

/// Who owns the key that a table is encrypted with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// AWS, without charge: the default.
    Owned,
    /// The account, managed by AWS: `aws/dynamodb`.
    Managed,
    /// The account: the key's id, alias or ARN; `None` where only the deployment knows it.
    Key(Option<String>),
}

/// Which keys contributor insights count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insights {
    /// None: they are off.
    Off,
    /// Those that are accessed, and those that are throttled.
    All,
    /// Those that are throttled.
    Throttled,
}

/// A Kinesis data stream that gets a table's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinesis {
    /// Its ARN; `None` where only the deployment knows it.
    pub stream: Option<String>,
    /// `MILLISECOND` or `MICROSECOND`; `None` where not stated.
    pub precision: Option<String>,
}

/// What metrics say of a table or an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The last days that were measured.
    pub days: f64,
    /// Read units that were consumed in them, in all.
    pub read_units: f64,
}

/// The type of resource that a template makes a table with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// `AWS::DynamoDB::Table`.
    Table,
    /// `AWS::DynamoDB::GlobalTable`.
    GlobalTable,
    /// `AWS::Serverless::SimpleTable`.
    SimpleTable,
}

impl Resource {
    /// Every type.
    pub const ALL: [Resource; 3] = [Resource::Table, Resource::GlobalTable, Resource::SimpleTable];

    /// What CloudFormation calls it.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Table => "AWS::DynamoDB::Table",
            Resource::GlobalTable => "AWS::DynamoDB::GlobalTable",
            Resource::SimpleTable => "AWS::Serverless::SimpleTable",
        }
    }
}

/// One target-tracking policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Fewest units per second.
    pub min: f64,
    /// Most units per second.
    pub max: f64,
    /// Utilisation aimed at, in per cent.
    pub target: f64,
    /// Whether capacity only grows.
    pub disable_scale_in: bool,
}

/// How throughput is paid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Billing {
    /// By request.
    OnDemand,
    /// By capacity; `None` where only scaling or nothing states it.
    Provisioned(Option<Capacity>),
}

/// How replicas of a global table agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// Last writer wins.
    Eventual,
    /// One order in all regions.
    Strong,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The name that a template gives to the resource, for matching files.
    pub logical_id: Option<String>,
    /// The type of resource in a template of CloudFormation; `None` where not stated.
    pub resource: Option<Resource>,
    /// Its keys.
    pub keys: Keys,
    /// The declared types of key attributes, as `AttributeDefinitions` gives them; may name attributes that are no key.
    pub definitions: BTreeMap<String, KeyType>,
    /// Its indexes, in the order of the file.
    pub indexes: Vec<Index>,
    /// How it is paid; `None` where not stated.
    pub billing: Option<Billing>,
    /// Its auto scaling, read then write.
    pub scaling: [Option<Scaling>; 2],
    /// Throughput that it is kept warm for.
    pub warm: Units,
    /// Most units per second that it may use on demand.
    pub on_demand_max: Units,
    /// Whether its class is STANDARD_INFREQUENT_ACCESS; `None` where not stated.
    pub infrequent_access: Option<bool>,
    /// The attribute of time to live.
    pub ttl: Option<String>,
    /// The stream's view type, where there is a stream.
    pub stream: Option<String>,
    /// How many consumers read the stream, where declared.
    pub stream_consumers: Option<u32>,
    /// The Kinesis data stream that gets its changes, where there is one.
    pub kinesis: Option<Kinesis>,
    /// Who owns its encryption key; `None` where not stated.
    pub encryption: Option<Encryption>,
    /// Its contributor insights; `None` where not stated.
    pub insights: Option<Insights>,
    /// Its resource policy: a document of IAM.
    pub policy: Option<Value>,
    /// Point-in-time recovery; `None` where not stated.
    pub recovery: Option<bool>,
    /// Deletion protection; `None` where not stated.
    pub protection: Option<bool>,
    /// The other regions of a global table.
    pub replicas: Vec<String>,
    /// How they agree, where there are some.
    pub replica_consistency: Option<Consistency>,
    /// Whether the table is for production, by declaration.
    pub production: Option<bool>,
    /// Items that the files give, in the order of the files.
    pub samples: Vec<Attributes>,
    /// Items in the table, where declared or observed for the table as a whole.
    pub item_count: Option<f64>,
    /// Bytes of one item, where declared or observed for the table as a whole.
    pub item_bytes: Option<f64>,
    /// What was read from it, where that was measured.
    pub usage: Option<Usage>,
}

impl Table {
    /// The index of that name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }
}

/// The type of an attribute, as DynamoDB JSON names it (`S`, `N`, `BOOL`, `M` ...).
pub type AttributeType = hashrange_item::Kind;

/// An attribute of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type; `None` where not stated.
    pub kind: Option<AttributeType>,
    /// How values look: `uuid`, `ulid`, `name`, `email`, `iso-date`, `iso-time`, `epoch`, `int(1,100)`, `decimal(0,500,2)`, `text(200)`, `const(x)`; see the schema.
    pub format: Option<String>,
    /// The values that it takes.
    pub values: Vec<String>,
    /// How often each of `values` occurs; empty is evenly.
    pub weights: Vec<f64>,
    /// Bytes of a value, where declared.
    pub bytes: Option<f64>,
    /// The share of items that have it; 1 where not stated.
    pub share: Option<f64>,
    /// Personal or secret data, by declaration.
    pub pii: bool,
    /// Whether it never changes, by declaration.
    pub immutable: bool,
    /// The entity and attribute that it is a copy of.
    pub copy_of: Option<(String, String)>,
}

impl Attribute {
    /// An attribute of which only the name is known.
    pub fn named(name: &str) -> Attribute {
        Attribute {
            name: name.to_owned(),
            kind: None,
            format: None,
            values: Vec::new(),
            weights: Vec::new(),
            bytes: None,
            share: None,
            pii: false,
            immutable: false,
            copy_of: None,
        }
    }
}

/// A kind of item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: String,
    /// How key attributes of the table and of indexes are made, by attribute. An index key that is not here is absent, or a plain attribute.
    pub keys: BTreeMap<String, Template>,
    /// Its attributes, without those of `keys` that are made from others.
    pub attributes: Vec<Attribute>,
    /// How many there are.
    pub count: Option<f64>,
    /// Mean bytes of one.
    pub bytes: Option<f64>,
    /// The 99th percentile of bytes.
    pub p99_bytes: Option<f64>,
    /// Most of them in one collection, by declaration.
    pub max_per_collection: Option<f64>,
    /// Mean number in one collection.
    pub per_collection: Option<f64>,
    /// Days after which one is removed, by time to live or a pattern.
    pub retention_days: Option<f64>,
    /// Reference data: written rarely, kept for ever.
    pub reference: bool,
    /// Global catalogue data, that belongs to no tenant.
    pub shared: bool,
}

/// Who waits for a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// A caller.
    #[default]
    Request,
    /// A job.
    Batch,
    /// An export.
    Export,
    /// A person who administers.
    Admin,
}

/// What a pattern must give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// Exactly these items (or the attributes of them that are given), in order where `ordered`.
    pub items: Option<Vec<Attributes>>,
    /// Fewest items.
    pub min: Option<u64>,
    /// Most items.
    pub max: Option<u64>,
    /// The attribute by which answers are sorted, and whether ascending.
    pub order: Option<(String, bool)>,
    /// The error that must come, such as `ConditionalCheckFailedException`.
    pub error: Option<String>,
    /// The plan class that must be found, as it prints.
    pub plan: Option<String>,
    /// Most pages.
    pub pages: Option<u64>,
}

/// What a pattern may consume each time it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Read units, over table and indexes.
    pub rcu: Option<f64>,
    /// Write units, over table and indexes.
    pub wcu: Option<f64>,
}

/// How a parameter of a pattern gets its values.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// Always this.
    Value(Value),
    /// An attribute of an item of this entity (`Order.orderId`); all parameters of one entity come from one item.
    From {
        /// The entity.
        entity: String,
        /// The attribute.
        attribute: String,
    },
    /// A new value each time, in one of the formats of [`Attribute::format`].
    New(String),
}

/// What a person says of a pattern that cannot be read from its request.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent declarations, not a state")]
pub struct Declared {
    /// Reads what it wrote just before (`read_after_write`), locks, balances: why it reads strongly.
    pub strong_reason: Option<String>,
    /// Late answers of an index are fine.
    pub stale_ok: bool,
    /// The write may create or replace.
    pub upsert: bool,
    /// The put replaces the whole item on purpose.
    pub full_replace: bool,
    /// The last writer may win.
    pub last_writer_wins: bool,
    /// Drift of a counter is fine.
    pub approximate: bool,
    /// Only one writer exists.
    pub single_writer: bool,
    /// The caller asks for further pages until it has enough.
    pub loops: bool,
    /// All types of item in the collection are wanted.
    pub all_types: bool,
    /// Reads go through a cache.
    pub cached: bool,
    /// Why it is a transaction.
    pub transaction_reason: Option<String>,
}

/// An access pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// What reports call it: `P3`.
    pub id: String,
    /// What it does, in a few words.
    pub name: String,
    /// Who needs it.
    pub who: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// Who waits for it.
    pub purpose: Purpose,
    /// Why another system serves it: it has no request then.
    pub external: Option<String>,
    /// The table, by name.
    pub table: Option<String>,
    /// The index that the file says it reads.
    pub index: Option<String>,
    /// The operation; `None` where only a need is stated.
    pub operation: Option<Operation>,
    /// The request in DynamoDB's JSON, all parameters as `{name}` inside strings. `None` where the format cannot state it; a PartiQL
    /// pattern holds `Statement` here.
    pub request: Option<Map<String, Value>>,
    /// A need in place of a request: attributes that are given with `=`.
    pub need_equal: Vec<String>,
    /// A need in place of a request: the attribute that is bounded or sorted by.
    pub need_range: Option<String>,
    /// Where parameters come from.
    pub parameters: BTreeMap<String, Parameter>,
    /// What must come.
    pub expect: Expect,
    /// Whether reads are strong; `None` where not stated.
    pub strong: Option<bool>,
    /// Runs per second at the worst time.
    pub peak_rps: Option<f64>,
    /// Runs per second on average.
    pub avg_rps: Option<f64>,
    /// What one run may consume.
    pub budget: Budget,
    /// Items examined or written each time.
    pub items: Option<f64>,
    /// Items at the 99th percentile.
    pub p99_items: Option<f64>,
    /// Bytes of one item.
    pub item_bytes: Option<f64>,
    /// Bytes of each item of a batch.
    pub item_sizes: Vec<f64>,
    /// Bytes of the item before an update.
    pub previous_item_bytes: Option<f64>,
    /// Attributes that are written; `None` where not stated.
    pub attributes_written: Option<Vec<String>>,
    /// Entities that are read or written, with how many of each.
    pub entities: Vec<(String, f64)>,
    /// The share of writes whose condition fails.
    pub conditional_fail_rate: Option<f64>,
    /// The share of reads that find nothing.
    pub non_existent_rate: Option<f64>,
    /// The share of writes that make a new item (1 create, 0 update or delete).
    pub create_share: Option<f64>,
    /// Days that what it creates is kept.
    pub retention_days: Option<f64>,
    /// The skew of keys under load: `uniform`, `zipf:0.99`, `hot:0.2:0.8`, `latest:0.99`, `celebrity:0.05`, `today`.
    pub skew: Option<String>,
    /// How many items a client takes of what it has read (`--max-items`): it bounds nothing that the server reads.
    pub client_max_items: Option<u64>,
    /// Over how many keys each of its keys is spread: a query reads all of them side by side, anything else is about one.
    pub shards: Option<u32>,
    /// What a person says of it.
    pub declared: Declared,
}

/// A sequence of patterns that one caller runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Its steps.
    pub steps: Vec<FlowStep>,
    /// Whether late answers of an index are fine in it.
    pub stale_ok: bool,
}

/// A step of a [`Flow`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlowStep {
    /// The pattern's id.
    pub pattern: String,
    /// How often it runs in one flow.
    pub times: f64,
    /// Whether its keys come from the step before.
    pub for_each_previous: bool,
}

/// A finding that is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The rule's id.
    pub rule: String,
    /// The pattern, table, index (`table.index`) or entity that it is allowed for; `None` is everywhere.
    pub on: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds: `2027-03-31`.
    pub until: String,
}

impl Catalogue {
    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern of that id.
    pub fn pattern(&self, id: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.id == id)
    }

    /// The entities of a table.
    pub fn entities_of<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a Entity> {
        self.entities.iter().filter(move |entity| entity.table == table)
    }
}
