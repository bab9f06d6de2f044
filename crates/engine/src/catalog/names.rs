//! Table names and resource ARNs as requests give them.

use hashrange_api::Error;
use hashrange_api::message::tables as text;
use hashrange_item::limits;

use super::table::Scope;

/// Checks what the model's constraints leave open about a table's name: an ARN in its place is a table's.
pub(super) fn check(sent: &str) -> Result<(), Error> {
    if sent.starts_with("arn:") { TableArn::parse(sent).map(|_| ()) } else { Ok(()) }
}

/// The table's name in a name or an ARN.
///
/// # Errors
/// An ARN that is no table's, or of another region or account.
pub(super) fn resolve<'a>(scope: &Scope, sent: &'a str) -> Result<&'a str, Error> {
    if !sent.starts_with("arn:") {
        return Ok(sent);
    }
    let arn = TableArn::parse(sent)?;
    if arn.region != scope.region {
        return Err(Error::validation(text::arn_region(sent)));
    }
    if arn.account != scope.account {
        return Err(Error::access_denied(text::access_denied()));
    }
    Ok(arn.table)
}

/// The table's name in the ARN of a resource that has tags.
pub(super) fn resolve_resource<'a>(scope: &Scope, sent: &'a str) -> Result<&'a str, Error> {
    let (region, account, resource) = resource_parts(sent)?;
    let table = match resource.strip_prefix("table/") {
        Some(rest) if rest.contains("/stream/") => return Err(resource_not_found(sent)),
        Some(rest) if !rest.contains('/') => rest,
        _ => return Err(Error::validation(text::resource_not_a_table(sent))),
    };
    if region != scope.region {
        return Err(Error::validation(text::resource_region(sent)));
    }
    if account != scope.account {
        return Err(Error::access_denied(text::access_denied()));
    }
    Ok(table)
}

/// A resource that is not there.
pub(super) fn resource_not_found(arn: &str) -> Error {
    Error::resource_not_found(text::resource_not_found(arn))
}

/// Checks that a resource is an ARN of DynamoDB, before anything is looked up.
pub(super) fn check_resource(sent: &str) -> Result<(), Error> {
    resource_parts(sent).map(|_| ())
}

/// Region, account and resource of an ARN of DynamoDB.
fn resource_parts(sent: &str) -> Result<(&str, &str, &str), Error> {
    if !sent.starts_with("arn:") {
        return Err(Error::validation(text::resource_no_arn(sent)));
    }
    let parts: Vec<&str> = sent.splitn(6, ':').collect();
    match parts[..] {
        [_, _, "dynamodb", region, account, resource] => Ok((region, account, resource)),
        _ => Err(Error::validation(text::resource_not_dynamodb(sent))),
    }
}

/// `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME`, taken apart.
struct TableArn<'a> {
    region: &'a str,
    account: &'a str,
    table: &'a str,
}

impl<'a> TableArn<'a> {
    fn parse(sent: &'a str) -> Result<TableArn<'a>, Error> {
        let fails = |constraint: String| {
            let broken = text::value_fails(sent, "tableName", &constraint);
            Error::validation(text::constraints(&[broken]))
        };
        let parts: Vec<&str> = sent.splitn(6, ':').collect();
        let ["arn", partition, "dynamodb", region, account, resource] = parts[..] else {
            return Err(fails(text::arn_format()));
        };
        if !is_partition(partition) {
            return Err(fails(text::arn_format()));
        }
        let Some((sort, table)) = resource.split_once('/') else {
            return Err(fails(text::arn_format()));
        };
        if sort != "table" {
            return Err(fails(text::arn_resource_type()));
        }
        if table.len() < limits::TABLE_NAME_MIN {
            return Err(fails(text::arn_name_too_short()));
        }
        if table.len() > limits::TABLE_NAME_MAX || !is_pattern(table) {
            return Err(fails(text::arn_format()));
        }
        Ok(TableArn { region, account, table })
    }
}

/// `aws`, or another partition of AWS, such as `aws-cn`.
fn is_partition(name: &str) -> bool {
    name == "aws" || name.starts_with("aws-")
}

/// `[a-zA-Z0-9_.-]+`
fn is_pattern(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}
