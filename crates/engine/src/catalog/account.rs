//! What is told of an account rather than of a table.

use hashrange_api::{DescribeEndpointsResponse, DescribeLimitsOutput, Endpoint};
use hashrange_item::limits;

use super::table::Scope;

/// How long a client may keep an endpoint.
const CACHE_PERIOD_MINUTES: i64 = 1440;

/// `DescribeLimits`: what AWS grants at first.
pub(super) fn limits() -> DescribeLimitsOutput {
    let units = |units: u64| i64::try_from(units).ok();
    DescribeLimitsOutput {
        account_max_read_capacity_units: units(limits::ACCOUNT_READ_UNITS_MAX),
        account_max_write_capacity_units: units(limits::ACCOUNT_WRITE_UNITS_MAX),
        table_max_read_capacity_units: units(limits::TABLE_READ_UNITS_MAX),
        table_max_write_capacity_units: units(limits::TABLE_WRITE_UNITS_MAX),
    }
}

/// `DescribeEndpoints`: AWS's name for the region. The edge knows the address that clients really use, and may put it here.
pub(super) fn endpoints(scope: &Scope) -> DescribeEndpointsResponse {
    let address = format!("dynamodb.{}.amazonaws.com", scope.region);
    let endpoint = Endpoint { address, cache_period_in_minutes: CACHE_PERIOD_MINUTES };
    DescribeEndpointsResponse { endpoints: vec![endpoint] }
}
