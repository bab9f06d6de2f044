//! The page.

use std::fmt::Write as _;

use super::layout::{self, Collection, Row, View};
use super::{Drawing, reach};
use crate::catalogue::{Billing, Catalogue, IndexKind, KeyType, Keys, Pattern, Projection, Table};
use crate::cost::print::{figure, money};
use crate::cost::{PartCost, PatternCost};
use crate::finding::{Finding, Severity, Subject};
use crate::plan::{self, PatternPlan, PlanClass, SortBound};

/// The page's style, which the policy allows by its hash.
pub(super) const STYLE: &str = include_str!("page.css");
/// The page's script, likewise.
pub(super) const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of [`STYLE`], in Base64; a test computes it.
pub(super) const STYLE_HASH: &str = "ua4W9XgeI98Icb+9wjnnnoL82EBpzEaavXShFTLiW3o=";
/// SHA-256 of [`SCRIPT`], in Base64; a test computes it.
pub(super) const SCRIPT_HASH: &str = "v/SckOc6oQS59izQs8eDTYBDfaD6T1IbsnJRI6snRBI=";

/// Rows of a collection, and collections of a view, that are shown at once.
const ROWS_SHOWN: usize = 8;
const COLLECTIONS_SHOWN: usize = 12;
/// Colours of entities.
const COLOURS: usize = 8;

/// The page, whole.
pub fn html(drawing: &Drawing<'_>) -> String {
    let mut views = layout::views(drawing);
    reach::mark(drawing.catalogue, drawing.plans, &mut views);
    let page = Page { drawing, views: &views };
    let mut out = String::with_capacity(64 * 1024);
    page.head(&mut out);
    page.top(&mut out);
    out.push_str("<div class=\"page\">\n");
    page.patterns(&mut out);
    out.push_str("<main id=\"main\">\n<div class=\"now\" role=\"status\" aria-live=\"polite\"></div>\n");
    page.key(&mut out);
    for view in &views {
        page.view(view, &mut out);
    }
    page.findings(&mut out);
    out.push_str("</main>\n</div>\n");
    page.foot(&mut out);
    let _ = write!(out, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// Text that is safe between tags and in quoted attributes, with control characters made visible.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            // What turns the direction of text could make a value look like another.
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' => {
                out.push('\u{FFFD}');
            }
            letter if letter.is_control() => out.push(
                char::from_u32(0x2400 + u32::from(letter))
                    .filter(|_| u32::from(letter) < 32)
                    .unwrap_or('\u{FFFD}'),
            ),
            letter => out.push(letter),
        }
    }
    out
}

/// A value in the font of code.
fn value(text: &str) -> String {
    format!("<span class=\"v\">{}</span>", escape(text))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

struct Page<'a> {
    drawing: &'a Drawing<'a>,
    views: &'a [View<'a>],
}

impl Page<'_> {
    fn head(&self, out: &mut String) {
        let name = escape(self.title());
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
             script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
             <title>{name}: access patterns</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">To the tables</a>\n"
        );
    }

    fn title(&self) -> &str {
        match self.drawing.catalogue.name.as_str() {
            "" => "Model",
            name => name,
        }
    }

    fn top(&self, out: &mut String) {
        let catalogue = self.drawing.catalogue;
        let _ = write!(out, "<header class=\"top\">\n<div class=\"title\"><h1>{}</h1>", escape(self.title()));
        if let Some(text) = &catalogue.description {
            let _ = write!(out, "<p class=\"lead\">{}</p>", escape(text));
        }
        out.push_str("</div>\n<ul class=\"stats\">\n");
        let mut stat = |class: &str, figure: &str, what: &str| {
            let _ = writeln!(out, "<li class=\"{class}\"><b>{figure}</b> {what}</li>");
        };
        let count = |count: usize, one: &str, many: &str| {
            (count.to_string(), if count == 1 { one } else { many }.to_owned())
        };
        let (figure, what) = count(catalogue.patterns.len(), "pattern", "patterns");
        stat("", &figure, &what);
        let (figure, what) = count(catalogue.tables.len(), "table", "tables");
        stat("", &figure, &what);
        let indexes = catalogue.tables.iter().map(|table| table.indexes.len()).sum();
        let (figure, what) = count(indexes, "index", "indexes");
        stat("", &figure, &what);
        for (severity, class, one, many) in
            [(Severity::Error, "bad", "error", "errors"), (Severity::Warn, "mild", "warning", "warnings")]
        {
            let found = self.counted(severity);
            let (figure, what) = count(found, one, many);
            let class = if found > 0 { class } else { "" };
            stat(class, &figure, &format!("<a href=\"#findings\">{what}</a>"));
        }
        if let Some(costs) = self.drawing.costs {
            stat("", &format!("${}", money(costs.total)), "a month");
        }
        out.push_str("</ul>\n<button class=\"theme\" type=\"button\" hidden>Dark</button>\n</header>\n");
    }

    /// Findings of a severity that nothing waives.
    fn counted(&self, severity: Severity) -> usize {
        self.drawing
            .findings
            .iter()
            .filter(|finding| finding.severity == severity && finding.waived.is_none())
            .count()
    }

    fn patterns(&self, out: &mut String) {
        out.push_str(
            "<nav class=\"patterns\" aria-label=\"Access patterns\">\n<div class=\"tools\"><h2>Access patterns</h2>\
             <input type=\"search\" placeholder=\"Filter\" aria-label=\"Filter the patterns\" hidden></div>\n",
        );
        for (at, pattern) in self.drawing.catalogue.patterns.iter().enumerate() {
            self.pattern(at, pattern, out);
        }
        out.push_str("<p class=\"none\" hidden>No pattern has these words.</p>\n</nav>\n");
    }

    fn pattern(&self, at: usize, pattern: &Pattern, out: &mut String) {
        let plan = self.drawing.plans.iter().find(|plan| plan.pattern == pattern.id);
        let cost =
            self.drawing.costs.and_then(|costs| costs.patterns.iter().find(|cost| cost.id == pattern.id));
        let _ = write!(
            out,
            "<details class=\"p\" id=\"pattern-{at}\" name=\"pattern\" data-p=\"{at}\" data-how=\"{}\">\n<summary><span class=\"id\">{}</span> \
             <span class=\"name\">{}</span> <span class=\"price\">{}</span>",
            escape(
                &plan.map(|plan| how(self.drawing.catalogue, plan, pattern).join("; ")).unwrap_or_default()
            ),
            escape(&pattern.id),
            escape(&pattern.name),
            cost.filter(|cost| cost.unpriced.is_none())
                .map(|cost| format!("${}", money(cost.dollars)))
                .unwrap_or_default(),
        );
        out.push_str("<span class=\"facts\">");
        if let Some(plan) = plan {
            let class = if plan.class == PlanClass::Unservable { "plan bad" } else { "plan" };
            let _ = write!(
                out,
                "<span class=\"{class}\">{}</span>{}",
                escape(&plan.class.to_string()),
                units(plan, pattern)
            );
        }
        out.push_str(&self.finding_count(pattern));
        out.push_str("</span></summary>\n<div class=\"body\">\n");
        self.details(at, pattern, plan, cost, out);
        out.push_str("</div>\n</details>\n");
    }

    fn finding_count(&self, pattern: &Pattern) -> String {
        let found: Vec<&Finding> =
            self.findings_of(pattern).filter(|finding| finding.waived.is_none()).collect();
        match found.iter().map(|finding| finding.severity).max() {
            Some(Severity::Error) => {
                format!("<span class=\"bad\">{}</span>", plural(found.len(), "finding", "findings"))
            }
            Some(Severity::Warn) => {
                format!("<span class=\"mild\">{}</span>", plural(found.len(), "finding", "findings"))
            }
            _ => String::new(),
        }
    }

    fn findings_of<'p>(&'p self, pattern: &'p Pattern) -> impl Iterator<Item = &'p Finding> {
        self.drawing
            .findings
            .iter()
            .filter(move |finding| finding.subject == Subject::Pattern(pattern.id.clone()))
    }

    fn details(
        &self,
        at: usize,
        pattern: &Pattern,
        plan: Option<&PatternPlan>,
        cost: Option<&PatternCost>,
        out: &mut String,
    ) {
        out.push_str("<dl>");
        let mut say = |term: &str, text: String| {
            if !text.is_empty() {
                let _ = write!(out, "<dt>{term}</dt><dd>{text}</dd>");
            }
        };
        say("For", pattern.who.as_deref().map(escape).unwrap_or_default());
        say("What", pattern.description.as_deref().map(escape).unwrap_or_default());
        say("Elsewhere", pattern.external.as_deref().map(escape).unwrap_or_default());
        say("Not run", plan::not_built(pattern).map(|reason| escape(&reason)).unwrap_or_default());
        say("Request", pattern.operation.map(|operation| value(operation.name())).unwrap_or_default());
        if let Some(plan) = plan {
            let lines: Vec<String> =
                how(self.drawing.catalogue, plan, pattern).iter().map(|line| value(line)).collect();
            say("How", lines.join("<br>"));
            say("Budget", budget(plan, pattern));
            say("Remedy", plan.remedy.as_deref().map(escape).unwrap_or_default());
        }
        say("Rate", rate(pattern));
        say("Items", items(pattern, plan));
        if let Some(cost) = cost {
            say("Cost", priced(cost));
        }
        out.push_str("</dl>\n");
        for finding in self.findings_of(pattern) {
            let _ = write!(out, "<div class=\"f\">{}</div>", finding_text(finding, ""));
        }
        if let Some(anchor) = self.first_view(at) {
            let _ = writeln!(out, "<a class=\"where\" href=\"#{anchor}\">Show where</a>");
        }
    }

    /// The view that a pattern reaches first.
    fn first_view(&self, at: usize) -> Option<String> {
        let reached = |view: &&View<'_>| view.collections.iter().any(|collection| reaches(collection, at));
        self.views.iter().find(reached).map(|view| view.anchor(self.drawing.catalogue))
    }

    fn key(&self, out: &mut String) {
        if self.views.iter().all(|view| view.collections.is_empty()) {
            return;
        }
        out.push_str(
            "<p class=\"key\"><span class=\"hint\">Choose a pattern to see it on the rows.</span><span><i class=\"swatch\"></i>read</span>\
             <span><i class=\"swatch w\"></i>written</span></p>\n",
        );
    }

    fn view(&self, view: &View<'_>, out: &mut String) {
        let class = if view.index.is_some() { "view index" } else { "view" };
        let name = view.index.map_or(&view.table.name, |index| &index.name);
        let _ = write!(
            out,
            "<section class=\"{class}\" id=\"{}\">\n<h2>{} <small>{}</small></h2>\n<p class=\"meta\">{}</p>\n",
            view.anchor(self.drawing.catalogue),
            escape(name),
            kind(view),
            self.meta(view)
        );
        if view.index.is_none() {
            self.kinds(view.table, out);
        }
        self.boxes(view, out);
        out.push_str("</section>\n");
    }

    fn meta(&self, view: &View<'_>) -> String {
        let mut facts = vec![key_text(view.table, view.keys)];
        match view.index {
            Some(index) => facts.push(match &index.projection {
                Projection::All => "holds everything".to_owned(),
                Projection::KeysOnly => "holds keys alone".to_owned(),
                Projection::Include(names) => format!("holds keys and {}", escape(&names.join(", "))),
            }),
            None => facts.extend(settings(view.table)),
        }
        if let Some(part) = self.part(view) {
            facts.extend(part_facts(part, view.index.is_some()));
        }
        facts.extend(self.findings_at(view));
        format!("<span>{}</span>", facts.join("</span><span>"))
    }

    /// A link to the findings about a table or an index.
    fn findings_at(&self, view: &View<'_>) -> Option<String> {
        let table = view.table.name.clone();
        let subject = match view.index {
            Some(index) => Subject::Index(table, index.name.clone()),
            None => Subject::Table(table),
        };
        let found = || {
            let open = self.drawing.findings.iter().filter(|finding| finding.waived.is_none());
            open.filter(|finding| finding.subject == subject)
        };
        let class = match found().map(|finding| finding.severity).max()? {
            Severity::Error => "bad",
            Severity::Warn => "mild",
            Severity::Note => "",
        };
        let count = plural(found().count(), "finding", "findings");
        Some(format!("<a class=\"{class}\" href=\"#findings\">{count}</a>"))
    }

    fn part(&self, view: &View<'_>) -> Option<&PartCost> {
        let table = self.drawing.costs?.tables.iter().find(|table| table.name == view.table.name)?;
        table.parts.iter().find(|part| part.index.as_deref() == view.index.map(|index| index.name.as_str()))
    }

    /// The entities of a table with their colours: the legend of its rows.
    fn kinds(&self, table: &Table, out: &mut String) {
        let entities = self
            .drawing
            .catalogue
            .entities
            .iter()
            .enumerate()
            .filter(|(_, entity)| entity.table == table.name);
        let mut list = String::new();
        for (at, entity) in entities {
            let templates: Vec<String> = table
                .keys
                .attributes()
                .filter_map(|name| entity.keys.get(name))
                .map(ToString::to_string)
                .collect();
            let _ = write!(
                list,
                "<li><i class=\"dot e{}\"></i>{} <code>{}</code></li>",
                at % COLOURS,
                escape(&entity.name),
                escape(&templates.join(" / "))
            );
        }
        if !list.is_empty() {
            let _ = writeln!(out, "<ul class=\"kinds\" aria-label=\"Entities\">{list}</ul>");
        }
    }

    fn boxes(&self, view: &View<'_>, out: &mut String) {
        if view.collections.is_empty() {
            out.push_str(match view.index.map(|index| index.kind) {
                Some(IndexKind::Vector) => {
                    "<p class=\"empty\">Searched by nearness: it has no order to draw.</p>\n"
                }
                Some(_) => "<p class=\"empty\">No sample item has all keys of this index.</p>\n",
                None => "<p class=\"empty\">No sample items.</p>\n",
            });
            return;
        }
        // Collections that patterns reach come first, so that the rest can be folded away.
        let mut order: Vec<usize> = (0..view.collections.len()).collect();
        order.sort_by_key(|at| !is_reached(&view.collections[*at]));
        let reached = order.iter().filter(|at| is_reached(&view.collections[**at])).count();
        let shown = order.len().min(COLLECTIONS_SHOWN.max(reached));
        out.push_str("<div class=\"boxes\">\n");
        order[..shown].iter().for_each(|at| self.collection(&view.collections[*at], out));
        out.push_str("</div>\n");
        if shown < order.len() {
            let more = plural(order.len() - shown, "more collection", "more collections");
            let _ = writeln!(out, "<details class=\"more\"><summary>{more}</summary><div class=\"boxes\">");
            order[shown..].iter().for_each(|at| self.collection(&view.collections[*at], out));
            out.push_str("</div></details>\n");
        }
    }

    fn collection(&self, collection: &Collection, out: &mut String) {
        let key: Vec<String> = collection
            .key
            .iter()
            .map(|(name, text)| format!("<span class=\"attr\">{}</span> {}", escape(name), value(text)))
            .collect();
        let _ = writeln!(
            out,
            "<article class=\"box\"{}><header><span>{}</span><span class=\"count\">{}</span></header>",
            tokens("r", &collection.read),
            key.join(" "),
            plural(collection.rows.len(), "item", "items")
        );
        let shown = if collection.rows.len() > ROWS_SHOWN + 2 { ROWS_SHOWN } else { collection.rows.len() };
        collection.rows[..shown].iter().for_each(|row| self.row(row, out));
        if shown < collection.rows.len() {
            let _ = writeln!(
                out,
                "<details class=\"more\"><summary>{} more</summary>",
                collection.rows.len() - shown
            );
            collection.rows[shown..].iter().for_each(|row| self.row(row, out));
            out.push_str("</details>\n");
        }
        out.push_str("</article>\n");
    }

    fn row(&self, row: &Row, out: &mut String) {
        let sort: Vec<String> = row.sort.iter().map(|(_, text)| value(text)).collect();
        let kind = row.entity.and_then(|at| Some((at, self.drawing.catalogue.entities.get(at)?)));
        let kind = kind
            .map(|(at, entity)| format!("<i class=\"dot e{}\"></i>{} ", at % COLOURS, escape(&entity.name)));
        let _ = write!(
            out,
            "<div class=\"row\"{}{}><div class=\"line\"><span class=\"sort\">{}</span><span class=\"kind\">{}</span></div>",
            tokens("r", &row.read),
            tokens("w", &row.written),
            sort.join(" / "),
            kind.unwrap_or_default()
        );
        let mut attributes = String::new();
        for (name, text) in &row.attributes {
            let _ = write!(attributes, "<span><i>{}</i>{}</span> ", escape(name), value(text));
        }
        if !attributes.is_empty() {
            let _ = write!(out, "<div class=\"attrs\">{attributes}</div>");
        }
        out.push_str("</div>\n");
    }

    fn findings(&self, out: &mut String) {
        out.push_str("<section class=\"findings\" id=\"findings\">\n<h2>Findings</h2>\n");
        if self.drawing.findings.is_empty() {
            out.push_str("<p class=\"empty\">None.</p>\n</section>\n");
            return;
        }
        let mut found: Vec<&Finding> = self.drawing.findings.iter().collect();
        found.sort_by_key(|finding| (finding.waived.is_some(), std::cmp::Reverse(finding.severity)));
        out.push_str("<ul>\n");
        for finding in found {
            let _ = writeln!(out, "<li class=\"f\">{}</li>", finding_text(finding, &self.subject(finding)));
        }
        out.push_str("</ul>\n</section>\n");
    }

    /// What a finding is about; a pattern is linked.
    fn subject(&self, finding: &Finding) -> String {
        let text = escape(&finding.subject.to_string());
        let at = match &finding.subject {
            Subject::Pattern(id) => {
                self.drawing.catalogue.patterns.iter().position(|pattern| pattern.id == *id)
            }
            _ => None,
        };
        at.map_or_else(|| text.clone(), |at| format!("<a href=\"#pattern-{at}\">{text}</a>"))
    }

    fn foot(&self, out: &mut String) {
        let prices = self.drawing.costs.map(|costs| {
            format!(
                "Costs are list prices of {}, {}; a month has {} hours. ",
                escape(&costs.region),
                escape(&costs.dated),
                figure(costs.hours, 0)
            )
        });
        let _ = writeln!(
            out,
            "<footer class=\"foot\">{}Rows are samples; each pattern is drawn with values for its parameters that reach some.</footer>",
            prices.unwrap_or_default()
        );
    }
}

fn is_reached(collection: &Collection) -> bool {
    !collection.read.is_empty()
        || collection.rows.iter().any(|row| !row.read.is_empty() || !row.written.is_empty())
}

fn reaches(collection: &Collection, at: usize) -> bool {
    let rows = || collection.rows.iter();
    collection.read.contains(&at) || rows().any(|row| row.read.contains(&at) || row.written.contains(&at))
}

/// ` data-r="0 3"`: which patterns, by number.
fn tokens(name: &str, patterns: &[usize]) -> String {
    if patterns.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    format!(" data-{name}=\"{}\"", numbers.join(" "))
}

fn kind(view: &View<'_>) -> String {
    match view.index.map(|index| index.kind) {
        None => "table".to_owned(),
        Some(IndexKind::Global) => format!("global index of {}", escape(&view.table.name)),
        Some(IndexKind::Local) => format!("local index of {}", escape(&view.table.name)),
        Some(IndexKind::Vector) => format!("vector index of {}", escape(&view.table.name)),
    }
}

fn key_text(table: &Table, keys: &Keys) -> String {
    let name = |name: &String| match table.definitions.get(name) {
        Some(KeyType::N) => format!("<b>{}</b> (number)", escape(name)),
        Some(KeyType::B) => format!("<b>{}</b> (binary)", escape(name)),
        _ => format!("<b>{}</b>", escape(name)),
    };
    let list = |names: &[String]| names.iter().map(name).collect::<Vec<_>>().join(", ");
    match (keys.hash.is_empty(), keys.range.is_empty()) {
        (true, _) => "no partition key".to_owned(),
        (false, true) => format!("by {}", list(&keys.hash)),
        (false, false) => format!("by {}, sorted by {}", list(&keys.hash), list(&keys.range)),
    }
}

fn settings(table: &Table) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(match table.billing {
        Some(Billing::OnDemand) => Some("paid by request".to_owned()),
        Some(Billing::Provisioned(_)) => Some("paid by capacity".to_owned()),
        None => None,
    });
    facts.extend((table.infrequent_access == Some(true)).then(|| "Standard-IA".to_owned()));
    facts.extend(table.ttl.as_ref().map(|name| format!("expires by {}", escape(name))));
    facts.extend(table.stream.as_ref().map(|view| format!("stream {}", escape(view))));
    facts.extend((table.recovery == Some(true)).then(|| "point-in-time recovery".to_owned()));
    facts.extend(
        (!table.replicas.is_empty()).then(|| format!("replicas in {}", escape(&table.replicas.join(", ")))),
    );
    facts
}

fn part_facts(part: &PartCost, index: bool) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(entries) = part.entries {
        let what = if index { "entries" } else { "items" };
        facts.push(format!("{} {what}, {} GB", figure(entries, 0), figure(part.gigabytes, 2)));
    }
    facts.push(format!("<b>${}</b> a month", money(part.dollars())));
    if index && part.read_by.is_empty() {
        facts.push("nobody reads it".to_owned());
    }
    facts
}

/// How a pattern reaches its rows, in a few lines of plain text.
fn how(catalogue: &Catalogue, plan: &PatternPlan, pattern: &Pattern) -> Vec<String> {
    let mut lines = Vec::new();
    match plan.class {
        PlanClass::External => return vec!["served by another system".to_owned()],
        PlanClass::Unservable => return vec!["no table or index serves it".to_owned()],
        _ => {}
    }
    lines.push(match &plan.index {
        Some(index) => format!("{} on {}.{index}", plan.class, plan.table),
        None => format!("{} on {}", plan.class, plan.table),
    });
    let actions = reach::actions(catalogue, pattern);
    if actions.len() > 1 {
        lines.extend(actions);
    } else {
        lines.extend(plan.hash.iter().map(|(name, text)| format!("{name} = {text}")));
        lines.extend(plan.sort.iter().map(bound));
    }
    if !plan.filter.is_empty() {
        lines.push(format!("then tests {}", plan.filter.join(", ")));
    }
    if !plan.wanted.is_empty() {
        lines.push(format!("returns {}", plan.wanted.join(", ")));
    }
    let multiple = !matches!(plan.class, PlanClass::Get | PlanClass::BatchGet | PlanClass::Write(_));
    if let (true, Some(forward)) = (multiple, plan.forward) {
        lines.push(if forward { "ascending" } else { "descending" }.to_owned());
    }
    if let Some(limit) = pattern.request.as_ref().and_then(|request| request.get("Limit")) {
        lines.push(format!("limit {limit}"));
    }
    if plan.strong && !matches!(plan.class, PlanClass::Write(_)) {
        lines.push("strongly consistent".to_owned());
    }
    if plan.transaction {
        lines.push("in a transaction".to_owned());
    }
    lines
}

fn bound(sort: &SortBound) -> String {
    let operands = sort.operands.join(" and ");
    format!("{} {} {operands}", sort.attribute, sort.operator)
}

/// Units of one run, for the line of a pattern.
fn units(plan: &PatternPlan, pattern: &Pattern) -> String {
    let mut text = String::new();
    for (units, budget, unit) in both(plan, pattern) {
        if units > 0.0 {
            let over = budget.is_some_and(|budget| units > budget + 1e-9);
            let class = if over { " class=\"bad\"" } else { "" };
            let note = if over { ", over budget" } else { "" };
            let _ = write!(text, "<span{class}>{} {unit}{note}</span>", figure(units, 2));
        }
    }
    text
}

fn both(plan: &PatternPlan, pattern: &Pattern) -> [(f64, Option<f64>, &'static str); 2] {
    [(plan.read_units(), pattern.budget.rcu, "RCU"), (plan.write_units(), pattern.budget.wcu, "WCU")]
}

fn budget(plan: &PatternPlan, pattern: &Pattern) -> String {
    let mut parts = Vec::new();
    for (units, budget, unit) in both(plan, pattern) {
        if let Some(budget) = budget {
            let text = format!("{} of {} {unit}", figure(units, 2), figure(budget, 2));
            let over = units > budget + 1e-9;
            parts.push(if over { format!("<span class=\"over\">{text}, over</span>") } else { text });
        }
    }
    parts.join(", ")
}

fn rate(pattern: &Pattern) -> String {
    match (pattern.avg_rps, pattern.peak_rps) {
        (Some(average), Some(peak)) => {
            format!("{} a second, {} at the peak", figure(average, 2), figure(peak, 2))
        }
        (Some(average), None) => format!("{} a second", figure(average, 2)),
        (None, Some(peak)) => format!("{} a second at the peak", figure(peak, 2)),
        (None, None) => String::new(),
    }
}

fn items(pattern: &Pattern, plan: Option<&PatternPlan>) -> String {
    let items = plan.and_then(|plan| plan.items).or(pattern.items);
    let bytes = plan.and_then(|plan| plan.item_bytes).or(pattern.item_bytes);
    match (items, bytes) {
        (Some(items), Some(bytes)) => format!("{} of {} bytes", figure(items, 1), figure(bytes, 0)),
        (Some(items), None) => figure(items, 1),
        _ => String::new(),
    }
}

fn priced(cost: &PatternCost) -> String {
    if let Some(why) = &cost.not_run {
        return escape(why);
    }
    if let Some(why) = &cost.unpriced {
        return format!("not priced: {}", escape(why));
    }
    if cost.arms.len() < 2 {
        return format!("${} a month", money(cost.dollars));
    }
    let mut rows = String::new();
    for (arm, dollars) in &cost.arms {
        let place = arm.index.as_ref().unwrap_or(&arm.table);
        let units =
            if arm.write > 0.0 { figure(arm.write, 2) + " WCU" } else { figure(arm.read, 2) + " RCU" };
        let _ =
            write!(rows, "<tr><td>{}</td><td>{units}</td><td>${}</td></tr>", escape(place), money(*dollars));
    }
    format!("<table><tr><th>on</th><th>units</th><th>a month</th></tr>{rows}</table>")
}

/// A finding; `subject` is HTML.
fn finding_text(finding: &Finding, subject: &str) -> String {
    let (class, name) = match &finding.waived {
        Some(_) => ("note", "waived"),
        None => (finding.severity.name(), finding.severity.name()),
    };
    let waived =
        finding.waived.as_ref().map(|why| format!("<p class=\"advice\">Waived: {}</p>", escape(why)));
    format!(
        "<span class=\"tag {class}\">{name}</span><code>{}</code> {subject}<p>{}</p><p class=\"advice\">{}</p>{}",
        escape(finding.rule),
        escape(&finding.message),
        escape(&finding.advice),
        waived.unwrap_or_default()
    )
}
