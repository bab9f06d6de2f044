//! Operations, requests, responses and error codes of the `api` crate.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::model::{Model, Operation, Shape};
use super::names::braced;

/// Errors every operation can answer with, which the model leaves out, and whether they are the server's fault.
const COMMON: [(&str, bool); 13] = [
    ("AccessDeniedException", false),
    ("ExpiredTokenException", false),
    ("IncompleteSignatureException", false),
    ("InternalFailure", true),
    ("InvalidSignatureException", false),
    ("MissingAuthenticationTokenException", false),
    ("NotAuthorized", false),
    ("OptInRequired", false),
    ("SerializationException", false),
    ("ServiceUnavailable", true),
    ("UnknownOperationException", false),
    ("UnrecognizedClientException", false),
    ("ValidationException", false),
];

/// Errors of our own, each HTTP 400: no client of AWS ever meets them, for they need a header of our own.
const OWN: [&str; 1] = ["BudgetExceededException"];

/// Name of an operation's output struct; one without output in the model gets an empty struct.
pub(crate) fn output_name(operation: &Operation) -> String {
    operation.output.clone().unwrap_or_else(|| format!("{}Output", operation.name))
}

/// `operations.rs`: the operations, and the sums of their inputs and outputs.
pub(crate) fn operations(model: &Model) -> String {
    let mut out = String::from("//! The operations of the service model.\n\n");
    let outputs: Vec<String> = model.operations.iter().map(output_name).collect();
    let inputs = model.operations.iter().map(|o| o.input.as_str());
    _ = writeln!(out, "use super::structures::{};", braced(inputs.chain(outputs.iter().map(String::as_str))));
    out += "use crate::Call;\n\n";
    operation_enum(&mut out, model);
    sum(&mut out, model, "Request", "A request of any operation.", |o| o.input.clone());
    table_names(&mut out, model);
    sum(&mut out, model, "Response", "An answer of any operation.", output_name);
    calls(&mut out, model);
    out
}

fn operation_enum(out: &mut String, model: &Model) {
    _ = writeln!(out, "/// An operation of DynamoDB or DynamoDB Streams.");
    _ = writeln!(
        out,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub enum Operation {{"
    );
    for operation in &model.operations {
        _ = writeln!(out, "    /// `{0}.{1}`\n    {1},", operation.target_prefix, operation.name);
    }
    _ = writeln!(
        out,
        "}}\n\nimpl Operation {{\n    /// Every operation: DynamoDB's by name, then DynamoDB Streams'."
    );
    let all: Vec<String> = model.operations.iter().map(|o| format!("Self::{}", o.name)).collect();
    _ = writeln!(out, "    pub const ALL: [Self; {}] = [{}];\n", all.len(), all.join(", "));
    _ = writeln!(
        out,
        "    /// The operation's name, as after the dot of `X-Amz-Target`.\n    pub fn name(self) -> &'static str {{\n        match self {{"
    );
    for operation in &model.operations {
        _ = writeln!(out, "            Self::{0} => \"{0}\",", operation.name);
    }
    _ = writeln!(
        out,
        "        }}\n    }}\n\n    /// The part of `X-Amz-Target` before the dot.\n    pub fn target_prefix(self) -> &'static str {{\n        match self {{"
    );
    prefixes(out, model);
    _ = writeln!(
        out,
        "        }}\n    }}\n\n    /// The operation that a whole `X-Amz-Target` value names.\n    pub fn from_target(target: &str) -> Option<Self> {{\n        match target {{"
    );
    for operation in &model.operations {
        _ = writeln!(
            out,
            "            \"{0}.{1}\" => Some(Self::{1}),",
            operation.target_prefix, operation.name
        );
    }
    _ = writeln!(out, "            _ => None,\n        }}\n    }}\n}}\n");
}

fn prefixes(out: &mut String, model: &Model) {
    let mut by_prefix: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operation in &model.operations {
        by_prefix.entry(&operation.target_prefix).or_default().push(format!("Self::{}", operation.name));
    }
    let (common, _) = by_prefix.iter().max_by_key(|(_, names)| names.len()).expect("there are operations");
    for (prefix, names) in by_prefix.iter().filter(|(prefix, _)| prefix != &common) {
        _ = writeln!(out, "            {} => \"{prefix}\",", names.join(" | "));
    }
    _ = writeln!(out, "            _ => \"{common}\",");
}

fn sum(out: &mut String, model: &Model, name: &str, doc: &str, of: impl Fn(&Operation) -> String) {
    _ = writeln!(out, "/// {doc} Contents are boxed, so that passing one on moves a pointer.");
    _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub enum {name} {{");
    for operation in &model.operations {
        _ = writeln!(out, "    /// Of `{0}`.\n    {0}(Box<{1}>),", operation.name, of(operation));
    }
    _ = writeln!(
        out,
        "}}\n\nimpl {name} {{\n    /// The operation it belongs to.\n    pub fn operation(&self) -> Operation {{\n        match self {{"
    );
    for operation in &model.operations {
        _ = writeln!(out, "            Self::{0}(_) => Operation::{0},", operation.name);
    }
    _ = writeln!(out, "        }}\n    }}\n}}\n");
    for operation in unshared(model) {
        let content = of(operation);
        _ = writeln!(out, "impl From<{content}> for {name} {{\n    fn from(content: {content}) -> Self {{");
        _ = writeln!(out, "        Self::{}(Box::new(content))\n    }}\n}}\n", operation.name);
    }
}

/// The table that a request names, for logs and policies.
fn table_names(out: &mut String, model: &Model) {
    _ = writeln!(
        out,
        "impl Request {{\n    /// The `TableName` of the request; `None` where it has none, or names several tables.\n    pub fn table_name(&self) -> Option<&str> {{\n        match self {{"
    );
    let mut by_input: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operation in &model.operations {
        by_input.entry(&operation.input).or_default().push(format!("Self::{}(input)", operation.name));
    }
    for (input, requests) in by_input {
        let Some(member) = model.members(input).iter().find(|member| member.name == "TableName") else {
            continue;
        };
        let name = if member.required { "Some(&input.table_name)" } else { "input.table_name.as_deref()" };
        _ = writeln!(out, "            {} => {name},", requests.join(" | "));
    }
    _ = writeln!(out, "            _ => None,\n        }}\n    }}\n}}\n");
}

/// Operations whose input shape is theirs alone, so that the input's type tells the operation.
fn unshared(model: &Model) -> impl Iterator<Item = &Operation> {
    model
        .operations
        .iter()
        .filter(|o| model.operations.iter().filter(|other| other.input == o.input).count() == 1)
}

fn calls(out: &mut String, model: &Model) {
    for operation in unshared(model) {
        let (name, output) = (&operation.name, output_name(operation));
        _ = writeln!(
            out,
            "impl Call for {} {{\n    type Output = {output};\n    const OPERATION: Operation = Operation::{name};\n",
            operation.input
        );
        _ = writeln!(
            out,
            "    fn output(response: Response) -> Option<{output}> {{\n        match response {{"
        );
        _ = writeln!(
            out,
            "            Response::{name}(output) => Some(*output),\n            _ => None,\n        }}\n    }}\n}}\n"
        );
    }
}

/// `codes.rs`: every error code with its status, name space and the spelling of its message member.
pub(crate) fn codes(model: &Model) -> String {
    let exceptions = model.shapes.iter().filter(|(_, s)| s.exception);
    let mut rows: Vec<Code> = exceptions.map(|(name, shape)| Code::of_model(model, name, shape)).collect();
    rows.extend(COMMON.iter().map(|&(name, fault)| Code::common(name, fault)));
    rows.extend(OWN.iter().map(|&name| Code::own(name)));
    rows.sort_by_key(|row| row.name.clone());
    let mut out =
        String::from("//! The error codes of the service model, of every AWS service, and of our own.\n\n");
    _ = writeln!(out, "/// The name of an error as clients see it.");
    _ = writeln!(
        out,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub enum ErrorCode {{"
    );
    for row in &rows {
        _ = writeln!(out, "    /// `{}#{}`, HTTP {}.\n    {1},", row.namespace, row.name, row.status);
    }
    _ = writeln!(out, "}}\n\nimpl ErrorCode {{\n    /// Every code, by name.");
    let all: Vec<String> = rows.iter().map(|row| format!("Self::{}", row.name)).collect();
    _ = writeln!(out, "    pub const ALL: [Self; {}] = [{}];\n", all.len(), all.join(", "));
    table(&mut out, &rows, "name", "The code's own name, after `#` in `__type`.", "&'static str", |r| {
        format!("{:?}", r.name)
    });
    table(&mut out, &rows, "namespace", "What stands before `#` in `__type`.", "&'static str", |r| {
        format!("{:?}", r.namespace)
    });
    table(&mut out, &rows, "status", "HTTP status of the answer.", "u16", |r| r.status.to_string());
    table(
        &mut out,
        &rows,
        "message_member",
        "How the body spells its message member.",
        "&'static str",
        |r| format!("{:?}", r.message),
    );
    out + "}\n"
}

struct Code {
    name: String,
    namespace: &'static str,
    status: u16,
    message: &'static str,
}

impl Code {
    fn of_model(model: &Model, name: &str, shape: &Shape) -> Self {
        let capital = model.members(name).iter().any(|m| m.name == "Message");
        Self {
            name: name.to_owned(),
            namespace: "com.amazonaws.dynamodb.v20120810",
            status: if shape.fault { 500 } else { 400 },
            message: if capital { "Message" } else { "message" },
        }
    }

    fn own(name: &str) -> Self {
        Self { name: name.to_owned(), namespace: "com.hashrange", status: 400, message: "message" }
    }

    fn common(name: &str, fault: bool) -> Self {
        let namespace = if name == "ValidationException" {
            "com.amazon.coral.validate"
        } else {
            "com.amazon.coral.service"
        };
        let capital = matches!(name, "SerializationException" | "AccessDeniedException");
        let status = match name {
            "ServiceUnavailable" => 503,
            _ if fault => 500,
            _ => 400,
        };
        Self {
            name: name.to_owned(),
            namespace,
            status,
            message: if capital { "Message" } else { "message" },
        }
    }
}

fn table(out: &mut String, rows: &[Code], name: &str, doc: &str, kind: &str, of: impl Fn(&Code) -> String) {
    let mut by_value: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        by_value.entry(of(row)).or_default().push(format!("Self::{}", row.name));
    }
    _ = writeln!(out, "    /// {doc}\n    pub fn {name}(self) -> {kind} {{\n        match self {{");
    for (value, names) in by_value {
        _ = writeln!(out, "            {} => {value},", names.join(" | "));
    }
    _ = writeln!(out, "        }}\n    }}\n");
}
