//! The price file: numbers with their unit, source and how sure they are.

use std::collections::BTreeMap;
use std::fmt;

use toml::{Table, Value};

macro_rules! rates {
    ($($(#[doc = $doc:literal])* $rate:ident = $name:literal,)*) => {
        /// What has a price.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rate {
            $($(#[doc = $doc])* $rate,)*
        }

        impl Rate {
            /// Every price.
            pub const ALL: &'static [Rate] = &[$(Rate::$rate,)*];

            /// Its name in the price file.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rate::$rate => $name,)*
                }
            }
        }
    };
}

rates! {
    /// A write request unit.
    OnDemandWrite = "on_demand_write",
    /// A read request unit.
    OnDemandRead = "on_demand_read",
    /// A write request unit in Standard-IA.
    OnDemandWriteIa = "on_demand_write_ia",
    /// A read request unit in Standard-IA.
    OnDemandReadIa = "on_demand_read_ia",
    /// A write request unit in a further replica.
    ReplicatedWrite = "replicated_write",
    /// A write request unit in a further replica in Standard-IA.
    ReplicatedWriteIa = "replicated_write_ia",
    /// A write capacity unit for an hour.
    ProvisionedWrite = "provisioned_write",
    /// A read capacity unit for an hour.
    ProvisionedRead = "provisioned_read",
    /// A write capacity unit for an hour in Standard-IA.
    ProvisionedWriteIa = "provisioned_write_ia",
    /// A read capacity unit for an hour in Standard-IA.
    ProvisionedReadIa = "provisioned_read_ia",
    /// A write capacity unit for an hour in a further replica.
    ReplicatedProvisionedWrite = "replicated_provisioned_write",
    /// 100 write units reserved for a year, paid at once.
    Reserved1WriteUpfront = "reserved_1y_write_upfront",
    /// An hour of 100 write units reserved for a year.
    Reserved1WriteHour = "reserved_1y_write_hour",
    /// 100 read units reserved for a year, paid at once.
    Reserved1ReadUpfront = "reserved_1y_read_upfront",
    /// An hour of 100 read units reserved for a year.
    Reserved1ReadHour = "reserved_1y_read_hour",
    /// 100 write units reserved for three years, paid at once.
    Reserved3WriteUpfront = "reserved_3y_write_upfront",
    /// An hour of 100 write units reserved for three years.
    Reserved3WriteHour = "reserved_3y_write_hour",
    /// 100 read units reserved for three years, paid at once.
    Reserved3ReadUpfront = "reserved_3y_read_upfront",
    /// An hour of 100 read units reserved for three years.
    Reserved3ReadHour = "reserved_3y_read_hour",
    /// A GB of storage for a month.
    Storage = "storage",
    /// A GB of storage for a month in Standard-IA.
    StorageIa = "storage_ia",
    /// A GB of point-in-time recovery for a month.
    Recovery = "recovery",
    /// A GB of on-demand backup for a month.
    Backup = "backup",
    /// A GB exported.
    Export = "export",
    /// A GB restored.
    Restore = "restore",
    /// A GetRecords call.
    StreamRead = "stream_read",
    /// A change sent to Kinesis.
    KinesisChange = "kinesis_change",
    /// A GB written to a vector index.
    VectorWrite = "vector_write",
    /// A GB searched.
    VectorSearch = "vector_search",
    /// A GB written to a vector index in Standard-IA.
    VectorWriteIa = "vector_write_ia",
    /// A GB searched in Standard-IA.
    VectorSearchIa = "vector_search_ia",
}

/// One price.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// Dollars for one unit.
    pub value: f64,
    /// The unit.
    pub unit: String,
    /// Where the number is from.
    pub source: String,
    /// Whether the number was read from a machine-readable source; others are printed as unverified.
    pub documented: bool,
}

/// Names of the assumptions, with what each may be.
const ASSUMPTIONS: &[(&str, f64, f64)] = &[
    ("hours", 1.0, 744.0),
    ("scaling_target", 20.0, 90.0),
    ("scaling_margin", 0.0, 60.0),
    ("retention_days", 0.0, 1e6),
    ("stream_polls", 0.0, 1e6),
    ("backups", 0.0, 1e6),
    ("exports", 0.0, 1e6),
    ("restores", 0.0, 1e6),
    ("kinesis", 0.0, 1.0),
    ("free_storage_gb", 0.0, 1e9),
];

/// A price list, and what is assumed where a model does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// The region.
    pub region: String,
    /// The day of the list: `2026-08-31`.
    pub dated: String,
    /// Remarks of the reader: what another file left out.
    pub notes: Vec<String>,
    list: BTreeMap<Rate, Price>,
    assumed: BTreeMap<&'static str, f64>,
}

/// Why a price file cannot be used, or a price not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceError(pub String);

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PriceError {}

impl Default for Prices {
    fn default() -> Prices {
        Prices::built_in()
    }
}

impl Prices {
    /// The file that the program carries.
    pub const BUILT_IN: &str = include_str!("../../prices/us-east-1.toml");

    /// The list that the program carries: us-east-1.
    pub fn built_in() -> Prices {
        let empty = Prices {
            region: String::new(),
            dated: String::new(),
            notes: Vec::new(),
            list: BTreeMap::new(),
            assumed: BTreeMap::new(),
        };
        let prices = empty.over(Prices::BUILT_IN).expect("a test reads the built-in list");
        assert_eq!(prices.list.len(), Rate::ALL.len(), "the built-in list has every price");
        assert_eq!(prices.assumed.len(), ASSUMPTIONS.len(), "the built-in list has every assumption");
        prices
    }

    /// Reads a price file; what it leaves out is taken from the built-in list, with a note.
    ///
    /// # Errors
    /// Not TOML, an unknown name (with the nearest known one), or a value that is no price.
    pub fn parse(text: &str) -> Result<Prices, PriceError> {
        let given = Prices::names_in(text)?;
        let mut prices = Prices::built_in().over(text)?;
        let missing: Vec<&str> = Rate::ALL
            .iter()
            .map(|rate| rate.name())
            .filter(|name| !given.contains(&(*name).to_owned()))
            .collect();
        if !missing.is_empty() {
            prices.notes.push(format!(
                "the price file leaves out {}: taken from the built-in list of us-east-1",
                missing.join(", ")
            ));
        }
        Ok(prices)
    }

    fn names_in(text: &str) -> Result<Vec<String>, PriceError> {
        let file: Table = parse_toml(text)?;
        let list = file.get("price").and_then(Value::as_table);
        Ok(list.map(|list| list.keys().cloned().collect()).unwrap_or_default())
    }

    fn over(mut self, text: &str) -> Result<Prices, PriceError> {
        for (name, value) in parse_toml(text)? {
            match (name.as_str(), value) {
                ("region", Value::String(region)) => self.region = region,
                ("dated", Value::String(dated)) => self.dated = dated,
                ("dated", Value::Datetime(dated)) => self.dated = dated.to_string(),
                ("currency", Value::String(currency)) if currency == "USD" => {}
                ("currency", _) => return Err(PriceError("currency: only USD is known".to_owned())),
                ("price", Value::Table(list)) => self.take_prices(list)?,
                ("assume", Value::Table(list)) => self.take_assumptions(list)?,
                ("region" | "dated", _) => return Err(PriceError(format!("{name}: a text is needed"))),
                ("price" | "assume", _) => return Err(PriceError(format!("{name}: a table is needed"))),
                _ => {
                    let known = ["region", "dated", "currency", "price", "assume"];
                    return Err(unknown("", &name, known.into_iter()));
                }
            }
        }
        Ok(self)
    }

    fn take_prices(&mut self, list: Table) -> Result<(), PriceError> {
        for (name, value) in list {
            let rate = rate_of(&name)?;
            let price = price_of(&name, &value, self.list.get(&rate))?;
            self.list.insert(rate, price);
        }
        Ok(())
    }

    fn take_assumptions(&mut self, list: Table) -> Result<(), PriceError> {
        list.into_iter().try_for_each(|(name, value)| {
            let value =
                number(&value).ok_or_else(|| PriceError(format!("assume.{name}: a number is needed")))?;
            self.assume(&name, value)
        })
    }

    /// Dollars for one unit.
    pub fn of(&self, rate: Rate) -> f64 {
        self.price(rate).value
    }

    /// The price with its source.
    pub fn price(&self, rate: Rate) -> &Price {
        self.list.get(&rate).expect("the built-in list has every price, and lists only grow")
    }

    /// Changes one price, by its name in the file. It counts as the reader's own, thus as verified.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one; a negative price.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), PriceError> {
        let rate = rate_of(name)?;
        if !(value >= 0.0 && value.is_finite()) {
            return Err(PriceError(format!("price.{name}: a price is 0 or more")));
        }
        let price = self.list.get_mut(&rate).expect("the built-in list has every price, and lists only grow");
        *price = Price { value, unit: price.unit.clone(), source: "given".to_owned(), documented: true };
        Ok(())
    }

    /// The price of that name in the file.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn named(&self, name: &str) -> Result<f64, PriceError> {
        rate_of(name).map(|rate| self.of(rate))
    }

    /// An assumption, by its name in the file.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn assumption(&self, name: &str) -> Result<f64, PriceError> {
        self.assumed
            .get(name)
            .copied()
            .ok_or_else(|| unknown("assume.", name, ASSUMPTIONS.iter().map(|known| known.0)))
    }

    /// Changes one assumption, by its name in the file.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one; a value outside its bounds.
    pub fn assume(&mut self, name: &str, value: f64) -> Result<(), PriceError> {
        let known = ASSUMPTIONS.iter().find(|known| known.0 == name);
        let Some(&(name, least, most)) = known else {
            return Err(unknown("assume.", name, ASSUMPTIONS.iter().map(|known| known.0)));
        };
        if !(least..=most).contains(&value) {
            return Err(PriceError(format!("assume.{name}: {value} is not between {least} and {most}")));
        }
        self.assumed.insert(name, value);
        Ok(())
    }

    pub(super) fn assumed(&self, name: &'static str) -> f64 {
        self.assumption(name).expect("the built-in list has every assumption")
    }

    /// Hours of a month.
    pub fn hours(&self) -> f64 {
        self.assumed("hours")
    }
}

fn parse_toml(text: &str) -> Result<Table, PriceError> {
    text.parse::<Table>().map_err(|error| PriceError(error.to_string().replace('\n', " ").trim().to_owned()))
}

fn rate_of(name: &str) -> Result<Rate, PriceError> {
    let found = Rate::ALL.iter().find(|rate| rate.name() == name);
    found.copied().ok_or_else(|| unknown("price.", name, Rate::ALL.iter().map(|rate| rate.name())))
}

fn unknown(prefix: &str, name: &str, known: impl Iterator<Item = &'static str>) -> PriceError {
    PriceError(super::set::unknown(&format!("{prefix}{name}"), name, known))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "prices and assumptions are far below 2^53")]
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

/// A price: a table, or a number alone, which counts as documented by whoever wrote the file.
fn price_of(name: &str, value: &Value, before: Option<&Price>) -> Result<Price, PriceError> {
    let error = |what: &str| PriceError(format!("price.{name}: {what}"));
    let empty = Table::new();
    let table = value.as_table().unwrap_or(&empty);
    let amount = number(value).or_else(|| number(table.get("value")?));
    let amount = amount.filter(|amount| *amount >= 0.0 && amount.is_finite());
    let text = |field: &str| table.get(field).and_then(Value::as_str).map(str::to_owned);
    let documented = match text("status").as_deref() {
        None | Some("documented") => true,
        Some("memory") => false,
        Some(_) => return Err(error("status is documented or memory")),
    };
    if let Some(field) =
        table.keys().find(|field| !["value", "unit", "status", "source"].contains(&field.as_str()))
    {
        return Err(error(&format!("unknown field {field}: there are value, unit, status and source")));
    }
    Ok(Price {
        value: amount.ok_or_else(|| error("a value of 0 or more is needed"))?,
        unit: text("unit").or_else(|| before.map(|price| price.unit.clone())).unwrap_or_default(),
        source: text("source").unwrap_or_else(|| "the price file".to_owned()),
        documented,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_is_whole_and_dated() {
        let prices = Prices::built_in();
        assert_eq!((prices.region.as_str(), prices.dated.as_str()), ("us-east-1", "2026-08-31"));
        assert!(prices.list.values().all(|price| !price.source.is_empty() && !price.unit.is_empty()));
    }

    #[test]
    fn a_file_replaces_what_it_names_and_says_what_it_left_out() {
        let text = "region = \"eu-west-1\"\ndated = 2026-11-01\n[price]\nstorage = 0.283\n";
        let prices = Prices::parse(text).unwrap();
        assert_eq!((prices.region.as_str(), prices.dated.as_str()), ("eu-west-1", "2026-11-01"));
        assert!((prices.of(Rate::Storage) - 0.283).abs() < 1e-9);
        assert!((prices.of(Rate::StorageIa) - 0.10).abs() < 1e-9);
        assert!(
            prices.notes[0].starts_with("the price file leaves out on_demand_write, "),
            "{:?}",
            prices.notes
        );
    }

    #[test]
    fn a_misspelt_name_is_refused_with_the_nearest() {
        let error = Prices::parse("[price]\nstorge = 1").unwrap_err().to_string();
        assert!(error.contains("price.storge") && error.contains("storage"), "{error}");
        let error = Prices::parse("[price]\nstorage = -1").unwrap_err().to_string();
        assert_eq!(error, "price.storage: a value of 0 or more is needed");
        assert!(Prices::parse("price = 3").is_err());
        assert!(Prices::parse("[price").is_err());
        assert!(Prices::built_in().assume("scaling_target", 99.0).is_err());
    }
}
