//! One run: some tables, many operations, a recount at the end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hashrange_api::{DescribeTableInput, TableStatus};

use hashrange_sim::oracle::counts::check_counts;
use hashrange_sim::oracle::generate;
use hashrange_sim::oracle::rng::Rng;
use hashrange_sim::oracle::table::Table;
use hashrange_sim::trace::shorten;

use crate::database::Database;

/// The world of one seed.
pub(crate) struct World<'a> {
    pub(crate) database: &'a Database,
    pub(crate) rng: Rng,
    pub(crate) tables: Vec<Table>,
    /// What was asked, for who has to find out why it failed.
    pub(crate) history: Vec<String>,
}

/// Whether an answer is right, and what is wrong with it.
pub(crate) type Verdict = Result<(), String>;

/// Runs so many operations. Panics with the seed and the history where engine and oracle differ.
pub(crate) fn run(seed: u64, database: &Database, operations: usize) {
    let mut rng = Rng::new(seed);
    let tables = 1 + rng.below(2);
    let tables =
        (0..tables).map(|at| Table::new(generate::table(&mut rng, &format!("table-{at}")))).collect();
    let mut world = World { database, rng, tables, history: Vec::new() };
    let outcome = catch_unwind(AssertUnwindSafe(|| world.play(operations)));
    let tail = world.history.len().saturating_sub(40);
    let history = shorten(&world.history[tail..].join("\n  "));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(difference)) => panic!("seed {seed}: {}\nhistory:\n  {history}", shorten(&difference)),
        Err(panic) => {
            eprintln!("seed {seed} panicked\nhistory:\n  {history}");
            resume_unwind(panic);
        }
    }
}

impl World<'_> {
    fn play(&mut self, operations: usize) -> Verdict {
        for table in &self.tables {
            self.history.push(format!("CreateTable {:?}", table.spec));
            self.database.call(table.spec.create()).map_err(|error| format!("CreateTable: {error:?}"))?;
        }
        for _ in 0..operations {
            self.step()?;
        }
        (0..self.tables.len()).try_for_each(|at| self.recount(at))
    }

    fn step(&mut self) -> Verdict {
        let at = self.rng.below(self.tables.len());
        match self.rng.below(100) {
            0..22 => self.put(at),
            22..46 => self.update(at),
            46..56 => self.delete(at),
            56..62 => self.get(at),
            62..68 => self.batch_write(),
            68..72 => self.batch_get(),
            72..90 => self.query(at),
            _ => self.scan(at),
        }
    }

    /// What DescribeTable counts is what is there.
    fn recount(&self, at: usize) -> Verdict {
        let table = &self.tables[at];
        let input = DescribeTableInput { table_name: table.spec.name.clone() };
        let output = self.database.call(input).map_err(|error| format!("DescribeTable: {error:?}"))?;
        let described = output.table.ok_or("no description")?;
        if described.table_status != Some(TableStatus::Active) {
            return Err(format!("{:?}", described.table_status));
        }
        check_counts(&described, table)
    }
}
