//! A recording of traffic: which forms of request come, how often, and what they consume; never what they say.
//!
//! A request's plan tells its outline (structure and names, no values) to a hash. The hash finds the counts of that form;
//! only where it is new is a text made of it. So a request of a known form costs a walk over its plan, two short locks of
//! that form's counts, two readings of the clock and its report of capacity.

mod answer;
mod digest;
mod keys;
mod shape;
mod tally;
mod token;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use hashrange_api::{Error, ErrorCode, Operation, Response, ReturnConsumedCapacity};
use hashrange_engine::Plan;
use hashrange_env::{Clock, Env, WallMs};
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::{Mutex, RwLock};
use sha2::Sha256;

pub use digest::SizeClass;
pub use hashrange_engine::{Field, IndexOutline, TableOutline};
pub use shape::Shape;
pub use tally::Arm;

use digest::Digest;
use shape::Builder;
use tally::Tally;
use token::{Remainders, Tokens};

/// Forms of request that are told apart; all further ones are counted together.
const FORMS_MAX: usize = 5_000;
/// Forms beyond which key values' type prefixes tell no more apart.
const FORMS_WITH_TOKENS_MAX: usize = 4_000;
/// Requests of a form after which remainders of its prefixes are looked at rarely.
const PATIENCE: u64 = 4_096;
/// How rarely: one request of so many.
const RARELY: u64 = 64;

thread_local! {
    /// The memory of the hash of forms.
    static DIGEST: RefCell<Digest> = RefCell::new(Digest::new());
}

/// Takes down the forms of requests.
#[derive(Debug)]
pub struct Recorder {
    clock: Arc<dyn Clock>,
    started: Duration,
    started_wall: WallMs,
    /// What makes keys of top lists unknowable. It is never told.
    secret: [u8; 32],
    sample: u64,
    turn: AtomicU64,
    forms: RwLock<HashMap<u64, Arc<Form>>>,
    other: Arc<Form>,
    tokens: Mutex<Tokens>,
    tables: Mutex<BTreeMap<String, TableOutline>>,
    refused: Mutex<BTreeMap<(Operation, ErrorCode), u64>>,
}

/// One form of request.
#[derive(Debug)]
struct Form {
    shape: Shape,
    /// Whether nothing more needs to be learnt of its key values' prefixes.
    settled: AtomicBool,
    tally: Mutex<Tally>,
}

impl Form {
    fn new(shape: Shape, settled: bool) -> Arc<Form> {
        Arc::new(Form { shape, settled: AtomicBool::new(settled), tally: Mutex::default() })
    }
}

/// What a client asked to be told of capacity.
#[derive(Clone, Copy, Debug)]
struct Asked(Option<ReturnConsumedCapacity>);

/// A request that is under way.
#[derive(Debug)]
pub(crate) struct Ticket {
    form: Arc<Form>,
    began: Duration,
    /// What the client asked to be told of capacity, where the request is taken down in full.
    sampled: Option<Asked>,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// When it began.
    pub started: WallMs,
    /// How long it lasts.
    pub duration: Duration,
    /// Keys, latency and capacity are of one request in so many.
    pub sample: u64,
    /// The tables that were touched.
    pub tables: Vec<TableOutline>,
    /// The forms of requests, in order.
    pub forms: Vec<Recorded>,
    /// Requests of further forms.
    pub other: u64,
    /// Requests that were refused before they were planned.
    pub refused: Vec<(Operation, ErrorCode, u64)>,
}

/// What was recorded of one form.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The form.
    pub shape: Shape,
    /// Requests.
    pub count: u64,
    /// Of them, those that went on where a page ended.
    pub continued: u64,
    /// Most requests in one second.
    pub peak: u64,
    /// Requests by hour of the day (UTC).
    pub hours: [u64; 24],
    /// Failures by kind.
    pub failed: Vec<(ErrorCode, u64)>,
    /// Requests of which everything below was taken down.
    pub sampled: u64,
    /// Of them, those that were answered without an error.
    pub answered: u64,
    /// Of them, those that found nothing.
    pub empty: u64,
    /// Latency at 50, 90, 99 and 99.9 per cent, and the longest, in microseconds.
    pub latency_us: [u64; 5],
    /// Units by table and index.
    pub arms: Vec<Arm>,
    /// Most units of one request, on all of them together.
    pub units_max: f64,
    /// Items returned.
    pub returned: u64,
    /// Items read.
    pub examined: u64,
    /// Most items read by one request.
    pub examined_max: u64,
    /// Mean and largest bytes of an item that went by; `None` where none did.
    pub item_bytes: Option<(f64, u64)>,
    /// About how many different partition keys.
    pub distinct_keys: u64,
    /// Uses of partition keys.
    pub key_uses: u64,
    /// The most used partition keys, each as a keyed digest, with the uses that are certain.
    pub top_keys: Vec<(String, u64)>,
}

impl Recorder {
    /// A recording that begins now. One request in `sample` is taken down in full; all are counted.
    pub fn new(env: &Env, sample: u64) -> Recorder {
        Recorder {
            clock: Arc::clone(&env.clock),
            started: env.clock.monotonic(),
            started_wall: env.clock.now(),
            secret: env.random.secret(),
            sample: sample.max(1),
            turn: AtomicU64::new(0),
            forms: RwLock::default(),
            other: Form::new(Shape::default(), true),
            tokens: Mutex::default(),
            tables: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// A request was refused before it could be planned.
    pub(crate) fn refused(&self, operation: Operation, code: ErrorCode) {
        *self.refused.lock().entry((operation, code)).or_default() += 1;
    }

    /// A request is going to be run. `None` where it is not of items.
    pub(crate) fn begin(&self, plan: &mut Plan) -> Option<Ticket> {
        if !plan.is_of_items() {
            return None;
        }
        let began = self.clock.monotonic();
        let full = self.turn.fetch_add(1, Relaxed).is_multiple_of(self.sample);
        let form = DIGEST.with_borrow_mut(|digest| {
            let form = self.form(plan, digest);
            self.count(&form, plan, full.then_some(&digest.partitions[..]), began);
            form
        });
        Some(Ticket { form, began, sampled: full.then(|| Asked(plan.report_capacity())) })
    }

    fn count(&self, form: &Form, plan: &Plan, partitions: Option<&[u64]>, began: Duration) {
        let second = began.saturating_sub(self.started).as_secs();
        let hour = (self.started_wall.seconds() + second) / 3600 % 24;
        let mut tally = form.tally.lock();
        tally.begin(second, usize::try_from(hour).unwrap_or_default());
        tally.continued += u64::from(plan.is_continued());
        if let Some(partitions) = partitions {
            tally.sampled += 1;
            for hash in partitions {
                tally.keys.add(*hash);
            }
            if let Some(bytes) = plan.put_bytes() {
                tally.item(bytes);
            }
        }
        let count = tally.count;
        drop(tally);
        if !form.settled.load(Relaxed) && (count < PATIENCE || count.is_multiple_of(RARELY)) {
            let mut tokens = self.tokens.lock();
            let mut remainders = Remainders::new(&mut tokens);
            plan.outline(&mut remainders);
            form.settled.store(remainders.settled, Relaxed);
        }
    }

    /// The counts of the form of a request.
    fn form(&self, plan: &Plan, digest: &mut Digest) -> Arc<Form> {
        digest.restart(true);
        plan.outline(digest);
        let id = digest.id();
        let forms = self.forms.read();
        if let Some(form) = forms.get(&id) {
            return Arc::clone(form);
        }
        let known = forms.len();
        drop(forms);
        if known >= FORMS_WITH_TOKENS_MAX && digest.has_token {
            digest.restart(false);
            plan.outline(digest);
        }
        self.learn(plan, digest)
    }

    fn learn(&self, plan: &Plan, digest: &Digest) -> Arc<Form> {
        let mut builder = Builder::new(digest.with_tokens);
        plan.outline(&mut builder);
        let mut forms = self.forms.write();
        if forms.len() >= FORMS_MAX && !forms.contains_key(&digest.id()) {
            return Arc::clone(&self.other);
        }
        self.tables.lock().extend(plan.tables().into_iter().map(|table| (table.name.clone(), table)));
        let settled = !(digest.has_token && digest.with_tokens);
        let form = forms.entry(digest.id()).or_insert_with(|| Form::new(builder.finish(), settled));
        Arc::clone(form)
    }

    /// A request was answered. Takes the report of capacity out, or back to what the client had asked for.
    pub(crate) fn end(&self, ticket: &Ticket, answer: &mut Result<Response, Error>) {
        let took = self.clock.monotonic().saturating_sub(ticket.began);
        let mut tally = ticket.form.tally.lock();
        match answer {
            Err(error) => *tally.failed.entry(error.code).or_default() += 1,
            Ok(response) => {
                if let Some(Asked(wanted)) = ticket.sampled {
                    tally.answered += 1;
                    answer::observe(response, wanted, &mut tally);
                }
            }
        }
        if ticket.sampled.is_some() {
            tally.took(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// What was recorded until now. Prefixes that may be data are left out, and forms that are alike without them are one.
    pub fn recording(&self) -> Recording {
        let forms: Vec<Arc<Form>> = self.forms.read().values().cloned().collect();
        let mut told: BTreeMap<Shape, Tally> = BTreeMap::new();
        {
            let tokens = self.tokens.lock();
            let may = |table: &str, token: &str| tokens.is_type(table, token);
            for form in forms {
                told.entry(form.shape.told(&may)).or_default().merge(&form.tally.lock());
            }
        }
        let refused = self.refused.lock();
        Recording {
            started: self.started_wall,
            duration: self.clock.monotonic().saturating_sub(self.started),
            sample: self.sample,
            tables: self.tables.lock().values().cloned().collect(),
            forms: told.into_iter().map(|(shape, tally)| self.recorded(shape, &tally)).collect(),
            other: self.other.tally.lock().count,
            refused: refused.iter().map(|((operation, code), count)| (*operation, *code, *count)).collect(),
        }
    }

    fn recorded(&self, shape: Shape, tally: &Tally) -> Recorded {
        let mut arms = tally.arms.clone();
        arms.sort_by(|one, other| (&one.table, &one.index).cmp(&(&other.table, &other.index)));
        let top = tally.keys.top().into_iter().filter(|key| key.count > key.error);
        #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
        let mean = tally.item_bytes as f64 / tally.items.max(1) as f64;
        Recorded {
            shape,
            count: tally.count,
            continued: tally.continued,
            peak: tally.peak(),
            hours: tally.hours,
            failed: tally.failed.iter().map(|(code, count)| (*code, *count)).collect(),
            sampled: tally.sampled,
            answered: tally.answered,
            empty: tally.empty,
            latency_us: [
                tally.latency_us(500),
                tally.latency_us(900),
                tally.latency_us(990),
                tally.latency_us(999),
                tally.latency_max_us,
            ],
            arms,
            units_max: tally.units_max,
            returned: tally.returned,
            examined: tally.examined,
            examined_max: tally.examined_max,
            item_bytes: (tally.items > 0).then_some((mean, tally.item_bytes_max)),
            distinct_keys: tally.keys.distinct(),
            key_uses: tally.keys.total(),
            top_keys: top.map(|key| (self.digest(key.hash), key.count - key.error)).collect(),
        }
    }

    /// A key as nobody can find it out: the secret dies with the recording.
    fn digest(&self, hash: u64) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes keys of any length");
        mac.update(&hash.to_le_bytes());
        let digest = mac.finalize().into_bytes();
        let first: [u8; 8] = std::array::from_fn(|at| digest[at]);
        format!("{:016x}", u64::from_be_bytes(first))
    }
}
