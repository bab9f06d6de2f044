//! Tables, indexes, entities and patterns as a Mermaid flowchart.

use std::fmt::Write as _;

use crate::catalogue::{Catalogue, Entity, Index, IndexKind, Keys, Table};
use crate::plan::{self, PatternPlan, PlanClass, sizes};

/// The flowchart: patterns on the left, what they read or write on the right.
pub fn mermaid(catalogue: &Catalogue, plans: &[PatternPlan]) -> String {
    let mut text = String::from("flowchart LR\n");
    let _ = writeln!(text, "  subgraph patterns[\"Access patterns\"]");
    for (at, pattern) in catalogue.patterns.iter().enumerate() {
        let mut lines = vec![format!("{} {}", pattern.id, pattern.name)];
        lines.extend(plan::not_built(pattern).map(|reason| format!("not run: {reason}")));
        let _ = writeln!(text, "    p{at}([\"{}\"])", joined(&lines));
    }
    text.push_str("  end\n");
    for (at, table) in catalogue.tables.iter().enumerate() {
        write_table(catalogue, at, table, &mut text);
    }
    let mut missing = false;
    for (at, pattern) in catalogue.patterns.iter().enumerate() {
        let plan = plans.iter().find(|plan| plan.pattern == pattern.id);
        if let Some(plan) = plan {
            missing |= write_edges(catalogue, at, plan, &mut text);
        }
    }
    if missing {
        text.push_str("  nothing{{\"nothing serves it\"}}\n");
    }
    text
}

fn write_table(catalogue: &Catalogue, at: usize, table: &Table, text: &mut String) {
    let _ = writeln!(text, "  subgraph s{at}[\"{}\"]", label(&table.name));
    let mut lines = vec![format!("{} (table)", table.name), keys(&table.keys)];
    lines.extend(catalogue.entities_of(&table.name).map(|entity| entity_text(entity, &table.keys)));
    let _ = writeln!(text, "    t{at}[(\"{}\")]", joined(&lines));
    for (number, index) in table.indexes.iter().enumerate() {
        let mut lines = vec![format!("{} ({})", index.name, kind(index)), keys(&index.keys)];
        let inside =
            catalogue.entities_of(&table.name).filter(|entity| sizes::entry_share(index, entity) > 0.0);
        lines.extend(inside.map(|entity| entity_text(entity, &index.keys)));
        let _ = writeln!(text, "    t{at}i{number}[(\"{}\")]", joined(&lines));
        let _ = writeln!(text, "    t{at} -.-> t{at}i{number}");
    }
    text.push_str("  end\n");
}

/// `Order: USER#{userId} / ORDER#{orderId}`.
fn entity_text(entity: &Entity, keys: &Keys) -> String {
    let part = |name: &str| entity.keys.get(name).map_or_else(|| format!("{{{name}}}"), ToString::to_string);
    format!("{}: {}", entity.name, keys.attributes().map(part).collect::<Vec<_>>().join(" / "))
}

fn keys(keys: &Keys) -> String {
    keys.attributes().collect::<Vec<_>>().join(" / ")
}

fn kind(index: &Index) -> &'static str {
    match index.kind {
        IndexKind::Global => "global index",
        IndexKind::Local => "local index",
        IndexKind::Vector => "vector index",
    }
}

/// The edges of a pattern; answers whether nothing serves it.
fn write_edges(catalogue: &Catalogue, at: usize, plan: &PatternPlan, text: &mut String) -> bool {
    let node = |table: &str, index: Option<&str>| {
        let at = catalogue.tables.iter().position(|other| other.name == table)?;
        match index {
            None => Some(format!("t{at}")),
            Some(name) => {
                let index = catalogue.tables[at].indexes.iter().position(|other| other.name == name)?;
                Some(format!("t{at}i{index}"))
            }
        }
    };
    match plan.class {
        PlanClass::External => return false,
        PlanClass::Unservable => {
            let _ = writeln!(text, "  p{at} -.-x nothing");
            return true;
        }
        _ => {}
    }
    let write = matches!(plan.class, PlanClass::Write(_));
    let mut to: Vec<String> = if write {
        plan.arms.iter().filter_map(|arm| node(&arm.table, arm.index.as_deref())).collect()
    } else {
        node(&plan.table, plan.index.as_deref()).into_iter().collect()
    };
    if to.is_empty() {
        to.extend(node(&plan.table, None));
    }
    for to in to {
        let arrow = if write { "==>" } else { "-->" };
        let _ = writeln!(text, "  p{at} {arrow}|\"{}\"| {to}", label(&plan.class.to_string()));
    }
    false
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| label(line)).collect::<Vec<_>>().join("<br/>")
}

/// A text that cannot end its quotes, start HTML or be read as Markdown; Mermaid knows `#name;` as characters.
fn label(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '#' => out.push_str("#35;"),
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '`' => out.push_str("#96;"),
            '\\' => out.push_str("#92;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
