//! The ways to pay for throughput and storage, side by side.

use std::fmt;

use super::curve::{self, Followed, Load, Policy};
use super::{HOUR, PartCost, Prices, Rate, print};
use crate::catalogue::{Billing, Capacity, IndexKind, Scaling, Table};

/// What [`super::TableCost::paid`] says of a table that is paid by request.
pub(super) const BY_REQUEST: &str = "by request";

/// Units per second that auto scaling may reach where nothing states a ceiling: the quota of a table.
const CEILING: f64 = 40_000.0;
/// Units in a reservation.
const LOT: f64 = 100.0;
/// Below this share of what is provisioned, capacity is too large for its load.
const IDLE_BELOW: f64 = 0.45;

/// A way to pay for throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The capacity that the model declares.
    Declared,
    /// By request.
    OnDemand,
    /// Capacity that is fixed at the peak.
    Fixed,
    /// Capacity that follows the load, as Application Auto Scaling does.
    Scaled,
    /// Capacity that would follow the load without delay: the least that scaling can cost.
    Ideal,
    /// As `Scaled`, with the base load reserved for one year.
    Reserved1,
    /// As `Scaled`, with the base load reserved for three years.
    Reserved3,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Declared => "as declared",
            Mode::OnDemand => "by request",
            Mode::Fixed => "fixed at the peak",
            Mode::Scaled => "auto scaling",
            Mode::Ideal => "auto scaling without delay",
            Mode::Reserved1 => "auto scaling, base reserved 1 year",
            Mode::Reserved3 => "auto scaling, base reserved 3 years",
        })
    }
}

/// What a table costs when it is paid so.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeCost {
    /// The way to pay.
    pub mode: Mode,
    /// In Standard-IA.
    pub infrequent_access: bool,
    /// Whether the model pays so.
    pub declared: bool,
    /// Dollars a month for throughput.
    pub throughput: f64,
    /// Dollars a month for storage.
    pub storage: f64,
    /// Whether all its prices are documented.
    pub verified: bool,
    /// Capacity behind it, for people.
    pub detail: String,
    /// Minutes of a day in which load exceeds capacity, before burst.
    pub short: usize,
}

impl ModeCost {
    /// Dollars a month.
    pub fn dollars(&self) -> f64 {
        self.throughput + self.storage
    }

    /// The way and the class, for people.
    pub fn title(&self) -> String {
        if self.infrequent_access { format!("{}, Standard-IA", self.mode) } else { self.mode.to_string() }
    }
}

/// At which use which way to pay wins; shares from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakEven {
    /// Above this mean use of what is provisioned, capacity is cheaper than requests.
    pub provisioned: f64,
    /// What an ideal follower at the target costs, as a share of paying by request.
    pub scaled: f64,
    /// As `provisioned`, reserved for one year.
    pub reserved_1y: f64,
    /// As `provisioned`, reserved for three years.
    pub reserved_3y: f64,
    /// Above this share of storage in storage and throughput, Standard-IA is cheaper.
    pub infrequent_access: f64,
}

impl BreakEven {
    /// Computed from writes, whose prices stand in the same proportion as those of reads.
    pub(super) fn of(prices: &Prices) -> BreakEven {
        let request = prices.of(Rate::OnDemandWrite) * HOUR;
        let dearer = prices.of(Rate::OnDemandWriteIa) / prices.of(Rate::OnDemandWrite) - 1.0;
        let cheaper = 1.0 - prices.of(Rate::StorageIa) / prices.of(Rate::Storage);
        let provisioned = prices.of(Rate::ProvisionedWrite) / request;
        BreakEven {
            provisioned,
            scaled: provisioned / (prices.assumed("scaling_target") / 100.0),
            reserved_1y: reserved_hour(prices, true, 1) / request,
            reserved_3y: reserved_hour(prices, true, 3) / request,
            infrequent_access: dearer / (dearer + cheaper),
        }
    }
}

/// What a reserved unit costs for an hour, with what is paid at once spread over the term.
fn reserved_hour(prices: &Prices, write: bool, years: u8) -> f64 {
    let (upfront, hour) = match (write, years) {
        (true, 1) => (Rate::Reserved1WriteUpfront, Rate::Reserved1WriteHour),
        (false, 1) => (Rate::Reserved1ReadUpfront, Rate::Reserved1ReadHour),
        (true, _) => (Rate::Reserved3WriteUpfront, Rate::Reserved3WriteHour),
        (false, _) => (Rate::Reserved3ReadUpfront, Rate::Reserved3ReadHour),
    };
    let hours = f64::from(years) * 12.0 * 730.0;
    (prices.of(upfront) / hours + prices.of(hour)) / LOT
}

/// What is provisioned as one: a table with its local indexes, or a global index.
struct Pool<'a> {
    name: Option<&'a str>,
    read: Load,
    write: Load,
    capacity: Option<Capacity>,
    scaling: [Option<Scaling>; 2],
}

fn pools<'a>(table: &'a Table, parts: &'a [PartCost]) -> Vec<Pool<'a>> {
    let mut pools = vec![Pool {
        name: None,
        read: Load::default(),
        write: Load::default(),
        capacity: match table.billing {
            Some(Billing::Provisioned(capacity)) => capacity,
            _ => None,
        },
        scaling: table.scaling,
    }];
    for part in parts {
        let index = part.index.as_deref().and_then(|name| table.index(name));
        if let Some(index) = index.filter(|index| index.kind == IndexKind::Global) {
            pools.push(Pool {
                name: Some(&index.name),
                read: part.read,
                write: part.write,
                capacity: index.capacity,
                scaling: index.scaling,
            });
        } else {
            pools[0].read.add(1.0, part.read.average, part.read.peak);
            pools[0].write.add(1.0, part.write.average, part.write.peak);
        }
    }
    pools
}

/// Whether a table is paid by request, by declaration or because nothing is stated.
pub(super) fn by_request(table: &Table) -> bool {
    match table.billing {
        Some(Billing::OnDemand) => true,
        Some(Billing::Provisioned(_)) => false,
        None => table.scaling == [None, None],
    }
}

/// How a table is paid, in words.
pub(super) fn paid(table: &Table) -> String {
    let way = match (by_request(table), table.scaling, table.billing) {
        (true, ..) => BY_REQUEST,
        (false, [None, None], Some(Billing::Provisioned(Some(_)))) => "by declared capacity",
        (false, [None, None], _) => "by capacity, fixed at the peak",
        (false, ..) => "by capacity with auto scaling",
    };
    way.to_owned()
}

/// Capacity of one pool and kind over a day.
struct Provision {
    day: Vec<f64>,
    short: usize,
}

fn policy(scaling: Option<Scaling>, prices: &Prices) -> Policy {
    let target = scaling.map_or(prices.assumed("scaling_target"), |scaling| scaling.target) / 100.0;
    Policy {
        min: scaling.map_or(1.0, |scaling| scaling.min.max(1.0)),
        max: scaling.map_or(CEILING, |scaling| scaling.max.max(scaling.min).max(1.0)),
        target: target.clamp(0.01, 1.0),
        margin: prices.assumed("scaling_margin") / 100.0,
        scale_in: scaling.is_none_or(|scaling| !scaling.disable_scale_in),
    }
}

fn fixed(load: Load, units: f64) -> Provision {
    let day = vec![units; curve::DAY];
    let short = if load.peak > units { load.day().iter().filter(|need| **need > units).count() } else { 0 };
    Provision { day, short }
}

fn provision(pool: &Pool<'_>, write: bool, mode: Mode, prices: &Prices) -> Provision {
    let load = if write { pool.write } else { pool.read };
    let scaling = pool.scaling[usize::from(write)];
    let declared = pool.capacity.map(|capacity| if write { capacity.write } else { capacity.read });
    match (mode, declared) {
        (Mode::Fixed, _) => fixed(load, load.peak.ceil().max(1.0)),
        (Mode::Declared, Some(units)) if scaling.is_none() => fixed(load, units),
        (Mode::Declared, None) if scaling.is_none() => fixed(load, load.peak.ceil().max(1.0)),
        (Mode::Ideal, _) => {
            let target = policy(None, prices).target;
            Provision { day: load.day().into_iter().map(|units| units / target).collect(), short: 0 }
        }
        _ => {
            let Followed { capacity, short } = curve::follow(&load.day(), policy(scaling, prices));
            Provision { day: capacity, short }
        }
    }
}

/// The capacity of all pools, for reads and for writes.
fn provisions(pools: &[Pool<'_>], mode: Mode, prices: &Prices) -> [Vec<Provision>; 2] {
    [false, true].map(|write| pools.iter().map(|pool| provision(pool, write, mode, prices)).collect())
}

/// Compares the ways to pay for a table, the declared one first. Empty where nothing reads or writes it.
pub(super) fn compare(table: &Table, parts: &[PartCost], prices: &Prices) -> Vec<ModeCost> {
    let pools = pools(table, parts);
    if pools.iter().all(|pool| pool.read.peak == 0.0 && pool.write.peak == 0.0) {
        return Vec::new();
    }
    let cheap = table.infrequent_access == Some(true);
    let own = if by_request(table) { Mode::OnDemand } else { Mode::Declared };
    let ways = [Mode::OnDemand, Mode::Fixed, Mode::Scaled, Mode::Ideal, Mode::Reserved1, Mode::Reserved3];
    let standard = ways.map(|mode| (mode, false));
    let infrequent = [Mode::OnDemand, Mode::Scaled].map(|mode| (mode, true));
    let others = standard.into_iter().chain(infrequent).filter(|way| *way != (own, cheap));
    let gigabytes: f64 = parts.iter().map(|part| part.gigabytes).sum();
    std::iter::once((own, cheap))
        .chain(others)
        .enumerate()
        .map(|(at, (mode, cheap))| {
            let storage = prices.of(if cheap { Rate::StorageIa } else { Rate::Storage });
            let mut cost = throughput(&pools, mode, cheap, prices);
            cost.declared = at == 0;
            cost.storage = gigabytes * storage;
            cost
        })
        .collect()
}

fn hourly(cheap: bool, write: bool) -> Rate {
    match (cheap, write) {
        (false, true) => Rate::ProvisionedWrite,
        (false, false) => Rate::ProvisionedRead,
        (true, true) => Rate::ProvisionedWriteIa,
        (true, false) => Rate::ProvisionedReadIa,
    }
}

fn request(cheap: bool, write: bool) -> Rate {
    match (cheap, write) {
        (false, true) => Rate::OnDemandWrite,
        (false, false) => Rate::OnDemandRead,
        (true, true) => Rate::OnDemandWriteIa,
        (true, false) => Rate::OnDemandReadIa,
    }
}

fn throughput(pools: &[Pool<'_>], mode: Mode, cheap: bool, prices: &Prices) -> ModeCost {
    let mut cost = ModeCost {
        mode,
        infrequent_access: cheap,
        declared: false,
        throughput: 0.0,
        storage: 0.0,
        verified: true,
        detail: String::new(),
        short: 0,
    };
    if mode == Mode::OnDemand {
        for write in [true, false] {
            let units: f64 =
                pools.iter().map(|pool| if write { pool.write } else { pool.read }.average).sum();
            let price = prices.price(request(cheap, write));
            cost.throughput += units * HOUR * prices.hours() * price.value;
            cost.verified &= price.documented;
        }
        return cost;
    }
    let years = match mode {
        Mode::Reserved1 => Some(1),
        Mode::Reserved3 => Some(3),
        _ => None,
    };
    let mut details = Vec::new();
    for (write, pools) in [true, false].into_iter().zip(provisions(pools, mode, prices).into_iter().rev()) {
        let unit = if write { "WCU" } else { "RCU" };
        let price = prices.price(hourly(cheap, write));
        cost.short = pools.iter().map(|pool| pool.short).max().unwrap_or(0).max(cost.short);
        cost.verified &= price.documented;
        let day = total(&pools);
        let mean = curve::mean(day.iter().copied());
        let Some(years) = years else {
            cost.throughput += mean * prices.hours() * price.value;
            details.push(format!("{} {unit}", print::figure(mean, 1)));
            continue;
        };
        let (lots, hour) = reserve(&day, price.value, reserved_hour(prices, write, years));
        cost.throughput += hour * prices.hours();
        details.push(format!(
            "{} {unit} ({} reserved)",
            print::figure(mean, 1),
            print::figure(lots * LOT, 0)
        ));
    }
    cost.detail = details.join(", ");
    if cost.short > 0 {
        cost.detail = format!("{}; short for {} minutes a day, before burst", cost.detail, cost.short);
    }
    cost
}

fn total(pools: &[Provision]) -> Vec<f64> {
    (0..curve::DAY).map(|minute| pools.iter().map(|pool| pool.day[minute]).sum()).collect()
}

/// The number of lots that costs least, with the dollars of an hour: what exceeds them is paid by the hour.
fn reserve(day: &[f64], hour: f64, reserved: f64) -> (f64, f64) {
    let cost = |lots: f64| {
        let rest = curve::mean(day.iter().map(|units| (units - lots * LOT).max(0.0)));
        lots * LOT * reserved + rest * hour
    };
    // The cost falls, then rises: the least is where a further lot would be used for less than the share that it saves.
    let highest = day.iter().copied().fold(0.0, f64::max);
    let mut lots = 0.0;
    while (lots + 1.0) * LOT <= highest && cost(lots + 1.0) < cost(lots) {
        lots += 1.0;
    }
    (lots, cost(lots))
}

/// Spreads what a table's throughput costs, as it is paid, over the table and its indexes by their units.
pub(super) fn spread(table: &Table, parts: &mut [PartCost], prices: &Prices) {
    let cheap = table.infrequent_access == Some(true);
    if by_request(table) {
        let month = HOUR * prices.hours();
        for part in parts {
            part.read_dollars = part.read.average * month * prices.of(request(cheap, false));
            part.write_dollars = part.write.average * month * prices.of(request(cheap, true));
        }
        return;
    }
    let dollars: Vec<(Option<String>, [f64; 2])> = {
        let pools = pools(table, parts);
        let names = pools.iter().map(|pool| pool.name.map(str::to_owned));
        let of = |pool: &Pool<'_>, write: bool| {
            let mean = curve::mean(provision(pool, write, Mode::Declared, prices).day.into_iter());
            mean * prices.hours() * prices.of(hourly(cheap, write))
        };
        names.zip(pools.iter().map(|pool| [of(pool, false), of(pool, true)])).collect()
    };
    for (name, [read, write]) in dollars {
        let mut members: Vec<&mut PartCost> = parts
            .iter_mut()
            .filter(
                |part| if part.kind == Some(IndexKind::Global) { part.index == name } else { name.is_none() },
            )
            .collect();
        let reads: f64 = members.iter().map(|part| part.read.average).sum();
        let writes: f64 = members.iter().map(|part| part.write.average).sum();
        for (at, part) in members.iter_mut().enumerate() {
            // Idle capacity is the table's.
            let share = |own: f64, all: f64| if all > 0.0 { own / all } else { f64::from(u8::from(at == 0)) };
            part.read_dollars = read * share(part.read.average, reads);
            part.write_dollars = write * share(part.write.average, writes);
        }
    }
}

/// What the comparison says of a table, in sentences.
pub(super) fn verdict(table: &Table, parts: &[PartCost], modes: &[ModeCost], prices: &Prices) -> Vec<String> {
    let Some(own) = modes.first() else { return Vec::new() };
    let even = BreakEven::of(prices);
    let mut said = vec![cheapest(own, modes), steadiness(parts, even)];
    said.push(
        "Auto scaling is simulated on a day that rises and falls once; a sudden peak is throttled until it follows, by request it is not"
            .to_owned(),
    );
    said.extend(class(modes, even));
    if own.mode == Mode::Declared {
        said.extend(utilisation(table, parts, prices));
    }
    said
}

fn cheapest(own: &ModeCost, modes: &[ModeCost]) -> String {
    // What throttles is no way to pay less.
    let real = modes.iter().filter(|way| way.mode != Mode::Ideal && way.short == 0);
    let best =
        real.clone().filter(|way| !is_reserved(way)).min_by(|a, b| a.dollars().total_cmp(&b.dollars()));
    let best = best.unwrap_or(own);
    let less = own.dollars() - best.dollars();
    let mut text = if less < 0.005 {
        format!("{} is the cheapest way to pay without a commitment", capital(&own.title()))
    } else {
        format!(
            "{} would cost ${} less ({})",
            capital(&best.title()),
            print::money(less),
            print::change(own.dollars(), best.dollars())
        )
    };
    let committed = real.filter(|way| is_reserved(way)).min_by(|a, b| a.dollars().total_cmp(&b.dollars()));
    if let Some(committed) = committed.filter(|way| way.dollars() + 0.005 < best.dollars()) {
        let less = own.dollars() - committed.dollars();
        text = format!("{text}; {} ${} less", committed.title(), print::money(less));
    }
    text
}

fn is_reserved(way: &ModeCost) -> bool {
    matches!(way.mode, Mode::Reserved1 | Mode::Reserved3)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn steadiness(parts: &[PartCost], even: BreakEven) -> String {
    let sum = |of: fn(&PartCost) -> Load| {
        parts.iter().map(of).fold(Load::default(), |all, load| Load {
            average: all.average + load.average,
            peak: all.peak + load.peak,
        })
    };
    let used = |what: &str, load: Load| {
        load.steadiness().map(|share| format!("{} for {what}", print::percent(share)))
    };
    let uses: Vec<String> = [used("writes", sum(|part| part.write)), used("reads", sum(|part| part.read))]
        .into_iter()
        .flatten()
        .collect();
    format!(
        "Capacity that is fixed at the peak wins above {} mean use; here it would be {}",
        print::percent(even.provisioned),
        uses.join(", ")
    )
}

fn class(modes: &[ModeCost], even: BreakEven) -> Option<String> {
    let way = modes.iter().find(|way| way.mode == Mode::OnDemand && !way.infrequent_access)?;
    let share = way.storage / way.dollars();
    let better = if share > even.infrequent_access { "Standard-IA" } else { "Standard" };
    share.is_finite().then(|| {
        format!(
            "Storage is {} of storage and throughput: {better} is right (Standard-IA wins above {}; AWS says about 50 %, to be careful)",
            print::percent(share),
            print::percent(even.infrequent_access)
        )
    })
}

/// Declared capacity beside the load.
fn utilisation(table: &Table, parts: &[PartCost], prices: &Prices) -> Vec<String> {
    let mut said = Vec::new();
    for pool in pools(table, parts) {
        let name = pool.name.map_or_else(|| table.name.clone(), |name| format!("{}.{name}", table.name));
        for (write, load) in [(true, pool.write), (false, pool.read)] {
            let unit = if write { "WCU" } else { "RCU" };
            let provisioned = provision(&pool, write, Mode::Declared, prices);
            let mean = curve::mean(provisioned.day.iter().copied());
            let used = load.average / mean;
            if provisioned.short > 0 {
                said.push(format!(
                    "{name}: {} {unit} at the peak exceed what is provisioned for {} minutes a day: throttling, once burst capacity is used up",
                    print::figure(load.peak, 1), provisioned.short
                ));
            } else if mean > 1.0 && used < IDLE_BELOW {
                said.push(format!(
                    "{name}: {} of {} {unit} are used on average; below {} is too much capacity",
                    print::percent(used),
                    print::figure(mean, 1),
                    print::percent(IDLE_BELOW)
                ));
            }
        }
    }
    said
}
