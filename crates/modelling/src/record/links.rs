//! What recorded requests say of each other.

use super::{Recording, Seen, SeenLink, name};
use crate::catalogue::{Flow, FlowStep, Pattern};

/// Something that recorded traffic shows and no single request does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The rule that it is a sign of.
    pub rule: String,
    /// What was seen.
    pub message: String,
    /// What to do.
    pub advice: String,
}

/// The hints of a recording, those with the most requests first.
pub fn hints(recording: &Recording) -> Vec<Hint> {
    let mut links: Vec<&SeenLink> = recording.links.iter().collect();
    links.sort_by(|one, other| {
        other.look_ups.cmp(&one.look_ups).then((&one.from, &one.to).cmp(&(&other.from, &other.to)))
    });
    links.into_iter().filter_map(|link| hint(recording, link)).collect()
}

fn hint(recording: &Recording, link: &SeenLink) -> Option<Hint> {
    let (from, to) = (seen(recording, &link.from)?, seen(recording, &link.to)?);
    let advice = if to.shape.operation() == "GetItem" {
        "fetch them with one BatchGetItem, let an index carry what is fetched, or keep them in the collection that is read"
    } else {
        "keep what is read one by one in one collection, or copy what is needed of it to the items that are read first"
    };
    Some(Hint {
        rule: link.rule.clone(),
        message: format!(
            "{} of {} times, \"{}\" (form {}) was followed by \"{}\" (form {}) of keys that it had returned: {} times on average, {} at most",
            link.followed,
            link.reads,
            name(&from.shape),
            from.fingerprint,
            name(&to.shape),
            to.fingerprint,
            link.mean(),
            link.most
        ),
        advice: advice.to_owned(),
    })
}

fn seen<'r>(recording: &'r Recording, fingerprint: &str) -> Option<&'r Seen> {
    recording.patterns.iter().find(|seen| seen.fingerprint == fingerprint)
}

/// Flows of a draft, whose patterns are those of `seen` in that order: what follows what, as often as was seen.
pub(super) fn flows(recording: &Recording, seen: &[&Seen], patterns: &[Pattern]) -> Vec<Flow> {
    let id = |fingerprint: &str| {
        let at = seen.iter().position(|seen| seen.fingerprint == fingerprint)?;
        patterns.get(at).map(|pattern| pattern.id.clone())
    };
    let flow = |link: &SeenLink| {
        let (from, to) = (id(&link.from)?, id(&link.to)?);
        let step = |pattern: &str, times, for_each_previous| FlowStep {
            pattern: pattern.to_owned(),
            times,
            for_each_previous,
        };
        Some(Flow {
            name: format!("{from}, then {to} for each"),
            steps: vec![step(&from, 1.0, false), step(&to, link.mean(), true)],
            stale_ok: false,
        })
    };
    recording.links.iter().filter_map(flow).collect()
}

impl SeenLink {
    /// Look-ups after one read, on average.
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
    fn mean(&self) -> f64 {
        super::draft::rounded(self.look_ups as f64 / self.followed.max(1) as f64)
    }
}
