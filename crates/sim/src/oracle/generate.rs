//! Random tables, items, conditions and updates, from spaces so small that they collide.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Action, Assigned, Comparison, Condition, Operand, Path, Step};
use super::rng::Rng;
use super::schema::{Attr, IndexSpec, Projection, TableSpec};
use super::value::{Item, Kind, Value};
use super::write::Change;

/// Attributes that items have besides their keys; the names say what is mostly in them.
pub const PLAIN: [&str; 12] =
    ["nn", "num", "tt", "txt1", "bin", "li", "lis2", "ma", "ss", "nset", "bs", "flg3"];
/// Attributes that only indexes have for keys.
const SPARSE: [&str; 5] = ["g1", "gx2", "g3", "r1", "rx2"];
const KINDS: [Kind; 3] = [Kind::S, Kind::N, Kind::B];
const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"];

/// A table: hash only or with a sort key, up to three local and four global indexes.
pub fn table(rng: &mut Rng, name: &str) -> TableSpec {
    let attr = |name: &str, kind| Attr { name: name.to_owned(), kind };
    let hash = attr("pk", *rng.pick(&KINDS));
    let range = rng.percent(70).then(|| attr("sk", *rng.pick(&KINDS)));
    let mut spec =
        TableSpec { name: name.to_owned(), hash, range, indexes: Vec::new(), heavy: rng.percent(4) };
    let mut candidates: Vec<Attr> = SPARSE.iter().map(|name| attr(name, *rng.pick(&KINDS))).collect();
    candidates.extend([attr("nn", Kind::N), attr("txt1", Kind::S)]);
    if spec.range.is_some() {
        for at in 0..rng.below(4) {
            let range = rng.pick(&candidates).clone();
            spec.indexes.push(index(rng, format!("local{at}"), true, vec![spec.hash.clone()], vec![range]));
        }
    }
    candidates.extend(spec.keys().cloned());
    for at in 0..rng.below(5) {
        let (hash, range) = global_key(rng, &candidates);
        spec.indexes.push(index(rng, format!("global{at}"), false, hash, range));
    }
    spec
}

fn global_key(rng: &mut Rng, candidates: &[Attr]) -> (Vec<Attr>, Vec<Attr>) {
    let several = rng.percent(30);
    let hashes = if several { 1 + rng.below(2) } else { 1 };
    let ranges = if several { rng.below(3) } else { rng.below(2) };
    let mut left = candidates.to_vec();
    let mut take =
        |count: usize| -> Vec<Attr> { (0..count).map(|_| left.swap_remove(rng.below(left.len()))).collect() };
    (take(hashes), take(ranges))
}

fn index(rng: &mut Rng, name: String, local: bool, hash: Vec<Attr>, range: Vec<Attr>) -> IndexSpec {
    let keys: BTreeSet<_> = hash.iter().chain(&range).map(|attr| attr.name.as_str()).collect();
    let plain: Vec<String> =
        PLAIN.iter().filter(|name| !keys.contains(*name)).map(|name| (*name).to_owned()).collect();
    let projection = match rng.below(3) {
        0 => Projection::All,
        1 => Projection::KeysOnly,
        _ => {
            let mut names = rng.some(&plain, 25);
            if names.is_empty() {
                names.push(plain[0].clone());
            }
            Projection::Include(names)
        }
    };
    IndexSpec { name, local, hash, range, projection }
}

/// A key value from a small pool, with neighbours that a wrong order of bytes would confuse.
pub fn key_value(rng: &mut Rng, kind: Kind, pool: usize) -> Value {
    let at = rng.below(pool.min(9));
    match kind {
        Kind::S => {
            let text = ["ab", "a", "b", "a\u{0}", "abc", "\u{e9}", "a\u{0}b", "\u{10ffff}", "B"][at];
            Value::S(text.to_owned())
        }
        Kind::N => Value::N([1000, -1000, 0, 1500, 10_000, -500, 2000, -20_000, 100_000][at]),
        Kind::B => {
            let bytes: [&[u8]; 9] =
                [&[1], &[0], &[255], &[1, 0], &[0, 0], &[255, 255], &[1, 255], &[1, 0, 1], &[128]];
            Value::B(bytes[at].to_vec())
        }
    }
}

/// A primary key.
pub fn key(rng: &mut Rng, spec: &TableSpec) -> Item {
    let hash = key_value(rng, spec.hash.kind, 3);
    let mut key = Item::from([(spec.hash.name.clone(), hash)]);
    if let Some(range) = &spec.range {
        key.insert(range.name.clone(), key_value(rng, range.kind, 6));
    }
    key
}

/// A whole item, now and then one that its table or an index refuses.
pub fn item(rng: &mut Rng, spec: &TableSpec) -> Item {
    let mut item = key(rng, spec);
    if rng.percent(2) {
        let attr = if rng.percent(50) { spec.range.as_ref().unwrap_or(&spec.hash) } else { &spec.hash };
        match rng.below(3) {
            0 => drop(item.remove(&attr.name)),
            1 => drop(item.insert(attr.name.clone(), value(rng, "flg3"))),
            _ if attr.kind == Kind::B => drop(item.insert(attr.name.clone(), Value::B(Vec::new()))),
            _ => drop(item.insert(attr.name.clone(), Value::S(String::new()))),
        }
    }
    for name in SPARSE.iter().chain(&PLAIN) {
        if rng.percent(45) {
            item.insert((*name).to_owned(), attribute(rng, spec, name));
        }
    }
    if rng.percent(if spec.heavy { 90 } else { 15 }) {
        item.insert("filler".to_owned(), filler(rng, spec));
    }
    item
}

fn filler(rng: &mut Rng, spec: &TableSpec) -> Value {
    let size = if spec.heavy { 100_000 + rng.below(290_000) } else { rng.below(9000) };
    Value::S("x".repeat(size))
}

/// A value for this attribute: one that its index takes, where it is an index's key, or mostly of its usual type.
pub fn attribute(rng: &mut Rng, spec: &TableSpec, name: &str) -> Value {
    if let Some(kind) = spec.index_kind(name) {
        return match rng.below(100) {
            0 => value(rng, "flg3"),
            1 if kind == Kind::B => Value::B(Vec::new()),
            1 if kind == Kind::S => Value::S(String::new()),
            2 if kind == Kind::S => Value::S("k".repeat(*rng.pick(&[1023, 1024, 1025, 2048, 2049]))),
            _ => key_value(rng, kind, 4),
        };
    }
    value(rng, name)
}

fn value(rng: &mut Rng, name: &str) -> Value {
    let any = rng.percent(8);
    let name = if any { *rng.pick(&PLAIN) } else { name };
    match name {
        "nn" | "num" => number(rng),
        "bin" => key_value(rng, Kind::B, 9),
        "li" | "lis2" => Value::L((0..rng.below(4)).map(|_| leaf(rng)).collect()),
        "ma" => map(rng),
        "ss" => Value::Ss(["a", "b", "c"][..=rng.below(3)].iter().map(|&member| member.to_owned()).collect()),
        "nset" => Value::Ns((0..=rng.below(3)).map(|_| 1000 * i64::from(rng.percent(50)) + 500).collect()),
        "bs" => Value::Bs((0..=rng.below(3)).map(|_| vec![u8::from(rng.percent(50))]).collect()),
        "flg3" if rng.percent(30) => Value::Null,
        "flg3" => Value::Bool(rng.percent(50)),
        _ => key_value(rng, Kind::S, 9),
    }
}

fn number(rng: &mut Rng) -> Value {
    let number = i64::try_from(rng.below(2000)).expect("small");
    Value::N(*rng.pick(&[number * 1000, (number - 1000) * 10, number, -1000, 0, 1000, number * 100_000]))
}

fn leaf(rng: &mut Rng) -> Value {
    match rng.below(4) {
        0 => key_value(rng, Kind::S, 9),
        1 => map(rng),
        2 => Value::L(vec![number(rng)]),
        _ => number(rng),
    }
}

fn map(rng: &mut Rng) -> Value {
    let mut map = BTreeMap::new();
    for name in ["x1", "y", "z3"] {
        if rng.percent(60) {
            let value = if rng.percent(70) { number(rng) } else { value(rng, "lis2") };
            map.insert(name.to_owned(), value);
        }
    }
    Value::M(map)
}

/// A path of an attribute, or below one.
pub fn path(rng: &mut Rng, names: &[String]) -> Path {
    let mut path = Path::top(rng.pick::<String>(names));
    if rng.percent(60) && matches!(path.top.as_str(), "ma" | "li" | "lis2") {
        let step = match path.top.as_str() {
            "ma" => Step::Name((*rng.pick(&["x1", "y", "z3"])).to_owned()),
            _ => Step::Index(rng.below(4)),
        };
        path.rest.push(step);
        if rng.percent(25) {
            let step = if rng.percent(50) { Step::Index(rng.below(2)) } else { Step::Name("y".to_owned()) };
            path.rest.push(step);
        }
    }
    path
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(3) {
        0 => number(rng),
        1 => key_value(rng, Kind::S, 9),
        _ => key_value(rng, Kind::B, 9),
    }
}

/// A condition on these attributes.
pub fn condition(rng: &mut Rng, names: &[String], depth: usize) -> Condition {
    if depth > 0 && rng.percent(40) {
        let left = Box::new(condition(rng, names, depth - 1));
        return match rng.below(3) {
            0 => Condition::Not(left),
            1 => Condition::And(left, Box::new(condition(rng, names, depth - 1))),
            _ => Condition::Or(left, Box::new(condition(rng, names, depth - 1))),
        };
    }
    simple_condition(rng, names)
}

fn simple_condition(rng: &mut Rng, names: &[String]) -> Condition {
    let target = path(rng, names);
    match rng.below(9) {
        0 => Condition::Exists(target),
        1 => Condition::NotExists(target),
        2 => Condition::Type(target, rng.pick::<&str>(&TYPES)),
        3 => {
            let prefix =
                if rng.percent(70) { key_value(rng, Kind::S, 3) } else { key_value(rng, Kind::B, 3) };
            Condition::BeginsWith(target, prefix)
        }
        4 => Condition::Contains(target, if rng.percent(60) { scalar(rng) } else { leaf(rng) }),
        5 => {
            let values = (0..=rng.below(3)).map(|_| value_like(rng, &target)).collect();
            Condition::In(Operand::Path(target), values)
        }
        6 => between(rng, target),
        _ => comparison(rng, target, names),
    }
}

fn value_like(rng: &mut Rng, path: &Path) -> Value {
    if path.rest.is_empty() { value(rng, &path.top) } else { leaf(rng) }
}

fn between(rng: &mut Rng, target: Path) -> Condition {
    let (operand, kind) = if rng.percent(20) {
        (Operand::Size(target), Kind::N)
    } else {
        (Operand::Path(target), *rng.pick(&KINDS))
    };
    let mut bounds = [key_value(rng, kind, 9), key_value(rng, kind, 9)];
    bounds.sort();
    let [low, high] = bounds;
    Condition::Between(operand, low, high)
}

fn comparison(rng: &mut Rng, target: Path, names: &[String]) -> Condition {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let ordered = *rng.pick(&[Less, LessOrEqual, Greater, GreaterOrEqual, Equal]);
    match rng.below(5) {
        0 => {
            let size = Value::N(1000 * i64::try_from(rng.below(5)).expect("small"));
            Condition::Compare(Operand::Size(target), ordered, Operand::Value(size))
        }
        1 => {
            let other = path(rng, names);
            if other == target {
                return Condition::Exists(target);
            }
            Condition::Compare(Operand::Path(target), *rng.pick(&[ordered, NotEqual]), Operand::Path(other))
        }
        2 => {
            let value = value_like(rng, &target);
            Condition::Compare(Operand::Path(target), *rng.pick(&[Equal, NotEqual]), Operand::Value(value))
        }
        3 => Condition::Compare(Operand::Value(scalar(rng)), ordered, Operand::Path(target)),
        _ => Condition::Compare(Operand::Path(target), ordered, Operand::Value(scalar(rng))),
    }
}

/// Paths of which none holds another, and no two take one value for a map and for a list.
pub fn disjoint_paths(rng: &mut Rng, names: &[String], most: usize) -> Vec<Path> {
    let mut paths: Vec<Path> = Vec::new();
    for _ in 0..=rng.below(most) {
        let candidate = path(rng, names);
        if paths.iter().all(|path| fit(path, &candidate)) {
            paths.push(candidate);
        }
    }
    paths
}

fn fit(one: &Path, two: &Path) -> bool {
    if one.top != two.top {
        return true;
    }
    for (left, right) in one.rest.iter().zip(&two.rest) {
        match (left, right) {
            (Step::Name(_), Step::Index(_)) | (Step::Index(_), Step::Name(_)) => return false,
            _ if left != right => return true,
            _ => {}
        }
    }
    false
}

/// Actions on paths that do not overlap; never on the table's keys.
pub fn actions(rng: &mut Rng, spec: &TableSpec) -> Vec<Action> {
    let mut names: Vec<String> = SPARSE.iter().chain(&PLAIN).map(|name| (*name).to_owned()).collect();
    names.push("filler".to_owned());
    let clears = rng.percent(15);
    let paths = disjoint_paths(rng, &names, 4);
    paths.into_iter().map(|path| action(rng, spec, path, clears, &names)).collect()
}

fn action(rng: &mut Rng, spec: &TableSpec, path: Path, clears: bool, names: &[String]) -> Action {
    let top = path.rest.is_empty();
    match (rng.below(8), path.top.as_str()) {
        (0 | 1, _) => Action::Remove(path),
        (2, "ss" | "nset" | "bs") => {
            let set = set_value(rng, &path.top);
            Action::Delete(path, set)
        }
        _ if clears => Action::Remove(path),
        (3..=5, "ss" | "nset" | "bs") => {
            let set = set_value(rng, &path.top);
            Action::Add(path, set)
        }
        (3 | 4, "nn" | "num") => Action::Add(path, number(rng)),
        (3, "ma") if !top => Action::Add(path, number(rng)),
        (5, "filler") => Action::Set(path, Assigned::Value(filler(rng, spec))),
        _ => {
            let assigned = assigned(rng, spec, &path, names);
            Action::Set(path, assigned)
        }
    }
}

fn set_value(rng: &mut Rng, name: &str) -> Value {
    loop {
        let set = value(rng, name);
        if matches!(set, Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) {
            return set;
        }
    }
}

fn assigned(rng: &mut Rng, spec: &TableSpec, target: &Path, names: &[String]) -> Assigned {
    let own = if target.rest.is_empty() { attribute(rng, spec, &target.top) } else { leaf(rng) };
    let source = path(rng, names);
    let boxed = Box::new;
    match (rng.below(10), target.top.as_str()) {
        (0 | 9, _) if spec.heavy => Assigned::Path(Path::top("filler")),
        (0, _) => Assigned::Path(source),
        (1, _) => Assigned::IfNotExists(target.clone(), boxed(Assigned::Value(own))),
        (2..=4, "li" | "lis2") => {
            let list = Assigned::Value(Value::L(vec![leaf(rng)]));
            let default = Assigned::Value(Value::L(Vec::new()));
            let current = Assigned::IfNotExists(target.clone(), boxed(default));
            match rng.below(3) {
                0 => Assigned::ListAppend(boxed(current), boxed(list)),
                1 => Assigned::ListAppend(boxed(list), boxed(current)),
                _ => Assigned::ListAppend(boxed(Assigned::Path(source)), boxed(list)),
            }
        }
        (2 | 3, "nn" | "num" | "ma") => arithmetic(rng, target),
        _ => Assigned::Value(own),
    }
}

fn arithmetic(rng: &mut Rng, target: &Path) -> Assigned {
    let small = |rng: &mut Rng| Assigned::Value(Value::N(*rng.pick(&[1000, 500, -1000])));
    let current = if rng.percent(50) {
        Assigned::Path(target.clone())
    } else {
        Assigned::IfNotExists(target.clone(), Box::new(Assigned::Value(Value::N(0))))
    };
    let other = small(rng);
    let (left, right) = if rng.percent(70) { (current, other) } else { (other, current) };
    if rng.percent(50) {
        Assigned::Plus(Box::new(left), Box::new(right))
    } else {
        Assigned::Minus(Box::new(left), Box::new(right))
    }
}

/// All attributes that items of the model have.
pub fn all_names(spec: &TableSpec) -> Vec<String> {
    let keys = spec.keys().map(|attr| attr.name.clone());
    keys.chain(SPARSE.iter().chain(&PLAIN).map(|name| (*name).to_owned())).collect()
}

/// A global index to be added to a table later.
pub fn extra_index(rng: &mut Rng, spec: &TableSpec) -> IndexSpec {
    // An attribute that is a key already keeps its type.
    let hash = *rng.pick(&SPARSE);
    let range = *rng.pick(&SPARSE);
    // One that is none yet mostly holds strings.
    let kind = |name: &str| spec.index_kind(name).unwrap_or(Kind::S);
    let attr = |name: &str| Attr { name: name.to_owned(), kind: kind(name) };
    let hash = attr(hash);
    let range: Vec<Attr> = if range == hash.name || rng.percent(40) { Vec::new() } else { vec![attr(range)] };
    index(rng, "extra".to_owned(), false, vec![hash], range)
}

/// Changes a write so that it is allowed whether or not this index exists: key attributes of the index are set to values
/// that it takes, or removed, and no more.
pub fn suit(change: &mut Change, index: &IndexSpec) {
    let takes = |name: &str, value: &Value| {
        let attr = index.keys().find(|attr| attr.name == name);
        attr.is_none_or(|attr| value.is_of(attr.kind) && !value.is_empty_key() && value.size() <= 1024)
    };
    match change {
        Change::Put(item) => item.retain(|name, value| takes(name, value)),
        Change::Update(_, actions) => {
            actions.retain(|action| match action {
                Action::Set(path, Assigned::Value(value)) => takes(&path.top, value),
                Action::Remove(_) => true,
                _ => index.keys().all(|attr| attr.name != action.path().top),
            });
            if actions.is_empty() {
                actions.push(Action::Set(Path::top("num"), Assigned::Value(Value::N(1000))));
            }
        }
        Change::Delete(_) => {}
    }
}
