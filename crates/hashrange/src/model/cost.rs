//! `hashrange model cost`: what a model costs each month, and what-ifs.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::Catalogue;
use hashrange_modelling::cost::{self, CostReport, Prices, set};

const EXAMPLES: &str = "\
Examples:
  hashrange model cost catalogue.yaml
      Patterns, tables and indexes, the ways to pay, and what item size costs
  hashrange model cost catalogue.yaml --set entity.Order.bytes=8192 --set pattern.P3.avg_rps=500
      The same with two numbers changed, before and after
  hashrange model cost catalogue.yaml --set table.Shop.billing=provisioned --set 'pattern.*.peak_rps=x2'
      `*` names all, `x2` multiplies
  hashrange model cost catalogue.yaml --set assume.scaling_target=50 --set price.storage=0.283
      Another assumption, another price
  hashrange model cost --show-prices > prices.toml
      The built-in prices with their sources, to be changed and given to --prices

Exit codes: 0 the costs were shown; 2 the command line or a file is wrong.";

/// The command line of `cost`.
pub(crate) fn command() -> Command {
    let set = Arg::new("set")
        .long("set")
        .value_name("PATH=VALUE")
        .action(ArgAction::Append)
        .help("Change a number of an entity, a pattern, a table, a price or an assumption, and show before and after");
    let prices = Arg::new("prices")
        .long("prices")
        .value_name("FILE")
        .help("Prices in place of the built-in ones of us-east-1; what it leaves out is taken from those");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["table", "json", "markdown"])
        .default_value("table")
        .help("table, json or markdown");
    let show = Arg::new("show-prices")
        .long("show-prices")
        .action(ArgAction::SetTrue)
        .exclusive(true)
        .help("Print the built-in prices, with units and sources");
    let command =
        Command::new("cost").about("What the patterns, tables and indexes cost each month, and what-ifs");
    let command = super::with_files(command).args([set, prices, format, show]).after_help(EXAMPLES);
    command.mut_arg("file", |file| file.required(false).required_unless_present("show-prices"))
}

/// Prices the model.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    if flags.get_flag("show-prices") {
        print!("{}", Prices::BUILT_IN);
        return ExitCode::SUCCESS;
    }
    match priced(flags) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(exit) => exit,
    }
}

fn priced(flags: &ArgMatches) -> Result<String, ExitCode> {
    let catalogue = super::read_catalogue(flags)?;
    let prices = prices(flags)?;
    let before = cost::cost(&catalogue, &prices);
    let what_if = what_if(flags, catalogue, prices)?;
    let format = flags.get_one::<String>("format").map_or("table", String::as_str);
    Ok(match what_if {
        None => printed(&before, format),
        Some((after, changes)) => compared(&before, &after, &changes, format),
    })
}

fn prices(flags: &ArgMatches) -> Result<Prices, ExitCode> {
    let Some(path) = flags.get_one::<String>("prices") else { return Ok(Prices::built_in()) };
    let text = std::fs::read_to_string(path).map_err(|error| {
        super::wrong(&[format!(
            "{path}: {error}: name a file of prices, as \"hashrange model cost --show-prices\" prints one"
        )])
    })?;
    Prices::parse(&text).map_err(|error| super::wrong(&[format!("{path}: {error}")]))
}

type WhatIf = Option<(CostReport, Vec<set::Change>)>;

fn what_if(flags: &ArgMatches, mut catalogue: Catalogue, mut prices: Prices) -> Result<WhatIf, ExitCode> {
    let settings: Vec<&String> = flags.get_many::<String>("set").into_iter().flatten().collect();
    if settings.is_empty() {
        return Ok(None);
    }
    let (mut changes, mut problems) = (Vec::new(), Vec::new());
    for setting in settings {
        match set::apply(&mut catalogue, &mut prices, setting) {
            Ok(change) => changes.push(change),
            Err(problem) => problems.push(format!("--set {problem}")),
        }
    }
    if problems.is_empty() {
        Ok(Some((cost::cost(&catalogue, &prices), changes)))
    } else {
        Err(super::wrong(&problems))
    }
}

fn printed(report: &CostReport, format: &str) -> String {
    match format {
        "json" => format!("{:#}\n", report.json()),
        "markdown" => report.markdown(),
        _ => report.text(),
    }
}

fn compared(before: &CostReport, after: &CostReport, changes: &[set::Change], format: &str) -> String {
    if format == "json" {
        return format!("{:#}\n", cost::compare_json(before, after, changes));
    }
    let compared = cost::compare_text(before, after, changes, format == "markdown");
    format!("{compared}{}", printed(after, format))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Folder, SHOP};
    use super::*;

    fn told(folder: &Folder, flags: &[&str]) -> Result<String, ExitCode> {
        let file = folder.path("catalogue.yaml");
        let words = ["cost", &file].into_iter().chain(flags.iter().copied());
        priced(&command().try_get_matches_from(words).expect("the command line is right"))
    }

    #[test]
    fn costs_are_told_in_each_format() {
        let folder = Folder::with(&[("catalogue.yaml", SHOP)]);
        let text = told(&folder, &[]).expect("it is priced");
        assert!(text.starts_with("shop: $") && text.contains("P1  A user"), "{text}");
        let json: serde_json::Value =
            serde_json::from_str(&told(&folder, &["--format", "json"]).expect("it is priced"))
                .expect("it is JSON");
        assert_eq!(json["patterns"][0]["read_units"], 0.5);
        let markdown = told(&folder, &["--format", "markdown"]).expect("it is priced");
        assert!(markdown.contains("| P1 | A user | get |"), "{markdown}");
    }

    #[test]
    fn a_what_if_and_another_price_list_change_the_costs() {
        let folder =
            Folder::with(&[("catalogue.yaml", SHOP), ("prices.toml", "[price]\non_demand_read = 1e-6\n")]);
        let text = told(&folder, &["--set", "entity.User.bytes=8192"]).expect("it is priced");
        assert!(text.contains("entity.User.bytes: 300 -> 8,192"), "{text}");
        let text = told(&folder, &["--prices", &folder.path("prices.toml")]).expect("it is priced");
        assert!(text.contains("the price file leaves out on_demand_write"), "{text}");
    }

    #[test]
    fn a_wrong_setting_or_price_file_ends_with_the_code_of_mistakes() {
        let folder = Folder::with(&[("catalogue.yaml", SHOP), ("prices.toml", "[price]\nread = 1\n")]);
        let code = |told: Result<String, ExitCode>| format!("{:?}", told.expect_err("it is wrong"));
        let usage = format!("{:?}", ExitCode::from(crate::USAGE_ERROR));
        assert_eq!(code(told(&folder, &["--set", "entity.Usr.bytes=1"])), usage);
        assert_eq!(code(told(&folder, &["--prices", &folder.path("prices.toml")])), usage);
        assert_eq!(code(told(&folder, &["--prices", &folder.path("nothing.toml")])), usage);
    }
}
