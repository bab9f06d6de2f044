//! Which format a file has, by its content and never by its name.

use super::node::Node;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Our own: `hashrange: 1`.
    Hashrange,
    /// NoSQL Workbench.
    Workbench,
    /// OneTable's schema.
    OneTable,
    /// Input of the cost tool: `access_pattern_list`, `table_list`.
    CostTool,
    /// CloudFormation, SAM, CDK's output, Serverless Framework.
    CloudFormation,
    /// The answer of `terraform show -json`.
    TerraformJson,
    /// Terraform's own language, also in JSON.
    TerraformHcl,
    /// `schema.json` of the code generator: tables with `table_config`.
    CodeGenerator,
    /// `usage_data.json` of the code generator: sample values by entity.
    UsageData,
    /// `dynamodb_data_model.json` with command lines and `TableName`.
    ShapeM,
    /// `dynamodb_data_model.json` with sizes and rates and `table_name`.
    ShapeS,
    /// The answer of DescribeTable, or a list of them.
    DescribeTable,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 12] = [
        Format::Hashrange,
        Format::Workbench,
        Format::OneTable,
        Format::CostTool,
        Format::CloudFormation,
        Format::TerraformJson,
        Format::TerraformHcl,
        Format::CodeGenerator,
        Format::UsageData,
        Format::ShapeM,
        Format::ShapeS,
        Format::DescribeTable,
    ];

    /// What a command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Hashrange => "yaml",
            Format::Workbench => "workbench",
            Format::OneTable => "onetable",
            Format::CostTool => "cost-tool",
            Format::CloudFormation => "cloudformation",
            Format::TerraformJson => "terraform-json",
            Format::TerraformHcl => "terraform",
            Format::CodeGenerator => "schema-json",
            Format::UsageData => "usage-data",
            Format::ShapeM => "m",
            Format::ShapeS => "s",
            Format::DescribeTable => "describe-table",
        }
    }

    /// The format that a command line calls so.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether the files say how tables are deployed: [`super::iac`] reads them.
    pub fn is_infrastructure(self) -> bool {
        matches!(
            self,
            Format::CloudFormation | Format::TerraformJson | Format::TerraformHcl | Format::DescribeTable
        )
    }
}

/// Whether a text is in Terraform's language: a block at the start of a line, or an assignment at the start of the text.
pub fn is_hcl(text: &str) -> bool {
    const BLOCKS: [&str; 9] =
        ["resource", "data", "variable", "locals", "terraform", "provider", "module", "output", "moved"];
    is_assignment(text)
        || text.lines().any(|line| {
            let words = line.trim_end().trim_end_matches('{');
            let head = words.split_whitespace().next().unwrap_or("");
            BLOCKS.contains(&head) && line.trim_end().ends_with('{') && !words.contains(':')
        })
}

/// Whether the first line that is no comment is `name = value`, as in `*.tfvars`. A model in YAML never starts so.
fn is_assignment(text: &str) -> bool {
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '/']));
    let Some((name, _)) = lines.next().and_then(|line| line.split_once('=')) else { return false };
    let name = name.trim_end();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The format of a tree.
///
/// # Errors
/// What was looked for, where nothing was found; both tables, where two shapes are mixed.
pub fn detect(root: &Node) -> Result<Format, String> {
    let has = |key: &str| root.get(key).is_some();
    if has("hashrange") {
        return Ok(Format::Hashrange);
    }
    if has("DataModel") {
        return Ok(Format::Workbench);
    }
    if text_of(root, "format").is_some_and(|format| format.starts_with("onetable:")) {
        return Ok(Format::OneTable);
    }
    if has("access_pattern_list") {
        return Ok(Format::CostTool);
    }
    if has("Resources") || root.at(&["resources", "Resources"]).is_some() || is_serverless(root) {
        return Ok(Format::CloudFormation);
    }
    if has("format_version") && (has("planned_values") || has("values")) {
        return Ok(Format::TerraformJson);
    }
    if is_terraform(root) {
        return Ok(Format::TerraformHcl);
    }
    if is_description(root) || (!root.items().is_empty() && root.items().iter().all(is_description)) {
        return Ok(Format::DescribeTable);
    }
    of_tables(root)
}

/// Terraform's language in JSON: resources by type, then by label.
fn is_terraform(root: &Node) -> bool {
    let Some(resources) = root.get("resource") else { return false };
    let is_map = matches!(resources.data, super::node::Data::Map(_));
    is_map && resources.entries().iter().all(|(_, named)| !named.entries().is_empty())
}

/// A service file whose resources come as a list, or from another file.
fn is_serverless(root: &Node) -> bool {
    let Some(resources) = root.get("resources") else { return false };
    let is_variable = resources.as_str().is_some_and(|text| text.contains("${"));
    root.get("service").is_some() && (is_variable || !resources.items().is_empty())
}

fn is_description(node: &Node) -> bool {
    let table = node.get("Table").or_else(|| node.get("TableDescription"));
    table.is_some_and(|table| table.get("TableStatus").is_some() || table.get("KeySchema").is_some())
}

fn of_tables(root: &Node) -> Result<Format, String> {
    let tables = root.get("tables").map_or(&[][..], Node::items);
    let named = |key: &str| tables.iter().find_map(|table| text_of(table, key));
    if tables.first().is_some_and(|table| table.get("table_config").is_some()) {
        return Ok(Format::CodeGenerator);
    }
    match (named("TableName"), named("table_name")) {
        (Some(one), Some(other)) => Err(format!(
            "the file mixes two shapes: table {one} has \"TableName\" (command lines), table {other} has \"table_name\" (sizes and rates); \
             split it, and give both files"
        )),
        (Some(_), None) => Ok(Format::ShapeM),
        (None, Some(_)) => Ok(Format::ShapeS),
        (None, None) if is_usage(root) => Ok(Format::UsageData),
        (None, None) => Err(looked_for(root)),
    }
}

/// `{"entities": {"User": {"sample_data": ..}}}`.
fn is_usage(root: &Node) -> bool {
    let Some(entities) = root.get("entities") else { return false };
    let alone = root.entries().len() == 1 && matches!(entities.data, super::node::Data::Map(_));
    let entities = entities.entries();
    (alone || !entities.is_empty()) && entities.iter().all(|(_, one)| one.get("sample_data").is_some())
}

fn looked_for(root: &Node) -> String {
    let keys: Vec<&str> = root.entries().iter().filter_map(|(key, _)| key.as_str()).take(6).collect();
    let found = match keys.as_slice() {
        [] => root.describe(),
        keys => keys.join(", "),
    };
    format!(
        "no model that is known: it holds {found}; looked for \"hashrange: 1\" (our own), DataModel (NoSQL Workbench), format: onetable:..., \
         access_pattern_list (cost tool), Resources (CloudFormation, SAM, CDK, Serverless), format_version (terraform show -json), resource \
         (Terraform in JSON), \
         Table.TableStatus (DescribeTable), tables with table_config, TableName or table_name (dynamodb_data_model.json)"
    )
}

fn text_of<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key).and_then(Node::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Format, String> {
        detect(&Node::parse(text).unwrap())
    }

    #[test]
    fn content_alone_tells_formats_apart() {
        for (text, format) in [
            ("hashrange: 1\ntables: {}", Format::Hashrange),
            ("{\"ModelName\":\"x\",\"DataModel\":[]}", Format::Workbench),
            ("format: 'onetable:1.1.0'", Format::OneTable),
            ("access_pattern_list: []\ntable_list: []", Format::CostTool),
            ("Resources: {T: {Type: 'AWS::DynamoDB::Table'}}", Format::CloudFormation),
            ("service: s\nresources: {Resources: {}}", Format::CloudFormation),
            ("service: s\nresources: ${file(tables.yml)}", Format::CloudFormation),
            ("format_version: '1.2'\nplanned_values: {}", Format::TerraformJson),
            ("resource: {aws_dynamodb_table: {t: {}}}", Format::TerraformHcl),
            ("Table: {TableStatus: ACTIVE}", Format::DescribeTable),
            ("tables: [{table_config: {}}]", Format::CodeGenerator),
            ("tables: [{TableName: a}]", Format::ShapeM),
            ("tables: [{table_name: a}]", Format::ShapeS),
            ("entities: {User: {sample_data: {}}}", Format::UsageData),
        ] {
            assert_eq!(of(text), Ok(format), "{text}");
        }
    }

    #[test]
    fn a_mix_of_shapes_names_both_tables() {
        let message = of("tables: [{TableName: Old}, {table_name: New}]").unwrap_err();
        assert!(message.contains("table Old") && message.contains("table New"), "{message}");
    }

    #[test]
    fn an_unknown_file_is_told_what_was_looked_for() {
        let message = of("a: 1\nb: 2").unwrap_err();
        assert!(message.starts_with("no model that is known: it holds a, b; looked for"), "{message}");
    }

    #[test]
    fn terraform_is_known_by_its_blocks() {
        assert!(is_hcl("# x\nresource \"aws_dynamodb_table\" \"t\" {\n}\n"));
        assert!(is_hcl("locals {\n  a = 1\n}\n"));
        assert!(is_hcl("# values\n\nstage = \"prod\"\n"));
        assert!(!is_hcl("a: b = c\n") && !is_hcl("{\"a\": \"=\"}"));
        assert!(!is_hcl("data: {\n  a: 1}\n"));
    }

    #[test]
    fn names_of_formats_are_unique() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
    }
}
