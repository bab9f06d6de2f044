//! What clients of the bank ask.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use super::FUNDS;
use super::model::{Account, Action, Ask, Change, Condition, Told};
use crate::oracle::Rng;

/// Transactions with tokens that were asked not long ago, by all clerks.
pub type Recent = Arc<Mutex<VecDeque<Ask>>>;

/// How many of them are kept.
const RECENT_MAX: usize = 4;

/// Marks of one clerk are so far apart, so that no two clerks write the same.
const CLERKS_MAX: u64 = 64;

/// A client: it draws questions and remembers answers. It outlives crashes of the server.
#[derive(Debug)]
pub struct Clerk {
    /// Its number.
    pub number: usize,
    rng: Rng,
    recent: Recent,
    /// What it last heard of each account.
    known: Vec<Option<Account>>,
    marks: u64,
    /// A transaction with a token of which it has not heard.
    unheard: Option<Ask>,
}

impl Clerk {
    /// A clerk of a bank with so many accounts.
    pub fn new(number: usize, accounts: usize, rng: Rng, recent: Recent) -> Clerk {
        Clerk { number, rng, recent, known: vec![None; accounts], marks: 0, unheard: None }
    }

    /// Its own randomness.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// The transaction that opens all accounts.
    pub fn opening(&mut self) -> Ask {
        let accounts = 0..self.known.len();
        let open = |account| self.action(account, Condition::Absent, Change::Put(FUNDS));
        Ask::Transact { token: None, actions: accounts.map(open).collect() }
    }

    /// The question about all accounts.
    pub fn everything(&self) -> Ask {
        Ask::Snapshot((0..self.known.len()).collect())
    }

    /// A transaction over all accounts as they were last heard of, which changes nothing but marks.
    pub fn touching_all(&mut self) -> Ask {
        let known = self.known.clone();
        let action = |(account, known): (usize, Option<Account>)| match known {
            Some(known) => self.action(account, Condition::Is(known), Change::Add(0)),
            None => self.action(account, Condition::Absent, Change::Check),
        };
        Ask::Transact { token: None, actions: known.into_iter().enumerate().map(action).collect() }
    }

    /// A transaction that nobody answered, to be sent again.
    pub fn unheard(&mut self) -> Option<Ask> {
        self.unheard.take()
    }

    /// The next question.
    pub fn draw(&mut self) -> Ask {
        let again = self.unheard.take().filter(|_| self.rng.percent(80));
        let ask = again.or_else(|| self.repetition()).unwrap_or_else(|| self.fresh());
        if ask.token().is_some() {
            self.unheard = Some(ask.clone());
            let mut recent = self.recent.lock();
            recent.push_back(ask.clone());
            if recent.len() > RECENT_MAX {
                recent.pop_front();
            }
        }
        ask
    }

    /// Hears an answer.
    ///
    /// # Errors
    /// When money has come or gone.
    pub fn hear(&mut self, ask: &Ask, told: &Told) -> Result<(), String> {
        if *told != Told::InProgress && self.unheard.as_ref() == Some(ask) {
            self.unheard = None;
        }
        match told {
            Told::Saw(seen) => {
                for (account, seen) in ask.accounts().into_iter().zip(seen) {
                    self.known[account] = *seen;
                }
                self.count(ask, seen)?;
            }
            Told::Refused { conditions, .. } => {
                let accounts = ask.accounts();
                for (at, seen) in conditions {
                    self.known[accounts[*at]] = *seen;
                }
            }
            Told::Done(Some(left)) => self.known[ask.accounts()[0]] = Some(*left),
            Told::Done(None) | Told::InProgress => {}
        }
        Ok(())
    }

    /// All money is there in a look at all accounts.
    fn count(&self, ask: &Ask, seen: &[Option<Account>]) -> Result<(), String> {
        let all = self.known.len();
        if !matches!(ask, Ask::Snapshot(accounts) if accounts.len() == all) {
            return Ok(());
        }
        let sum: i64 = seen.iter().flatten().map(|account| account.funds).sum();
        let expected = FUNDS * i64::try_from(all).expect("few accounts");
        if sum == expected {
            Ok(())
        } else {
            Err(format!("the accounts hold {sum}, not {expected}: {seen:?}"))
        }
    }

    /// A transaction that somebody has asked before.
    fn repetition(&mut self) -> Option<Ask> {
        if !self.rng.percent(8) {
            return None;
        }
        let recent = self.recent.lock();
        if recent.is_empty() { None } else { Some(recent[self.rng.below(recent.len())].clone()) }
    }

    fn fresh(&mut self) -> Ask {
        match self.rng.below(100) {
            0..45 => self.transfer(),
            45..57 => self.everything(),
            57..67 => {
                let mut accounts = self.some_accounts(1);
                accounts.truncate(3);
                Ask::Snapshot(accounts)
            }
            67..85 => self.single(),
            _ => Ask::Read(self.account()),
        }
    }

    fn account(&mut self) -> usize {
        self.rng.below(self.known.len())
    }

    /// Different accounts, at least so many, in any order.
    fn some_accounts(&mut self, least: usize) -> Vec<usize> {
        let mut accounts: Vec<usize> = (0..self.known.len()).collect();
        for at in (1..accounts.len()).rev() {
            accounts.swap(at, self.rng.below(at + 1));
        }
        let more = self.rng.below(3);
        accounts.truncate(least + more);
        accounts
    }

    fn action(&mut self, account: usize, condition: Condition, change: Change) -> Action {
        self.marks += 1;
        let mark = self.marks * CLERKS_MAX + u64::try_from(self.number).expect("few clerks");
        Action { account, condition, change, mark }
    }

    /// Money goes from one account to others; some more accounts may be looked at.
    fn transfer(&mut self) -> Ask {
        let accounts = self.some_accounts(2);
        let (from, to) = (accounts[0], accounts[1]);
        let (giving, funds) = self.giving(from);
        let mut actions = vec![giving, self.taking(to, funds)];
        for account in &accounts[2..] {
            let bystander = self.bystander(*account);
            actions.push(bystander);
        }
        let at = self.rng.below(actions.len());
        actions.rotate_left(at);
        let token = self.rng.percent(60).then_some(actions[0].mark);
        Ask::Transact { token, actions }
    }

    /// The side that gives, and how much.
    fn giving(&mut self, account: usize) -> (Action, i64) {
        match self.known[account] {
            Some(known) if self.rng.percent(15) => {
                (self.action(account, Condition::Is(known), Change::Delete), known.funds)
            }
            Some(known) if self.rng.percent(20) => {
                let rest = known.funds / 2;
                (self.action(account, Condition::Is(known), Change::Put(rest)), known.funds - rest)
            }
            _ => {
                let funds = 1 + i64::try_from(self.rng.below(40)).expect("small");
                (self.action(account, Condition::Covers(funds), Change::Add(-funds)), funds)
            }
        }
    }

    /// The side that takes.
    fn taking(&mut self, account: usize, funds: i64) -> Action {
        match self.known[account] {
            Some(known) if self.rng.percent(25) => {
                self.action(account, Condition::Is(known), Change::Put(known.funds + funds))
            }
            None if self.rng.percent(50) => self.action(account, Condition::Absent, Change::Put(funds)),
            _ => self.action(account, Condition::Always, Change::Add(funds)),
        }
    }

    /// An account that is looked at, or whose mark is changed.
    fn bystander(&mut self, account: usize) -> Action {
        let condition = self.condition(account);
        let change = match condition {
            Condition::Is(_) | Condition::Covers(_) if self.rng.percent(30) => Change::Add(0),
            _ => Change::Check,
        };
        self.action(account, condition, change)
    }

    /// Something that probably holds.
    fn condition(&mut self, account: usize) -> Condition {
        match self.known[account] {
            Some(known) if self.rng.percent(50) => Condition::Is(known),
            None if self.rng.percent(50) => Condition::Absent,
            _ => Condition::Covers(i64::try_from(self.rng.below(60)).expect("small")),
        }
    }

    /// A write of one account, which leaves its money as it is.
    fn single(&mut self) -> Ask {
        let account = self.account();
        let action = match self.known[account] {
            Some(known) if known.funds == 0 => self.action(account, Condition::Is(known), Change::Delete),
            Some(known) if self.rng.percent(40) => {
                self.action(account, Condition::Is(known), Change::Put(known.funds))
            }
            Some(known) if self.rng.percent(50) => self.action(account, Condition::Is(known), Change::Add(0)),
            None if self.rng.percent(50) => self.action(account, Condition::Absent, Change::Put(0)),
            _ => self.action(account, Condition::Covers(0), Change::Add(0)),
        };
        Ask::Write(action)
    }
}
