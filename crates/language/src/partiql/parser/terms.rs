//! Conditions, values and paths.

use hashrange_item::{Path, Step, limits};

use super::{DEPTH_MAX, Parsed, Parser, malformed};
use crate::error::Problem;
use crate::partiql::error::{Detail, StatementError};
use crate::partiql::lexer::Token;
use crate::partiql::syntax::{Place, Shape, Term, TypeTest};
use crate::partiql::words;
use crate::syntax::{Comparator, Sign};

// -- conditions
impl Parser {
    /// A condition, OR at its top.
    pub(super) fn condition(&mut self) -> Parsed<Term> {
        let place = self.place();
        let mut terms = vec![self.all()?];
        while self.take_word("OR") {
            self.expect_right()?;
            terms.push(self.all()?);
        }
        Ok(joined(place, terms, Shape::Or))
    }

    fn all(&mut self) -> Parsed<Term> {
        let place = self.place();
        let mut terms = vec![self.negation()?];
        while self.take_word("AND") {
            self.expect_right()?;
            terms.push(self.negation()?);
        }
        Ok(joined(place, terms, Shape::And))
    }

    fn negation(&mut self) -> Parsed<Term> {
        let place = self.place();
        if !self.take_word("NOT") {
            return self.comparison();
        }
        let inner = self.deeper(Self::negation)?;
        Ok(Term::new(place, Shape::Not(Box::new(inner))))
    }

    /// An operand, and what it is compared with, if anything.
    fn comparison(&mut self) -> Parsed<Term> {
        let left = self.operand()?;
        let place = left.place;
        if let Some(comparator) = self.take_comparator() {
            self.expect_right()?;
            let right = self.operand()?;
            return Ok(Term::new(place, Shape::Compare(comparator, Box::new(left), Box::new(right))));
        }
        if self.take_word("IS") {
            let not = self.take_word("NOT");
            let test = Term::new(place, Shape::Is(Box::new(left), self.type_test()?));
            return Ok(negated_if(not, test));
        }
        let follows = |parser: &Self, word: &str| matches!(parser.following(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word));
        let not = self.is_word("NOT") && (follows(self, "IN") || follows(self, "BETWEEN"));
        if not {
            self.skip();
        }
        if self.take_word("BETWEEN") {
            return self.between(left).map(|test| negated_if(not, test));
        }
        if self.take_word("IN") {
            let list = self.list()?;
            return Ok(negated_if(not, Term::new(place, Shape::In(Box::new(left), list))));
        }
        Ok(left)
    }

    fn between(&mut self, subject: Term) -> Parsed<Term> {
        self.expect_right()?;
        let low = self.operand()?;
        if !self.take_word("AND") {
            return malformed(self.not_expected());
        }
        self.expect_right()?;
        let high = self.operand()?;
        Ok(Term::new(subject.place, Shape::Between(Box::new([subject, low, high]))))
    }

    /// The values of IN, in any of three kinds of brackets.
    fn list(&mut self) -> Parsed<Vec<Term>> {
        for (open, close) in [("[", "]"), ("(", ")"), ("<<", ">>")] {
            if self.take_symbol(open) {
                return self.operands_until(close);
            }
        }
        malformed(if self.is_over() { Detail::RightHandSide } else { self.not_expected() })
    }

    fn take_comparator(&mut self) -> Option<Comparator> {
        let Token::Symbol(symbol) = self.token() else { return None };
        let comparator = match *symbol {
            "=" => Comparator::Equal,
            "<>" | "!=" => Comparator::NotEqual,
            "<" => Comparator::Less,
            "<=" => Comparator::LessOrEqual,
            ">" => Comparator::Greater,
            ">=" => Comparator::GreaterOrEqual,
            _ => return None,
        };
        self.skip();
        Some(comparator)
    }

    /// After an operator there must be something.
    fn expect_right(&self) -> Parsed<()> {
        if self.is_over() { malformed(Detail::RightHandSide) } else { Ok(()) }
    }

    pub(super) fn type_test(&mut self) -> Parsed<TypeTest> {
        let Token::Word(word) = self.token() else { return malformed(Detail::TypeName) };
        let two = match self.following() {
            Some(Token::Word(next)) => words::type_test(&format!("{word} {next}")),
            _ => None,
        };
        let Some(test) = two.or_else(|| words::type_test(word)) else { return malformed(Detail::TypeName) };
        if two.is_some() {
            self.skip();
        }
        self.skip();
        Ok(test)
    }
}

fn joined(place: Place, mut terms: Vec<Term>, shape: fn(Vec<Term>) -> Shape) -> Term {
    match terms.len() {
        1 => terms.remove(0),
        _ => Term::new(place, shape(terms)),
    }
}

fn negated_if(not: bool, term: Term) -> Term {
    if not { Term::new(term.place, Shape::Not(Box::new(term))) } else { term }
}

/// How many signs a chain of operands has.
fn links(term: &Term) -> usize {
    match &term.shape {
        Shape::Arithmetic(_, left, _) => 1 + links(left),
        _ => 0,
    }
}

// -- values
impl Parser {
    /// Reads something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_MAX {
            return malformed(Detail::Nothing);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Operands joined by `+` and `-`.
    pub(super) fn sum(&mut self) -> Parsed<Term> {
        let mut left = self.operand()?;
        let before = self.depth;
        // A chain nests to the left, so it counts like parentheses. So does one that it begins with in parentheses,
        // which mean nothing there and are not printed.
        self.depth += links(&left);
        while let Some(sign) = self.take_sign() {
            self.expect_right()?;
            self.depth += 1;
            let right = self.deeper(Self::operand)?;
            left = Term::new(left.place, Shape::Arithmetic(sign, Box::new(left), Box::new(right)));
        }
        self.depth = before;
        Ok(left)
    }

    fn take_sign(&mut self) -> Option<Sign> {
        if self.take_symbol("+") {
            return Some(Sign::Plus);
        }
        self.take_symbol("-").then_some(Sign::Minus)
    }

    /// A path, a parameter, a literal, a call, or anything in parentheses.
    pub(super) fn operand(&mut self) -> Parsed<Term> {
        let place = self.place();
        let shape = match self.token().clone() {
            Token::Text(text) => self.just(Shape::Text(text)),
            Token::Number(digits) => self.just(Shape::Number(digits)),
            Token::Parameter => {
                self.parameters += 1;
                self.just(Shape::Parameter(self.parameters - 1))
            }
            Token::Quoted(name) => {
                self.skip();
                Shape::Path(self.path(name)?)
            }
            Token::Word(word) => self.word(&word)?,
            Token::Symbol(symbol) => return self.bracketed(symbol, place),
            Token::End => return malformed(Detail::Term),
        };
        Ok(Term::new(place, shape))
    }

    fn just(&mut self, shape: Shape) -> Shape {
        self.skip();
        shape
    }

    fn word(&mut self, word: &str) -> Parsed<Shape> {
        let is_call = self.following() == Some(&Token::Symbol("("));
        match word.to_ascii_lowercase().as_str() {
            "true" => Ok(self.just(Shape::Bool(true))),
            "false" => Ok(self.just(Shape::Bool(false))),
            "null" => Ok(self.just(Shape::Null)),
            "select" | "not" => malformed(Detail::Keyword),
            _ if words::is_operator(word) => malformed(Detail::Operator),
            _ if is_call => self.call(word),
            _ if words::is_keyword(word) => malformed(Detail::Keyword),
            _ => {
                self.skip();
                Ok(Shape::Path(self.path(word.to_owned())?))
            }
        }
    }

    fn call(&mut self, name: &str) -> Parsed<Shape> {
        self.skip();
        self.skip();
        // COUNT(*) and its like are read, to be refused by name.
        if self.take_symbol("*") {
            self.expect_symbol(")")?;
            return Ok(Shape::Call { name: name.to_owned(), arguments: Vec::new() });
        }
        let arguments = self.operands_until(")")?;
        Ok(Shape::Call { name: name.to_owned(), arguments })
    }

    /// Operands between commas, up to the closing bracket.
    fn operands_until(&mut self, close: &str) -> Parsed<Vec<Term>> {
        let mut operands = Vec::new();
        if self.take_symbol(close) {
            return Ok(operands);
        }
        loop {
            let adds = self.adds;
            operands.push(self.deeper(|parser| if adds { parser.sum() } else { parser.operand() })?);
            if !self.take_symbol(",") {
                self.expect_symbol(close)?;
                return Ok(operands);
            }
        }
    }

    fn bracketed(&mut self, symbol: &str, place: Place) -> Parsed<Term> {
        let shape = match symbol {
            "(" => {
                self.skip();
                let inner = if self.adds { self.deeper(Self::sum)? } else { self.deeper(Self::condition)? };
                self.expect_symbol(")")?;
                return Ok(inner);
            }
            "[" => {
                self.skip();
                Shape::List(self.operands_until("]")?)
            }
            "<<" => {
                self.skip();
                Shape::Set(self.operands_until(">>")?)
            }
            "{" => {
                self.skip();
                Shape::Map(self.entries()?)
            }
            "+" | "-" => return self.signed(place),
            _ => return malformed(Detail::Term),
        };
        Ok(Term::new(place, shape))
    }

    fn entries(&mut self) -> Parsed<Vec<(String, Term)>> {
        let mut entries = Vec::new();
        if self.take_symbol("}") {
            return Ok(entries);
        }
        loop {
            let Token::Text(name) = self.token().clone() else { return malformed(self.not_expected()) };
            self.skip();
            self.expect_symbol(":")?;
            entries.push((name, self.deeper(Self::operand)?));
            if !self.take_symbol(",") {
                self.expect_symbol("}")?;
                return Ok(entries);
            }
        }
    }

    /// A number after any number of signs.
    fn signed(&mut self, place: Place) -> Parsed<Term> {
        let mut negative = false;
        while let Some(sign) = self.take_sign() {
            negative ^= sign == Sign::Minus;
        }
        let Token::Number(digits) = self.token().clone() else { return malformed(Detail::Term) };
        self.skip();
        let sign = if negative { "-" } else { "" };
        Ok(Term::new(place, Shape::Number(format!("{sign}{digits}"))))
    }
}

// -- paths
impl Parser {
    /// The path that begins with `name`, whose token was taken.
    pub(super) fn path(&mut self, name: String) -> Parsed<Path> {
        let mut path = Path::new(name);
        loop {
            if self.take_symbol(".") {
                match self.take_name() {
                    Some(name) => path.push(Step::Name(name)),
                    None => return malformed(Detail::PathDot),
                }
            } else if self.take_symbol("[") {
                let step = self.index()?;
                path.push(step);
                self.expect_symbol("]")?;
            } else {
                break;
            }
        }
        if path.depth() > limits::PATH_DEPTH_MAX {
            self.note(Problem::PathTooDeep { levels: path.depth() }.into());
        }
        Ok(path)
    }

    /// What stands in brackets: the index of an element, or the name of an entry.
    fn index(&mut self) -> Parsed<Step> {
        if let Token::Text(name) = self.token().clone() {
            self.skip();
            return Ok(Step::Name(name));
        }
        let negative = self.take_sign() == Some(Sign::Minus);
        let Token::Number(digits) = self.token().clone() else { return malformed(self.not_expected()) };
        let place = self.place();
        self.skip();
        let index = digits.parse().ok().filter(|index| *index <= LIST_INDEX_MAX);
        let index = index.filter(|index| !negative || *index == 0);
        if index.is_none() {
            let sign = if negative { "-" } else { "" };
            self.note(StatementError::ListIndex { index: format!("{sign}{digits}"), place });
        }
        Ok(Step::Index(index.unwrap_or_default()))
    }
}

/// Largest index of a list in a statement. Measured.
const LIST_INDEX_MAX: usize = 2_147_483_647;
