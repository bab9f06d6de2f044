//! Expressions of Terraform's language that need no Terraform.

use hcl_edit::expr::{BinaryOp, BinaryOperator, Conditional, Expression, FuncCall, Object, ObjectKey};
use hcl_edit::expr::{Traversal, TraversalOperator, UnaryOp, UnaryOperator};
use hcl_edit::structure::{Block, BlockLabel};
use hcl_edit::template::{Element, Template};

use super::{File, Module, PLAN};
use crate::read::iac::tree::{Tree, Value};

/// Levels of expressions and references.
const DEPTH_MAX: usize = 80;
/// Most bytes of a text.
const TEXT_MAX: usize = 512 << 10;

/// A value, or why it is none.
type Answer = Result<Value, String>;

/// The names of a path of attributes: `a.b.c`.
pub(super) fn path(traversal: &Traversal) -> Option<Vec<&str>> {
    let Expression::Variable(first) = &traversal.expr else { return None };
    let mut path = vec![first.as_str()];
    for operator in &traversal.operators {
        match operator.value() {
            TraversalOperator::GetAttr(name) => path.push(name.as_str()),
            TraversalOperator::Index(Expression::String(name)) => path.push(name.as_str()),
            _ => return None,
        }
    }
    Some(path)
}

/// The reference that an expression is, also as the only part of a template.
pub(super) fn reference(expression: &Expression) -> Option<&Traversal> {
    match expression {
        Expression::Traversal(traversal) => Some(traversal),
        Expression::StringTemplate(template) => {
            let mut elements = template.iter();
            match (elements.next()?, elements.next()) {
                (Element::Interpolation(only), None) => reference(&only.expr),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Module<'_> {
    /// What an expression stands for.
    pub(super) fn evaluate(&self, file: &File, expression: &Expression) -> Tree {
        let mark = file.mark(expression);
        self.steps.set(self.steps.get().saturating_sub(1));
        if self.steps.get() == 0 || self.depth.get() >= DEPTH_MAX {
            return Tree::unknown(mark, "it refers to itself, or takes too much work");
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.value(file, expression);
        self.depth.set(self.depth.get() - 1);
        Tree::new(mark, value.unwrap_or_else(Value::Unknown))
    }

    fn value(&self, file: &File, expression: &Expression) -> Answer {
        Ok(match expression {
            Expression::Null(_) => Value::Null,
            Expression::Bool(flag) => Value::Bool(*flag.value()),
            Expression::Number(number) => Value::Number(number.value().to_string()),
            Expression::String(text) => {
                self.pay(text)?;
                Value::Text(text.value().clone())
            }
            Expression::Array(array) => {
                Value::List(array.iter().map(|element| self.evaluate(file, element)).collect())
            }
            Expression::Object(object) => self.object(file, object)?,
            Expression::StringTemplate(template) => return self.template(file, template),
            Expression::HeredocTemplate(heredoc) => return self.template(file, &heredoc.template),
            Expression::Parenthesis(inner) => self.evaluate(file, inner.inner()).value,
            Expression::Conditional(conditional) => return self.conditional(file, conditional),
            Expression::Traversal(traversal) => return self.traversal(file, traversal),
            Expression::FuncCall(call) => return self.call(file, call),
            Expression::UnaryOp(operation) => return self.unary(file, operation),
            Expression::BinaryOp(operation) => return self.binary(file, operation),
            Expression::Variable(name) => return Err(format!("{} is no value", name.as_str())),
            Expression::ForExpr(_) => {
                self.stop(file, expression, "a for expression");
                return Err(PLAN.to_owned());
            }
        })
    }

    fn object(&self, file: &File, object: &Object) -> Answer {
        let mut entries = Vec::with_capacity(object.len());
        for (key, value) in object {
            let name = match key {
                ObjectKey::Ident(name) | ObjectKey::Expression(Expression::Variable(name)) => {
                    name.to_string()
                }
                ObjectKey::Expression(key) => text(&self.evaluate(file, key))?,
            };
            entries.push((name, self.evaluate(file, value.expr())));
        }
        Ok(Value::Map(entries))
    }

    /// A template. One that is a single interpolation stands for its value.
    fn template(&self, file: &File, template: &Template) -> Answer {
        let elements: Vec<&Element> = template.iter().collect();
        if let [Element::Interpolation(interpolation)] = elements.as_slice() {
            return Ok(self.evaluate(file, &interpolation.expr).value);
        }
        let mut out = String::new();
        for element in elements {
            match element {
                Element::Literal(literal) => out.push_str(literal),
                Element::Interpolation(interpolation) => {
                    out.push_str(&text(&self.evaluate(file, &interpolation.expr))?);
                }
                Element::Directive(directive) => {
                    self.stop(file, directive.as_ref(), "a directive of a template");
                    return Err(PLAN.to_owned());
                }
            }
            self.pay(&out)?;
        }
        Ok(Value::Text(out))
    }

    /// Pays for a text, and refuses one that is too long.
    fn pay(&self, text: &str) -> Result<(), String> {
        self.steps.set(self.steps.get().saturating_sub(text.len() / 256));
        if text.len() > TEXT_MAX { Err("the text becomes too long".to_owned()) } else { Ok(()) }
    }

    fn conditional(&self, file: &File, conditional: &Conditional) -> Answer {
        let condition = self.evaluate(file, &conditional.cond_expr);
        match truth(&condition) {
            Ok(true) => Ok(self.evaluate(file, &conditional.true_expr).value),
            Ok(false) => Ok(self.evaluate(file, &conditional.false_expr).value),
            Err(why) => {
                let yes = self.evaluate(file, &conditional.true_expr);
                let no = self.evaluate(file, &conditional.false_expr);
                if yes == no { Ok(yes.value) } else { Err(why) }
            }
        }
    }

    fn unary(&self, file: &File, operation: &UnaryOp) -> Answer {
        let value = self.evaluate(file, &operation.expr);
        match operation.operator.value() {
            UnaryOperator::Not => truth(&value).map(|flag| Value::Bool(!flag)),
            UnaryOperator::Neg => text(&value).map(|digits| Value::Number(format!("-{digits}"))),
        }
    }

    fn binary(&self, file: &File, operation: &BinaryOp) -> Answer {
        let one = self.evaluate(file, &operation.lhs_expr);
        let other = self.evaluate(file, &operation.rhs_expr);
        let flag = match operation.operator.value() {
            BinaryOperator::Eq => equal(&one, &other)?,
            BinaryOperator::NotEq => !equal(&one, &other)?,
            BinaryOperator::And => truth(&one)? && truth(&other)?,
            BinaryOperator::Or => truth(&one)? || truth(&other)?,
            operator => {
                return Err(format!("the operator {} is left to Terraform: {PLAN}", operator.as_str()));
            }
        };
        Ok(Value::Bool(flag))
    }

    fn call(&self, file: &File, call: &FuncCall) -> Answer {
        let name = call.name.name.as_str();
        let arguments: Vec<Tree> = call.args.iter().map(|argument| self.evaluate(file, argument)).collect();
        match (name, arguments.as_slice()) {
            ("lower", [value]) => text(value).map(|text| Value::Text(text.to_lowercase())),
            ("upper", [value]) => text(value).map(|text| Value::Text(text.to_uppercase())),
            ("tostring", [value]) => text(value).map(Value::Text),
            ("tonumber", [value]) => text(value).map(Value::Number),
            ("jsonencode", [value]) => {
                if let Some(why) = unknown_within(value) {
                    return Err(why.to_owned());
                }
                let text = value.to_json().to_string();
                self.pay(&text)?;
                Ok(Value::Text(text))
            }
            ("join", [delimiter, list]) => {
                let parts: Vec<String> = list.elements().iter().map(text).collect::<Result<_, _>>()?;
                let joined = parts.join(&text(delimiter)?);
                self.pay(&joined)?;
                Ok(Value::Text(joined))
            }
            _ => Err(format!("the function {name} is left to Terraform: {PLAN}")),
        }
    }

    /// `var.a`, `local.a`, `aws_dynamodb_table.a.name`, and members of those.
    fn traversal(&self, file: &File, traversal: &Traversal) -> Answer {
        let Some(path) = path(traversal) else {
            return Err(format!("an index or a splat is left to Terraform: {PLAN}"));
        };
        match path.as_slice() {
            ["var", name, rest @ ..] => below(self.variable(name)?, rest),
            ["local", name, rest @ ..] => {
                let (file, expression) =
                    self.locals.get(name).ok_or_else(|| format!("local.{name} is not in the files"))?;
                below(self.evaluate(file, expression), rest)
            }
            [kind @ ("data" | "module" | "each" | "count"), ..] => {
                self.stop(file, traversal, &format!("{kind}.{}", path.get(1).copied().unwrap_or_default()));
                Err(PLAN.to_owned())
            }
            ["terraform", "workspace"] => Ok(Value::Text(
                self.given.get("terraform.workspace").map_or("default", String::as_str).to_owned(),
            )),
            [kind, name, attribute, ..] => self.attribute(kind, name, attribute),
            _ => Err(format!("{} is known after the deployment", path.join("."))),
        }
    }

    /// A variable: what was given, what a file of values says, its default.
    fn variable(&self, name: &str) -> Result<Tree, String> {
        if let Some(text) = self.given.get(name) {
            self.pay(text)?;
            return Ok(Tree::text(crate::read::Mark::default(), text.clone()));
        }
        if let Some((file, expression)) = self.values.get(name) {
            return Ok(self.evaluate(file, expression));
        }
        let default = self
            .variables
            .get(name)
            .and_then(|(file, block)| Some((file, block.body.get_attribute("default")?)));
        let (file, default) = default.ok_or_else(|| {
            format!("variable {name} has no default; give --parameter {name}=VALUE, or a .tfvars file")
        })?;
        Ok(self.evaluate(file, &default.value))
    }

    /// An argument of another resource. A table's id is its name.
    fn attribute(&self, kind: &str, name: &str, attribute: &str) -> Answer {
        let open = || format!("{kind}.{name}.{attribute} is known after the deployment");
        let is_it = |block: &Block| {
            let labels = block.labels.iter().map(BlockLabel::as_str);
            labels.eq([kind, name])
        };
        let (file, block) = self.resources.iter().find(|(_, block)| is_it(block)).ok_or_else(open)?;
        let argument = |name: &str| Some(self.evaluate(file, &block.body.get_attribute(name)?.value));
        match (kind, attribute) {
            ("aws_dynamodb_table", "id") => argument("name").map(|tree| tree.value).ok_or_else(open),
            ("aws_dynamodb_table", "arn" | "stream_arn") => {
                let name = text(&argument("name").ok_or_else(open)?)?;
                let tail = if attribute == "arn" { "" } else { "/stream/latest" };
                Ok(Value::Text(format!("arn:aws:dynamodb:us-east-1:000000000000:table/{name}{tail}")))
            }
            _ => argument(attribute).map(|tree| tree.value).ok_or_else(open),
        }
    }
}

/// The value below a path of members.
fn below(tree: Tree, path: &[&str]) -> Answer {
    if path.is_empty() || tree.why_unknown().is_some() {
        return Ok(tree.value);
    }
    let found = tree.at(path).map(|node| node.value.clone());
    found.ok_or_else(|| format!("there is no member {}", path.join(".")))
}

fn text(tree: &Tree) -> Result<String, String> {
    match (tree.scalar(), tree.why_unknown()) {
        (Some(text), _) => Ok(text),
        (None, Some(why)) => Err(why.to_owned()),
        (None, None) => Err("a string is expected".to_owned()),
    }
}

fn truth(tree: &Tree) -> Result<bool, String> {
    match text(tree)?.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("a truth value is expected".to_owned()),
    }
}

fn equal(one: &Tree, other: &Tree) -> Result<bool, String> {
    if let Some(why) = unknown_within(one).or_else(|| unknown_within(other)) {
        return Err(why.to_owned());
    }
    Ok(one == other || one.scalar().is_some() && one.scalar() == other.scalar())
}

/// Why a part of a value is not known.
fn unknown_within(tree: &Tree) -> Option<&str> {
    match &tree.value {
        Value::Unknown(why) => Some(why),
        Value::List(elements) => elements.iter().find_map(unknown_within),
        Value::Map(entries) => entries.iter().find_map(|(_, node)| unknown_within(node)),
        _ => None,
    }
}
