//! A table's row of the catalogue: everything that is known of the table, and its encoding.
//!
//! A row is a CBOR map by field number. A reader skips numbers it does not know and takes a missing optional field for
//! absent, so a later version adds fields without touching old rows. A number is never used for anything else.

use bytes::Bytes;
use hashrange_api::{BillingMode, ScalarAttributeType, StreamViewType, TableClass};
use hashrange_store::StoreError;
use minicbor::{Decode, Encode};

use super::table::Projection;

/// The row's bytes.
pub(super) fn encode(row: &TableRow) -> Bytes {
    minicbor::to_vec(row).expect("a vector takes every byte").into()
}

/// The row in `bytes`.
///
/// # Errors
/// [`StoreError::Corrupt`] where they are no table row.
pub(super) fn decode(bytes: &[u8]) -> Result<TableRow, StoreError> {
    let row: TableRow = minicbor::decode(bytes)
        .map_err(|error| StoreError::Corrupt(format!("catalogue row: {error}").into()))?;
    if row.is_sound() {
        Ok(row)
    } else {
        Err(StoreError::Corrupt("catalogue row: keys without definition".into()))
    }
}

/// Everything known of a table.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct TableRow {
    #[n(0)]
    pub(super) id: String,
    #[n(1)]
    pub(super) space: u64,
    #[n(2)]
    pub(super) created_ms: u64,
    /// By name.
    #[n(3)]
    pub(super) attributes: Vec<AttributeRow>,
    /// Partition key, then the sort key where there is one.
    #[n(4)]
    pub(super) key: Vec<String>,
    /// In the order of the request.
    #[n(5)]
    pub(super) locals: Vec<LocalRow>,
    /// In the order of the requests.
    #[n(6)]
    pub(super) globals: Vec<GlobalRow>,
    #[n(7)]
    pub(super) billing: BillingRow,
    #[n(8)]
    pub(super) throughput: ThroughputRow,
    #[n(9)]
    pub(super) on_demand: OnDemandRow,
    #[n(10)]
    pub(super) warm: WarmRow,
    /// None where no class was ever named: STANDARD.
    #[n(11)]
    pub(super) class: Option<ClassRow>,
    #[n(12)]
    pub(super) encryption: EncryptionRow,
    /// None where no stream is enabled.
    #[n(13)]
    pub(super) stream: Option<StreamRow>,
    /// Label of the last stream; it outlives the stream.
    #[n(14)]
    pub(super) stream_label: Option<String>,
    #[n(15)]
    pub(super) protected: bool,
    /// None where expiry was never set up.
    #[n(16)]
    pub(super) expiry: Option<ExpiryRow>,
    /// In the order they were added.
    #[n(17)]
    pub(super) tags: Vec<TagRow>,
    /// The last change that puts the whole table into UPDATING.
    #[n(18)]
    pub(super) updating: Option<UpdatingRow>,
    #[n(19)]
    pub(super) deleting_ms: Option<u64>,
    /// As sent with CreateTable.
    #[n(20)]
    pub(super) policy: Option<String>,
}

impl TableRow {
    /// Whether there is a partition key, and a definition for every key attribute.
    fn is_sound(&self) -> bool {
        let locals = self.locals.iter().map(|index| &index.range);
        let globals = self.globals.iter().flat_map(|index| index.hash.iter().chain(&index.range));
        let defined = |name: &String| self.attributes.iter().any(|attribute| attribute.name == *name);
        !self.key.is_empty() && self.key.iter().chain(locals).chain(globals).all(defined)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct AttributeRow {
    #[n(0)]
    pub(super) name: String,
    #[cbor(n(1), with = "wire_name")]
    pub(super) kind: ScalarAttributeType,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct LocalRow {
    #[n(0)]
    pub(super) name: String,
    #[n(1)]
    pub(super) range: String,
    #[cbor(n(2), with = "projection")]
    pub(super) projection: Projection,
    #[n(3)]
    pub(super) row_kind: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct GlobalRow {
    #[n(0)]
    pub(super) name: String,
    #[n(1)]
    pub(super) space: u64,
    #[n(2)]
    pub(super) hash: Vec<String>,
    #[n(3)]
    pub(super) range: Vec<String>,
    #[cbor(n(4), with = "projection")]
    pub(super) projection: Projection,
    #[n(5)]
    pub(super) throughput: ThroughputRow,
    #[n(6)]
    pub(super) on_demand: OnDemandRow,
    #[n(7)]
    pub(super) warm: WarmRow,
    #[n(8)]
    pub(super) state: IndexState,
    /// When its throughput last changed.
    #[n(9)]
    pub(super) updated_ms: Option<u64>,
}

/// Where a global index stands; see [`super::state`] for what follows from it as time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) enum IndexState {
    /// Created with its table.
    #[n(0)]
    WithTable,
    /// Added to a table.
    #[n(1)]
    Added {
        #[n(0)]
        since_ms: u64,
        /// The table had items, so that the index has to be filled.
        #[n(1)]
        populated: bool,
        /// When it was filled.
        #[n(2)]
        filled_ms: Option<u64>,
    },
    /// On its way out.
    #[n(2)]
    Deleting {
        #[n(0)]
        since_ms: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct BillingRow {
    #[cbor(n(0), with = "wire_name")]
    pub(super) mode: BillingMode,
    /// When it last became on-demand, creation included.
    #[n(1)]
    pub(super) on_demand_ms: Option<u64>,
    /// Changes from provisioned to on-demand that still count against the daily limit, oldest first.
    #[n(2)]
    pub(super) switches_ms: Vec<u64>,
}

/// Read and write units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub(super) struct Units {
    #[n(0)]
    pub(super) read: u64,
    #[n(1)]
    pub(super) write: u64,
}

/// Provisioned throughput; 0 and 0 where the table is on-demand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct ThroughputRow {
    #[n(0)]
    pub(super) units: Units,
    /// What it was before the last change, which shows until that change is over.
    #[n(1)]
    pub(super) before: Option<Units>,
    #[n(2)]
    pub(super) changed_ms: Option<u64>,
    #[n(3)]
    pub(super) increased_ms: Option<u64>,
    #[n(4)]
    pub(super) decreased_ms: Option<u64>,
    /// Decreases on the day of `decreased_ms`.
    #[n(5)]
    pub(super) decreases: u32,
}

impl ThroughputRow {
    /// The units that are in force, and since when: a change is in force once it is over. Zero where it never changed.
    pub(super) fn in_force(&self, now_ms: u64, delay_ms: u64) -> (Units, u64) {
        let since_ms = self.changed_ms.map_or(0, |changed_ms| changed_ms.saturating_add(delay_ms));
        match self.before {
            // When the change before that one was made is not known any more.
            Some(before) if now_ms < since_ms => (before, 0),
            _ => (self.units, since_ms),
        }
    }
}

/// Ceilings of on-demand throughput.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct OnDemandRow {
    #[n(0)]
    pub(super) read: Option<u64>,
    #[n(1)]
    pub(super) write: Option<u64>,
}

/// Throughput that is served without warming up; it never shrinks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct WarmRow {
    #[n(0)]
    pub(super) units: Units,
    #[n(1)]
    pub(super) before: Option<Units>,
    #[n(2)]
    pub(super) changed_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct ClassRow {
    #[cbor(n(0), with = "wire_name")]
    pub(super) class: TableClass,
    /// Changes that still count against the limit, oldest first.
    #[n(1)]
    pub(super) changes_ms: Vec<u64>,
    #[n(2)]
    pub(super) changed_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct EncryptionRow {
    /// None: the default, a key that AWS owns.
    #[n(0)]
    pub(super) key_arn: Option<String>,
    #[n(1)]
    pub(super) changed_ms: Option<u64>,
    /// Changes that still count against the limit, oldest first.
    #[n(2)]
    pub(super) changes_ms: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct StreamRow {
    #[cbor(n(0), with = "wire_name")]
    pub(super) view: StreamViewType,
    #[n(1)]
    pub(super) label: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct ExpiryRow {
    #[n(0)]
    pub(super) attribute: String,
    #[n(1)]
    pub(super) enabled: bool,
    #[n(2)]
    pub(super) changed_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct TagRow {
    #[n(0)]
    pub(super) key: String,
    #[n(1)]
    pub(super) value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub(super) struct UpdatingRow {
    #[n(0)]
    pub(super) what: Updating,
    #[n(1)]
    pub(super) since_ms: u64,
}

/// What a table in UPDATING is changing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(index_only)]
pub(super) enum Updating {
    #[n(0)]
    Throughput,
    #[n(1)]
    Billing,
    #[n(2)]
    StreamEnable,
    #[n(3)]
    StreamDisable,
    #[n(4)]
    Class,
}

/// Enumerations of the API are stored under their names on the wire.
mod wire_name {
    use hashrange_api::{BillingMode, ScalarAttributeType, StreamViewType, TableClass};
    use minicbor::decode::{self, Decoder};
    use minicbor::encode::{self, Encoder, Write};

    pub(super) trait WireName: Sized + Copy {
        fn name(self) -> &'static str;
        fn of(name: &str) -> Option<Self>;
    }

    macro_rules! wire_names {
        ($($type:ty),+) => {
            $(impl WireName for $type {
                fn name(self) -> &'static str {
                    self.as_str()
                }
                fn of(name: &str) -> Option<Self> {
                    Self::from_str(name)
                }
            })+
        };
    }

    wire_names!(BillingMode, ScalarAttributeType, StreamViewType, TableClass);

    pub(super) fn encode<T: WireName, C, W: Write>(
        value: &T,
        encoder: &mut Encoder<W>,
        _context: &mut C,
    ) -> Result<(), encode::Error<W::Error>> {
        encoder.str(value.name())?.ok()
    }

    pub(super) fn decode<T: WireName, C>(
        decoder: &mut Decoder<'_>,
        _context: &mut C,
    ) -> Result<T, decode::Error> {
        T::of(decoder.str()?).ok_or_else(|| decode::Error::message("unknown name"))
    }
}

/// A projection is an array: its kind (0 all, 1 keys only, 2 include), then the names of `include`.
mod projection {
    use minicbor::decode::{self, Decoder};
    use minicbor::encode::{self, Encoder, Write};

    use super::Projection;

    pub(super) fn encode<C, W: Write>(
        value: &Projection,
        encoder: &mut Encoder<W>,
        context: &mut C,
    ) -> Result<(), encode::Error<W::Error>> {
        match value {
            Projection::All => encoder.array(1)?.u8(0)?.ok(),
            Projection::KeysOnly => encoder.array(1)?.u8(1)?.ok(),
            Projection::Include(names) => encoder.array(2)?.u8(2)?.encode_with(names, context)?.ok(),
        }
    }

    pub(super) fn decode<C>(decoder: &mut Decoder<'_>, context: &mut C) -> Result<Projection, decode::Error> {
        decoder.array()?;
        match decoder.u8()? {
            0 => Ok(Projection::All),
            1 => Ok(Projection::KeysOnly),
            2 => decoder.decode_with(context).map(Projection::Include),
            _ => Err(decode::Error::message("unknown projection")),
        }
    }
}

#[cfg(test)]
mod tests;
