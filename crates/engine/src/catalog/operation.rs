//! The operations on tables, and what is checked of them before any table is looked at.

use hashrange_api::{
    CreateTableInput, DeleteTableInput, DescribeTableInput, DescribeTimeToLiveInput, Error, ListTablesInput,
    ListTagsOfResourceInput, Request, TagResourceInput, UntagResourceInput, UpdateTableInput,
    UpdateTimeToLiveInput,
};

use super::{names, validate};

/// A checked operation on tables. Only [`TableOperation::check`] makes one.
#[derive(Debug)]
pub struct TableOperation(pub(super) Work);

/// What is to be done.
#[derive(Debug)]
pub(super) enum Work {
    Create(Box<CreateTableInput>),
    Describe(Box<DescribeTableInput>),
    Update(Box<UpdateTableInput>),
    Delete(Box<DeleteTableInput>),
    List(Box<ListTablesInput>),
    Tag(Box<TagResourceInput>),
    Untag(Box<UntagResourceInput>),
    ListTags(Box<ListTagsOfResourceInput>),
    Limits,
    Endpoints,
    UpdateExpiry(Box<UpdateTimeToLiveInput>),
    DescribeExpiry(Box<DescribeTimeToLiveInput>),
}

impl TableOperation {
    /// Checks a request by itself.
    ///
    /// # Errors
    /// What AWS answers to a request that cannot be right on any table, and `UnknownOperationException` to an operation
    /// that is not on tables.
    pub fn check(request: Request) -> Result<TableOperation, Error> {
        let work = work(request)?;
        match &work {
            Work::Create(input) => validate::create(input)?,
            Work::Update(input) => validate::update(input)?,
            Work::Describe(input) => names::check(&input.table_name)?,
            Work::Delete(input) => names::check(&input.table_name)?,
            Work::UpdateExpiry(input) => names::check(&input.table_name)?,
            Work::DescribeExpiry(input) => names::check(&input.table_name)?,
            Work::Tag(input) => validate::tag(input)?,
            Work::Untag(input) => validate::untag(input)?,
            Work::ListTags(input) => names::check_resource(&input.resource_arn)?,
            Work::List(_) | Work::Limits | Work::Endpoints => {}
        }
        Ok(TableOperation(work))
    }

    /// The table or resource that the request names, as sent: what it has to be authorised for.
    pub fn resource(&self) -> Option<&str> {
        match &self.0 {
            Work::Create(input) => Some(&input.table_name),
            Work::Update(input) => Some(&input.table_name),
            Work::Describe(input) => Some(&input.table_name),
            Work::Delete(input) => Some(&input.table_name),
            Work::UpdateExpiry(input) => Some(&input.table_name),
            Work::DescribeExpiry(input) => Some(&input.table_name),
            Work::Tag(input) => Some(&input.resource_arn),
            Work::Untag(input) => Some(&input.resource_arn),
            Work::ListTags(input) => Some(&input.resource_arn),
            Work::List(_) | Work::Limits | Work::Endpoints => None,
        }
    }
}

fn work(request: Request) -> Result<Work, Error> {
    Ok(match request {
        Request::CreateTable(input) => Work::Create(input),
        Request::DescribeTable(input) => Work::Describe(input),
        Request::UpdateTable(input) => Work::Update(input),
        Request::DeleteTable(input) => Work::Delete(input),
        Request::ListTables(input) => Work::List(input),
        Request::TagResource(input) => Work::Tag(input),
        Request::UntagResource(input) => Work::Untag(input),
        Request::ListTagsOfResource(input) => Work::ListTags(input),
        Request::DescribeLimits(_) => Work::Limits,
        Request::DescribeEndpoints(_) => Work::Endpoints,
        Request::UpdateTimeToLive(input) => Work::UpdateExpiry(input),
        Request::DescribeTimeToLive(input) => Work::DescribeExpiry(input),
        _ => return Err(Error::unknown_operation()),
    })
}
