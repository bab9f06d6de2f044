//! Parsed statements by their text. A program sends few texts and many parameters, so most statements are parsed once.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use hashrange_language::partiql::{Statement, StatementError};
use parking_lot::Mutex;

/// Bytes of text in one generation. The trees of such texts take up to fifty times as much.
const GENERATION_BYTES: usize = 128 * 1024;

/// Parsing depends on the text alone, so that one cache serves every database of the process.
static STATEMENTS: Mutex<Cache> = Mutex::new(Cache::new(GENERATION_BYTES));

/// The parsed statement.
pub(super) fn parsed(text: &str) -> Result<Arc<Statement>, StatementError> {
    if let Some(known) = STATEMENTS.lock().get(text) {
        return Ok(known);
    }
    let statement = Arc::new(Statement::parse(text)?);
    STATEMENTS.lock().put(text, &statement);
    Ok(statement)
}

/// Two generations: what is used moves to the young one; once that is full, what was not used since is forgotten.
#[derive(Debug)]
struct Cache {
    young: BTreeMap<String, Arc<Statement>>,
    old: BTreeMap<String, Arc<Statement>>,
    /// Bytes of the texts in `young`.
    bytes: usize,
    bytes_max: usize,
}

impl Cache {
    const fn new(bytes_max: usize) -> Cache {
        Cache { young: BTreeMap::new(), old: BTreeMap::new(), bytes: 0, bytes_max }
    }

    fn get(&mut self, text: &str) -> Option<Arc<Statement>> {
        if let Some(known) = self.young.get(text) {
            return Some(Arc::clone(known));
        }
        let known = self.old.remove(text)?;
        self.put(text, &known);
        Some(known)
    }

    fn put(&mut self, text: &str, statement: &Arc<Statement>) {
        if self.bytes + text.len() > self.bytes_max {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(text.to_owned(), Arc::clone(statement)).is_none() {
            self.bytes += text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: usize) -> String {
        format!("SELECT * FROM \"t\" WHERE a = {number}")
    }

    #[test]
    fn what_is_used_stays_and_the_rest_is_forgotten() {
        let mut cache = Cache::new(10 * text(0).len());
        let used = Arc::new(Statement::parse(&text(0)).unwrap());
        cache.put(&text(0), &used);
        for number in 1..100 {
            cache.put(&text(number), &Arc::new(Statement::parse(&text(number)).unwrap()));
            let found = cache.get(&text(0)).expect("it is used again and again");
            assert!(Arc::ptr_eq(&found, &used), "a statement is shared, not copied");
        }
        assert!(cache.get(&text(1)).is_none());
        assert!(cache.young.len() + cache.old.len() <= 20);
    }

    #[test]
    fn a_text_is_parsed_once() {
        let statement = "SELECT * FROM \"parsed once\"";
        let (one, two) = (parsed(statement).unwrap(), parsed(statement).unwrap());
        assert!(Arc::ptr_eq(&one, &two));
    }
}
