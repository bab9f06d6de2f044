use crate::message::statement as text;

#[test]
fn what_cannot_be_read_is_enveloped() {
    assert_eq!(text::malformed(""), "Statement wasn't well formed, can't be processed: ");
    for (detail, expected) in [
        (text::expected_data_manipulation(), "Expected data manipulation"),
        (text::token_after_expression(), "Unexpected token after expression"),
        (text::unexpected_term(), "Unexpected term"),
        (text::unexpected_keyword(), "Unexpected keyword"),
        (text::unexpected_operator(), "Unexpected operator"),
        (text::missing_right_hand_side(), "Missing right-hand side expression of infix operator"),
        (text::expected_type_name(), "Expected type name"),
        (text::expected_identifier(), "Expected identifier for simple path"),
        (text::invalid_path_dot(), "Invalid path dot component"),
    ] {
        assert_eq!(detail, expected);
    }
}

#[test]
fn places_are_line_column_and_length() {
    assert_eq!(text::column_not_a_path("1:8:5"), "Unexpected path component at 1:8:5");
    assert_eq!(
        text::list_index("-1", "1:11:1"),
        "List index is not within the allowable range; index: [-1] at 1:11:1"
    );
    assert_eq!(text::unknown_function("exists", "1:40:6"), "Unrecognized function: exists at 1:40:6");
    assert_eq!(
        text::not_a_literal("Parameter", "root[0]", "1:9:1"),
        "Unsupported data type: Parameter under key root[0] at 1:9:1"
    );
}

#[test]
fn literals_have_texts_of_their_own() {
    assert_eq!(text::under("x", "root.a"), "x under root.a");
    assert_eq!(
        text::duplicate_numbers(&["2", "2.0"], "root"),
        "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root"
    );
    assert_eq!(text::empty_set(), "Empty bags are not supported");
    assert_eq!(text::too_deep(), "Nesting Levels have exceeded supported limits");
    assert_eq!(
        text::duplicate_key("a"),
        "Statement wasn't well formed, can't be processed: Duplicate key in tuple: a"
    );
}

#[test]
fn clauses_are_named() {
    assert_eq!(
        text::returning_of_delete("MODIFIED OLD *"),
        "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements."
    );
    assert_eq!(
        text::order_not_a_key("Total"),
        "Attribute Total in ORDER BY clause must be part of the primary key"
    );
    assert_eq!(
        text::set_target("SET_ADD", "1:2:7"),
        "The first argument to SET_ADD must equal the assignment value at 1:2:7"
    );
    assert_eq!(
        text::set_operand("SET_DELETE", "1:2:3"),
        "The second argument to SET_DELETE must be a value with type SET at 1:2:3"
    );
    assert_eq!(text::set_arguments("SET_ADD", "1:2:7"), "SET_ADD must have exactly two arguments at 1:2:7");
}

#[test]
fn statements_of_a_transaction_are_counted_from_zero() {
    assert_eq!(
        text::in_transaction(0, &text::returning_in_transaction()),
        "Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction."
    );
    assert_eq!(
        text::select_without_key("BatchExecuteStatement"),
        "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
    );
    assert_eq!(text::exists_of_index(), "Operations on indices are not supported in transactions");
}
