//! Values made from arbitrary bytes.

use hashrange_item::{AttributeValue, Attributes, BinarySet, Number, NumberSet, StringSet};

/// Bytes that are taken from the front; zeros after their end.
pub struct Source<'b> {
    rest: &'b [u8],
}

impl<'b> Source<'b> {
    pub fn new(bytes: &'b [u8]) -> Source<'b> {
        Source { rest: bytes }
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// At most 63 bytes, or now and then some hundred.
    pub fn bytes(&mut self) -> &'b [u8] {
        let length = match self.byte() {
            byte @ 0xf0.. => usize::from(byte & 0xf) * 70,
            byte => usize::from(byte & 0x3f),
        };
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// A number: often short, at times of many digits and an exponent.
    pub fn number(&mut self) -> Number {
        let shape = self.byte();
        let short = Number::from_i64(i64::from(self.byte()) - 128);
        if shape < 64 {
            return short;
        }
        let digits: String = self.bytes().iter().take(38).map(|byte| char::from(b'0' + byte % 10)).collect();
        let sign = if shape & 1 == 0 { "" } else { "-" };
        let exponent = i32::from(self.byte()) - 130;
        Number::parse(&format!("{sign}0{digits}e{exponent}")).unwrap_or(short)
    }

    /// A value that a key can have.
    pub fn scalar(&mut self) -> AttributeValue {
        match self.byte() % 3 {
            0 => AttributeValue::S(self.text()),
            1 => AttributeValue::N(self.number()),
            _ => AttributeValue::B(self.bytes().to_vec()),
        }
    }

    /// Any value, of at most `depth` levels.
    pub fn value(&mut self, depth: usize) -> AttributeValue {
        let number = AttributeValue::N(Number::ZERO);
        match self.byte() % 10 {
            0..=2 => self.scalar(),
            3 => AttributeValue::Bool(self.byte() & 1 == 1),
            4 => AttributeValue::Null,
            5 => StringSet::new(self.many(Source::text)).map_or(number, AttributeValue::Ss),
            6 => NumberSet::new(self.many(Source::number)).map_or(number, AttributeValue::Ns),
            7 => {
                BinarySet::new(self.many(|source| source.bytes().to_vec())).map_or(number, AttributeValue::Bs)
            }
            8 if depth > 0 => AttributeValue::L(self.many(|source| source.value(depth - 1))),
            9 if depth > 0 => AttributeValue::M(self.attributes(depth - 1)),
            _ => number,
        }
    }

    /// An item.
    pub fn attributes(&mut self, depth: usize) -> Attributes {
        Attributes::from_pairs(self.many(|source| (source.text(), source.value(depth))))
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Source<'b>) -> T) -> Vec<T> {
        let count = self.byte() % 6;
        (0..count).map_while(|_| (!self.is_empty()).then(|| one(self))).collect()
    }
}
