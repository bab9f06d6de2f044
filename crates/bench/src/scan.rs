//! A client that scans a table once, page after page, each segment on a thread and connection of its own.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;
use crate::client::Connection;
use crate::histogram::Histogram;
use crate::load::Sample;
use crate::procfs::{as_f64, cpu_of_tree};
use crate::requests;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server.
    #[arg(long)]
    addr: SocketAddr,
    /// The table.
    #[arg(long, default_value = requests::TABLE)]
    table: String,
    /// Segments, scanned at the same time.
    #[arg(long, default_value_t = 1)]
    segments: u32,
    /// Sends a filter that no item passes.
    #[arg(long)]
    filtered: bool,
    /// Process whose CPU time over the run, with its descendants', goes into the line.
    #[arg(long)]
    cpu_of: Option<u32>,
}

/// Scans, and prints a [`Sample`] whose requests are the items that were examined and whose latencies are pages'.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let cpu = || args.cpu_of.map_or(Ok(Duration::ZERO), cpu_of_tree);
    let (cpu_before, started) = (cpu()?, Instant::now());
    let segments: Result<Vec<Segment>, Failure> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..args.segments).map(|number| scope.spawn(move || scan(args, number))).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a segment's thread panicked")?).collect()
    });
    let elapsed = started.elapsed();
    let (mut pages, mut items) = (Histogram::new(), 0);
    for segment in segments? {
        segment.pages.into_iter().for_each(|page| pages.record(page));
        items += segment.items;
    }
    let mut sample = Sample::new(&pages, elapsed);
    sample.requests = items;
    sample.server_cpu_us = (cpu()?.saturating_sub(cpu_before)).as_secs_f64() * 1e6 / as_f64(items.max(1));
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

/// What the scan of one segment found.
#[derive(Debug, Default)]
struct Segment {
    /// Nanoseconds of each page.
    pages: Vec<u64>,
    /// Items examined.
    items: u64,
}

fn scan(args: &Args, number: u32) -> Result<Segment, Failure> {
    let mut connection = Connection::open(args.addr)?;
    let mut segment = Segment::default();
    let mut start = None;
    loop {
        let body = page_request(args, number, start.as_ref());
        let sent_at = Instant::now();
        let answer = connection.call("Scan", &body)?;
        segment.pages.push(u64::try_from(sent_at.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let scanned = last_member(&answer, "ScannedCount").ok_or("an answer without ScannedCount")?;
        segment.items += scanned.as_u64().ok_or("ScannedCount is no number")?;
        start = last_member(&answer, "LastEvaluatedKey");
        if start.is_none() {
            return Ok(segment);
        }
    }
}

fn page_request(args: &Args, number: u32, start: Option<&Value>) -> String {
    let Args { table, segments, .. } = args;
    let filter = if args.filtered {
        r#","FilterExpression":"visits < :none","ExpressionAttributeValues":{":none":{"N":"0"}}"#
    } else {
        ""
    };
    let start = start.map_or_else(String::new, |key| format!(r#","ExclusiveStartKey":{key}"#));
    format!(r#"{{"TableName":"{table}","TotalSegments":{segments},"Segment":{number}{filter}{start}}}"#)
}

/// A member of the answer, found from its end: parsing a megabyte of items would measure this client.
fn last_member(answer: &str, name: &str) -> Option<Value> {
    let mark = format!(r#""{name}":"#);
    let at = answer.rfind(&mark)? + mark.len();
    serde_json::Deserializer::from_str(&answer[at..]).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_behind_the_items() {
        let answer = r#"{"Count":0,"Items":[],"LastEvaluatedKey":{"pk":{"S":"a"}},"ScannedCount":12}"#;
        assert_eq!(last_member(answer, "ScannedCount").unwrap(), 12);
        assert_eq!(last_member(answer, "LastEvaluatedKey").unwrap()["pk"]["S"], "a");
        assert_eq!(last_member(answer, "ConsumedCapacity"), None);
    }
}
