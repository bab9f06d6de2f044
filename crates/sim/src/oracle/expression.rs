//! Expressions as trees that the generator builds: rendered to text for the engine, evaluated here for the oracle.

use std::collections::BTreeMap;

use super::value::{Item, Value};

/// One step of a document path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Name(String),
    Index(usize),
}

/// A document path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub top: String,
    pub rest: Vec<Step>,
}

impl Path {
    pub fn top(name: &str) -> Path {
        Path { top: name.to_owned(), rest: Vec::new() }
    }

    pub fn resolve<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        let mut at = item.get(&self.top)?;
        for step in &self.rest {
            at = match (step, at) {
                (Step::Name(name), Value::M(map)) => map.get(name)?,
                (Step::Index(index), Value::L(list)) => list.get(*index)?,
                _ => return None,
            };
        }
        Some(at)
    }
}

/// What a condition compares.
#[derive(Clone, Debug)]
pub enum Operand {
    Path(Path),
    Value(Value),
    Size(Path),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A condition or a filter.
#[derive(Clone, Debug)]
pub enum Condition {
    Compare(Operand, Comparison, Operand),
    Between(Operand, Value, Value),
    In(Operand, Vec<Value>),
    Exists(Path),
    NotExists(Path),
    Type(Path, &'static str),
    BeginsWith(Path, Value),
    Contains(Path, Value),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// What SET assigns.
#[derive(Clone, Debug)]
pub enum Assigned {
    Path(Path),
    Value(Value),
    IfNotExists(Path, Box<Assigned>),
    ListAppend(Box<Assigned>, Box<Assigned>),
    Plus(Box<Assigned>, Box<Assigned>),
    Minus(Box<Assigned>, Box<Assigned>),
}

/// One action of an update.
#[derive(Clone, Debug)]
pub enum Action {
    Set(Path, Assigned),
    Remove(Path),
    Add(Path, Value),
    Delete(Path, Value),
}

impl Action {
    pub fn path(&self) -> &Path {
        match self {
            Action::Set(path, _) | Action::Remove(path) | Action::Add(path, _) | Action::Delete(path, _) => {
                path
            }
        }
    }
}

/// Placeholders of one request, made as expressions are rendered.
#[derive(Debug, Default)]
pub struct Placeholders {
    pub names: BTreeMap<String, String>,
    pub values: BTreeMap<String, Value>,
}

impl Placeholders {
    /// The name as is where its length is even, through a placeholder else: both ways are taken.
    fn name(&mut self, name: &str) -> String {
        if name.len().is_multiple_of(2) {
            return name.to_owned();
        }
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    pub fn path(&mut self, path: &Path) -> String {
        let mut text = self.name(&path.top);
        for step in &path.rest {
            match step {
                Step::Name(name) => text = format!("{text}.{}", self.name(name)),
                Step::Index(index) => text = format!("{text}[{index}]"),
            }
        }
        text
    }

    pub fn value(&mut self, value: &Value) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(path) => format!("size({})", self.path(path)),
        }
    }

    pub fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, comparison, right) => {
                format!("{} {} {}", self.operand(left), sign(*comparison), self.operand(right))
            }
            Condition::Between(operand, low, high) => {
                format!("{} BETWEEN {} AND {}", self.operand(operand), self.value(low), self.value(high))
            }
            Condition::In(operand, values) => {
                let operand = self.operand(operand);
                let values: Vec<_> = values.iter().map(|value| self.value(value)).collect();
                format!("{operand} IN ({})", values.join(", "))
            }
            Condition::Exists(path) => format!("attribute_exists({})", self.path(path)),
            Condition::NotExists(path) => format!("attribute_not_exists({})", self.path(path)),
            Condition::Type(path, name) => {
                format!("attribute_type({}, {})", self.path(path), self.value(&Value::S((*name).to_owned())))
            }
            Condition::BeginsWith(path, value) => {
                format!("begins_with({}, {})", self.path(path), self.value(value))
            }
            Condition::Contains(path, value) => {
                format!("contains({}, {})", self.path(path), self.value(value))
            }
            Condition::Not(inner) => format!("NOT ({})", self.condition(inner)),
            Condition::And(left, right) => format!("{} AND {}", self.nested(left), self.nested(right)),
            Condition::Or(left, right) => format!("{} OR {}", self.nested(left), self.nested(right)),
        }
    }

    fn nested(&mut self, condition: &Condition) -> String {
        let text = self.condition(condition);
        if matches!(condition, Condition::And(..) | Condition::Or(..)) { format!("({text})") } else { text }
    }

    fn assigned(&mut self, assigned: &Assigned) -> String {
        match assigned {
            Assigned::Path(path) => self.path(path),
            Assigned::Value(value) => self.value(value),
            Assigned::IfNotExists(path, default) => {
                format!("if_not_exists({}, {})", self.path(path), self.assigned(default))
            }
            Assigned::ListAppend(left, right) => {
                format!("list_append({}, {})", self.assigned(left), self.assigned(right))
            }
            Assigned::Plus(left, right) => format!("{} + {}", self.assigned(left), self.assigned(right)),
            Assigned::Minus(left, right) => format!("{} - {}", self.assigned(left), self.assigned(right)),
        }
    }

    /// The clauses in an order that is not the usual one, each once.
    pub fn update(&mut self, actions: &[Action]) -> String {
        let mut clauses: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for action in actions {
            let path = self.path(action.path());
            let (clause, text) = match action {
                Action::Set(_, assigned) => ("SET", format!("{path} = {}", self.assigned(assigned))),
                Action::Remove(_) => ("REMOVE", path),
                Action::Add(_, value) => ("ADD", format!("{path} {}", self.value(value))),
                Action::Delete(_, value) => ("DELETE", format!("{path} {}", self.value(value))),
            };
            clauses.entry(clause).or_default().push(text);
        }
        let clauses: Vec<_> =
            clauses.iter().map(|(clause, texts)| format!("{clause} {}", texts.join(", "))).collect();
        clauses.join(" ")
    }

    pub fn projection(&mut self, paths: &[Path]) -> String {
        let paths: Vec<_> = paths.iter().map(|path| self.path(path)).collect();
        paths.join(", ")
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// Order of two values of one scalar type; values of different types have none.
fn order(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::S(left), Value::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (Value::N(left), Value::N(right)) => Some(left.cmp(right)),
        (Value::B(left), Value::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

pub fn holds(left: &Value, comparison: Comparison, right: &Value) -> bool {
    let ordered = |wanted: fn(std::cmp::Ordering) -> bool| order(left, right).is_some_and(wanted);
    match comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => ordered(std::cmp::Ordering::is_lt),
        Comparison::LessOrEqual => ordered(std::cmp::Ordering::is_le),
        Comparison::Greater => ordered(std::cmp::Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
    }
}

pub fn begins_with(value: &Value, prefix: &Value) -> bool {
    match (value, prefix) {
        (Value::S(value), Value::S(prefix)) => value.starts_with(prefix.as_str()),
        (Value::B(value), Value::B(prefix)) => value.starts_with(prefix),
        _ => false,
    }
}

fn contains(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::S(value), Value::S(wanted)) => value.contains(wanted.as_str()),
        (Value::B(value), Value::B(wanted)) => {
            wanted.is_empty() || value.windows(wanted.len()).any(|window| window == wanted)
        }
        (Value::Ss(set), Value::S(wanted)) => set.contains(wanted),
        (Value::Ns(set), Value::N(wanted)) => set.contains(wanted),
        (Value::Bs(set), Value::B(wanted)) => set.contains(wanted),
        (Value::L(list), wanted) => list.contains(wanted),
        _ => false,
    }
}

fn size(value: &Value) -> Option<usize> {
    match value {
        Value::S(text) => Some(text.encode_utf16().count()),
        Value::B(bytes) => Some(bytes.len()),
        Value::Ss(set) => Some(set.len()),
        Value::Ns(set) => Some(set.len()),
        Value::Bs(set) => Some(set.len()),
        Value::L(list) => Some(list.len()),
        Value::M(map) => Some(map.len()),
        Value::N(_) | Value::Bool(_) | Value::Null => None,
    }
}

impl Operand {
    fn value(&self, item: &Item) -> Option<Value> {
        match self {
            Operand::Path(path) => path.resolve(item).cloned(),
            Operand::Value(value) => Some(value.clone()),
            Operand::Size(path) => {
                let size = size(path.resolve(item)?)?;
                Some(Value::N(i64::try_from(size).expect("small") * 1000))
            }
        }
    }
}

impl Condition {
    /// Whether the condition holds on the item; a missing one has no attributes.
    pub fn evaluate(&self, item: &Item) -> bool {
        match self {
            Condition::Compare(left, comparison, right) => match (left.value(item), right.value(item)) {
                (Some(left), Some(right)) => holds(&left, *comparison, &right),
                _ => *comparison == Comparison::NotEqual,
            },
            Condition::Between(operand, low, high) => operand.value(item).is_some_and(|value| {
                holds(&value, Comparison::GreaterOrEqual, low) && holds(&value, Comparison::LessOrEqual, high)
            }),
            Condition::In(operand, values) => {
                operand.value(item).is_some_and(|value| values.contains(&value))
            }
            Condition::Exists(path) => path.resolve(item).is_some(),
            Condition::NotExists(path) => path.resolve(item).is_none(),
            Condition::Type(path, name) => path.resolve(item).is_some_and(|value| value.type_name() == *name),
            Condition::BeginsWith(path, prefix) => {
                path.resolve(item).is_some_and(|value| begins_with(value, prefix))
            }
            Condition::Contains(path, wanted) => {
                path.resolve(item).is_some_and(|value| contains(value, wanted))
            }
            Condition::Not(inner) => !inner.evaluate(item),
            Condition::And(left, right) => left.evaluate(item) && right.evaluate(item),
            Condition::Or(left, right) => left.evaluate(item) || right.evaluate(item),
        }
    }
}

/// The parts of an item that the paths name, in the structure that they have there; lists close up.
pub fn project(item: &Item, paths: &[Path]) -> Item {
    let mut by_name: BTreeMap<&str, Vec<&[Step]>> = BTreeMap::new();
    for path in paths {
        by_name.entry(&path.top).or_default().push(&path.rest);
    }
    let part =
        |(name, rests): (&str, Vec<&[Step]>)| Some((name.to_owned(), part_of(item.get(name)?, &rests)?));
    by_name.into_iter().filter_map(part).collect()
}

fn part_of(value: &Value, rests: &[&[Step]]) -> Option<Value> {
    if rests.iter().any(|rest| rest.is_empty()) {
        return Some(value.clone());
    }
    let mut by_step: BTreeMap<&Step, Vec<&[Step]>> = BTreeMap::new();
    for rest in rests {
        by_step.entry(&rest[0]).or_default().push(&rest[1..]);
    }
    match value {
        Value::M(map) => {
            let part = |(step, rests): (&Step, Vec<&[Step]>)| match step {
                Step::Name(name) => Some((name.clone(), part_of(map.get(name)?, &rests)?)),
                Step::Index(_) => None,
            };
            let parts: BTreeMap<_, _> = by_step.into_iter().filter_map(part).collect();
            (!parts.is_empty()).then_some(Value::M(parts))
        }
        Value::L(list) => {
            let part = |(step, rests): (&Step, Vec<&[Step]>)| match step {
                Step::Index(index) => part_of(list.get(*index)?, &rests),
                Step::Name(_) => None,
            };
            let parts: Vec<_> = by_step.into_iter().filter_map(part).collect();
            (!parts.is_empty()).then_some(Value::L(parts))
        }
        _ => None,
    }
}
