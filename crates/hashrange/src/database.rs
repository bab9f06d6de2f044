//! The embedded database, and the composition of store, engine and service that the server uses too.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{Call, Error, Missing, Response, Valid};
#[cfg(test)]
use hashrange_api::{Operation, State, state};
use hashrange_env::Env;
use hashrange_service::{Budget, Caller, Explanation, Metrics, Scope, Service};
use hashrange_store::{Memory, Store, StoreError};
use hashrange_store_local::LocalStore;

use crate::measure::Stored;

/// The account that owns what an embedded program makes.
const ACCOUNT: &str = "000000000000";

/// A database in this process. Cheap to clone; all clones are the same database.
///
/// Its methods need a tokio runtime, the one in which it was opened. Dropping the last clone closes it too, but
/// only [`Database::close`] can be waited for.
#[derive(Clone, Debug)]
pub struct Database {
    service: Arc<Service>,
    /// Present when there is a folder.
    store: Option<Arc<LocalStore>>,
    caller: Caller,
}

/// Settings of a [`Database`]. Made by [`Database::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    region: String,
    engine: hashrange_engine::Options,
    cache_bytes: u64,
}

/// Why a database could not be opened. The text names the folder and says what to do.
#[derive(Debug)]
pub enum OpenError {
    /// The folder cannot be used: foreign, newer, in use by another process, or unwritable.
    Folder(hashrange_store_local::OpenError),
    /// The stored data cannot be read.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Folder(error) => error.fmt(f),
            OpenError::Store(error) => {
                write!(f, "{error}; restore the folder from a backup, or choose another folder")
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Folder(error) => Some(error),
            OpenError::Store(error) => Some(error),
        }
    }
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            region: "us-east-1".to_owned(),
            engine: hashrange_engine::Options::default(),
            cache_bytes: hashrange_store_local::Options::default().cache_bytes,
        }
    }
}

impl Builder {
    /// The region that holds the tables; `us-east-1` by default. Tables of other regions in the same folder are not
    /// seen.
    #[must_use]
    pub fn region(mut self, region: impl Into<String>) -> Builder {
        self.region = region.into();
        self
    }

    /// How long tables stay CREATING, UPDATING or DELETING; no time by default.
    #[must_use]
    pub fn table_delay(mut self, delay: Duration) -> Builder {
        self.engine.table_delay = delay;
        self
    }

    /// How long a change of a global index stays hidden from its readers; no time by default.
    #[must_use]
    pub fn index_lag(mut self, lag: Duration) -> Builder {
        self.engine.index_lag = lag;
        self
    }

    /// Largest item collection of a table with local indexes, in bytes; DynamoDB's 10 GB by default.
    #[must_use]
    pub fn item_collection_max(mut self, bytes: u64) -> Builder {
        self.engine.item_collection_max = bytes;
        self
    }

    /// Whether requests wait for the provisioned capacity of their tables and global indexes, and for the maxima of
    /// on-demand ones; they do not by default.
    #[must_use]
    pub fn throttle(mut self, on: bool) -> Builder {
        self.engine.throttle = on;
        self
    }

    /// Memory for blocks read from disk, in bytes.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> Builder {
        self.cache_bytes = bytes;
        self
    }

    /// Opens the database in `folder`, which is created when missing. Every answered write is on disk.
    ///
    /// # Errors
    /// When the folder cannot be used; see [`OpenError`].
    pub async fn open(self, folder: impl AsRef<Path>) -> Result<Database, OpenError> {
        let env = Env::real();
        let store = Arc::new(open_folder(folder.as_ref().to_owned(), self.cache_bytes, env.clone()).await?);
        let same: Arc<dyn Store> = Arc::<LocalStore>::clone(&store);
        self.compose(same, Some(store), env).await
    }

    /// A database in memory. Nothing survives it.
    ///
    /// # Errors
    /// None that a database in memory meets.
    pub async fn in_memory(self) -> Result<Database, OpenError> {
        self.compose(Arc::new(Memory::new()), None, Env::real()).await
    }

    async fn compose(
        self,
        any: Arc<dyn Store>,
        store: Option<Arc<LocalStore>>,
        env: Env,
    ) -> Result<Database, OpenError> {
        let service = Service::open(any, env, self.engine).await.map_err(OpenError::Store)?;
        let caller = Caller {
            scope: Arc::new(Scope { account: ACCOUNT.to_owned(), region: self.region }),
            access_key: None,
            request_id: "embedded".into(),
        };
        Ok(Database { service: Arc::new(service), store, caller })
    }
}

/// Opens on a thread that may block: recovery reads and syncs files.
async fn open_folder(folder: PathBuf, cache_bytes: u64, env: Env) -> Result<LocalStore, OpenError> {
    let options = hashrange_store_local::Options { cache_bytes };
    let opening = tokio::task::spawn_blocking(move || LocalStore::open(&folder, &options, env));
    opening.await.expect("opening a folder does not panic").map_err(OpenError::Folder)
}

impl Database {
    /// Opens the database in `folder` with default settings; see [`Builder::open`].
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub async fn open(folder: impl AsRef<Path>) -> Result<Database, OpenError> {
        Database::builder().open(folder).await
    }

    /// A database in memory with default settings; see [`Builder::in_memory`].
    ///
    /// # Errors
    /// None that a database in memory meets.
    pub async fn in_memory() -> Result<Database, OpenError> {
        Database::builder().in_memory().await
    }

    /// Settings first.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Adds what the storage engine tells to the counts of a server. A database in memory has nothing to tell.
    pub fn measure(&self, metrics: &Metrics) {
        if let Some(store) = &self.store {
            metrics.add(Arc::new(Stored(Arc::clone(store))));
        }
    }

    /// The service behind this database, for an edge such as the HTTP server.
    pub fn service(&self) -> Arc<Service> {
        Arc::clone(&self.service)
    }

    /// Calls the operation that takes this input. The methods named after operations do the same.
    ///
    /// # Errors
    /// What AWS answers.
    pub async fn call<Input: Call>(&self, input: Input) -> Result<Input::Output, Error> {
        let response = self.run(input.into().validate(&Missing::none())?).await?;
        Ok(Input::output(response).expect("an operation answers with its own output"))
    }

    /// Answers a request whose operation is known only at run time.
    ///
    /// # Errors
    /// What AWS answers.
    pub async fn run(&self, request: Valid) -> Result<Response, Error> {
        self.service.call(&self.caller, request).await
    }

    /// What a request would touch and cost, without running it.
    ///
    /// # Errors
    /// What AWS answers where the request cannot be planned.
    pub fn explain(&self, request: Valid) -> Result<Explanation, Error> {
        self.service.explain(&self.caller, request, None)
    }

    /// Answers a request and tells what it touched and cost.
    ///
    /// # Errors
    /// What AWS answers.
    pub async fn run_explained(&self, request: Valid) -> Result<(Response, Explanation), Error> {
        self.service.call_explained(&self.caller, request, None).await
    }

    /// Answers a request that is held to a budget, and tells what it touched and cost.
    ///
    /// # Errors
    /// What AWS answers; `BudgetExceededException` where the request breaks its budget: a write was not applied then, and
    /// the answer of a read is withheld.
    pub async fn run_within(
        &self,
        request: Valid,
        budget: &Budget,
    ) -> Result<(Response, Explanation), Error> {
        self.service.call_explained(&self.caller, request, Some(budget)).await
    }

    /// Ends background work, finishes what is under way and closes the folder; writes after it fail.
    pub async fn close(&self) {
        self.service.close();
        if let Some(store) = self.store.clone() {
            let closing = tokio::task::spawn_blocking(move || store.close());
            closing.await.expect("closing a folder does not panic");
        }
    }
}

macro_rules! operations {
    ($($method:ident($input:ident) -> $output:ident;)*) => {
        /// The operations that have a method.
        #[cfg(test)]
        const METHODS: &[Operation] = &[$(<hashrange_api::$input as Call>::OPERATION),*];

        /// The operations that are built, each as on AWS.
        impl Database {
            $(
                #[doc = concat!("Answers a [`", stringify!($input), "`](hashrange_api::", stringify!($input), ").")]
                ///
                /// # Errors
                /// What AWS answers.
                pub async fn $method(
                    &self,
                    input: hashrange_api::$input,
                ) -> Result<hashrange_api::$output, Error> {
                    self.call(input).await
                }
            )*
        }
    };
}

operations! {
    batch_execute_statement(BatchExecuteStatementInput) -> BatchExecuteStatementOutput;
    batch_get_item(BatchGetItemInput) -> BatchGetItemOutput;
    batch_write_item(BatchWriteItemInput) -> BatchWriteItemOutput;
    create_table(CreateTableInput) -> CreateTableOutput;
    delete_item(DeleteItemInput) -> DeleteItemOutput;
    delete_table(DeleteTableInput) -> DeleteTableOutput;
    describe_endpoints(DescribeEndpointsRequest) -> DescribeEndpointsResponse;
    describe_limits(DescribeLimitsInput) -> DescribeLimitsOutput;
    describe_table(DescribeTableInput) -> DescribeTableOutput;
    describe_time_to_live(DescribeTimeToLiveInput) -> DescribeTimeToLiveOutput;
    execute_statement(ExecuteStatementInput) -> ExecuteStatementOutput;
    execute_transaction(ExecuteTransactionInput) -> ExecuteTransactionOutput;
    get_item(GetItemInput) -> GetItemOutput;
    list_tables(ListTablesInput) -> ListTablesOutput;
    list_tags_of_resource(ListTagsOfResourceInput) -> ListTagsOfResourceOutput;
    put_item(PutItemInput) -> PutItemOutput;
    query(QueryInput) -> QueryOutput;
    scan(ScanInput) -> ScanOutput;
    tag_resource(TagResourceInput) -> TagResourceOutput;
    transact_get_items(TransactGetItemsInput) -> TransactGetItemsOutput;
    transact_write_items(TransactWriteItemsInput) -> TransactWriteItemsOutput;
    untag_resource(UntagResourceInput) -> UntagResourceOutput;
    update_item(UpdateItemInput) -> UpdateItemOutput;
    update_table(UpdateTableInput) -> UpdateTableOutput;
    update_time_to_live(UpdateTimeToLiveInput) -> UpdateTimeToLiveOutput;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_that_is_built_has_a_method() {
        let built: Vec<_> =
            Operation::ALL.into_iter().filter(|operation| state(*operation) == State::Built).collect();
        assert_eq!(METHODS, built);
    }
}
