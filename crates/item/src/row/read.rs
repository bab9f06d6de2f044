//! Bytes to views and values. Every read is checked: lengths against what is left, text for UTF-8, names and
//! members for their order, numbers for their form, nesting for its depth.

use std::cmp::Ordering;
use std::fmt;

use super::{
    DEPTH_MAX, FORMAT, HEADER, ROOM_MAX, RowError, TAG_B, TAG_BS, TAG_FALSE, TAG_L, TAG_M, TAG_N, TAG_NS,
    TAG_NULL, TAG_S, TAG_SS, TAG_TRUE,
};
use crate::set::{Member, Set};
use crate::{AttributeValue, Attributes, Number, Step, size};

/// Checks what [`Table::of`] and [`item_size`] rely on.
pub(super) fn check_header(row: &[u8]) -> Result<(), RowError> {
    let Some(header) = row.first_chunk::<HEADER>() else { return Err(RowError::Damaged("header")) };
    if header[0] != FORMAT {
        return Err(RowError::Format(header[0]));
    }
    let table = u64::from(word(header, 6)) * u64::from(header[1]);
    let rest = (row.len() - HEADER) as u64;
    let empty = table == 0 && rest == 0;
    if !matches!(header[1], 2 | 4) || !(empty || (1..rest).contains(&table)) {
        return Err(RowError::Damaged("table"));
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..].first_chunk().expect("a header has 10 bytes");
    u32::from_le_bytes(*bytes)
}

/// The item size that the header of a checked row says.
pub(super) fn item_size(row: &[u8]) -> usize {
    word(row, 2) as usize
}

/// The positions and entries of a row whose header was checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    positions: &'a [u8],
    width: usize,
    pub(super) count: usize,
    pub(super) entries: &'a [u8],
}

impl<'a> Table<'a> {
    pub(super) fn of(row: &'a [u8]) -> Self {
        let width = usize::from(row[1]);
        let count = word(row, 6) as usize;
        let (positions, entries) = row[HEADER..].split_at(count * width);
        Self { positions, width, count, entries }
    }

    /// Where entry `index` begins; for `count`, where the entries end.
    fn position(&self, index: usize) -> usize {
        let at = index * self.width;
        match *self.positions.get(at..).unwrap_or_default() {
            [] => self.entries.len(),
            [low, high, ..] if self.width == 2 => usize::from(u16::from_le_bytes([low, high])),
            ref bytes => word(bytes, 0) as usize,
        }
    }

    /// Entry `index`: its name, and the bytes of its value.
    fn entry(&self, index: usize) -> Result<(&'a [u8], &'a [u8]), RowError> {
        let bytes = self.entries.get(self.position(index)..self.position(index + 1));
        let mut rest = bytes.ok_or(RowError::Damaged("positions"))?;
        let name = take_bytes(&mut rest)?;
        Ok((name, rest))
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<ValueRef<'a>>, RowError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let (found, value) = self.entry(middle)?;
            match found.cmp(name.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return whole_value(value).map(Some),
            }
        }
        Ok(None)
    }
}

/// The value that takes all of `bytes`.
fn whole_value(mut bytes: &[u8]) -> Result<ValueRef<'_>, RowError> {
    let value = take_value(&mut bytes, 1)?;
    if bytes.is_empty() { Ok(value) } else { Err(RowError::Damaged("entry longer than its value")) }
}

/// The attributes of a row in order of their names; see [`Row::attributes`](super::Row::attributes).
#[derive(Clone, Debug)]
pub struct AttributesRef<'a> {
    table: Table<'a>,
    next: usize,
    previous: Option<&'a [u8]>,
}

impl<'a> AttributesRef<'a> {
    pub(super) fn of(row: &'a [u8]) -> Self {
        Self { table: Table::of(row), next: 0, previous: None }
    }

    fn read(&mut self) -> Result<(&'a str, ValueRef<'a>), RowError> {
        if self.next == 0 && self.table.position(0) != 0 {
            return Err(RowError::Damaged("positions"));
        }
        let (name, value) = self.table.entry(self.next)?;
        ascending(&mut self.previous, name)?;
        Ok((text(name)?, whole_value(value)?))
    }

    pub(super) fn to_attributes(&self) -> Result<Attributes, RowError> {
        let mut pairs = Vec::with_capacity(self.table.count.min(ROOM_MAX));
        for attribute in self.clone() {
            let (name, value) = attribute?;
            pairs.push((name.to_owned(), value.to_value()?));
        }
        Ok(Attributes::from_sorted(pairs))
    }
}

impl<'a> Iterator for AttributesRef<'a> {
    type Item = Result<(&'a str, ValueRef<'a>), RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.table.count {
            return None;
        }
        let attribute = self.read();
        self.next = if attribute.is_ok() { self.next + 1 } else { self.table.count };
        Some(attribute)
    }
}

/// A view of an encoded value. Scalars are read; sets, lists and maps are walked as they are iterated.
#[derive(Clone, Debug)]
pub enum ValueRef<'a> {
    /// String.
    S(&'a str),
    /// Number.
    N(Number),
    /// Binary.
    B(&'a [u8]),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// String set.
    Ss(StringsRef<'a>),
    /// Number set.
    Ns(NumbersRef<'a>),
    /// Binary set.
    Bs(BinariesRef<'a>),
    /// List.
    L(ListRef<'a>),
    /// Map.
    M(MapRef<'a>),
}

impl<'a> ValueRef<'a> {
    /// The value as a tree.
    pub fn to_value(&self) -> Result<AttributeValue, RowError> {
        Ok(match self {
            Self::S(text) => AttributeValue::S((*text).to_owned()),
            Self::N(number) => AttributeValue::N(*number),
            Self::B(bytes) => AttributeValue::B(bytes.to_vec()),
            Self::Bool(value) => AttributeValue::Bool(*value),
            Self::Null => AttributeValue::Null,
            Self::Ss(members) => AttributeValue::Ss(set(members, str::to_owned)?),
            Self::Ns(members) => AttributeValue::Ns(set(members, |member| member)?),
            Self::Bs(members) => AttributeValue::Bs(set(members, <[u8]>::to_vec)?),
            Self::L(list) => AttributeValue::L(list.to_values()?),
            Self::M(map) => AttributeValue::M(map.to_attributes()?),
        })
    }

    /// The data type.
    pub fn kind(&self) -> crate::Kind {
        use crate::Kind;
        match self {
            Self::S(_) => Kind::S,
            Self::N(_) => Kind::N,
            Self::B(_) => Kind::B,
            Self::Bool(_) => Kind::Bool,
            Self::Null => Kind::Null,
            Self::Ss(_) => Kind::Ss,
            Self::Ns(_) => Kind::Ns,
            Self::Bs(_) => Kind::Bs,
            Self::L(_) => Kind::L,
            Self::M(_) => Kind::M,
        }
    }

    /// The value one step deeper, if this is a map with that name or a list with that index.
    pub fn step(&self, step: &Step) -> Result<Option<ValueRef<'a>>, RowError> {
        match (self, step) {
            (Self::M(map), Step::Name(name)) => map.get(name),
            (Self::L(list), Step::Index(index)) => list.clone().nth(*index).transpose(),
            _ => Ok(None),
        }
    }

    /// The bytes that the value counts; the same as [`crate::size::value`] of the tree.
    pub fn size(&self) -> Result<usize, RowError> {
        Ok(match self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::Ss(members) => sum(members, |member| Ok(member.len()))?,
            Self::Ns(members) => sum(members, |member| Ok(member.size()))?,
            Self::Bs(members) => sum(members, |member| Ok(member.len()))?,
            Self::L(list) => size::container(list.len()) + sum(list, |element| element.size())?,
            Self::M(map) => {
                size::container(map.len()) + sum(map, |(name, value)| Ok(name.len() + value.size()?))?
            }
        })
    }
}

fn sum<'a, T: Element<'a>>(
    elements: &Elements<'a, T>,
    size: impl Fn(T) -> Result<usize, RowError>,
) -> Result<usize, RowError> {
    elements.clone().try_fold(0, |total, element| Ok(total + size(element?)?))
}

fn set<'a, T: Element<'a>, U: Member>(
    members: &Elements<'a, T>,
    own: impl Fn(T) -> U,
) -> Result<Set<U>, RowError> {
    let mut owned = Vec::with_capacity(members.len().min(ROOM_MAX));
    for member in members.clone() {
        owned.push(own(member?));
    }
    Ok(Set::from_sorted(owned))
}

/// A set's members as they lie in the row, in order.
pub type StringsRef<'a> = Elements<'a, &'a str>;
/// As [`StringsRef`].
pub type NumbersRef<'a> = Elements<'a, Number>;
/// As [`StringsRef`].
pub type BinariesRef<'a> = Elements<'a, &'a [u8]>;
/// The elements of a list in order.
pub type ListRef<'a> = Elements<'a, ValueRef<'a>>;
/// The entries of a map in order of their names.
pub type MapRef<'a> = Elements<'a, (&'a str, ValueRef<'a>)>;

/// The elements of a set, list or map, read one by one. After an error the iterator ends.
pub struct Elements<'a, T: Element<'a>> {
    rest: &'a [u8],
    left: usize,
    /// Level of the value that holds the elements; the outermost values have 1.
    depth: usize,
    previous: T::Previous,
}

/// A type of element; sealed by living in a private module.
pub trait Element<'a>: Sized {
    /// What must be kept of an element to check the order of the next.
    type Previous: Copy + Default;
    /// Takes the next element off the front of `rest`; `depth` is the level of a nested value.
    fn take(rest: &mut &'a [u8], depth: usize, previous: &mut Self::Previous) -> Result<Self, RowError>;
}

impl<'a> Element<'a> for &'a str {
    type Previous = Option<&'a [u8]>;
    fn take(rest: &mut &'a [u8], _: usize, previous: &mut Self::Previous) -> Result<Self, RowError> {
        let bytes = take_bytes(rest)?;
        ascending(previous, bytes)?;
        text(bytes)
    }
}

impl<'a> Element<'a> for &'a [u8] {
    type Previous = Option<&'a [u8]>;
    fn take(rest: &mut &'a [u8], _: usize, previous: &mut Self::Previous) -> Result<Self, RowError> {
        let bytes = take_bytes(rest)?;
        ascending(previous, bytes)?;
        Ok(bytes)
    }
}

impl<'a> Element<'a> for Number {
    type Previous = Option<Number>;
    fn take(rest: &mut &'a [u8], _: usize, previous: &mut Self::Previous) -> Result<Self, RowError> {
        let number = take_number(rest)?;
        ascending(previous, number)?;
        Ok(number)
    }
}

impl<'a> Element<'a> for ValueRef<'a> {
    type Previous = ();
    fn take(rest: &mut &'a [u8], depth: usize, (): &mut ()) -> Result<Self, RowError> {
        take_value(rest, depth)
    }
}

impl<'a> Element<'a> for (&'a str, ValueRef<'a>) {
    type Previous = Option<&'a [u8]>;
    fn take(rest: &mut &'a [u8], depth: usize, previous: &mut Self::Previous) -> Result<Self, RowError> {
        let name = take_bytes(rest)?;
        ascending(previous, name)?;
        Ok((text(name)?, take_value(rest, depth)?))
    }
}

/// Checks that `next` is greater than the one before it, and keeps it.
fn ascending<T: Ord + Copy>(previous: &mut Option<T>, next: T) -> Result<(), RowError> {
    let in_order = previous.is_none_or(|previous| previous < next);
    *previous = Some(next);
    if in_order { Ok(()) } else { Err(RowError::Damaged("order")) }
}

impl<'a, T: Element<'a>> Elements<'a, T> {
    /// Takes a body off the front of `input`.
    fn take(input: &mut &'a [u8], depth: usize) -> Result<Self, RowError> {
        let (rest, left) = take_body(input, depth)?;
        Ok(Self { rest, left, depth, previous: T::Previous::default() })
    }

    /// As [`take`](Self::take), of at least one element.
    fn take_set(input: &mut &'a [u8], depth: usize) -> Result<Self, RowError> {
        Self::take(input, depth)
            .and_then(|set| if set.left == 0 { Err(RowError::Damaged("empty set")) } else { Ok(set) })
    }

    /// How many elements are left to read.
    pub fn len(&self) -> usize {
        self.left
    }

    /// Whether no element is left to read.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl<'a, T: Element<'a>> Iterator for Elements<'a, T> {
    type Item = Result<T, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let trailing = !std::mem::take(&mut self.rest).is_empty();
            return trailing.then_some(Err(RowError::Damaged("body longer than its elements")));
        }
        let element = T::take(&mut self.rest, self.depth + 1, &mut self.previous);
        self.left -= 1;
        if element.is_err() {
            self.left = 0;
            self.rest = &[];
        }
        Some(element)
    }
}

impl<'a, T: Element<'a>> Clone for Elements<'a, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, T: Element<'a> + fmt::Debug> fmt::Debug for Elements<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl ListRef<'_> {
    fn to_values(&self) -> Result<Vec<AttributeValue>, RowError> {
        let mut values = Vec::with_capacity(self.len().min(ROOM_MAX));
        for element in self.clone() {
            values.push(element?.to_value()?);
        }
        Ok(values)
    }
}

impl<'a> MapRef<'a> {
    /// The value of the entry called `name`. Reads the entries before it, but not what they hold.
    pub fn get(&self, name: &str) -> Result<Option<ValueRef<'a>>, RowError> {
        for entry in self.clone() {
            let (found, value) = entry?;
            match found.cmp(name) {
                Ordering::Less => {}
                Ordering::Equal => return Ok(Some(value)),
                Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }

    fn to_attributes(&self) -> Result<Attributes, RowError> {
        let mut pairs = Vec::with_capacity(self.len().min(ROOM_MAX));
        for entry in self.clone() {
            let (name, value) = entry?;
            pairs.push((name.to_owned(), value.to_value()?));
        }
        Ok(Attributes::from_sorted(pairs))
    }
}

/// Takes a value off the front of `input`; `depth` is its level.
fn take_value<'a>(input: &mut &'a [u8], depth: usize) -> Result<ValueRef<'a>, RowError> {
    let tag = *input.split_off_first().ok_or(RowError::Damaged("value"))?;
    Ok(match tag {
        TAG_NULL => ValueRef::Null,
        TAG_FALSE => ValueRef::Bool(false),
        TAG_TRUE => ValueRef::Bool(true),
        TAG_S => ValueRef::S(text(take_bytes(input)?)?),
        TAG_N => ValueRef::N(take_number(input)?),
        TAG_B => ValueRef::B(take_bytes(input)?),
        TAG_SS => ValueRef::Ss(Elements::take_set(input, depth)?),
        TAG_NS => ValueRef::Ns(Elements::take_set(input, depth)?),
        TAG_BS => ValueRef::Bs(Elements::take_set(input, depth)?),
        TAG_L => ValueRef::L(Elements::take(input, depth)?),
        TAG_M => ValueRef::M(Elements::take(input, depth)?),
        _ => return Err(RowError::Damaged("tag")),
    })
}

/// Takes a body off the front of `input`, which belongs to a value of level `depth`: its elements and their number.
pub(super) fn take_body<'a>(input: &mut &'a [u8], depth: usize) -> Result<(&'a [u8], usize), RowError> {
    let length = input.split_off(..4).ok_or(RowError::Damaged("body length"))?;
    let length = u32::from_le_bytes(*length.first_chunk().expect("four bytes")) as usize;
    let mut elements = input.split_off(..length).ok_or(RowError::Damaged("body length"))?;
    let count = take_varint(&mut elements)?;
    // Every element takes at least a byte.
    if count > elements.len() || depth > DEPTH_MAX {
        return Err(RowError::Damaged("count or depth"));
    }
    Ok((elements, count))
}

pub(super) fn take_number(input: &mut &[u8]) -> Result<Number, RowError> {
    Number::read_compact(input).ok_or(RowError::Damaged("number"))
}

/// Takes a varint length and so many bytes.
pub(super) fn take_bytes<'a>(input: &mut &'a [u8]) -> Result<&'a [u8], RowError> {
    let length = take_varint(input)?;
    input.split_off(..length).ok_or(RowError::Damaged("length"))
}

fn text(bytes: &[u8]) -> Result<&str, RowError> {
    str::from_utf8(bytes).map_err(|_| RowError::Damaged("UTF-8"))
}

/// Takes a varint of at most 32 bits in its shortest form.
pub(super) fn take_varint(input: &mut &[u8]) -> Result<usize, RowError> {
    if let [byte @ 0..0x80, rest @ ..] = *input {
        *input = rest;
        return Ok(usize::from(*byte));
    }
    take_long_varint(input)
}

fn take_long_varint(input: &mut &[u8]) -> Result<usize, RowError> {
    let mut value = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *input.split_off_first().ok_or(RowError::Damaged("varint"))?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let shortest = byte != 0 || shift == 0;
            let value = u32::try_from(value).ok().filter(|_| shortest);
            return value.map(|value| value as usize).ok_or(RowError::Damaged("varint"));
        }
    }
    Err(RowError::Damaged("varint"))
}

/// Reads all of a row whose header was checked; see [`Row::verify`](super::Row::verify).
pub(super) fn verify(row: &[u8]) -> Result<(), RowError> {
    let table = Table::of(row);
    let mut size = 0;
    for attribute in AttributesRef::of(row) {
        let (name, value) = attribute?;
        size += name.len() + value.size()?;
    }
    let narrow = u16::try_from(table.entries.len()).is_ok();
    if (table.width == 2) != narrow {
        return Err(RowError::Damaged("width of positions"));
    }
    if size == item_size(row) { Ok(()) } else { Err(RowError::Damaged("item size")) }
}
