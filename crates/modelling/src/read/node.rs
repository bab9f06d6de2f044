//! YAML (and so JSON) as a tree in which every node knows its place.
//!
//! Input is hostile until read: bytes, depth and the number of nodes after aliases are bounded, and nothing recurses on
//! the way in.

mod cut;

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// Most bytes of a file.
pub const BYTES_MAX: usize = 64 << 20;

/// Most levels of a tree: items may have 32, and requests hold items some levels down.
pub const DEPTH_MAX: usize = 96;

/// Most nodes of a tree, those of each alias counted each time.
pub const NODES_MAX: usize = 4_000_000;

/// A place in a file; both from 1, 0 where not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it starts.
    pub mark: Mark,
    /// Its tag as written, such as `!Ref`, `!set` or `!!binary`.
    pub tag: Option<String>,
    /// What it is.
    pub data: Data,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A text, number, truth value or nothing.
    Scalar {
        /// As written, without quotes.
        text: String,
        /// Whether without quotes: only then may it be a number, a truth value or nothing.
        plain: bool,
    },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file. Keys are unique.
    Map(Vec<(Node, Node)>),
}

/// Why a text is no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub mark: Mark,
    /// What is wrong.
    pub message: String,
}

impl Node {
    /// A text that no file holds.
    pub fn text_at(mark: Mark, text: &str) -> Node {
        Node { mark, tag: None, data: Data::Scalar { text: text.to_owned(), plain: false } }
    }

    /// Reads the only document of a text.
    ///
    /// # Errors
    /// No YAML; too large or too deep; a mapping with a key twice; more than one document.
    pub fn parse(text: &str) -> Result<Node, Fault> {
        Node::parse_all(text).map(|(node, _)| node)
    }

    /// As [`Node::parse`], with the texts that a comma in `{ }` or `[ ]` has cut in two: `bucket: int(0,7)` without quotes. They are YAML, but
    /// hardly ever meant.
    ///
    /// # Errors
    /// As [`Node::parse`]; where a cut is what makes it no YAML, the cut is told.
    pub fn parse_all(text: &str) -> Result<(Node, Vec<Fault>), Fault> {
        if text.len() > BYTES_MAX {
            return Err(fault(Mark::default(), format!("the file is larger than {} MiB", BYTES_MAX >> 20)));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = plainer_json(text);
        Builder::new(&text).build()
    }

    /// The value of that key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// The value at the end of a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a mapping; none of anything else.
    pub fn entries(&self) -> &[(Node, Node)] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of a sequence; none of anything else.
    pub fn items(&self) -> &[Node] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a scalar, whatever it means.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing: `null`, `~` or empty, without quotes.
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Some("" | "~" | "null" | "Null" | "NULL"))
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self.plain()? {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// A finite number, with or without quotes: many writers of templates quote them.
    pub fn as_f64(&self) -> Option<f64> {
        let text = self.as_str()?;
        let number = text.parse::<f64>().ok()?;
        (number.is_finite() && !text.contains(['n', 'i'])).then_some(number)
    }

    /// The text of a scalar without quotes.
    pub fn plain(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar { text, plain: true } if self.tag.is_none() => Some(text),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match &self.data {
            Data::List(_) => "a list".to_owned(),
            Data::Map(_) => "a map".to_owned(),
            Data::Scalar { .. } if self.is_null() => "nothing".to_owned(),
            Data::Scalar { text, .. } => format!("\"{}\"", shortened(text)),
        }
    }
}

/// The beginning of a long text.
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => Cow::Owned(format!("{}...", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

fn fault(mark: Mark, message: impl Into<String>) -> Fault {
    Fault { mark, message: message.into() }
}

/// JSON that is no YAML becomes YAML, without moving anything to another line: tabs between tokens, and characters
/// outside the basic plane that are written as two escapes.
fn plainer_json(text: &str) -> Cow<'_, str> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    if !is_json || !(text.contains('\t') || text.contains("\\u")) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\', '\t']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let taken = match tail.as_bytes()[0] {
            b'"' => {
                quoted = !quoted;
                out.push('"');
                1
            }
            b'\t' => {
                out.push_str(if quoted { "\\t" } else { " " });
                1
            }
            _ => escape(tail, &mut out),
        };
        rest = &tail[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Copies the escape that `tail` starts with, two escapes of one character as one; says how many bytes it took.
fn escape(tail: &str, out: &mut String) -> usize {
    let unit = |at: usize| {
        let digits = tail.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    if let (Some(high), Some(low)) = (unit(0), unit(6))
        && let Some(Ok(character)) = char::decode_utf16([high, low]).next()
        && u32::from(character) > 0xffff
    {
        out.push(character);
        return 12;
    }
    let length = 1 + tail[1..].chars().next().map_or(0, char::len_utf8);
    out.push_str(&tail[..length]);
    length
}

/// A node whose end was not seen yet.
struct Open {
    mark: Mark,
    tag: Option<String>,
    anchor: usize,
    content: Content,
    /// The first text in it that was cut.
    cut: Option<Fault>,
}

enum Content {
    List(Vec<Node>),
    Map(Vec<(Node, Node)>, Option<Node>),
}

/// Turns events into a tree, with a stack of its own.
struct Builder<'t> {
    text: &'t str,
    /// Where the lines of the text begin, once one is asked for.
    lines: Option<Vec<usize>>,
    cuts: Vec<Fault>,
    stack: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    documents: usize,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Builder<'t> {
        Builder {
            text,
            lines: None,
            cuts: Vec::new(),
            stack: Vec::new(),
            root: None,
            anchors: HashMap::new(),
            nodes: 0,
            documents: 0,
        }
    }

    fn build(mut self) -> Result<(Node, Vec<Fault>), Fault> {
        for event in Parser::new_from_str(self.text) {
            let (event, span) = event.map_err(|error| {
                // What the parser stumbles over is what is left of a text that was cut.
                let cut = self.stack.iter().rev().find_map(|open| open.cut.clone());
                cut.unwrap_or_else(|| {
                    fault(mark_of(*error.marker()), format!("this is no YAML: {}", error.info()))
                })
            })?;
            self.event(event, mark_of(span.start))?;
        }
        let root = self.root.unwrap_or(Node {
            mark: Mark { line: 1, column: 1 },
            tag: None,
            data: Data::Scalar { text: String::new(), plain: true },
        });
        Ok((root, self.cuts))
    }

    /// Takes down a text without quotes that was cut.
    fn look_for_cut(&mut self, text: &str, mark: Mark) {
        let ends = || self.text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = self.lines.get_or_insert_with(|| std::iter::once(0).chain(ends()).collect());
        let line = mark.line.checked_sub(1).and_then(|line| self.text.get(*lines.get(line)?..));
        let source = line.and_then(|line| {
            let (at, _) = line.char_indices().nth(mark.column.checked_sub(1)?)?;
            line.get(at..)
        });
        let (Some(source), Some(open)) = (source, self.stack.last_mut()) else { return };
        let (in_list, key) = match &open.content {
            Content::List(_) => (true, None),
            Content::Map(_, key) => (false, key.as_ref().and_then(Node::as_str)),
        };
        let Some(cut) = cut::cut(source, text).filter(|cut| cut.is_plain(in_list)) else { return };
        let key = key.map(|key| format!("{key}: ")).unwrap_or_default();
        let by = if cut.by == ',' { "the comma".to_owned() } else { format!("\"{}\"", cut.by) };
        let message = format!(
            "\"{}\" ends at {by}, as every text without quotes does inside {{ }} and [ ]; put quotes around the whole: {key}{}",
            shortened(text),
            cut::quoted(cut.whole)
        );
        let cut = fault(mark, message);
        open.cut.get_or_insert_with(|| cut.clone());
        self.cuts.push(cut);
    }

    fn event(&mut self, event: Event<'_>, mark: Mark) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fault(
                        mark,
                        "a second document starts here; put each into a file of its own",
                    ));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if style == ScalarStyle::Plain && cut::is_open(&text) {
                    self.look_for_cut(&text, mark);
                }
                let data = Data::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.count(1, mark)?;
                self.finish(Node { mark, tag: tag_text(tag), data }, anchor)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(mark, tag, anchor, Content::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                self.open(mark, tag, anchor, Content::Map(Vec::new(), None))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(anchor) => self.alias(anchor, mark)?,
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, mark: Mark) -> Result<(), Fault> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > NODES_MAX {
            return Err(fault(
                mark,
                format!("the file has more than {NODES_MAX} values, with those of aliases"),
            ));
        }
        Ok(())
    }

    fn open(
        &mut self,
        mark: Mark,
        tag: Option<Cow<'_, Tag>>,
        anchor: usize,
        content: Content,
    ) -> Result<(), Fault> {
        self.count(1, mark)?;
        if self.stack.len() >= DEPTH_MAX {
            return Err(fault(mark, format!("more than {DEPTH_MAX} levels of nesting")));
        }
        self.stack.push(Open { mark, tag: tag_text(tag), anchor, content, cut: None });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let data = match open.content {
            Content::List(items) => Data::List(items),
            // What is left of two texts that were cut may be one key twice.
            Content::Map(entries, _) => {
                Data::Map(merged(entries).map_err(|fault| open.cut.unwrap_or(fault))?)
            }
        };
        self.finish(Node { mark: open.mark, tag: open.tag, data }, open.anchor)
    }

    fn alias(&mut self, anchor: usize, mark: Mark) -> Result<(), Fault> {
        let Some((node, nodes)) = self.anchors.get(&anchor) else {
            return Err(fault(mark, "an alias of a value that has not ended yet"));
        };
        let (nodes, depth) = (*nodes, depth(node));
        if self.stack.len() + depth > DEPTH_MAX {
            return Err(fault(mark, format!("more than {DEPTH_MAX} levels of nesting")));
        }
        // Counted before it is copied: a few aliases of aliases could stand for millions of values.
        self.count(nodes, mark)?;
        let node = self.anchors[&anchor].0.clone();
        self.finish(node, 0)
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Fault> {
        if anchor != 0 {
            let nodes = size(&node);
            self.count(nodes, node.mark)?;
            self.anchors.insert(anchor, (node.clone(), nodes));
        }
        match self.stack.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map(entries, key)) => match key.take() {
                None => *key = Some(node),
                Some(key) => entries.push((key, node)),
            },
        }
        Ok(())
    }
}

/// The entries with those of merge keys (`<<`) after them, which give way to those that are there.
fn merged(entries: Vec<(Node, Node)>) -> Result<Vec<(Node, Node)>, Fault> {
    let mut seen = std::collections::HashSet::new();
    let mut own = Vec::with_capacity(entries.len());
    let mut added = Vec::new();
    for (key, value) in entries {
        if key.plain() == Some("<<") {
            added.push(value);
            continue;
        }
        if let Some(name) = key.as_str()
            && !seen.insert(name.to_owned())
        {
            return Err(fault(key.mark, format!("\"{}\" is here twice", shortened(name))));
        }
        own.push((key, value));
    }
    let maps = added.iter().flat_map(|value| match &value.data {
        Data::List(maps) => maps.as_slice(),
        _ => std::slice::from_ref(value),
    });
    for (key, value) in maps.flat_map(|map| map.entries().iter()) {
        if key.as_str().is_some_and(|name| seen.insert(name.to_owned())) {
            own.push((key.clone(), value.clone()));
        }
    }
    Ok(own)
}

/// How many levels a node has; those of a tree are bounded.
fn depth(node: &Node) -> usize {
    match &node.data {
        Data::Scalar { .. } => 0,
        Data::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Data::Map(entries) => 1 + entries.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

fn size(node: &Node) -> usize {
    match &node.data {
        Data::Scalar { .. } => 1,
        Data::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Data::Map(entries) => 1 + entries.iter().map(|(key, value)| size(key) + size(value)).sum::<usize>(),
    }
}

fn mark_of(marker: saphyr_parser::Marker) -> Mark {
    Mark { line: marker.line(), column: marker.col() + 1 }
}

fn tag_text(tag: Option<Cow<'_, Tag>>) -> Option<String> {
    let tag = tag?;
    let handle = if tag.is_yaml_core_schema() { "!!" } else { tag.handle.as_str() };
    Some(format!("{handle}{}", tag.suffix))
}

#[cfg(test)]
mod tests;
