//! `ListTables`.

use super::*;

fn list(start: Option<&str>, limit: Option<i32>) -> ListTablesInput {
    ListTablesInput { exclusive_start_table_name: start.map(str::to_owned), limit }
}

fn page(world: &World, input: ListTablesInput) -> (Vec<String>, Option<String>) {
    let output = world.call(input).unwrap();
    (output.table_names.unwrap(), output.last_evaluated_table_name)
}

#[test]
fn names_come_in_byte_order_page_by_page() {
    let world = World::new();
    for name in ["ab0", "a_z", "Zed", "ab"] {
        world.create(table(&format!("{name}-table")));
    }
    let all = ["Zed-table", "a_z-table", "ab-table", "ab0-table"].map(str::to_owned);
    assert_eq!(page(&world, list(None, None)), (all.to_vec(), None));
    assert_eq!(page(&world, list(None, Some(3))), (all[..3].to_vec(), Some(all[2].clone())));
    assert_eq!(page(&world, list(Some(&all[2]), Some(3))), (all[3..].to_vec(), None));
    // A page that ends with the last name says that nothing follows.
    assert_eq!(page(&world, list(None, Some(4))), (all.to_vec(), None));
    // The start need not be a table's name.
    assert_eq!(page(&world, list(Some("aaa"), None)), (all[2..].to_vec(), None));
    assert_eq!(page(&world, list(Some("zzz"), None)), (Vec::new(), None));
}

#[test]
fn a_page_has_100_names_at_most() {
    let world = World::new();
    for at in 0..101 {
        world.create(table(&format!("table-{at:03}")));
    }
    let (names, last) = page(&world, list(None, None));
    assert_eq!((names.len(), last.as_deref()), (100, Some("table-099")));
    let text = "ValidationException: 1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: \
                Member must have value less than or equal to 100";
    assert_eq!(world.refusal(list(None, Some(101))), text);
    let text = "ValidationException: 1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: \
                Member must have value greater than or equal to 1";
    assert_eq!(world.refusal(list(None, Some(0))), text);
}

#[test]
fn a_table_is_listed_until_it_is_gone() {
    let world = World::with_delay(Duration::from_secs(1));
    world.create(table("orders"));
    assert_eq!(page(&world, list(None, None)).0, ["orders"]);
    world.advance(Duration::from_secs(1));
    world.call(delete("orders")).unwrap();
    assert_eq!(page(&world, list(None, None)).0, ["orders"]);
    world.advance(Duration::from_secs(1));
    assert!(page(&world, list(None, None)).0.is_empty());
}
