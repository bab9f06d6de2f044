//! The clients, and the rounds that they play.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hashrange_env::RealClock;
use hashrange_sim::bank::{Ask, Bank, Clerk, Layout, Move, Recent, Told, judge};
use hashrange_sim::history::{AUDITOR, History};
use hashrange_sim::oracle::Rng;
use hashrange_sim::trace::Trace;

use crate::http::Connection;
use crate::json;
use crate::server::Server;

const CLIENTS: usize = 6;
/// The number of the clerk that audits.
const AUDITING_CLERK: usize = 63;
const LAYOUT: Layout = Layout { accounts: 10, tables: 2, partitions: 3, indexes: false };

/// The most calls of one client before the kill, and so many after it; histories stay short enough to be judged.
const CALLS: usize = 40;
const CALLS_AFTER: usize = 12;
/// The latest moment of a kill after the clients have begun, in milliseconds.
const KILL_WITHIN_MS: usize = 120;
/// How often something is tried that must be possible when nobody is in the way.
const PATIENCE: usize = 100;

/// Clients and what came of their rounds.
pub(crate) struct Branch {
    rng: Rng,
    recent: Recent,
    clerks: Vec<Clerk>,
    auditor: Clerk,
    bank: Bank,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    rounds: usize,
    calls: usize,
    unanswered: usize,
    done: usize,
    refused: usize,
    conflicts: usize,
    undecided: usize,
}

/// What the threads of one round share.
struct Round {
    history: History<Move>,
    killed: AtomicBool,
}

impl Round {
    fn new() -> Round {
        let trace = Arc::new(Trace::new(Arc::new(RealClock::new()), false));
        Round { history: History::new(trace), killed: AtomicBool::new(false) }
    }

    /// Asks, records it, and lets the clerk hear the answer; an error where the connection broke.
    fn ask(
        &self,
        connection: &mut Connection,
        client: usize,
        clerk: &mut Clerk,
        ask: Ask,
    ) -> io::Result<Told> {
        let ask = Arc::new(ask);
        let (operation, body) = json::request(&LAYOUT, &ask);
        let id = self.history.call(client, Move { ask: Arc::clone(&ask), told: None }, String::new);
        let answer = connection.call(operation, &body)?;
        let told = json::told(&ask, &answer);
        let moved = Move { ask: Arc::clone(&ask), told: Some(told.clone()) };
        self.history.answer(id, moved, String::new);
        if let Err(what) = clerk.hear(&ask, &told) {
            self.history.violate(what);
        }
        Ok(told)
    }

    /// One client. Its connection may break only because the server was killed.
    fn work(&self, clerk: &mut Clerk, addr: SocketAddr, calls: usize) {
        let outcome = Connection::open(addr).and_then(|mut connection| {
            for _ in 0..calls {
                let ask = clerk.draw();
                self.ask(&mut connection, clerk.number, clerk, ask)?;
            }
            Ok(())
        });
        if let Err(error) = outcome {
            assert!(self.killed.load(Ordering::Acquire), "the server broke a connection: {error}");
        }
    }

    fn work_all(&self, clerks: &mut [Clerk], addr: SocketAddr, calls: usize, meanwhile: impl FnOnce()) {
        std::thread::scope(|scope| {
            for clerk in clerks {
                scope.spawn(move || self.work(clerk, addr, calls));
            }
            meanwhile();
        });
    }

    /// Asks until it is told something else than that somebody is in the way: nobody is for long.
    fn insist(&self, server: &Server, clerk: &mut Clerk, ask: &Ask) -> Told {
        let mut connection = Connection::open(server.addr()).expect("the server accepts a connection");
        for _ in 0..PATIENCE {
            let told = self.ask(&mut connection, AUDITOR, clerk, ask.clone()).expect("the server answers");
            match &told {
                Told::InProgress => {}
                Told::Refused { conflicts, .. } if !conflicts.is_empty() => {}
                _ => return told,
            }
            pause(Duration::from_millis(10));
        }
        panic!("{ask:?} meets somebody when nobody is at work");
    }
}

impl Branch {
    pub(crate) fn new(seed: u64) -> Branch {
        let mut rng = Rng::new(seed);
        let recent = Recent::default();
        let mut clerk = |number| Clerk::new(number, LAYOUT.accounts, rng.fork(), Arc::clone(&recent));
        let clerks = (0..CLIENTS).map(&mut clerk).collect();
        let auditor = clerk(AUDITING_CLERK);
        let bank = Bank::closed(LAYOUT.accounts);
        Branch { rng, recent, clerks, auditor, bank, totals: Totals::default() }
    }

    pub(crate) fn make_tables(&mut self, server: &Server) {
        for number in 0..LAYOUT.tables {
            server.call("CreateTable", &json::create(&LAYOUT, number));
            while server.describe(&LAYOUT.table(number))["TableStatus"] != "ACTIVE" {
                pause(Duration::from_millis(10));
            }
        }
        let round = Round::new();
        let opening = self.auditor.opening();
        assert_eq!(round.insist(server, &mut self.auditor, &opening), Told::Done(None));
        self.end(&round, server);
    }

    /// A round; the answer is the server that runs at its end.
    pub(crate) fn play(&mut self, server: Server, data: &Path) -> Server {
        let round = Round::new();
        let delay = Duration::from_millis(u64::try_from(self.rng.below(KILL_WITHIN_MS)).expect("small"));
        let addr = server.addr();
        round.work_all(&mut self.clerks, addr, CALLS, || {
            pause(delay);
            round.killed.store(true, Ordering::Release);
            server.kill();
        });
        round.history.crash();
        let server = Server::start(data);
        round.killed.store(false, Ordering::Release);
        round.work_all(&mut self.clerks, server.addr(), CALLS_AFTER, || {});
        self.end(&round, &server);
        server
    }

    /// Has what is open answered, looks at everything, and judges the round.
    fn end(&mut self, round: &Round, server: &Server) {
        for clerk in &mut self.clerks {
            if let Some(ask) = clerk.unheard() {
                round.insist(server, clerk, &ask);
            }
        }
        // A later history does not know the tokens of this one.
        self.recent.lock().clear();
        let touching = self.auditor.touching_all();
        let everything = self.auditor.everything();
        round.insist(server, &mut self.auditor, &touching);
        let seen = round.insist(server, &mut self.auditor, &everything);
        self.judge(round);
        let Told::Saw(accounts) = seen else { panic!("TransactGetItems was answered {seen:?}") };
        self.bank = Bank { accounts, used: BTreeSet::new() };
    }

    fn judge(&mut self, round: &Round) {
        let calls = round.history.calls();
        let judgement = judge(&self.bank, &calls);
        let failure = round.history.violation().or(judgement.failure);
        if let Some(failure) = failure {
            panic!("{failure}\nfrom {:?}\n{calls:#?}", self.bank);
        }
        let totals = &mut self.totals;
        totals.rounds += 1;
        totals.calls += calls.len();
        totals.unanswered += calls.iter().filter(|call| !call.until().1).count();
        totals.done += judgement.done;
        totals.refused += judgement.refused;
        totals.conflicts += judgement.conflicts;
        totals.undecided += usize::from(judgement.undecided);
    }

    /// Much happened, and nearly all of it was decided upon.
    pub(crate) fn assert_busy(&self) {
        let totals = &self.totals;
        assert!(totals.undecided * 20 <= totals.rounds, "{self}");
        assert!(totals.done * 40 >= totals.calls && totals.conflicts > 0, "{self}");
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { calls, unanswered, done, refused, conflicts, undecided, .. } = &self.totals;
        write!(
            f,
            "{calls} calls, {unanswered} not answered, {done} transactions done, {refused} refused, {conflicts} conflicts, \
             {undecided} rounds undecided"
        )
    }
}

#[expect(clippy::disallowed_methods, reason = "a kill must come at a real moment of real processes")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}
