//! A comparison as text, Markdown and JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Diff, Difference, PlanChange};
use crate::cost::print::{self, Grid, Style, change, figure, markdown_cell, money};

impl Diff {
    /// For people at a terminal.
    pub fn text(&self) -> String {
        self.print(Style::Text)
    }

    /// For pull requests.
    pub fn markdown(&self) -> String {
        self.print(Style::Markdown)
    }

    fn print(&self, style: Style) -> String {
        if self.is_empty() && self.cost_rows().is_empty() {
            return "Nothing changed.\n".to_owned();
        }
        let mut text = String::new();
        if !self.changes.is_empty() {
            let mut grid = Grid::new(&["asks for", "what", "part", "before", "after"]);
            for change in &self.changes {
                grid.row(change_cells(change));
            }
            text.push_str(&grid.print(style));
            text.push_str(&self.advice(style));
        }
        if !self.plans.is_empty() {
            text.push_str(&title(style, "Plans"));
            let mut grid = Grid::new(&["pattern", "plan", ">RCU", ">WCU"]);
            for plan in &self.plans {
                grid.row(plan_cells(plan));
            }
            text.push_str(&grid.print(style));
        }
        let rows = self.cost_rows();
        if !rows.is_empty() {
            text.push_str(&title(style, "Costs a month"));
            let mut grid = Grid::new(&["", ">$ before", ">$ after", ">change"]);
            for (what, [before, after]) in rows {
                grid.row(vec![what, money(before), money(after), change(before, after)]);
            }
            text.push_str(&grid.print(style));
        }
        text
    }

    /// What is to do, gravest first, each thing once.
    fn advice(&self, style: Style) -> String {
        let mut text = String::new();
        let asked = self.changes.iter().filter(|change| !change.advice.is_empty());
        let mut said: Vec<(String, &str)> = Vec::new();
        for change in asked {
            let line = (format!("{} {}", change.effect, change.subject), change.advice.as_str());
            if !said.contains(&line) {
                said.push(line);
            }
        }
        if !said.is_empty() {
            text.push_str(&title(style, "What to do"));
        }
        for (what, advice) in said {
            let _ = match style {
                Style::Text => writeln!(text, "  {what}: {advice}"),
                Style::Markdown => {
                    writeln!(text, "- **{}**: {}", markdown_cell(&what), markdown_cell(advice))
                }
            };
        }
        text
    }

    fn cost_rows(&self) -> Vec<(String, [f64; 2])> {
        let [before, after] = &self.costs;
        let mut rows = Vec::new();
        for name in print::names(
            before.tables.iter().map(|table| &table.name),
            after.tables.iter().map(|table| &table.name),
        ) {
            let of = |report: &crate::CostReport| {
                report.tables.iter().find(|table| table.name == name).map_or(0.0, |table| table.dollars)
            };
            rows.push((format!("table {name}"), [of(before), of(after)]));
        }
        for id in
            print::names(before.patterns.iter().map(|one| &one.id), after.patterns.iter().map(|one| &one.id))
        {
            let of = |report: &crate::CostReport| {
                report.patterns.iter().find(|one| one.id == id).map_or(0.0, |one| one.dollars)
            };
            rows.push((format!("pattern {id}"), [of(before), of(after)]));
        }
        rows.push(("total".to_owned(), [before.total, after.total]));
        rows.retain(|(_, [before, after])| (before - after).abs() >= 0.005);
        rows
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let changes: Vec<Value> = self
            .changes
            .iter()
            .map(|change| {
                json!({
                    "asks_for": change.effect.name(), "subject": change.subject.to_string(), "part": change.part,
                    "before": change.before, "after": change.after, "advice": change.advice,
                })
            })
            .collect();
        let plans: Vec<Value> = self
            .plans
            .iter()
            .map(|plan| json!({"pattern": plan.pattern, "plan": plan.class, "rcu": plan.read, "wcu": plan.write}))
            .collect();
        let costs: Vec<Value> = self
            .cost_rows()
            .into_iter()
            .map(|(what, dollars)| json!({"what": what, "dollars": dollars.map(|dollars| (dollars * 100.0).round() / 100.0)}))
            .collect();
        json!({
            "same": self.is_empty(), "gravest": self.gravest().name(), "changes": changes, "plans": plans, "costs": costs,
        })
    }
}

fn title(style: Style, text: &str) -> String {
    match style {
        Style::Text => format!("\n{text}\n"),
        Style::Markdown => format!("\n### {text}\n\n"),
    }
}

fn change_cells(change: &Difference) -> Vec<String> {
    let short = |text: &str| {
        let flat = text.replace(['\n', '\r'], " ");
        if flat.chars().count() <= 60 { flat } else { flat.chars().take(57).chain("...".chars()).collect() }
    };
    vec![
        change.effect.to_string(),
        change.subject.to_string(),
        change.part.clone(),
        short(&change.before),
        short(&change.after),
    ]
}

fn plan_cells(plan: &PlanChange) -> Vec<String> {
    let text =
        |before: String, after: String| if before == after { before } else { format!("{before} -> {after}") };
    let units = |units: [f64; 2]| text(figure(units[0], 2), figure(units[1], 2));
    vec![
        plan.pattern.clone(),
        text(plan.class[0].clone(), plan.class[1].clone()),
        units(plan.read),
        units(plan.write),
    ]
}
