//! What can be wrong with a statement, as data; the texts are in the catalogue elsewhere.

use std::fmt;

use hashrange_item::NumberError;

use super::syntax::{Place, Returning};
use crate::error::Problem;

/// What the envelope `Statement wasn't well formed, can't be processed: <detail>` goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing: a character, a literal or a comment that cannot be read.
    Nothing,
    /// `Expected data manipulation`: no statement begins so.
    DataManipulation,
    /// `Unexpected token after expression`: the statement was over.
    TokenAfterExpression,
    /// `Unexpected term`: nothing where a condition or a value should begin.
    Term,
    /// `Unexpected keyword`
    Keyword,
    /// `Unexpected operator`
    Operator,
    /// `Missing right-hand side expression of infix operator`
    RightHandSide,
    /// `Expected type name`, after IS.
    TypeName,
    /// `Expected identifier for simple path`: a table or a target is missing.
    Identifier,
    /// `Invalid path dot component`: a keyword, or nothing, after a dot.
    PathDot,
}

/// Why a statement was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementError {
    /// `Statement wasn't well formed, can't be processed: <detail>`. Nesting beyond what is read counts as such, too.
    Malformed(Detail),
    /// `Aliasing is not supported`
    Alias,
    /// `Unsupported operation: IsType`: a type test stands alone.
    TypeTestAlone,
    /// `A path may contain at most 2 components in the FROM clause`
    LongTablePath,
    /// `Path component cannot be an empty string`
    EmptyTableName,
    /// `FROM clause may only contain a single table name`: an INSERT into an index.
    InsertIntoIndex,
    /// `This operation is not supported on an index`: an UPDATE or DELETE of an index.
    WriteToIndex,
    /// `Unexpected path component at <place>`: a column that is no path.
    ColumnNotAPath(Place),
    /// `List index is not within the allowable range; index: [<index>] at <place>`
    ListIndex {
        /// As written, with its sign.
        index: String,
        /// Of the digits.
        place: Place,
    },
    /// `Unrecognized function: <name> at <place>`
    Function {
        /// In lower case.
        name: String,
        /// Of the name.
        place: Place,
    },
    /// `Unsupported data type: <what> under key <under> at <place>`: something inside a literal that is no literal.
    NotALiteral {
        /// `Parameter`, or a function's name.
        what: String,
        /// The place inside the value: `root[0].x`.
        under: String,
        /// Where it stands.
        place: Place,
    },
    /// The text of the number error with ` under <under>`.
    Number {
        /// What is wrong with it; never that it is no number.
        error: NumberError,
        /// The place inside the value: `root[0].x`.
        under: String,
    },
    /// `Empty bags are not supported`
    EmptySet,
    /// `Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags`
    MixedSet,
    /// `One or more parameter values were invalid: Input collection [a, a] contains duplicates.`
    DuplicateStrings(Vec<String>),
    /// `One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under <under>`
    DuplicateNumbers {
        /// As written.
        members: Vec<String>,
        /// The place inside the value.
        under: String,
    },
    /// A key of a map literal is there twice. No text is on record.
    DuplicateKey(String),
    /// `Nesting Levels have exceeded supported limits under <under>`
    TooDeep {
        /// The place inside the value.
        under: String,
    },
    /// `The first argument to <SET_ADD|SET_DELETE> must equal the assignment value at <place>`
    SetTarget {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Of the function's name.
        place: Place,
    },
    /// `The second argument to <SET_ADD|SET_DELETE> must be a value with type SET at <place>`
    SetOperand {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Of the first argument.
        place: Place,
    },
    /// `<SET_ADD|SET_DELETE> must have exactly two arguments at <place>`
    SetArguments {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Of the function's name.
        place: Place,
    },
    /// `Invalid returning clause: RETURNING <clause>. Only RETURNING ALL OLD * is allowed in DELETE statements.`
    ReturningOfDelete(Returning),
    /// `Number of parameters in request and statement don't match.`
    TooFewParameters,
    /// The text of the same problem in an expression, without `Invalid …Expression: ` in front.
    Expression(Problem),
}

impl From<Problem> for StatementError {
    fn from(problem: Problem) -> Self {
        Self::Expression(problem)
    }
}

impl fmt::Display for StatementError {
    /// For logs and tests; clients get the catalogue's text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

impl std::error::Error for StatementError {}
