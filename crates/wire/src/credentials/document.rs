//! The format of our own, in TOML: `[[credential]]`, then `access-key = "…"` and so on.

use std::ops::Range;

use hashrange_env::WallMs;
use toml::de::{DeTable, DeValue};
use toml::value::{Datetime, Offset};

use super::{Draft, Found, Mistake};
use crate::sigv4::days_from_civil;

const NAMES: [&str; 3] = ["access-key", "secret-key", "account"];

/// Reads every `[[credential]]`; nothing else may stand in the file.
pub(super) fn parse(text: &str) -> Result<Vec<Found>, Mistake> {
    let line_of = |span: Range<usize>| 1 + text[..span.start].matches('\n').count();
    let document = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, line_of);
        Mistake::new(line, format!("{}: correct the TOML", error.message().replace('\n', ", ")))
    })?;
    let mut found = Vec::new();
    for (name, value) in document.get_ref() {
        let line = line_of(name.span());
        let DeValue::Array(entries) = value.get_ref() else {
            return Err(unknown(line, name.get_ref()));
        };
        if name.get_ref() != "credential" {
            return Err(unknown(line, name.get_ref()));
        }
        for entry in entries {
            let line = line_of(entry.span());
            let DeValue::Table(table) = entry.get_ref() else { return Err(unknown(line, name.get_ref())) };
            found.push(credential(line, table, &line_of)?);
        }
    }
    Ok(found)
}

fn unknown(line: usize, name: &str) -> Mistake {
    Mistake::new(line, format!("\"{name}\" is not expected here: write each key in a table [[credential]]"))
}

fn credential(
    line: usize,
    table: &DeTable<'_>,
    line_of: &impl Fn(Range<usize>) -> usize,
) -> Result<Found, Mistake> {
    let mut draft = Draft { line, ..Draft::default() };
    for (name, value) in table {
        let line = line_of(name.span());
        let name = name.get_ref().as_ref();
        let place = match name {
            "access-key" => &mut draft.access_key,
            "secret-key" => &mut draft.secret_key,
            "session-token" => &mut draft.session_token,
            "account" => &mut draft.account,
            "expires" => {
                draft.expires = Some(end(line, value.get_ref())?);
                continue;
            }
            _ => {
                let text = format!(
                    "\"{name}\" is not known: a credential has access-key, secret-key, session-token, account and expires"
                );
                return Err(Mistake::new(line, text));
            }
        };
        *place = Some(text_of(line, name, value.get_ref())?);
    }
    draft.finish(NAMES)
}

fn text_of(line: usize, name: &str, value: &DeValue<'_>) -> Result<String, Mistake> {
    match value.as_str() {
        Some("") => Err(Mistake::new(line, format!("{name} is empty: write a value or leave the line out"))),
        Some(text) => Ok(text.to_owned()),
        None => Err(Mistake::new(line, format!("{name} is not a text: write the value in quotes"))),
    }
}

/// A time with its zone, as TOML's own or as a text.
fn end(line: usize, value: &DeValue<'_>) -> Result<WallMs, Mistake> {
    let time = match value {
        DeValue::Datetime(time) => Some(*time),
        other => other.as_str().and_then(|text| text.parse().ok()),
    };
    time.and_then(wall).ok_or_else(|| {
        Mistake::new(line, "expires is not a time with a zone: write it like expires = 2026-12-31T18:00:00Z")
    })
}

/// Fractions of a second do not count.
fn wall(time: Datetime) -> Option<WallMs> {
    let (date, clock) = (time.date?, time.time?);
    let offset_minutes = match time.offset? {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    let days = days_from_civil(date.year.into(), date.month.into(), date.day.into());
    let minutes = days * 1440 + i64::from(clock.hour) * 60 + i64::from(clock.minute) - offset_minutes;
    u64::try_from((minutes * 60 + i64::from(clock.second)) * 1000).ok().map(WallMs)
}
