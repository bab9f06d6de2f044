//! The syntax tree of an expression, before names and values are known.
//!
//! Nodes lie in one vector, children before their parents and otherwise in the order of the text, so that
//! every later pass is a loop: no input, however deep, makes the parser or a check recurse.

use crate::lexer::Token;

/// Position of a [`Node`] in its [`Tree`].
pub(crate) type NodeId = usize;

/// A parsed expression.
#[derive(Debug, Default)]
pub(crate) struct Tree<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    /// Operators written: comparators, BETWEEN, IN, AND, OR, NOT, `+`, `-`.
    pub(crate) operators: usize,
    /// Whether a pair of parentheses directly encloses another.
    pub(crate) redundant_parentheses: bool,
}

#[derive(Debug)]
pub(crate) struct Node<'t> {
    /// Position in the text, by lexemes, of what the node is named after: a path's first name, a function's
    /// name, an operator.
    pub(crate) at: usize,
    pub(crate) shape: Shape<'t>,
}

#[derive(Debug)]
pub(crate) enum Shape<'t> {
    Path(Vec<PathPart<'t>>),
    Value(&'t str),
    Call { name: &'t str, arguments: Vec<NodeId>, place: Place },
    Compare { comparator: Comparator, left: NodeId, right: NodeId },
    Between { subject: NodeId, low: NodeId, high: NodeId },
    In { subject: NodeId, list: Vec<NodeId> },
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Not(NodeId),
    Arithmetic { operator: Sign, left: NodeId, right: NodeId },
}

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Its result is an operand of something else.
    Operand,
    /// It is a condition by itself.
    Condition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathPart<'t> {
    Name(&'t str),
    /// `#name`
    Placeholder(&'t str),
    /// The digits as written.
    Index(&'t str),
}

/// The six operators that compare two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    pub(crate) fn from_token(token: Token) -> Option<Self> {
        match token {
            Token::Equal => Some(Self::Equal),
            Token::NotEqual => Some(Self::NotEqual),
            Token::Less => Some(Self::Less),
            Token::LessOrEqual => Some(Self::LessOrEqual),
            Token::Greater => Some(Self::Greater),
            Token::GreaterOrEqual => Some(Self::GreaterOrEqual),
            _ => None,
        }
    }

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether it asks for an order, which only strings, numbers and binaries have.
    pub(crate) fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }

    /// The comparator that says the same with its operands swapped.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

/// `+` or `-` in the value of a SET action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

impl Sign {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
        }
    }
}

/// The four clauses of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    Set,
    Remove,
    Add,
    Delete,
}

impl Clause {
    pub(crate) fn from_token(token: Token) -> Option<Self> {
        match token {
            Token::Set => Some(Self::Set),
            Token::Remove => Some(Self::Remove),
            Token::Add => Some(Self::Add),
            Token::Delete => Some(Self::Delete),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Set => "SET",
            Self::Remove => "REMOVE",
            Self::Add => "ADD",
            Self::Delete => "DELETE",
        }
    }
}

/// One action of an update as written.
#[derive(Debug)]
pub(crate) struct RawAction {
    pub(crate) clause: Clause,
    pub(crate) path: NodeId,
    /// What is written; REMOVE has none.
    pub(crate) value: Option<NodeId>,
}

/// A parsed update expression.
#[derive(Debug)]
pub(crate) struct UpdateSyntax<'t> {
    pub(crate) tree: Tree<'t>,
    pub(crate) actions: Vec<RawAction>,
    /// The clauses in the order they begin.
    pub(crate) clauses: Vec<Clause>,
}
