//! A recording of traffic: which forms of request come, how often, and what they consume; never what they say.
//!
//! A request's plan tells its outline (structure and names, no values) to a hash. The hash finds the counts of that form;
//! only where it is new is a text made of it. So a request of a known form costs a walk over its plan, a short lock of that
//! form's counts and a reading of the clock. What costs more (its report of capacity, its items, its latency, its keys) is
//! taken down of the first requests of each form and then of one in so many.

mod answer;
mod digest;
mod keys;
mod links;
mod pace;
mod shape;
mod tally;
mod token;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwap;
use foldhash::fast::FixedState;
use hashrange_api::{Error, ErrorCode, Operation, Response, ReturnConsumedCapacity};
use hashrange_engine::Plan;
use hashrange_env::{Clock, Env, WallMs};
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
use sha2::Sha256;

pub use digest::SizeClass;
pub use hashrange_engine::{Field, IndexOutline, TableOutline};
pub use shape::Shape;
pub use tally::Arm;

use crate::Caller;
use digest::{Digest, Seed};
use links::{Links, Pair};
use pace::Pace;
use shape::Builder;
use tally::Tally;
use token::{Remainders, Tokens};

/// Forms of request that are told apart; all further ones are counted together.
const FORMS_MAX: usize = 5_000;
/// Forms beyond which key values' type prefixes tell no more apart.
const FORMS_WITH_TOKENS_MAX: usize = 4_000;
/// Requests of each form that are taken down in full before sampling begins: rare forms are known well.
const FULL_FIRST: u64 = 1_000;
/// Requests of a form after which remainders of its prefixes are looked at rarely.
const PATIENCE: u64 = 4_096;
/// How rarely: one request of so many.
const RARELY: u64 = 64;

/// A link is told where one read in so many is followed,
const FOLLOWED_SHARE: u64 = 4;
/// and one look-up in so many follows such a read.
const FOLLOWING_SHARE: u64 = 4;

thread_local! {
    /// The memory of the hash of forms.
    static DIGEST: RefCell<Digest> = RefCell::new(Digest::new());
}

/// Forms by their hash.
type Forms = HashMap<u64, Arc<Form>, FixedState>;

/// Takes down the forms of requests.
#[derive(Debug)]
pub struct Recorder {
    clock: Arc<dyn Clock>,
    started: Duration,
    started_wall: WallMs,
    /// What makes keys of top lists unknowable. It is never told.
    secret: [u8; 32],
    seed: Seed,
    sample: u64,
    forms: ArcSwap<Forms>,
    /// Held by who adds a form.
    learning: Mutex<()>,
    other: Arc<Form>,
    links: Links,
    tokens: Mutex<Tokens>,
    tables: Mutex<BTreeMap<String, TableOutline>>,
    refused: Mutex<BTreeMap<(Operation, ErrorCode), u64>>,
}

/// One form of request.
#[derive(Debug)]
struct Form {
    id: u64,
    shape: Shape,
    /// Key attributes of the table that it reads, where it may return many items.
    keys: Option<answer::Keys>,
    /// Whether nothing more needs to be learnt of its key values' prefixes.
    settled: AtomicBool,
    /// All requests.
    pace: Mutex<Pace>,
    /// Those that were taken down in full, and failures.
    tally: Mutex<Tally>,
}

impl Form {
    fn new(id: u64, shape: Shape, keys: Option<answer::Keys>, settled: bool) -> Arc<Form> {
        let (pace, tally) = (Mutex::default(), Mutex::default());
        Arc::new(Form { id, shape, keys, settled: AtomicBool::new(settled), pace, tally })
    }
}

/// A request that is under way.
#[derive(Debug)]
pub(crate) struct Ticket {
    /// Its form.
    id: u64,
    /// Where it is taken down in full.
    full: Option<Full>,
}

/// What is needed to take a request down in full.
#[derive(Debug)]
struct Full {
    form: Arc<Form>,
    began: Duration,
    /// What the client asked to be told of capacity.
    asked: Option<ReturnConsumedCapacity>,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// When it began.
    pub started: WallMs,
    /// How long it lasts.
    pub duration: Duration,
    /// After the first thousand of each form, keys, latency and capacity are of one request in so many.
    pub sample: u64,
    /// The tables that were touched.
    pub tables: Vec<TableOutline>,
    /// The forms of requests, in order.
    pub forms: Vec<Recorded>,
    /// Look-ups that followed reads, in the order of their forms.
    pub links: Vec<Link>,
    /// Requests of further forms.
    pub other: u64,
    /// Requests that were refused before they were planned.
    pub refused: Vec<(Operation, ErrorCode, u64)>,
}

/// Look-ups, two or more after one read, of keys that it returned to the same caller.
#[derive(Clone, Debug)]
pub struct Link {
    /// The form of the read.
    pub from: Shape,
    /// The form of the look-ups.
    pub to: Shape,
    /// Reads whose items were remembered.
    pub reads: u64,
    /// Of them, those that were followed.
    pub followed: u64,
    /// The look-ups.
    pub look_ups: u64,
    /// Most of them after one read.
    pub most: u64,
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
    /// Most requests in one minute.
    pub peak_minute: u64,
    /// Requests in each of the last minutes, at most sixty, oldest first; the newest has only begun.
    pub minutes: Vec<u64>,
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
    /// A recording that begins now. All requests are counted; after the first thousand of each form, one in `sample` is taken
    /// down in full.
    pub fn new(env: &Env, sample: u64) -> Recorder {
        let secret = env.random.secret();
        let seed = Seed(secret.iter().fold(0, |seed, byte| seed << 8 ^ seed >> 56 ^ u64::from(*byte)));
        Recorder {
            clock: Arc::clone(&env.clock),
            started: env.clock.monotonic(),
            started_wall: env.clock.now(),
            secret,
            seed,
            sample: sample.max(1),
            forms: ArcSwap::from_pointee(Forms::with_hasher(FixedState::with_seed(seed.0))),
            learning: Mutex::default(),
            other: Form::new(0, Shape::default(), None, true),
            links: Links::default(),
            tokens: Mutex::default(),
            tables: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// A request was refused before it could be planned.
    pub(crate) fn refused(&self, operation: Operation, code: ErrorCode) {
        *self.refused.lock().entry((operation, code)).or_default() += 1;
    }

    /// A request of a caller is going to be run. `None` where it is not of items.
    pub(crate) fn begin(&self, plan: &mut Plan, caller: &Caller) -> Option<Ticket> {
        if !plan.is_of_items() {
            return None;
        }
        let began = self.clock.monotonic();
        Some(DIGEST.with_borrow_mut(|digest| {
            digest.restart(self.seed, true, self.links.is_open(began.saturating_sub(self.started)));
            plan.outline(digest);
            let forms = self.forms.load();
            let Some(form) = forms.get(&digest.id()) else {
                let form = self.form(plan, digest, forms.len());
                return self.count(&form, plan, caller, digest, began);
            };
            self.count(form, plan, caller, digest, began)
        }))
    }

    fn count(
        &self,
        form: &Arc<Form>,
        plan: &mut Plan,
        caller: &Caller,
        digest: &mut Digest,
        began: Duration,
    ) -> Ticket {
        let since = began.saturating_sub(self.started);
        let is_continued = plan.is_continued();
        let count = {
            let mut pace = form.pace.lock();
            pace.continued += u64::from(is_continued);
            pace.came(since.as_secs(), self.started_wall.seconds())
        };
        if digest.with_values
            && !is_continued
            && let Some(look_up) = digest.look_up()
        {
            self.links.look_up(self.caller(caller), form.id, since, look_up);
        }
        if !form.settled.load(Relaxed) && (count < PATIENCE || count.is_multiple_of(RARELY)) {
            let mut tokens = self.tokens.lock();
            let mut remainders = Remainders::new(&mut tokens);
            plan.outline(&mut remainders);
            form.settled.store(remainders.settled, Relaxed);
        }
        let is_full = count <= FULL_FIRST || count.is_multiple_of(self.sample);
        let full = is_full.then(|| {
            if !digest.with_values {
                digest.restart(self.seed, digest.with_tokens, true);
                plan.outline(digest);
            }
            let mut tally = form.tally.lock();
            tally.sampled += 1;
            digest.partitions.iter().for_each(|hash| tally.keys.add(*hash));
            if let Some(bytes) = plan.put_bytes() {
                tally.item(bytes);
            }
            Full { form: Arc::clone(form), began, asked: plan.report_capacity() }
        });
        Ticket { id: form.id, full }
    }

    /// Who asks, as a hash.
    fn caller(&self, caller: &Caller) -> u64 {
        let key = caller.access_key.as_deref().unwrap_or_default();
        self.seed.hash(key) ^ self.seed.hash(&caller.scope.region).rotate_left(7)
    }

    /// The form of a request that is not among the ones that were known a moment ago; so many there were.
    fn form(&self, plan: &Plan, digest: &mut Digest, known: usize) -> Arc<Form> {
        if known >= FORMS_WITH_TOKENS_MAX && digest.has_token {
            digest.restart(self.seed, false, digest.with_values);
            plan.outline(digest);
        }
        let _learning = self.learning.lock();
        let forms = self.forms.load();
        if let Some(form) = forms.get(&digest.id()) {
            return Arc::clone(form);
        }
        if forms.len() >= FORMS_MAX {
            return Arc::clone(&self.other);
        }
        let form = self.learn(plan, digest);
        let mut more = Forms::clone(&forms);
        more.insert(form.id, Arc::clone(&form));
        self.forms.store(Arc::new(more));
        form
    }

    fn learn(&self, plan: &Plan, digest: &Digest) -> Arc<Form> {
        let mut builder = Builder::new(digest.with_tokens);
        plan.outline(&mut builder);
        let tables = plan.tables();
        let keys = tables.first().filter(|_| tables.len() == 1).map(answer::Keys::of);
        self.tables.lock().extend(tables.into_iter().map(|table| (table.name.clone(), table)));
        let settled = !(digest.has_token && digest.with_tokens);
        Form::new(digest.id(), builder.finish(), keys, settled)
    }

    /// A request was answered. Takes the report of capacity out, or back to what the client had asked for.
    pub(crate) fn end(&self, ticket: &Ticket, caller: &Caller, answer: &mut Result<Response, Error>) {
        let Some(Full { form, began, asked }) = &ticket.full else {
            if let Err(error) = answer {
                let forms = self.forms.load();
                let form = forms.get(&ticket.id).unwrap_or(&self.other);
                *form.tally.lock().failed.entry(error.code).or_default() += 1;
            }
            return;
        };
        let now = self.clock.monotonic();
        let mut tally = form.tally.lock();
        tally.took(u64::try_from(now.saturating_sub(*began).as_micros()).unwrap_or(u64::MAX));
        match answer {
            Err(error) => *tally.failed.entry(error.code).or_default() += 1,
            Ok(response) => {
                tally.answered += 1;
                answer::observe(response, *asked, &mut tally);
                drop(tally);
                let hashes = form.keys.as_ref().map(|keys| answer::hashes(response, keys, self.seed));
                if let Some(hashes) = hashes.filter(|hashes| !hashes.is_empty()) {
                    let since = now.saturating_sub(self.started);
                    self.links.read(self.caller(caller), form.id, since, hashes);
                }
            }
        }
    }

    /// What was recorded until now. Prefixes that may be data are left out, and forms that are alike without them are one.
    pub fn recording(&self) -> Recording {
        let forms = self.forms.load_full();
        let duration = self.clock.monotonic().saturating_sub(self.started);
        let mut told: BTreeMap<Shape, (Pace, Tally)> = BTreeMap::new();
        let mut shapes: BTreeMap<u64, Shape> = BTreeMap::new();
        {
            let tokens = self.tokens.lock();
            let may = |table: &str, token: &str| tokens.is_type(table, token);
            for form in forms.values() {
                let shape = form.shape.told(&may);
                let mut own = form.pace.lock().clone();
                own.turn(duration.as_secs(), self.started_wall.seconds());
                let (pace, tally) = told.entry(shape.clone()).or_default();
                pace.merge(&own);
                tally.merge(&form.tally.lock());
                shapes.insert(form.id, shape);
            }
        }
        let refused = self.refused.lock();
        Recording {
            started: self.started_wall,
            duration,
            sample: self.sample,
            tables: self.tables.lock().values().cloned().collect(),
            links: self.told_links(&shapes, &told),
            forms: told.into_iter().map(|(shape, counted)| self.recorded(shape, &counted)).collect(),
            other: self.other.pace.lock().count(),
            refused: refused.iter().map(|((operation, code), count)| (*operation, *code, *count)).collect(),
        }
    }

    /// Pairs that are no accident. Where all callers sign with one key, requests of one program follow those of another by
    /// chance: then only a few of the reads are followed, or only a few of the look-ups follow one.
    fn told_links(&self, shapes: &BTreeMap<u64, Shape>, told: &BTreeMap<Shape, (Pace, Tally)>) -> Vec<Link> {
        let counts = self.links.counts();
        let mut reads: BTreeMap<&Shape, u64> = BTreeMap::new();
        for (form, count) in &counts.reads {
            if let Some(shape) = shapes.get(form) {
                *reads.entry(shape).or_default() += count;
            }
        }
        let mut pairs: BTreeMap<(&Shape, &Shape), Pair> = BTreeMap::new();
        for ((from, to), pair) in counts.pairs {
            if let (Some(from), Some(to)) = (shapes.get(&from), shapes.get(&to)) {
                pairs.entry((from, to)).or_default().add(pair);
            }
        }
        let link = |((from, to), pair): ((&Shape, &Shape), Pair)| Link {
            from: from.clone(),
            to: to.clone(),
            reads: reads.get(from).copied().unwrap_or_default(),
            followed: pair.followed,
            look_ups: pair.look_ups,
            most: pair.most,
        };
        let count = |shape: &Shape| told.get(shape).map_or(0, |(pace, _)| pace.count());
        let is_meant = |link: &Link| {
            // Only some reads were remembered; as many look-ups follow each of the others.
            let following = link.look_ups.saturating_mul(count(&link.from)) / link.reads.max(1);
            link.followed * FOLLOWED_SHARE >= link.reads && following * FOLLOWING_SHARE >= count(&link.to)
        };
        pairs.into_iter().map(link).filter(is_meant).collect()
    }

    fn recorded(&self, shape: Shape, (pace, tally): &(Pace, Tally)) -> Recorded {
        let mut arms = tally.arms.clone();
        arms.sort_by(|one, other| (&one.table, &one.index).cmp(&(&other.table, &other.index)));
        let top = tally.keys.top().into_iter().filter(|key| key.count > key.error);
        #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
        let mean = tally.item_bytes as f64 / tally.items.max(1) as f64;
        Recorded {
            shape,
            count: pace.count(),
            continued: pace.continued,
            peak: pace.peak(),
            peak_minute: pace.peak_minute(),
            minutes: pace.minutes(),
            hours: pace.hours,
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
