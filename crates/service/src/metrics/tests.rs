use hashrange_env::Simulation;

use super::*;

/// The value of the sample with this name and these labels.
fn value(page: &str, sample: &str) -> Option<f64> {
    let line = page.lines().find(|line| line.rsplit_once(' ').is_some_and(|(name, _)| name == sample))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

fn metrics() -> (Arc<Metrics>, Simulation) {
    let (env, simulation) = Simulation::new(1);
    (Arc::new(Metrics::new(&env)), simulation)
}

#[test]
fn every_operation_and_code_has_its_own_place() {
    for (place, operation) in Operation::ALL.into_iter().enumerate() {
        assert_eq!(operation as usize, place, "{operation:?}");
    }
    for (place, code) in ErrorCode::ALL.into_iter().enumerate() {
        assert_eq!(code as usize, place, "{code:?}");
    }
}

#[test]
fn requests_are_counted_by_operation_code_and_time() {
    let (metrics, _simulation) = metrics();
    let (put, took) = (Some(Operation::PutItem), Duration::from_micros(70));
    metrics.answered(put, Ok(()), took);
    metrics.answered(put, Err(ErrorCode::ConditionalCheckFailedException), took);
    metrics.answered(put, Err(ErrorCode::ConditionalCheckFailedException), Duration::from_secs(11));
    metrics.answered(None, Err(ErrorCode::UnknownOperationException), Duration::ZERO);
    let page = metrics.page();
    let expected = [
        ("hashrange_requests_total{operation=\"PutItem\"}", 3.0),
        ("hashrange_requests_total{operation=\"unknown\"}", 1.0),
        (
            "hashrange_request_errors_total{operation=\"PutItem\",code=\"ConditionalCheckFailedException\"}",
            2.0,
        ),
        ("hashrange_request_errors_total{operation=\"unknown\",code=\"UnknownOperationException\"}", 1.0),
        ("hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"0.00005\"}", 0.0),
        ("hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"0.0001\"}", 2.0),
        ("hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"10\"}", 2.0),
        ("hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"+Inf\"}", 3.0),
        ("hashrange_request_duration_seconds_count{operation=\"PutItem\"}", 3.0),
        ("hashrange_request_duration_seconds_sum{operation=\"PutItem\"}", 11.00014),
    ];
    for (sample, expected) in expected {
        assert_eq!(value(&page, sample), Some(expected), "{sample} in\n{page}");
    }
    assert!(!page.contains("GetItem"), "{page}");
}

#[test]
fn connections_are_open_until_they_are_dropped() {
    let (metrics, _simulation) = metrics();
    let (first, second) = (metrics.connected(), metrics.connected());
    drop(first);
    metrics.turned_away();
    let page = metrics.page();
    assert_eq!(value(&page, "hashrange_connections"), Some(1.0));
    assert_eq!(value(&page, "hashrange_connections_accepted_total"), Some(2.0));
    assert_eq!(value(&page, "hashrange_connections_refused_total"), Some(1.0));
    drop(second);
    assert_eq!(value(&metrics.page(), "hashrange_connections"), Some(0.0));
}

#[test]
fn refusals_are_counted_by_status() {
    let (metrics, _simulation) = metrics();
    for status in [413, 413, 418] {
        metrics.refused(status);
    }
    let page = metrics.page();
    assert_eq!(value(&page, "hashrange_http_refusals_total{status=\"413\"}"), Some(2.0));
    assert_eq!(value(&page, "hashrange_http_refusals_total{status=\"other\"}"), Some(1.0));
    assert_eq!(value(&page, "hashrange_http_refusals_total{status=\"404\"}"), Some(0.0));
}
