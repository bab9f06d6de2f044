//! Text to syntax tree, for all kinds of expressions.
//!
//! No function here recurses: nesting is kept on explicit stacks, so the only bound on it is the length of
//! the text, which is checked first.

use crate::error::Problem;
use crate::lexer::{self, Lexeme, Token};
use crate::syntax::{
    Clause, Comparator, Node, NodeId, PathPart, Place, RawAction, Shape, Sign, Tree, UpdateSyntax,
};

/// Reads a condition, filter or key condition. The last node of the tree is its root.
pub(crate) fn condition(text: &str) -> Result<Tree<'_>, Problem> {
    let mut parser = Parser::new(text);
    parser.condition()?;
    Ok(parser.tree)
}

/// Reads a projection; answers the tree and the nodes of its paths.
pub(crate) fn projection(text: &str) -> Result<(Tree<'_>, Vec<NodeId>), Problem> {
    let mut parser = Parser::new(text);
    let mut paths = vec![parser.path()?];
    while parser.accept(Token::Comma) {
        paths.push(parser.path()?);
    }
    parser.expect(Token::End)?;
    Ok((parser.tree, paths))
}

/// Reads an update.
pub(crate) fn update(text: &str) -> Result<UpdateSyntax<'_>, Problem> {
    let mut parser = Parser::new(text);
    let (mut actions, mut clauses) = (Vec::new(), Vec::new());
    loop {
        let clause = Clause::from_token(parser.token()).ok_or_else(|| parser.syntax_error())?;
        parser.advance();
        clauses.push(clause);
        actions.push(parser.action(clause)?);
        while parser.accept(Token::Comma) {
            actions.push(parser.action(clause)?);
        }
        if parser.token() == Token::End {
            return Ok(UpdateSyntax { tree: parser.tree, actions, clauses });
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    lexemes: Vec<Lexeme>,
    at: usize,
    tree: Tree<'t>,
}

/// What waits for the condition that is being read.
enum Pending {
    /// `(` at this position.
    Open,
    /// NOT at this position.
    Not(usize),
    /// A left side, AND and its position.
    And(NodeId, usize),
    /// A left side, OR and its position.
    Or(NodeId, usize),
}

/// Something read where a condition may stand; not yet known to be one while it is an operand.
struct Term {
    node: NodeId,
    is_operand: bool,
    /// Whether parentheses enclose it directly.
    wrapped: bool,
}

/// What waits for the operand that is being read.
enum Enclosing<'t> {
    Parentheses,
    Call { name: &'t str, at: usize, arguments: Vec<NodeId> },
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, lexemes: lexer::split(text), at: 0, tree: Tree::default() }
    }

    fn token(&self) -> Token {
        self.lexemes[self.at].token
    }

    fn token_after(&self) -> Token {
        self.lexemes.get(self.at + 1).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn lexeme_text(&self) -> &'t str {
        let lexeme = self.lexemes[self.at];
        &self.text[lexeme.start..lexeme.end]
    }

    /// Goes on to the next lexeme; the end is never passed.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, token: Token) -> Result<(), Problem> {
        if self.token() != token {
            return Err(self.syntax_error());
        }
        self.advance();
        Ok(())
    }

    /// The error at the current lexeme; `near` reaches from the lexeme before it to the one after.
    fn syntax_error(&self) -> Problem {
        let lexeme = self.lexemes[self.at];
        let before = self.lexemes[self.at.saturating_sub(1)];
        let after = self.lexemes[(self.at + 1).min(self.lexemes.len() - 1)];
        let token = if lexeme.token == Token::End { "<EOF>" } else { &self.text[lexeme.start..lexeme.end] };
        let near = &self.text[before.start..after.end];
        Problem::Syntax { token: token.to_owned(), near: near.to_owned() }
    }

    fn add(&mut self, at: usize, shape: Shape<'t>) -> NodeId {
        self.tree.nodes.push(Node { at, shape });
        self.tree.nodes.len() - 1
    }

    fn add_operator(&mut self, at: usize, shape: Shape<'t>) -> NodeId {
        self.tree.operators += 1;
        self.add(at, shape)
    }

    /// Notes a closed pair of parentheses around something that is `wrapped` already, or not.
    fn close_around(&mut self, wrapped: bool) {
        self.tree.redundant_parentheses |= wrapped;
    }

    // -- conditions

    /// Operator precedence with a stack. An operand in parentheses may turn out to be the left side of a
    /// comparison, `(a) = :b`, so what parentheses hold is decided only when they close.
    fn condition(&mut self) -> Result<NodeId, Problem> {
        let mut stack = Vec::new();
        loop {
            self.prefixes(&mut stack);
            let term = self.operand()?;
            let term = self.comparison(Term { node: term, is_operand: true, wrapped: false })?;
            if let Some(root) = self.after_term(&mut stack, term)? {
                return Ok(root);
            }
        }
    }

    /// Reads any `NOT` and `(` before a term.
    fn prefixes(&mut self, stack: &mut Vec<Pending>) {
        loop {
            match self.token() {
                Token::Not => stack.push(Pending::Not(self.at)),
                Token::Open => stack.push(Pending::Open),
                _ => return,
            }
            self.advance();
        }
    }

    /// Reads what follows a term: closing parentheses, then AND or OR (answers `None`: one more term
    /// follows) or the end (answers the root).
    fn after_term(&mut self, stack: &mut Vec<Pending>, mut term: Term) -> Result<Option<NodeId>, Problem> {
        loop {
            let at = self.at;
            match self.token() {
                Token::Close => term = self.close(stack, &term)?,
                Token::And => {
                    let left = self.reduce(stack, &term, false)?;
                    stack.push(Pending::And(left, at));
                    self.advance();
                    return Ok(None);
                }
                Token::Or => {
                    let left = self.reduce(stack, &term, true)?;
                    stack.push(Pending::Or(left, at));
                    self.advance();
                    return Ok(None);
                }
                Token::End => {
                    let root = self.reduce(stack, &term, true)?;
                    return if stack.is_empty() { Ok(Some(root)) } else { Err(self.syntax_error()) };
                }
                _ => return Err(self.syntax_error()),
            }
        }
    }

    /// Reads `)` and, if an operand was enclosed, the comparison that may follow it.
    fn close(&mut self, stack: &mut Vec<Pending>, term: &Term) -> Result<Term, Problem> {
        if matches!(stack.last(), Some(Pending::Open)) {
            stack.pop();
            self.close_around(term.wrapped);
            self.advance();
            return self.comparison(Term { wrapped: true, ..*term });
        }
        let node = self.reduce(stack, term, true)?;
        if stack.pop().is_none() {
            return Err(self.syntax_error());
        }
        self.advance();
        Ok(Term { node, is_operand: false, wrapped: true })
    }

    /// Joins `term` with the pending NOT and AND, and with OR if `through_or`, up to the last `(`.
    fn reduce(&mut self, stack: &mut Vec<Pending>, term: &Term, through_or: bool) -> Result<NodeId, Problem> {
        let mut node = self.as_condition(term)?;
        loop {
            let (at, shape) = match stack.last() {
                Some(Pending::Not(at)) => (*at, Shape::Not(node)),
                Some(Pending::And(left, at)) => (*at, Shape::And(*left, node)),
                Some(Pending::Or(left, at)) if through_or => (*at, Shape::Or(*left, node)),
                _ => return Ok(node),
            };
            stack.pop();
            node = self.add_operator(at, shape);
        }
    }

    /// Where a condition must stand, a bare operand is an error unless it is a function.
    fn as_condition(&mut self, term: &Term) -> Result<NodeId, Problem> {
        if term.is_operand {
            match &mut self.tree.nodes[term.node].shape {
                Shape::Call { place, .. } => *place = Place::Condition,
                _ => return Err(self.syntax_error()),
            }
        }
        Ok(term.node)
    }

    /// Reads the rest of a comparison, BETWEEN or IN, if `term` is an operand and one follows.
    fn comparison(&mut self, term: Term) -> Result<Term, Problem> {
        let at = self.at;
        if !term.is_operand {
            return Ok(term);
        }
        let shape = match self.token() {
            Token::Between => self.between(term.node)?,
            Token::In => self.in_list(term.node)?,
            token => match Comparator::from_token(token) {
                Some(comparator) => {
                    self.advance();
                    Shape::Compare { comparator, left: term.node, right: self.operand()? }
                }
                None => return Ok(term),
            },
        };
        Ok(Term { node: self.add_operator(at, shape), is_operand: false, wrapped: false })
    }

    fn between(&mut self, subject: NodeId) -> Result<Shape<'t>, Problem> {
        self.advance();
        let low = self.operand()?;
        self.expect(Token::And)?;
        let high = self.operand()?;
        Ok(Shape::Between { subject, low, high })
    }

    fn in_list(&mut self, subject: NodeId) -> Result<Shape<'t>, Problem> {
        self.advance();
        self.expect(Token::Open)?;
        let mut list = vec![self.operand()?];
        while self.accept(Token::Comma) {
            list.push(self.operand()?);
        }
        self.expect(Token::Close)?;
        Ok(Shape::In { subject, list })
    }

    // -- operands

    /// Reads a path, a value or a function call, in any parentheses.
    fn operand(&mut self) -> Result<NodeId, Problem> {
        let mut stack = Vec::new();
        loop {
            let at = self.at;
            if self.accept(Token::Open) {
                stack.push(Enclosing::Parentheses);
            } else if self.token() == Token::Name && self.token_after() == Token::Open {
                stack.push(Enclosing::Call { name: self.lexeme_text(), at, arguments: Vec::new() });
                self.advance();
                self.advance();
            } else {
                let node = self.simple_operand()?;
                if let Some(outermost) = self.close_operand(&mut stack, node)? {
                    return Ok(outermost);
                }
            }
        }
    }

    /// A path or a `:value`.
    fn simple_operand(&mut self) -> Result<NodeId, Problem> {
        let at = self.at;
        if self.token() != Token::ValuePlaceholder {
            return self.path();
        }
        let name = self.lexeme_text();
        self.advance();
        Ok(self.add(at, Shape::Value(name)))
    }

    /// Closes what encloses `node`; `None` if a comma announces one more argument.
    fn close_operand(
        &mut self,
        stack: &mut Vec<Enclosing<'t>>,
        mut node: NodeId,
    ) -> Result<Option<NodeId>, Problem> {
        let mut wrapped = false;
        loop {
            match stack.pop() {
                None => return Ok(Some(node)),
                Some(Enclosing::Parentheses) => {
                    self.expect(Token::Close)?;
                    self.close_around(wrapped);
                    wrapped = true;
                }
                Some(Enclosing::Call { name, at, mut arguments }) => {
                    arguments.push(node);
                    if self.accept(Token::Comma) {
                        stack.push(Enclosing::Call { name, at, arguments });
                        return Ok(None);
                    }
                    self.expect(Token::Close)?;
                    node = self.add(at, Shape::Call { name, arguments, place: Place::Operand });
                    wrapped = false;
                }
            }
        }
    }

    /// Reads a document path.
    fn path(&mut self) -> Result<NodeId, Problem> {
        let at = self.at;
        let mut parts = vec![self.path_name()?];
        loop {
            if self.accept(Token::Dot) {
                parts.push(self.path_name()?);
            } else if self.accept(Token::OpenBracket) {
                let index = self.lexeme_text();
                self.expect(Token::Integer)?;
                self.expect(Token::CloseBracket)?;
                parts.push(PathPart::Index(index));
            } else {
                return Ok(self.add(at, Shape::Path(parts)));
            }
        }
    }

    fn path_name(&mut self) -> Result<PathPart<'t>, Problem> {
        let text = self.lexeme_text();
        let part = match self.token() {
            Token::Name => PathPart::Name(text),
            Token::NamePlaceholder => PathPart::Placeholder(text),
            _ => return Err(self.syntax_error()),
        };
        self.advance();
        Ok(part)
    }

    // -- updates

    fn action(&mut self, clause: Clause) -> Result<RawAction, Problem> {
        let path = self.path()?;
        let value = match clause {
            Clause::Set => {
                self.expect(Token::Equal)?;
                Some(self.set_value()?)
            }
            Clause::Remove => None,
            Clause::Add | Clause::Delete if self.token() == Token::ValuePlaceholder => {
                Some(self.simple_operand()?)
            }
            Clause::Add | Clause::Delete => return Err(self.syntax_error()),
        };
        Ok(RawAction { clause, path, value })
    }

    /// Reads an operand, or two with `+` or `-` between them; parentheses may enclose either.
    fn set_value(&mut self) -> Result<NodeId, Problem> {
        let mut open: usize = 0;
        while self.accept(Token::Open) {
            open += 1;
        }
        let mut node = self.operand()?;
        let (mut wrapped, mut has_sign) = (false, false);
        loop {
            let at = self.at;
            if open > 0 && self.accept(Token::Close) {
                open -= 1;
                self.close_around(wrapped);
                wrapped = true;
            } else if let (false, Some(operator)) = (has_sign, self.sign()) {
                self.advance();
                let right = self.operand()?;
                node = self.add_operator(at, Shape::Arithmetic { operator, left: node, right });
                (wrapped, has_sign) = (false, true);
            } else if open > 0 {
                return Err(self.syntax_error());
            } else {
                return Ok(node);
            }
        }
    }

    fn sign(&self) -> Option<Sign> {
        match self.token() {
            Token::Plus => Some(Sign::Plus),
            Token::Minus => Some(Sign::Minus),
            _ => None,
        }
    }
}
