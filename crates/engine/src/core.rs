//! What every stage of the engine shares.

use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{Error, ErrorCode, message};
use hashrange_env::Env;
use hashrange_item::limits;
use hashrange_store::{Stamp, Store};

use crate::catalog::Catalog;
use crate::lag::Lag;
use crate::stamp::StampClock;
use crate::transact::{Claims, TokensInFlight};

/// How an engine behaves where DynamoDB leaves room.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long tables and indexes stay in CREATING, UPDATING and DELETING. Zero by default.
    pub table_delay: Duration,
    /// Largest item collection of a table with local indexes, in bytes. DynamoDB's 10 GB by default.
    pub item_collection_max: u64,
    /// How long a change of a global index stays hidden from its readers. Zero by default.
    pub index_lag: Duration,
    /// Whether requests wait for provisioned capacity, and for the maxima of on-demand capacity. They do not by default.
    pub throttle: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            table_delay: Duration::ZERO,
            item_collection_max: limits::ITEM_COLLECTION_SIZE_MAX,
            index_lag: Duration::ZERO,
            throttle: false,
        }
    }
}

/// The store, the catalogue, the clock, the options.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) env: Env,
    pub(crate) catalog: Catalog,
    pub(crate) options: Options,
    pub(crate) stamps: StampClock,
    pub(crate) lag: Option<Lag>,
    /// Items in the hands of transactions.
    pub(crate) claims: Claims,
    /// Clients' tokens of transactions that are under way.
    pub(crate) tokens: TokensInFlight,
}

impl Core {
    /// Now, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> u64 {
        self.env.clock.now().0
    }

    /// How long changes of tables take, in milliseconds.
    pub(crate) fn table_delay_ms(&self) -> u64 {
        u64::try_from(self.options.table_delay.as_millis()).unwrap_or(u64::MAX)
    }

    /// The stamp of a new version of a row.
    pub(crate) fn next_stamp(&self, previous: Option<Stamp>) -> Stamp {
        self.stamps.next(&self.env, previous)
    }

    /// A collection at its limit takes no write that makes an item larger.
    pub(crate) fn check_collection(&self, size: u64, grows: bool) -> Result<(), Error> {
        if grows && size > self.options.item_collection_max {
            return Err(Error::new(
                ErrorCode::ItemCollectionSizeLimitExceededException,
                message::item::collection_too_large(),
            ));
        }
        Ok(())
    }
}
