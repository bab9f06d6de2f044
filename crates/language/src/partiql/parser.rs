//! Reads a statement. Syntax comes first: what is wrong beside it is kept until the text was read to its end.

mod terms;

use hashrange_item::Path;

use super::Order;
use super::error::{Detail, StatementError};
use super::lexer::{self, Token};
use super::literal;
use super::syntax::{Assignment, Body, Inserted, Place, Returning, Select, Shape, Term};
use super::words;
use crate::projection::Projection;

type Parsed<T> = Result<T, StatementError>;

/// How deep parentheses, NOT, literals and arithmetic may nest. Literals deeper than 32 levels are refused in any case;
/// AWS's own bound on the rest is not on record.
const DEPTH_MAX: usize = 40;

/// The statement that `text` is.
pub(super) fn parse(text: &str) -> Parsed<Body> {
    let mut parser =
        Parser { tokens: lexer::split(text)?, at: 0, depth: 0, parameters: 0, later: None, adds: false };
    let mut body = parser.statement()?;
    parser.end()?;
    if let Some(error) = parser.later {
        return Err(error);
    }
    read_literals(&mut body)?;
    Ok(body)
}

/// Literals are read in the order of the text.
fn read_literals(body: &mut Body) -> Parsed<()> {
    match body {
        Body::Select(select) | Body::Exists(select) => select.filter.iter_mut().try_for_each(literal::read),
        Body::Delete { filter, .. } => filter.iter_mut().try_for_each(literal::read),
        Body::Insert { value: Inserted::Parameter(_), .. } => Ok(()),
        Body::Insert { value: Inserted::Attributes(attributes), .. } => {
            attributes.iter_mut().try_for_each(|(_, term)| literal::read_attribute(term))
        }
        Body::Update { assignments, filter, .. } => {
            let values = assignments.iter_mut().filter_map(|assignment| assignment.value.as_mut());
            values.chain(filter.iter_mut()).try_for_each(literal::read)
        }
    }
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    at: usize,
    depth: usize,
    /// Parameters so far.
    parameters: usize,
    /// The first thing that is wrong beside the syntax.
    later: Option<StatementError>,
    /// Whether `+` and `-` join operands: in values that are written, not in conditions.
    adds: bool,
}

fn malformed<T>(detail: Detail) -> Parsed<T> {
    Err(StatementError::Malformed(detail))
}

// -- tokens
impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn place(&self) -> Place {
        self.tokens[self.at].1
    }

    fn following(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| token)
    }

    /// Goes on to the next token; the last one stays.
    fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(found) if *found == symbol)
    }

    fn is_over(&self) -> bool {
        *self.token() == Token::End || self.is_symbol(";")
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.skip();
        }
        found
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.skip();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parsed<()> {
        if self.take_symbol(symbol) { Ok(()) } else { malformed(self.not_expected()) }
    }

    /// What to say of a token that cannot stand where it does.
    fn not_expected(&self) -> Detail {
        match self.token() {
            Token::Word(word) if words::is_operator(word) => Detail::Operator,
            Token::Word(word) if words::is_keyword(word) => Detail::Keyword,
            Token::End => Detail::Term,
            Token::Symbol(_) if self.is_over() => Detail::Term,
            _ => Detail::TokenAfterExpression,
        }
    }

    /// Keeps what is wrong beside the syntax.
    fn note(&mut self, error: StatementError) {
        self.later.get_or_insert(error);
    }

    fn end(&mut self) -> Parsed<()> {
        self.take_symbol(";");
        if *self.token() == Token::End { Ok(()) } else { malformed(Detail::TokenAfterExpression) }
    }

    /// A name: a word that is no keyword, or anything in double quotes.
    fn take_name(&mut self) -> Option<String> {
        let name = match self.token() {
            Token::Word(word) if !words::is_keyword(word) => word.clone(),
            Token::Quoted(name) => name.clone(),
            _ => return None,
        };
        self.skip();
        Some(name)
    }
}

// -- statements
impl Parser {
    fn statement(&mut self) -> Parsed<Body> {
        if self.take_word("SELECT") {
            return self.select().map(Body::Select);
        }
        if self.take_word("INSERT") {
            return self.insert();
        }
        if self.take_word("UPDATE") {
            return self.update();
        }
        if self.take_word("DELETE") {
            return self.delete();
        }
        if self.take_word("FROM") {
            return self.update_from();
        }
        if self.is_word("EXISTS") && self.following() == Some(&Token::Symbol("(")) {
            return self.exists();
        }
        self.something_else()
    }

    /// What is no statement: AWS tells a type test from the rest.
    fn something_else(&mut self) -> Parsed<Body> {
        let is_test = self.take_name().is_some() && self.take_word("IS");
        if !is_test {
            return malformed(Detail::DataManipulation);
        }
        self.take_word("NOT");
        self.type_test()?;
        self.end()?;
        Err(StatementError::TypeTestAlone)
    }

    fn exists(&mut self) -> Parsed<Body> {
        self.skip();
        self.skip();
        if !self.take_word("SELECT") {
            return malformed(Detail::DataManipulation);
        }
        let select = self.select()?;
        self.expect_symbol(")")?;
        Ok(Body::Exists(select))
    }

    fn select(&mut self) -> Parsed<Select> {
        let columns = if self.take_symbol("*") { Vec::new() } else { self.columns()? };
        if !self.take_word("FROM") {
            return malformed(self.not_expected());
        }
        if self.is_over() {
            return malformed(Detail::Term);
        }
        if !matches!(self.token(), Token::Quoted(_)) && self.is_keyword() {
            return malformed(self.not_expected());
        }
        let (table, index) = self.table()?;
        self.alias();
        let filter = self.filter()?;
        let order = self.order()?;
        let projection = (!columns.is_empty()).then(|| Projection::of_columns(columns.clone()));
        Ok(Select { table, index, columns, projection, filter, order })
    }

    fn is_keyword(&self) -> bool {
        matches!(self.token(), Token::Word(word) if words::is_keyword(word))
    }

    fn columns(&mut self) -> Parsed<Vec<Path>> {
        let mut columns = Vec::new();
        loop {
            let column = self.operand()?;
            match column.shape {
                Shape::Path(path) => columns.push(path),
                _ => self.note(StatementError::ColumnNotAPath(column.place)),
            }
            if !self.take_symbol(",") {
                return Ok(columns);
            }
        }
    }

    /// A table, and an index after a dot.
    fn table(&mut self) -> Parsed<(String, Option<String>)> {
        let Some(table) = self.take_name() else { return malformed(Detail::Identifier) };
        let mut further = Vec::new();
        while self.take_symbol(".") {
            let Some(name) = self.take_name() else { return malformed(Detail::PathDot) };
            further.push(name);
        }
        if table.is_empty() || further.iter().any(String::is_empty) {
            self.note(StatementError::EmptyTableName);
        }
        if further.len() > 1 {
            self.note(StatementError::LongTablePath);
        }
        Ok((table, further.pop()))
    }

    /// The table of an UPDATE or DELETE, which is no index.
    fn written_table(&mut self) -> Parsed<String> {
        let (table, index) = self.table()?;
        if index.is_some() {
            self.note(StatementError::WriteToIndex);
        }
        self.alias();
        Ok(table)
    }

    /// A second name for the table: it is read, and refused in the end.
    fn alias(&mut self) {
        self.take_word("AS");
        if self.take_name().is_some() {
            self.note(StatementError::Alias);
        }
    }

    fn filter(&mut self) -> Parsed<Option<Term>> {
        if self.take_word("WHERE") { self.condition().map(Some) } else { Ok(None) }
    }

    fn order(&mut self) -> Parsed<Vec<Order>> {
        let mut order = Vec::new();
        if !self.is_word("ORDER") {
            return Ok(order);
        }
        self.skip();
        if !self.take_word("BY") {
            return malformed(self.not_expected());
        }
        loop {
            let path = self.target()?;
            let descending = self.take_word("DESC");
            if !descending {
                self.take_word("ASC");
            }
            order.push(Order { path, descending });
            if !self.take_symbol(",") {
                return Ok(order);
            }
        }
    }

    fn insert(&mut self) -> Parsed<Body> {
        if !self.take_word("INTO") {
            return malformed(self.not_expected());
        }
        let (table, index) = self.table()?;
        if index.is_some() {
            self.note(StatementError::InsertIntoIndex);
        }
        if !self.take_word("VALUE") {
            return malformed(self.not_expected());
        }
        let value = self.operand()?;
        let value = match value.shape {
            Shape::Map(attributes) => Inserted::Attributes(attributes),
            Shape::Parameter(position) => Inserted::Parameter(position),
            _ => return malformed(Detail::Term),
        };
        Ok(Body::Insert { table, value })
    }

    fn update(&mut self) -> Parsed<Body> {
        let table = self.written_table()?;
        let assignments = self.assignments()?;
        let filter = self.filter()?;
        let returning = self.returning()?;
        Ok(Body::Update { table, assignments, filter, returning })
    }

    /// The other order of an update: `FROM … WHERE … SET …`.
    fn update_from(&mut self) -> Parsed<Body> {
        let table = self.written_table()?;
        let filter = self.filter()?;
        let assignments = self.assignments()?;
        let returning = self.returning()?;
        Ok(Body::Update { table, assignments, filter, returning })
    }

    fn delete(&mut self) -> Parsed<Body> {
        if !self.take_word("FROM") {
            return malformed(self.not_expected());
        }
        let table = self.written_table()?;
        let filter = self.filter()?;
        let returning = self.returning()?;
        if let Some(other) = returning.filter(|returning| *returning != Returning::AllOld) {
            self.note(StatementError::ReturningOfDelete(other));
        }
        Ok(Body::Delete { table, filter, returning })
    }

    fn assignments(&mut self) -> Parsed<Vec<Assignment>> {
        let mut assignments = Vec::new();
        loop {
            if self.take_word("SET") {
                self.assign(&mut assignments)?;
            } else if self.take_word("REMOVE") {
                assignments.push(Assignment { target: self.target()?, value: None });
            } else if assignments.is_empty() {
                return malformed(Detail::DataManipulation);
            } else {
                return Ok(assignments);
            }
        }
    }

    fn assign(&mut self, assignments: &mut Vec<Assignment>) -> Parsed<()> {
        loop {
            let target = self.target()?;
            self.expect_symbol("=")?;
            if self.is_over() {
                return malformed(Detail::Term);
            }
            self.adds = true;
            let value = self.sum();
            self.adds = false;
            assignments.push(Assignment { target, value: Some(value?) });
            if !self.take_symbol(",") {
                return Ok(());
            }
        }
    }

    /// The path that is written or ordered by.
    fn target(&mut self) -> Parsed<Path> {
        match self.take_name() {
            Some(name) => self.path(name),
            None => malformed(Detail::Identifier),
        }
    }

    fn returning(&mut self) -> Parsed<Option<Returning>> {
        if !self.take_word("RETURNING") {
            return Ok(None);
        }
        let all = self.take_word("ALL");
        if !all && !self.take_word("MODIFIED") {
            return malformed(self.not_expected());
        }
        let old = self.take_word("OLD");
        if !old && !self.take_word("NEW") {
            return malformed(self.not_expected());
        }
        self.expect_symbol("*")?;
        Ok(Some(match (all, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }
}
