//! One target in this process: the loop, what counts as a failure, and what is left of one.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::corpus::Golden;
use crate::counters::Reached;
use crate::random::Random;
use crate::targets::{self, Target};
use crate::{Options, memory, mutate};

/// Exit code of a child that found a failure and has told it.
pub const FAILED: u8 = 77;

/// A run that takes longer hangs. It is long, because a busy machine may stop for seconds.
const HANG: Duration = Duration::from_secs(30);

/// Runs to make a failing input smaller.
const MINIMISATIONS: usize = 400;

/// When the run began, in milliseconds since [`EPOCH`]; 0 between runs.
static BEGAN_MS: AtomicU64 = AtomicU64::new(0);
static EPOCH: Mutex<Option<Instant>> = Mutex::new(None);

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What the last panic said, wherever it was caught.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Everything that one run needs.
struct Session<'o> {
    options: &'o Options,
    target: &'static Target,
    run: RefCell<targets::Run>,
    /// The input of the run, for whoever finds this process dead.
    current: File,
}

impl<'o> Session<'o> {
    fn new(options: &'o Options) -> Result<Session<'o>, String> {
        let name = options.targets.first().ok_or("a session needs a target")?;
        let target = targets::ALL.iter().find(|target| target.name == name).ok_or("no such target")?;
        fs::create_dir_all(&options.crashes).map_err(|error| error.to_string())?;
        let current = File::create(current_path(options, target)).map_err(|error| error.to_string())?;
        listen_to_panics();
        *EPOCH.lock().expect("nothing panics here") = Some(Instant::now());
        Ok(Session { options, target, run: RefCell::new((target.make)()), current })
    }

    /// Runs the input; the text of a failure.
    fn run(&self, input: &[u8]) -> Result<(), String> {
        self.note(input);
        BEGAN_MS.store(now_ms().max(1), Relaxed);
        let held = memory::start();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (self.run.borrow_mut())(input)));
        let peak = memory::peak(held);
        BEGAN_MS.store(0, Relaxed);
        if let Some(text) = PANIC.lock().expect("nothing panics here").take() {
            if outcome.is_err() {
                // Whatever the target keeps from run to run may be half done.
                drop(self.run.replace((self.target.make)()));
            }
            return Err(text);
        }
        let allowed = self.target.memory + 64 * input.len();
        if peak > allowed {
            return Err(format!(
                "an input of {} bytes holds {peak} bytes of memory, more than {allowed}",
                input.len()
            ));
        }
        Ok(())
    }

    fn note(&self, input: &[u8]) {
        let mut bytes = (input.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(input);
        // Best effort: without the note an abort is found as well, only without its input.
        let _ = self.current.write_all_at(&bytes, 0);
    }

    /// Keeps a failing input, made smaller, and tells of it.
    fn fail(&self, input: &[u8], text: &str) -> String {
        QUIET.set(true);
        let small = minimise(input.to_vec(), |candidate| self.run(candidate).is_err());
        report(self.options, self.target, &small, text)
    }
}

/// Runs one input once.
pub fn replay(options: &Options, input: &Path) -> Result<(), String> {
    let session = Session::new(options)?;
    watch(options, session.target);
    let bytes = fs::read(input).map_err(|error| format!("{}: {error}", input.display()))?;
    session.run(&bytes)?;
    println!("{}: {} passes {}", session.target.name, input.display(), bytes.len());
    Ok(())
}

/// Runs one target until its time is over or something fails.
pub fn run(options: &Options) -> Result<(), String> {
    let session = Session::new(options)?;
    watch(options, session.target);
    let begin = Instant::now();
    let folder = options.corpus.join(session.target.name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut reached = Reached::new();
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    let mut runs = 0_u64;
    for input in first_inputs(options, session.target, &folder) {
        reached.reset();
        session.run(&input).map_err(|text| session.fail(&input, &text))?;
        runs += 1;
        if reached.harvest() || reached.is_blind() {
            corpus.push(input);
        }
    }
    if corpus.is_empty() {
        corpus.push(Vec::new());
    }
    let first = corpus.len();
    let mut random = Random::new(options.seed);
    while begin.elapsed() < options.time {
        // New inputs are near to what is not reached yet.
        let at = random.below(corpus.len()).max(random.below(corpus.len()));
        let mut input = corpus[at].clone();
        let other = random.below(corpus.len());
        mutate::mutate(&mut random, &mut input, session.target.words, &corpus[other], session.target.length);
        reached.reset();
        session.run(&input).map_err(|text| session.fail(&input, &text))?;
        runs += 1;
        if reached.harvest() {
            let _ = fs::write(folder.join(name_of(&input)), &input);
            corpus.push(input);
        }
    }
    let guide =
        if reached.is_blind() { "blind".to_owned() } else { format!("{} features", reached.features()) };
    println!(
        "{:<12} {runs} runs in {:.0} s, {guide}, {first} first inputs, {} found",
        session.target.name,
        begin.elapsed().as_secs_f64(),
        corpus.len() - first
    );
    let _ = fs::remove_file(current_path(options, session.target));
    Ok(())
}

/// Inputs that failed once, those of the golden scripts, those that earlier runs found.
fn first_inputs(options: &Options, target: &Target, found: &Path) -> Vec<Vec<u8>> {
    let failed = options.root.join("fuzz/regressions").join(target.name);
    let mut inputs = read_all(&failed);
    inputs.extend((target.seeds)(&Golden::read(&options.root)));
    inputs.extend(read_all(found));
    let mut known = BTreeSet::new();
    inputs.retain(|input| input.len() <= target.length && known.insert(input.clone()));
    inputs
}

fn read_all(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// The same failure in fewer bytes, as far as a few hundred runs lead.
fn minimise(mut input: Vec<u8>, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut left = MINIMISATIONS;
    let mut size = (input.len() / 2).max(1);
    while size > 0 && left > 0 {
        let mut at = 0;
        while at < input.len() && left > 0 {
            let end = (at + size).min(input.len());
            let candidate = [&input[..at], &input[end..]].concat();
            left -= 1;
            if fails(&candidate) {
                input = candidate;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    input
}

/// A panic that someone catches is a failure all the same.
fn listen_to_panics() {
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        if !QUIET.get() {
            eprintln!("{text}\n{}", std::backtrace::Backtrace::force_capture());
        }
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(text);
        }
    }));
}

/// Ends the process when a run hangs.
fn watch(options: &Options, target: &'static Target) {
    let options =
        Options { root: options.root.clone(), crashes: options.crashes.clone(), ..Options::default() };
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let began = BEGAN_MS.load(Relaxed);
            if began != 0
                && now_ms().saturating_sub(began) > u64::try_from(HANG.as_millis()).unwrap_or(u64::MAX)
            {
                report_abort(&options, target, &format!("a run takes longer than {} s", HANG.as_secs()));
                std::process::exit(i32::from(FAILED));
            }
        }
    });
}

fn now_ms() -> u64 {
    let epoch = EPOCH.lock().ok().and_then(|epoch| *epoch);
    epoch.map_or(0, |epoch| u64::try_from(epoch.elapsed().as_millis()).unwrap_or(u64::MAX))
}

fn current_path(options: &Options, target: &Target) -> PathBuf {
    options.crashes.join(format!(".current-{}", target.name))
}

/// Tells of a child that died without a word.
pub fn report_abort(options: &Options, target: &Target, text: &str) {
    let noted = fs::read(current_path(options, target)).unwrap_or_default();
    let input = noted
        .split_first_chunk::<8>()
        .and_then(|(length, rest)| rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?));
    eprintln!("{}", report(options, target, input.unwrap_or_default(), text));
}

fn report(options: &Options, target: &Target, input: &[u8], text: &str) -> String {
    let path = options.crashes.join(format!("{}-{}", target.name, name_of(input)));
    let kept = fs::write(&path, input);
    let _ = std::io::stdout().flush();
    let shown: String = String::from_utf8_lossy(input).chars().take(400).collect();
    let mut report =
        format!("\n{} FAILED: {text}\n  input ({} bytes): {shown:?}\n", target.name, input.len());
    if let Err(error) = kept {
        report += &format!("  the input could not be kept: {error}\n");
    }
    report + &format!("  reproduce: cargo xtask fuzz --target {} --input {}", target.name, path.display())
}

/// A short name that depends on the bytes alone.
fn name_of(input: &[u8]) -> String {
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
