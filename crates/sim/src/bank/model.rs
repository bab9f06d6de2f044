//! The bank as the checker sees it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::history::Call;
use crate::linear::{Effect, Model, Span};

/// An account that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its money.
    pub funds: i64,
    /// Names the write that left it so: no two write the same.
    pub mark: u64,
}

/// What must hold of an account before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing.
    Always,
    /// There is none.
    Absent,
    /// It has so much money, or more.
    Covers(i64),
    /// It is this.
    Is(Account),
}

/// What becomes of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it is only looked at (ConditionCheck).
    Check,
    /// It gets so much money, and a mark (UpdateItem); it is opened if need be.
    Add(i64),
    /// It is replaced (PutItem).
    Put(i64),
    /// It is closed (DeleteItem).
    Delete,
}

/// One action on one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its number.
    pub account: usize,
    /// What must hold.
    pub condition: Condition,
    /// What is done.
    pub change: Change,
    /// The mark that it leaves.
    pub mark: u64,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// TransactWriteItems.
    Transact {
        /// The client's token.
        token: Option<u64>,
        /// What is to be done, all or nothing.
        actions: Vec<Action>,
    },
    /// TransactGetItems of these accounts.
    Snapshot(Vec<usize>),
    /// PutItem, UpdateItem or DeleteItem.
    Write(Action),
    /// GetItem with a consistent read.
    Read(usize),
}

/// What a client is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is done. A single write tells the account that it left, where the operation can.
    Done(Option<Account>),
    /// The accounts that were asked for.
    Saw(Vec<Option<Account>>),
    /// It is not done.
    Refused {
        /// Actions whose condition did not hold, by position, and the account as it was.
        conditions: Vec<(usize, Option<Account>)>,
        /// Actions or reads, by position, that met somebody.
        conflicts: Vec<usize>,
    },
    /// The transaction of this token is being carried out.
    InProgress,
}

/// A call as the history records it.
#[derive(Clone, Debug)]
pub struct Move {
    /// What was asked.
    pub ask: Arc<Ask>,
    /// What was told, if anything.
    pub told: Option<Told>,
}

/// A step on the bank, with its answer.
#[derive(Clone, Debug)]
pub enum Step {
    /// All actions, or nothing where the token was used before; and the account that the one action left.
    Write(Option<u64>, Vec<Action>, Option<Account>),
    /// Accounts as they are at one instant.
    See(Vec<(usize, Option<Account>)>),
    /// The account is this, and the action's condition does not hold.
    Refuse(Action, Option<Account>),
}

/// The state of the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// The accounts by number; those that are closed are `None`.
    pub accounts: Vec<Option<Account>>,
    /// Tokens that were used.
    pub used: BTreeSet<u64>,
}

impl Condition {
    /// Whether it holds.
    pub fn holds(self, account: Option<Account>) -> bool {
        match self {
            Condition::Always => true,
            Condition::Absent => account.is_none(),
            Condition::Covers(funds) => account.is_some_and(|account| account.funds >= funds),
            Condition::Is(expected) => account == Some(expected),
        }
    }
}

impl Action {
    /// The account after the action.
    fn after(&self, account: Option<Account>) -> Option<Account> {
        let mark = self.mark;
        match self.change {
            Change::Check => account,
            Change::Add(more) => Some(Account { funds: account.map_or(0, |it| it.funds) + more, mark }),
            Change::Put(funds) => Some(Account { funds, mark }),
            Change::Delete => None,
        }
    }
}

impl Ask {
    /// The accounts that it is about.
    pub fn accounts(&self) -> Vec<usize> {
        match self {
            Ask::Transact { actions, .. } => actions.iter().map(|action| action.account).collect(),
            Ask::Snapshot(accounts) => accounts.clone(),
            Ask::Write(action) => vec![action.account],
            Ask::Read(account) => vec![*account],
        }
    }

    /// Its token, if it has one.
    pub fn token(&self) -> Option<u64> {
        match self {
            Ask::Transact { token, .. } => *token,
            _ => None,
        }
    }
}

impl Bank {
    /// A bank of so many accounts, none of which is open.
    pub fn closed(accounts: usize) -> Bank {
        Bank { accounts: vec![None; accounts], used: BTreeSet::new() }
    }

    /// The bank after the actions; `None` where a condition does not hold.
    fn after(&self, token: Option<u64>, actions: &[Action]) -> Option<Bank> {
        if !actions.iter().all(|action| action.condition.holds(self.accounts[action.account])) {
            return None;
        }
        let mut bank = self.clone();
        for action in actions {
            bank.accounts[action.account] = action.after(self.accounts[action.account]);
        }
        bank.used.extend(token);
        Some(bank)
    }

    fn write(&self, token: Option<u64>, actions: &[Action], left: Option<Account>) -> Effect<Bank> {
        if token.is_some_and(|token| self.used.contains(&token)) {
            return Effect::Same;
        }
        match self.after(token, actions) {
            None => Effect::Impossible,
            Some(bank) if left.is_some() && left != bank.accounts[actions[0].account] => Effect::Impossible,
            Some(bank) if bank == *self => Effect::Same,
            Some(bank) => Effect::Becomes(bank),
        }
    }
}

/// The rules of the bank.
#[derive(Debug)]
pub(super) struct Rules;

impl Model for Rules {
    type State = Bank;
    type Step = Step;

    fn apply(&self, bank: &Bank, step: &Step) -> Effect<Bank> {
        let fits = match step {
            Step::Write(token, actions, left) => return bank.write(*token, actions, *left),
            Step::See(seen) => seen.iter().all(|(account, seen)| bank.accounts[*account] == *seen),
            Step::Refuse(action, seen) => {
                bank.accounts[action.account] == *seen && !action.condition.holds(*seen)
            }
        };
        if fits { Effect::Same } else { Effect::Impossible }
    }

    fn observes(&self, step: &Step) -> bool {
        !matches!(step, Step::Write(..))
    }
}

/// The steps of calls. A transaction that is cancelled looks at its accounts one by one: DynamoDB promises nothing about
/// what its reasons say together.
pub fn steps(calls: &[Call<Move>]) -> Vec<Span<Step>> {
    let spans = |call: &Call<Move>| {
        let (until, certain) = call.until();
        let from = call.from;
        steps_of(&call.touches).into_iter().map(move |step| Span { from, until, certain, step })
    };
    calls.iter().flat_map(spans).collect()
}

fn steps_of(one: &Move) -> Vec<Step> {
    match (&*one.ask, &one.told) {
        (Ask::Transact { token, actions }, None | Some(Told::Done(_))) => {
            vec![Step::Write(*token, actions.clone(), None)]
        }
        (Ask::Write(action), None) => vec![Step::Write(None, vec![*action], None)],
        (Ask::Write(action), Some(Told::Done(left))) => vec![Step::Write(None, vec![*action], *left)],
        (ask, Some(Told::Saw(seen))) => {
            vec![Step::See(ask.accounts().into_iter().zip(seen.iter().copied()).collect())]
        }
        (Ask::Transact { actions, .. }, Some(Told::Refused { conditions, .. })) => {
            conditions.iter().map(|(at, seen)| Step::Refuse(actions[*at], *seen)).collect()
        }
        (Ask::Write(action), Some(Told::Refused { conditions, .. })) => {
            conditions.iter().map(|(_, seen)| Step::Refuse(*action, *seen)).collect()
        }
        _ => Vec::new(),
    }
}
