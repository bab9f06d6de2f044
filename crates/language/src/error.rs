//! What can be wrong with an expression, as data.
//!
//! The texts AWS gives for these live in one catalogue elsewhere; each variant documents the exact text
//! it stands for. Problems found in an expression are printed after `Invalid <kind>: `, for instance
//! `Invalid UpdateExpression: The expression can not be empty;`; a variant that is printed bare says so.

use std::fmt;

use hashrange_item::{AttributeValue, Kind, Path};

/// The five kinds of expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExpressionKind {
    /// Decides whether a write happens.
    Condition,
    /// Drops items from a Query or Scan answer.
    Filter,
    /// Selects the rows that a Query reads.
    KeyCondition,
    /// Names the attributes to return.
    Projection,
    /// Describes the changes of an UpdateItem.
    Update,
}

impl fmt::Display for ExpressionKind {
    /// The request parameter that carries the expression: `ConditionExpression`, …
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Condition => "ConditionExpression",
            Self::Filter => "FilterExpression",
            Self::KeyCondition => "KeyConditionExpression",
            Self::Projection => "ProjectionExpression",
            Self::Update => "UpdateExpression",
        })
    }
}

/// Why a request's expressions or placeholders were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The expression at fault; `None` when it is the placeholder maps.
    pub kind: Option<ExpressionKind>,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Error {
    /// For logs and tests; clients get the catalogue's text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(formatter, "{kind}: {:?}", self.problem),
            None => write!(formatter, "{:?}", self.problem),
        }
    }
}

impl std::error::Error for Error {}

/// One of the two placeholder maps of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderMap {
    /// ExpressionAttributeNames.
    Names,
    /// ExpressionAttributeValues.
    Values,
}

impl fmt::Display for PlaceholderMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Names => "ExpressionAttributeNames",
            Self::Values => "ExpressionAttributeValues",
        })
    }
}

/// The type of an operand as error texts print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// Known from the request: a `:value`'s type, or `N` for `size(…)`.
    Known(Kind),
    /// A document path, whose type only an item can tell.
    Any,
}

impl fmt::Display for OperandKind {
    /// `N`, or `{NS,SS,L,BS,N,M,B,BOOL,NULL,S}` where any type may come.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(kind) => write!(formatter, "{kind}"),
            Self::Any => formatter.write_str("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"),
        }
    }
}

/// Everything that can be wrong with an expression, in the order in which it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    // -- placeholder maps, before any expression; bare texts
    /// `ExpressionAttributeNames must not be empty` (or `…Values…`). Bare.
    EmptyPlaceholderMap(PlaceholderMap),
    /// `ExpressionAttributeNames contains invalid key: Syntax error; key: "<key>"` (or `…Values…`). Bare.
    InvalidPlaceholderKey {
        /// The map it stands in.
        map: PlaceholderMap,
        /// The key as sent.
        key: String,
    },
    /// `ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that
    /// is too long; size of key: <size>` (or `…Values…`). Bare. The tail is likely, not recorded.
    PlaceholderKeyTooLong {
        /// The map it stands in.
        map: PlaceholderMap,
        /// Bytes of the key.
        size: usize,
    },
    /// `ExpressionAttributeNames contains invalid value: Empty attribute name for key <key>`. Bare.
    EmptyAttributeName {
        /// The `#name` that stands for the empty name.
        key: String,
    },
    /// The two maps together exceed 2 MB. No text is on record; a likely one is
    /// `ExpressionAttributeNames and ExpressionAttributeValues have exceeded the maximum allowed size`. Bare.
    PlaceholdersTooLarge {
        /// Bytes of all names and values.
        size: usize,
    },

    // -- the text
    /// `The expression can not be empty;`
    Empty,
    /// `Expression size has exceeded the maximum allowed size;`, and for Scan's FilterExpression and the
    /// ConditionExpressions of TransactWriteItems further ` expression size: <size>`.
    ExpressionTooLong {
        /// UTF-8 bytes of the text, before substitution.
        size: usize,
    },
    /// `Syntax error; token: "<token>", near: "<near>"`
    Syntax {
        /// The token at which reading stopped; `<EOF>` at the end.
        token: String,
        /// The text from the token before to the token after.
        near: String,
    },
    /// `The expression has redundant parentheses;`
    RedundantParentheses,
    /// `The expression contains too many operators; operator count: <count>`
    TooManyOperators {
        /// Operators found.
        count: usize,
    },

    // -- words and functions, in the order they are written
    /// `Attribute name is a reserved keyword; reserved keyword: <word>`, the word as written.
    ReservedWord(String),
    /// `List index is not within the allowable range; index: [<index>]`
    ListIndexOutOfRange {
        /// The digits as written.
        index: String,
    },
    /// `Invalid function name; function: <name>`
    InvalidFunction(String),
    /// `The function is not allowed in a condition expression; function: <name>`, or
    /// `The function is not allowed in an update expression; function: <name>` when the kind is Update.
    FunctionNotAllowed(String),
    /// `The function is not allowed to be used this way in an expression; function: <name>`: a condition
    /// used as an operand, or `size` used as a condition.
    FunctionMisplaced(String),
    /// `Incorrect number of operands for operator or function; operator or function: <name>, number of
    /// operands: <count>`
    OperandCount {
        /// The function.
        name: String,
        /// Operands given.
        count: usize,
    },
    /// `The "<SET|REMOVE|ADD|DELETE>" section can only be used once in an update expression;`
    SectionTwice(&'static str),

    // -- names and values
    /// `An expression attribute name used in the document path is not defined; attribute name: <#name>`
    UndefinedName(String),
    /// `An expression attribute value used in expression is not defined; attribute value: <:value>`
    UndefinedValue(String),
    /// `The document path has too many nesting levels; nesting levels: <levels>`
    PathTooDeep {
        /// Steps of the path.
        levels: usize,
    },

    // -- operands and types
    /// `The IN operator is provided with too many operands; number of operands: <count>`
    TooManyInOperands {
        /// Operands in the list.
        count: usize,
    },
    /// `Operator or function requires a document path; operator or function: <name>`
    RequiresPath {
        /// The function.
        name: &'static str,
    },
    /// `The first operand must be distinct from the remaining operands for this operator or function;
    /// operator: <operator>, first operand: <operand>`, the path as [`Path::segments_text`] prints it.
    NotDistinct {
        /// The operator or function.
        operator: &'static str,
        /// The path given twice.
        operand: Path,
    },
    /// `Incorrect operand type for operator or function; operator or function: <name>, operand type:
    /// <kind>`, the type in its short form.
    OperandType {
        /// The operator or function.
        name: &'static str,
        /// The type given.
        kind: OperandKind,
    },
    /// `Incorrect operand type for operator or function; operator: <action>, operand type: <kind>,
    /// typeSet: ALLOWED_FOR_<action>_OPERAND`, the type in its long form (`STRING`, `NUMBER_SET`).
    ActionOperandType {
        /// `ADD` or `DELETE`.
        action: &'static str,
        /// The value's type.
        kind: Kind,
    },
    /// `Invalid attribute type name found; type: <name>, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}`
    InvalidTypeName(String),
    /// `The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand:
    /// AttributeValue: {<kind>:<lower>}, upper bound operand: AttributeValue: {<kind>:<upper>}`
    BetweenBoundTypes {
        /// The lower bound.
        lower: Box<AttributeValue>,
        /// The upper bound.
        upper: Box<AttributeValue>,
    },
    /// `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound
    /// operand: AttributeValue: {<kind>:<lower>}, upper bound operand: AttributeValue: {<kind>:<upper>}`
    BetweenBoundsReversed {
        /// The lower bound.
        lower: Box<AttributeValue>,
        /// The upper bound.
        upper: Box<AttributeValue>,
    },

    // -- paths of one projection or update
    /// `Two document paths overlap with each other; must remove or rewrite one of these paths; path one:
    /// <one>, path two: <two>`, the paths as [`Path::segments_text`] prints them.
    Overlap {
        /// The path written first.
        one: Path,
        /// The path written second.
        two: Path,
    },
    /// `Two document paths conflict with each other; must remove or rewrite one of these paths; path one:
    /// <one>, path two: <two>`: one uses an attribute as a map, the other as a list.
    Conflict {
        /// The path written first.
        one: Path,
        /// The path written second.
        two: Path,
    },

    // -- the shape of a key condition
    /// `Invalid operator used in KeyConditionExpression: <OR|NOT|IN|<>|function name>`. Bare.
    KeyOperator(&'static str),
    /// `KeyConditionExpressions cannot contain nested operations` (`size` in a key condition). Bare.
    KeyNestedOperation,
    /// `KeyConditionExpressions cannot have conditions on nested attributes`
    KeyNestedAttribute,
    /// `Invalid condition in KeyConditionExpression: <BETWEEN|begins_with> operator must have the key
    /// attribute as its first operand`. Bare.
    KeyNotFirstOperand(&'static str),
    /// `Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition`. Bare.
    KeyMultipleAttributes,
    /// `Invalid condition in KeyConditionExpression: No key attribute specified`. Bare.
    KeyNoAttribute,
    /// `KeyConditionExpressions must only contain one condition per key`
    KeyConditionTwice {
        /// The attribute named twice (not printed).
        attribute: String,
    },

    // -- after all expressions; bare texts
    /// `Value provided in ExpressionAttributeNames unused in expressions: keys: {<a>, <b>}`, the keys
    /// already in the order of AWS (that of a Java hash set). Bare.
    UnusedNames(Vec<String>),
    /// `Value provided in ExpressionAttributeValues unused in expressions: keys: {<a>, <b>}`. Bare.
    UnusedValues(Vec<String>),
}

impl Problem {
    /// Ties the problem to the expression it was found in.
    pub(crate) fn of(self, kind: ExpressionKind) -> Error {
        Error { kind: Some(kind), problem: self }
    }

    /// A problem of the placeholder maps.
    pub(crate) fn bare(self) -> Error {
        Error { kind: None, problem: self }
    }
}
