use super::*;

fn parse(text: &str) -> Node {
    Node::parse(text).unwrap()
}

fn refused(text: &str) -> String {
    let fault = Node::parse(text).unwrap_err();
    format!("{}:{} {}", fault.mark.line, fault.mark.column, fault.message)
}

#[test]
fn every_node_knows_its_place_and_tag() {
    let node = parse("a: 1\nb:\n  - !Ref x\n  - 'true'\n");
    let list = node.get("b").unwrap();
    assert_eq!(list.items()[0].tag.as_deref(), Some("!Ref"));
    assert_eq!(list.items()[0].mark.line, 3);
    assert_eq!(list.items()[1].mark, Mark { line: 4, column: 5 });
    assert_eq!(list.items()[1].as_bool(), None, "quotes make it a text");
    assert_eq!(node.get("a").unwrap().as_f64(), Some(1.0));
}

#[test]
fn json_with_tabs_and_pairs_of_escapes_is_read() {
    let node = parse("{\n\t\"a\":\t\"x\\ud83d\\ude00\\u00e9\\/\",\"b\":[true,null,-1.5e3]}");
    assert_eq!(node.get("a").unwrap().as_str(), Some("x😀é/"));
    assert_eq!(node.get("b").unwrap().items()[2].as_f64(), Some(-1500.0));
    assert!(node.get("b").unwrap().items()[1].is_null());
}

#[test]
fn merge_keys_give_way_to_what_is_there() {
    let node = parse("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n");
    let used = node.get("use").unwrap();
    assert_eq!(used.get("x").unwrap().as_str(), Some("1"));
    assert_eq!(used.get("y").unwrap().as_str(), Some("3"));
}

#[test]
fn a_key_twice_is_refused_at_its_second_place() {
    assert_eq!(refused("a: 1\nb: 2\na: 3\n"), "3:1 \"a\" is here twice");
}

#[test]
fn aliases_of_aliases_cannot_multiply_without_bound() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text = format!("{text}a{level}: &a{level} [{aliases}]\n");
    }
    assert!(refused(&text).contains("values, with those of aliases"));
}

#[test]
fn deep_nesting_is_refused() {
    assert!(refused(&"[".repeat(100_000)).contains("recursion limit"), "the parser has a bound of its own");
    let indented: Vec<String> = (0..200).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(refused(&indented.concat()).contains("levels of nesting"));
}
