//! JSON decoders of requests and encoders of responses, for the `wire` crate.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::model::{Member, Model};
use super::names::{braced, snake};
use super::operations::output_name;

/// `decoders.rs`: `Decode` for everything that a request holds.
pub(crate) fn decoders(model: &Model) -> String {
    let structures = model.request_structures();
    let mut out =
        String::from("//! From JSON to the requests of the service model.\n\nuse std::borrow::Cow;\n\n");
    let sets = enums_of(model, &structures);
    let names = structures.iter().chain(&sets).chain(&["Operation", "Request"]).copied();
    _ = writeln!(out, "use hashrange_api::{};\n", braced(names));
    out += "use crate::json::decoder::{Decode, Decoder, Element, Mark, Place, choices};\n";
    out += "use crate::json::fault::Fault;\nuse crate::json::parser::Turn;\nuse crate::json::value::placeholders;\n\n";
    entrance(&mut out, model);
    _ = writeln!(out, "choices!({});\n", sets.into_iter().collect::<Vec<_>>().join(", "));
    for name in &structures {
        decoder(&mut out, name, model.members(name));
    }
    out
}

fn entrance(out: &mut String, model: &Model) {
    _ = writeln!(out, "/// Takes the request of an operation.");
    _ = writeln!(
        out,
        "pub(crate) fn request(operation: Operation, decoder: &mut Decoder<'_>) -> Result<Request, Fault> {{"
    );
    _ = writeln!(out, "    let place = Place::Member;\n    Ok(match operation {{");
    for operation in &model.operations {
        _ = writeln!(
            out,
            "        Operation::{0} => Request::{0}(Box::new(Decode::decode(decoder, place)?)),",
            operation.name
        );
    }
    _ = writeln!(out, "    }})\n}}\n");
}

/// The closed sets that members, elements and values of the structures have.
fn enums_of<'a>(model: &'a Model, structures: &BTreeSet<&str>) -> BTreeSet<&'a str> {
    let used = |set: &str| {
        structures.iter().any(|name| model.members(name).iter().any(|m| model.leads_to(&m.shape, set)))
    };
    model.enums().map(|(name, _)| name).filter(|name| used(name)).collect()
}

fn decoder(out: &mut String, name: &str, members: &[Member]) {
    _ = writeln!(out, "impl Element for {name} {{}}\n\nimpl Decode for {name} {{");
    _ = writeln!(out, "    fn decode(decoder: &mut Decoder<'_>, place: Place) -> Result<Self, Fault> {{");
    _ = writeln!(
        out,
        "        let mark = decoder.open_structure(place, {name:?})?;\n        let mut turn = Turn::First;"
    );
    let required: Vec<&Member> = members.iter().filter(|m| m.required).collect();
    for member in &required {
        _ = writeln!(out, "        let mut has_{} = false;", snake(&member.name));
    }
    if members.is_empty() {
        _ = writeln!(
            out,
            "        let _: Mark = mark;\n        while decoder.parser.next_name(&mut turn)?.is_some() {{\n            decoder.parser.skip()?;\n        }}\n        Ok(Self {{}})"
        );
    } else {
        _ = writeln!(
            out,
            "        let mut out = Self::default();\n        while let Some(name) = decoder.parser.next_name(&mut turn)? {{\n            match &*name {{"
        );
        for member in members {
            arm(out, member);
        }
        _ = writeln!(out, "                _ => decoder.parser.skip()?,\n            }}\n        }}");
        for member in &required {
            _ = writeln!(out, "        decoder.require(has_{}, {:?});", snake(&member.name), member.name);
        }
        _ = writeln!(out, "        Ok(out)");
    }
    _ = writeln!(
        out,
        "    }}\n\n    fn java() -> Cow<'static, str> {{\n        \"com.amazonaws.dynamodb.v20120810.{name}\".into()\n    }}\n}}\n"
    );
}

fn arm(out: &mut String, member: &Member) {
    let (name, field) = (&member.name, snake(&member.name));
    let take = if member.shape == "ExpressionAttributeValueMap" {
        format!("decoder.member_with({name:?}, mark, placeholders)?")
    } else {
        format!("decoder.member({name:?}, mark)?")
    };
    _ = if member.required {
        writeln!(
            out,
            "                {name:?} => {{ let value = {take}; has_{field} = value.is_some(); out.{field} = value.unwrap_or_default(); }}"
        )
    } else {
        writeln!(out, "                {name:?} => {{ out.{field} = {take}; }}")
    };
}

/// `encoders.rs`: `Encode` for everything that a response holds.
pub(crate) fn encoders(model: &Model) -> String {
    let structures = model.response_structures();
    let mut out = String::from("//! From the responses of the service model to JSON.\n\n");
    let sets = enums_of(model, &structures);
    let names = structures.iter().chain(&sets).chain(&["Response"]).copied();
    _ = writeln!(out, "use hashrange_api::{};", braced(names));
    out += "use hashrange_item::RowError;\n\nuse crate::json::encoder::{Element, Encode, Object, texts};\n\n";
    exit(&mut out, model);
    _ = writeln!(out, "texts!({});\n", sets.into_iter().collect::<Vec<_>>().join(", "));
    for name in &structures {
        encoder(&mut out, name, model.members(name));
    }
    out
}

fn exit(out: &mut String, model: &Model) {
    _ = writeln!(out, "/// Appends the body of an answer.");
    _ = writeln!(
        out,
        "pub(crate) fn response(response: &Response, out: &mut Vec<u8>) -> Result<(), RowError> {{"
    );
    _ = writeln!(out, "    match response {{");
    for operation in &model.operations {
        let name = &operation.name;
        _ = if operation.output.is_some() {
            writeln!(out, "        Response::{name}(output) => output.encode(out),")
        } else {
            writeln!(
                out,
                "        // {}: an empty body.\n        Response::{name}(_) => Ok(()),",
                output_name(operation)
            )
        };
    }
    _ = writeln!(out, "    }}\n}}\n");
}

fn encoder(out: &mut String, name: &str, members: &[Member]) {
    _ = writeln!(out, "impl Element for {name} {{}}\n\nimpl Encode for {name} {{");
    _ = writeln!(out, "    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {{");
    let mutable = if members.is_empty() { "" } else { "mut " };
    _ = writeln!(out, "        let {mutable}object = Object::open(out);");
    for member in members {
        let (wire, field) = (&member.name, snake(&member.name));
        _ = if member.required {
            writeln!(out, "        object.member({wire:?}, &self.{field})?;")
        } else {
            writeln!(out, "        object.optional({wire:?}, self.{field}.as_ref())?;")
        };
    }
    _ = writeln!(out, "        object.close();\n        Ok(())\n    }}\n}}\n");
}
