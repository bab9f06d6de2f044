use std::sync::Arc;

use super::*;
use crate::bank::model::{Account, Action, Change, Condition};
use crate::history::End;

fn account(funds: i64, mark: u64) -> Account {
    Account { funds, mark }
}

/// Two accounts with a hundred each.
fn initial() -> Bank {
    let mut bank = Bank::closed(2);
    bank.accounts = vec![Some(account(100, 1)), Some(account(100, 2))];
    bank
}

fn action(account: usize, condition: Condition, change: Change, mark: u64) -> Action {
    Action { account, condition, change, mark }
}

/// A transfer from the first account to the second one.
fn transfer(token: Option<u64>, funds: i64, mark: u64) -> Ask {
    let from = action(0, Condition::Covers(funds), Change::Add(-funds), mark);
    let to = action(1, Condition::Always, Change::Add(funds), mark + 1);
    Ask::Transact { token, actions: vec![from, to] }
}

fn call(from: u64, end: End, ask: Ask, told: Option<Told>) -> Call<Move> {
    Call { client: 0, from, end, touches: Move { ask: Arc::new(ask), told } }
}

fn done(from: u64, until: u64, ask: Ask) -> Call<Move> {
    call(from, End::Answered(until), ask, Some(Told::Done(None)))
}

fn lost(from: u64, until: u64, ask: Ask) -> Call<Move> {
    call(from, End::Unknown(until), ask, None)
}

fn saw(from: u64, until: u64, seen: [(i64, u64); 2]) -> Call<Move> {
    let seen = seen.map(|(funds, mark)| Some(account(funds, mark)));
    call(from, End::Answered(until), Ask::Snapshot(vec![0, 1]), Some(Told::Saw(seen.to_vec())))
}

fn read(from: u64, until: u64, number: usize, (funds, mark): (i64, u64)) -> Call<Move> {
    let seen = vec![Some(account(funds, mark))];
    call(from, End::Answered(until), Ask::Read(number), Some(Told::Saw(seen)))
}

fn refused(from: u64, until: u64, ask: Ask, at: usize, seen: (i64, u64)) -> Call<Move> {
    let conditions = vec![(at, Some(account(seen.0, seen.1)))];
    call(from, End::Answered(until), ask, Some(Told::Refused { conditions, conflicts: vec![] }))
}

fn conflict(from: u64, until: u64, ask: Ask, at: usize) -> Call<Move> {
    let told = Told::Refused { conditions: vec![], conflicts: vec![at] };
    call(from, End::Answered(until), ask, Some(told))
}

fn holds(calls: &[Call<Move>]) -> bool {
    let judgement = judge(&initial(), calls);
    assert!(!judgement.undecided);
    judgement.failure.is_none()
}

const BEFORE: [(i64, u64); 2] = [(100, 1), (100, 2)];
/// After a transfer of ten with the marks 10 and 11.
const AFTER: [(i64, u64); 2] = [(90, 10), (110, 11)];

#[test]
fn a_transaction_is_seen_whole_or_not_at_all() {
    let ask = || transfer(None, 10, 10);
    assert!(holds(&[done(1, 4, ask()), saw(2, 3, BEFORE), saw(5, 6, AFTER)]));
    assert!(holds(&[done(1, 4, ask()), saw(2, 3, AFTER)]));
    assert!(!holds(&[done(1, 4, ask()), saw(2, 3, [AFTER[0], BEFORE[1]])]));
    assert!(!holds(&[done(1, 4, ask()), saw(2, 3, [BEFORE[0], AFTER[1]])]));
    assert!(!holds(&[done(1, 2, ask()), saw(3, 4, BEFORE)]), "real time counts");
}

#[test]
fn reads_of_single_accounts_show_one_order_too() {
    let ask = || transfer(None, 10, 10);
    // Reads one after the other, while the transfer is under way.
    assert!(holds(&[done(1, 9, ask()), read(2, 3, 0, BEFORE[0]), read(4, 5, 1, AFTER[1])]));
    assert!(!holds(&[done(1, 9, ask()), read(2, 3, 0, AFTER[0]), read(4, 5, 1, BEFORE[1])]));
}

#[test]
fn the_second_of_two_writes_finds_what_the_first_one_left() {
    let is = |change, mark| Ask::Write(action(0, Condition::Is(account(100, 1)), change, mark));
    let both = [done(1, 4, is(Change::Add(0), 10)), done(2, 3, is(Change::Put(100), 20))];
    assert!(!holds(&both), "both saw the same account, and both won");
    let second = refused(2, 3, is(Change::Put(100), 20), 0, (100, 10));
    assert!(holds(&[done(1, 4, is(Change::Add(0), 10)), second]));
    let wrong = refused(2, 3, is(Change::Put(100), 20), 0, (100, 1));
    assert!(!holds(&[done(1, 4, is(Change::Add(0), 10)), wrong]), "it was refused although it held");
}

#[test]
fn two_transactions_do_not_each_rely_on_what_the_other_one_changes() {
    let one = |of: usize, other: usize| {
        let marks = [1, 2];
        let check = action(other, Condition::Is(account(100, marks[other])), Change::Check, 0);
        let write = action(of, Condition::Always, Change::Add(0), 10 + u64::try_from(of).unwrap());
        Ask::Transact { token: None, actions: vec![check, write] }
    };
    assert!(!holds(&[done(1, 4, one(0, 1)), done(2, 3, one(1, 0))]), "write skew");
    let second = refused(2, 3, one(1, 0), 0, (100, 10));
    assert!(holds(&[done(1, 4, one(0, 1)), second]));
}

#[test]
fn a_token_counts_once() {
    let ask = || transfer(Some(7), 10, 10);
    let twice = [(80, 10), (120, 11)];
    assert!(holds(&[done(1, 2, ask()), done(3, 4, ask()), saw(5, 6, AFTER)]));
    assert!(!holds(&[done(1, 2, ask()), done(3, 4, ask()), saw(5, 6, twice)]));
    assert!(holds(&[lost(1, 2, ask()), saw(3, 4, BEFORE), done(5, 6, ask()), saw(7, 8, AFTER)]));
    assert!(holds(&[lost(1, 2, ask()), saw(3, 4, AFTER), done(5, 6, ask()), saw(7, 8, AFTER)]));
    assert!(!holds(&[lost(1, 2, ask()), saw(3, 4, AFTER), done(5, 6, ask()), saw(7, 8, twice)]));
    assert!(!holds(&[
        done(1, 2, transfer(None, 10, 10)),
        done(3, 4, transfer(None, 10, 20)),
        saw(5, 6, AFTER)
    ]));
}

#[test]
fn what_a_crash_left_open_happened_before_it_or_never() {
    let ask = || transfer(None, 10, 10);
    assert!(holds(&[lost(1, 5, ask()), saw(6, 7, BEFORE), saw(8, 9, BEFORE)]));
    assert!(holds(&[lost(1, 5, ask()), saw(6, 7, AFTER)]));
    assert!(!holds(&[lost(1, 5, ask()), saw(6, 7, BEFORE), saw(8, 9, AFTER)]));
    assert!(!holds(&[lost(1, 5, ask()), saw(2, 3, AFTER), saw(6, 7, BEFORE)]), "seen, and taken back");
    assert!(!holds(&[lost(1, 5, ask()), saw(6, 7, [AFTER[0], BEFORE[1]])]), "half of it");
}

#[test]
fn a_refusal_after_a_crash_does_not_hide_what_came_before_it() {
    let ask = || Ask::Write(action(0, Condition::Always, Change::Add(0), 10));
    let later = Ask::Write(action(1, Condition::Covers(500), Change::Add(0), 20));
    let calls = [lost(1, 5, ask()), refused(6, 7, later, 0, (100, 2)), saw(8, 9, [(100, 10), (100, 2)])];
    assert!(holds(&calls));
}

#[test]
fn a_conflict_has_two_sides() {
    let ask = || transfer(None, 10, 10);
    let other = || transfer(None, 10, 20);
    let single = || Ask::Write(action(1, Condition::Always, Change::Add(0), 30));
    let look = || Ask::Snapshot(vec![0, 1]);
    assert!(holds(&[done(1, 4, ask()), conflict(2, 3, other(), 1)]));
    assert!(holds(&[done(1, 4, ask()), conflict(2, 3, single(), 0)]));
    assert!(holds(&[done(1, 4, single()), conflict(2, 3, ask(), 1)]));
    assert!(holds(&[done(1, 4, single()), conflict(2, 3, look(), 1)]));
    assert!(holds(&[lost(1, 2, ask()), conflict(3, 4, look(), 1)]), "left behind by a crash");
    assert!(!holds(&[done(1, 2, ask()), conflict(3, 4, other(), 1)]), "it was over");
    assert!(!holds(&[done(1, 4, single()), conflict(2, 3, ask(), 0)]), "another account");
    assert!(!holds(&[done(1, 4, single()), conflict(2, 3, single(), 0)]), "no transaction");
    assert!(!holds(&[saw(1, 4, BEFORE), conflict(2, 3, ask(), 0)]), "a read hinders nobody");
    assert!(!holds(&[conflict(2, 3, ask(), 0)]));
}

#[test]
fn a_token_is_in_progress_only_while_it_is() {
    let ask = || transfer(Some(7), 10, 10);
    let told = |from, until| call(from, End::Answered(until), ask(), Some(Told::InProgress));
    assert!(holds(&[done(1, 4, ask()), told(2, 3)]));
    assert!(!holds(&[done(1, 2, ask()), told(3, 4)]));
    assert!(!holds(&[done(1, 4, transfer(Some(8), 10, 10)), told(2, 3)]));
}

#[test]
fn what_a_single_write_says_it_left_is_true() {
    let ask = || Ask::Write(action(0, Condition::Covers(0), Change::Add(0), 10));
    let left = |funds| call(1, End::Answered(2), ask(), Some(Told::Done(Some(account(funds, 10)))));
    assert!(holds(&[left(100)]));
    assert!(!holds(&[left(90)]));
}

#[test]
fn a_long_history_of_many_clients_is_decided() {
    // Eight clients whose calls overlap all the time, and who read now and then.
    let mut calls = Vec::new();
    for round in 0..25 {
        for client in 0..8 {
            let (from, mark) = (1 + 20 * round + client, 1000 + 10 * (8 * round + client));
            calls.push(done(from, from + 8, transfer(None, 0, mark)));
        }
    }
    let mark = 1000 + 10 * 199;
    calls.push(saw(3000, 3001, [(100, mark), (100, mark + 1)]));
    assert!(holds(&calls));
    calls.push(saw(3002, 3003, BEFORE));
    assert!(!holds(&calls));
}
