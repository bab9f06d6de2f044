//! The checks on an expression that need neither placeholders nor an item: words, list indexes, functions.

use crate::error::{ExpressionKind, Problem};
use crate::reserved::is_reserved;
use crate::syntax::{Clause, Node, NodeId, PathPart, Place, Shape, Tree};
use hashrange_item::limits;

/// Largest list index that AWS accepts in a document path. Measured.
const LIST_INDEX_MAX: u64 = 4_294_967_294;

/// The functions of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::AttributeExists,
        Self::AttributeNotExists,
        Self::AttributeType,
        Self::BeginsWith,
        Self::Contains,
        Self::Size,
        Self::IfNotExists,
        Self::ListAppend,
    ];

    /// The function of this name; names are case-sensitive.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AttributeExists => "attribute_exists",
            Self::AttributeNotExists => "attribute_not_exists",
            Self::AttributeType => "attribute_type",
            Self::BeginsWith => "begins_with",
            Self::Contains => "contains",
            Self::Size => "size",
            Self::IfNotExists => "if_not_exists",
            Self::ListAppend => "list_append",
        }
    }

    pub(crate) fn operands(self) -> usize {
        match self {
            Self::AttributeExists | Self::AttributeNotExists | Self::Size => 1,
            _ => 2,
        }
    }

    /// Whether it belongs to updates; the others belong to conditions.
    pub(crate) fn is_for_updates(self) -> bool {
        matches!(self, Self::IfNotExists | Self::ListAppend)
    }

    /// Where in a condition it may stand.
    fn place(self) -> Place {
        if self == Self::Size { Place::Operand } else { Place::Condition }
    }
}

/// Parentheses and the number of operators, once the syntax is known to be right.
pub(crate) fn check_form(tree: &Tree<'_>) -> Result<(), Problem> {
    if tree.redundant_parentheses {
        return Err(Problem::RedundantParentheses);
    }
    if tree.operators > limits::EXPRESSION_OPERATORS_MAX {
        return Err(Problem::TooManyOperators { count: tree.operators });
    }
    Ok(())
}

/// Reserved words, list indexes and functions, in the order of the text.
pub(crate) fn check_words(tree: &Tree<'_>, kind: ExpressionKind) -> Result<(), Problem> {
    let appends = appending(tree);
    let mut order: Vec<NodeId> = (0..tree.nodes.len()).collect();
    order.sort_by_key(|&id| tree.nodes[id].at);
    for id in order {
        match &tree.nodes[id].shape {
            Shape::Path(parts) => parts.iter().try_for_each(check_part)?,
            Shape::Call { name, arguments, place } => {
                check_function(name, *place, kind)?;
                check_nested_append(name, arguments, &appends)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_part(part: &PathPart<'_>) -> Result<(), Problem> {
    match part {
        PathPart::Name(name) if is_reserved(name) => Err(Problem::ReservedWord((*name).to_owned())),
        PathPart::Index(digits) if parse_index(digits).is_none() => {
            Err(Problem::ListIndexOutOfRange { index: (*digits).to_owned() })
        }
        _ => Ok(()),
    }
}

/// The list index that `digits` say; `None` when AWS has no such index.
pub(crate) fn parse_index(digits: &str) -> Option<usize> {
    let index: u64 = digits.parse().ok()?;
    (index <= LIST_INDEX_MAX).then(|| usize::try_from(index).ok()).flatten()
}

fn check_function(name: &str, place: Place, kind: ExpressionKind) -> Result<(), Problem> {
    let function = Function::from_name(name).ok_or_else(|| Problem::InvalidFunction(name.to_owned()))?;
    let in_update = kind == ExpressionKind::Update;
    if function.is_for_updates() != in_update {
        return Err(Problem::FunctionNotAllowed(name.to_owned()));
    }
    if !in_update && function.place() != place {
        return Err(Problem::FunctionMisplaced(name.to_owned()));
    }
    Ok(())
}

/// A function has as many operands as it takes. Looked at where it is bound: what is wrong with an operand is told first.
pub(crate) fn check_operand_count(name: &str, count: usize) -> Result<(), Problem> {
    match Function::from_name(name) {
        Some(function) if function.operands() != count => {
            Err(Problem::OperandCount { name: name.to_owned(), count })
        }
        _ => Ok(()),
    }
}

/// AWS refuses `list_append` inside `list_append`, at any depth.
fn check_nested_append(name: &str, arguments: &[NodeId], appends: &[bool]) -> Result<(), Problem> {
    if name == Function::ListAppend.name() && arguments.iter().any(|&id| appends[id]) {
        return Err(Problem::FunctionMisplaced(name.to_owned()));
    }
    Ok(())
}

/// For each node, whether it is or holds a call of `list_append`.
fn appending(tree: &Tree<'_>) -> Vec<bool> {
    let mut found = Vec::with_capacity(tree.nodes.len());
    for Node { shape, .. } in &tree.nodes {
        let here = match shape {
            Shape::Call { name, arguments, .. } => {
                *name == Function::ListAppend.name() || arguments.iter().any(|&id| found[id])
            }
            _ => false,
        };
        found.push(here);
    }
    found
}

/// Each clause of an update may come once.
pub(crate) fn check_clauses(clauses: &[Clause]) -> Result<(), Problem> {
    let repeated = |clause: &Clause| clauses.iter().filter(|other| *other == clause).count() > 1;
    match clauses.iter().find(|clause| repeated(clause)) {
        Some(clause) => Err(Problem::SectionTwice(clause.name())),
        None => Ok(()),
    }
}
