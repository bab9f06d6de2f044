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

#[test]
fn a_call_that_a_comma_cuts_is_told_with_its_place_and_its_cure() {
    let cuts = |text: &str| {
        let (_, cuts) = Node::parse_all(text).unwrap();
        let line = |fault: &Fault| format!("{}:{} {}", fault.mark.line, fault.mark.column, fault.message);
        cuts.iter().map(line).collect::<Vec<_>>()
    };
    let why = "as every text without quotes does inside { } and [ ]; put quotes around the whole";
    assert_eq!(
        cuts("a: {bucket: int(0,7), next: 1}\n"),
        [format!("1:13 \"int(0\" ends at the comma, {why}: bucket: \"int(0,7)\"")]
    );
    // One that goes on behind the parenthesis, one over two lines, one in a list, and one that is no call.
    assert_eq!(
        cuts(
            "é: {s: if_not_exists(#n, :zero) + :one, d: decimal(0,\n  500, 2), l: [int(0, 7)], n: all (a, b)}"
        ),
        [
            format!(
                "1:8 \"if_not_exists(#n\" ends at the comma, {why}: s: \"if_not_exists(#n, :zero) + :one\""
            ),
            format!("1:44 \"decimal(0\" ends at the comma, {why}: d: \"decimal(0, 500, 2)\""),
            format!("2:16 \"int(0\" ends at the comma, {why}: \"int(0, 7)\""),
            format!("2:31 \"all (a\" ends at the comma, {why}: n: \"all (a, b)\""),
        ]
    );
    // What the parser refuses, and what becomes one key twice, is told so too.
    assert_eq!(
        refused("a: {when: contains(list[0], :x)}"),
        format!("1:11 \"contains(list\" ends at \"[\", {why}: when: \"contains(list[0], :x)\"")
    );
    assert_eq!(
        refused("a: {b: int(0,7),\n c: int(1,7)}"),
        format!("1:8 \"int(0\" ends at the comma, {why}: b: \"int(0,7)\"")
    );
}

#[test]
fn a_comma_that_cuts_nothing_is_left_alone() {
    for text in [
        "a: int(0,7)\nb:\n  - contains(a, b)\n",
        "a: {b: \"int(0,7)\", c: 'f(x, y)'}",
        "a: {b: f(x), c: smile (, d: fine)}",
        "a: [one (b, c)]",
        "a: |\n  {b: int(0,7)}\n# {b: int(0,7)}\n",
        "{\"a\": \"f(x, y)\"}",
        "a: {b: f(x, c: 1}\n",
    ] {
        assert_eq!(Node::parse_all(text).map(|(_, cuts)| cuts), Ok(Vec::new()), "{text}");
    }
}
