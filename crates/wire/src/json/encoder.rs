//! From typed responses to JSON: what the generated encoders are made of.

use std::collections::BTreeMap;

use hashrange_api::{Details, Error, ErrorCode, Response, Timestamp};
use hashrange_item::json::{
    write_attributes, write_binary, write_image, write_row, write_string, write_value,
};
use hashrange_item::{AttributeValue, Attributes, Image, NewItem, RowError};

use super::generated::encoders;

/// Appends the body of a successful answer to `out`. TagResource and UntagResource answer with an empty one.
///
/// # Errors
/// A stored row is damaged; `out` then holds part of an answer and must not be sent.
pub fn encode_response(response: &Response, out: &mut Vec<u8>) -> Result<(), RowError> {
    encoders::response(response, out)
}

/// The body of an error answer.
pub fn encode_error(error: &Error) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"{\"__type\":\"");
    out.extend_from_slice(error.code.namespace().as_bytes());
    out.push(b'#');
    out.extend_from_slice(error.code.name().as_bytes());
    out.push(b'"');
    if let Some(message) = &error.message {
        write_member(error.code.message_member(), message, &mut out);
    }
    write_details(error, &mut out);
    out.push(b'}');
    out
}

fn write_details(error: &Error, out: &mut Vec<u8>) {
    match &error.details {
        Details::None => {}
        Details::Item(item) => write_member("Item", item, out),
        Details::CancellationReasons(reasons) => write_member("CancellationReasons", reasons, out),
        Details::ThrottlingReasons(reasons) => {
            // The model spells this member in two ways.
            let small = error.code == ErrorCode::ThrottlingException;
            write_member(if small { "throttlingReasons" } else { "ThrottlingReasons" }, reasons, out);
        }
    }
}

/// Writes `,"name":value`. A value that cannot be written (a damaged row) is left out with its name: the error itself
/// matters more.
fn write_member(name: &str, value: &impl Encode, out: &mut Vec<u8>) {
    let before = out.len();
    out.push(b',');
    write_string(name, out);
    out.push(b':');
    if value.encode(out).is_err() {
        out.truncate(before);
    }
}

/// A type that a member of a response can have.
pub(crate) trait Encode {
    /// Appends the value.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError>;
}

/// A structure being written.
#[derive(Debug)]
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(crate) fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Appends a member; `name` needs no escapes.
    pub(crate) fn member(&mut self, name: &str, value: &impl Encode) -> Result<(), RowError> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        value.encode(self.out)
    }

    /// Appends a member if it is there.
    pub(crate) fn optional(&mut self, name: &str, value: Option<&impl Encode>) -> Result<(), RowError> {
        value.map_or(Ok(()), |value| self.member(name, value))
    }

    pub(crate) fn close(self) {
        self.out.push(b'}');
    }
}

/// `Encode` for closed sets.
macro_rules! texts {
    ($($name:ident),* $(,)?) => {$(
        impl Element for $name {}

        impl Encode for $name {
            fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
                out.push(b'"');
                out.extend_from_slice(self.as_str().as_bytes());
                out.push(b'"');
                Ok(())
            }
        }
    )*};
}
pub(crate) use texts;

impl Encode for String {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_string(self, out);
        Ok(())
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
        Ok(())
    }
}

fn write_display(value: &impl std::fmt::Display, out: &mut Vec<u8>) {
    out.extend_from_slice(value.to_string().as_bytes());
}

impl Encode for i32 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_display(self, out);
        Ok(())
    }
}

impl Encode for i64 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_display(self, out);
        Ok(())
    }
}

/// With a fraction even where it is zero, as AWS prints capacity units: `1.0`.
impl Encode for f64 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        debug_assert!(self.is_finite(), "JSON has no infinities");
        out.extend_from_slice(format!("{self:?}").as_bytes());
        Ok(())
    }
}

impl Encode for Timestamp {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_display(self, out);
        Ok(())
    }
}

impl Encode for Image {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_image(self, out)
    }
}

impl Encode for NewItem {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_row(self.row(), out)
    }
}

impl Encode for Attributes {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_attributes(self, out);
        Ok(())
    }
}

impl Encode for AttributeValue {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_value(self, out);
        Ok(())
    }
}

impl Encode for Vec<u8> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        write_binary(self, out);
        Ok(())
    }
}

/// Types that stand in lists; tells a blob from other lists.
pub(crate) trait Element {}
impl Element for String {}
impl Element for f64 {}
impl Element for Image {}
impl Element for Attributes {}
impl Element for AttributeValue {}

impl<T: Encode + Element> Encode for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        out.push(b'[');
        for (index, element) in self.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            element.encode(out)?;
        }
        out.push(b']');
        Ok(())
    }
}

impl<T: Encode> Encode for BTreeMap<String, T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        out.push(b'{');
        for (index, (name, value)) in self.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(name, out);
            out.push(b':');
            value.encode(out)?;
        }
        out.push(b'}');
        Ok(())
    }
}
