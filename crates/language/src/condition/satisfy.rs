//! Items changed so that a condition holds: for those who make sample data.

use hashrange_item::{AttributeValue, Attributes, Kind, Number, Path, Set, Step};

use super::{Comparator, Condition, Operand, Test};

/// Elements that a list is filled up to, for a path that names one of them.
const ELEMENTS_MAX: usize = 32;
/// Bytes or members that a value is brought to, for a condition on its size.
const SIZE_MAX: usize = 4_096;
/// Why a set can be made of one member.
const ONE_MEMBER: &str = "one member is not there twice";
/// How often the sides of an AND are gone through: one side may undo another.
const PASSES: usize = 3;

impl Condition {
    /// The item, changed as little as is easily done, so that the condition holds (or does not, where `wanted` is false); `None` where
    /// no way was found. Attributes for which `is_fixed` says so stay as they are. What is given back was evaluated.
    pub fn satisfied_by(
        &self,
        item: &Attributes,
        wanted: bool,
        is_fixed: &dyn Fn(&str) -> bool,
    ) -> Option<Attributes> {
        let mut change = Change { item: item.clone(), is_fixed };
        change.make(&self.test, wanted);
        (self.evaluate(Some(&change.item)) == wanted).then_some(change.item)
    }
}

struct Change<'a> {
    item: Attributes,
    is_fixed: &'a dyn Fn(&str) -> bool,
}

impl Change<'_> {
    fn holds(&self, test: &Test, wanted: bool) -> bool {
        test.holds(Some(&self.item)) == wanted
    }

    /// Changes the item until the test comes out as wanted; whether it does.
    fn make(&mut self, test: &Test, wanted: bool) -> bool {
        if self.holds(test, wanted) {
            return true;
        }
        match test {
            Test::Not(test) => return self.make(test, !wanted),
            Test::All(tests) if wanted => self.make_each(tests, true),
            Test::Any(tests) if !wanted => self.make_each(tests, false),
            Test::All(tests) | Test::Any(tests) => return self.make_one(tests, wanted),
            Test::Compare(comparator, left, right) => self.compare(test, *comparator, left, right, wanted),
            Test::Between(subject, low, high) => {
                let bound = if wanted { low } else { high };
                let comparator = if wanted { Comparator::Equal } else { Comparator::Greater };
                self.relate(test, comparator, subject, bound, wanted);
            }
            Test::In(subject, list) => {
                let comparator = if wanted { Comparator::Equal } else { Comparator::NotEqual };
                for one in list {
                    self.relate(test, comparator, subject, one, wanted);
                }
            }
            Test::Exists(path) => self.exist(path, wanted),
            Test::NotExists(path) => self.exist(path, !wanted),
            Test::IsOfType(subject, kind) => {
                if let Operand::Path(path) = subject {
                    self.set(path, of_kind(if wanted { *kind } else { other_kind(*kind) }));
                }
            }
            Test::BeginsWith(subject, prefix) => self.begin(subject, prefix, wanted),
            Test::Contains(subject, part) => self.contain(subject, part, wanted),
        }
        self.holds(test, wanted) || self.without(test, wanted)
    }

    fn make_each(&mut self, tests: &[Test], wanted: bool) {
        for _ in 0..PASSES {
            for test in tests {
                self.make(test, wanted);
            }
            if tests.iter().all(|test| self.holds(test, wanted)) {
                return;
            }
        }
    }

    fn make_one(&mut self, tests: &[Test], wanted: bool) -> bool {
        let before = self.item.clone();
        tests.iter().any(|test| {
            self.item.clone_from(&before);
            self.make(test, wanted)
        })
    }

    /// Most tests fail where the attribute is not there.
    fn without(&mut self, test: &Test, wanted: bool) -> bool {
        let mut paths = Vec::new();
        test.collect_paths(&mut paths);
        let before = self.item.clone();
        paths.into_iter().any(|path| {
            self.item.clone_from(&before);
            self.remove(path);
            self.holds(test, wanted)
        }) || {
            self.item = before;
            false
        }
    }

    fn compare(
        &mut self,
        test: &Test,
        comparator: Comparator,
        left: &Operand,
        right: &Operand,
        wanted: bool,
    ) {
        let comparator = if wanted { comparator } else { negated(comparator) };
        self.relate(test, comparator, left, right, wanted);
        if !self.holds(test, wanted) {
            self.relate(test, comparator.mirrored(), right, left, wanted);
        }
    }

    /// Gives the subject a value that stands in that relation to the other one, the first that makes the test come out as wanted.
    fn relate(
        &mut self,
        test: &Test,
        comparator: Comparator,
        subject: &Operand,
        other: &Operand,
        wanted: bool,
    ) {
        let value = other.value(Some(&self.item)).map(std::borrow::Cow::into_owned);
        let Some(value) = value else { return };
        let before = self.item.clone();
        for near in related(comparator, &value) {
            match subject {
                Operand::Path(path) => self.set(path, near),
                Operand::Size(of) => self.resize(of, &near),
                Operand::Value(_) | Operand::Truth(_) => return,
            }
            if self.holds(test, wanted) {
                return;
            }
            self.item.clone_from(&before);
        }
    }

    fn exist(&mut self, path: &Path, wanted: bool) {
        if wanted {
            self.set(path, AttributeValue::S("x".to_owned()));
        } else {
            self.remove(path);
        }
    }

    fn begin(&mut self, subject: &Operand, prefix: &Operand, wanted: bool) {
        let prefix = prefix.value(Some(&self.item)).map(std::borrow::Cow::into_owned);
        let (Operand::Path(path), Some(prefix), true) = (subject, prefix, wanted) else { return };
        self.set(path, prefix);
    }

    fn contain(&mut self, subject: &Operand, part: &Operand, wanted: bool) {
        let part = part.value(Some(&self.item)).map(std::borrow::Cow::into_owned);
        let (Operand::Path(path), Some(part), true) = (subject, part, wanted) else { return };
        let holder = match (path.resolve(&self.item).cloned(), part) {
            (Some(AttributeValue::S(text)), AttributeValue::S(part)) => AttributeValue::S(text + &part),
            (Some(AttributeValue::L(mut list)), part) => {
                list.push(part);
                AttributeValue::L(list)
            }
            (Some(AttributeValue::Ss(set)), AttributeValue::S(part)) => {
                let one = Set::new(vec![part]).expect(ONE_MEMBER);
                AttributeValue::Ss(set.union(&one))
            }
            (Some(AttributeValue::Ns(set)), AttributeValue::N(part)) => {
                let one = Set::new(vec![part]).expect(ONE_MEMBER);
                AttributeValue::Ns(set.union(&one))
            }
            (Some(AttributeValue::Bs(set)), AttributeValue::B(part)) => {
                let one = Set::new(vec![part]).expect(ONE_MEMBER);
                AttributeValue::Bs(set.union(&one))
            }
            (_, part @ AttributeValue::S(_)) => part,
            (_, part) => AttributeValue::L(vec![part]),
        };
        self.set(path, holder);
    }

    /// Brings what is at a path to a size.
    fn resize(&mut self, of: &Operand, size: &AttributeValue) {
        let (Operand::Path(path), AttributeValue::N(size)) = (of, size) else { return };
        let size = size.to_i64().and_then(|size| usize::try_from(size).ok());
        let Some(size) = size.filter(|size| *size <= SIZE_MAX) else { return };
        let sized = match path.resolve(&self.item) {
            Some(AttributeValue::B(bytes)) => {
                let mut bytes = bytes.clone();
                bytes.resize(size, b'x');
                AttributeValue::B(bytes)
            }
            Some(AttributeValue::L(list)) => {
                let mut list = list.clone();
                list.resize(size, AttributeValue::Null);
                AttributeValue::L(list)
            }
            Some(AttributeValue::M(map)) => {
                let kept = map.iter().map(|(name, value)| (name.to_owned(), value.clone()));
                let more = (0..size).map(|at| (format!("x{at}"), AttributeValue::Null));
                AttributeValue::M(Attributes::from_pairs(kept.chain(more).take(size).collect()))
            }
            Some(AttributeValue::Ss(set)) => {
                let members = set.iter().cloned().chain((0..size).map(|at| format!("x{at}")));
                Set::new(members.take(size).collect()).map_or(AttributeValue::Null, AttributeValue::Ss)
            }
            Some(AttributeValue::Ns(set)) => {
                let more = (0..size).map(|at| Number::from_i64(900_000_000 + i64::try_from(at).unwrap_or(0)));
                let members: Vec<Number> = set.iter().copied().chain(more).take(size).collect();
                Set::new(members).map_or(AttributeValue::Null, AttributeValue::Ns)
            }
            Some(AttributeValue::S(text)) => {
                let kept: String = text.chars().filter(char::is_ascii).take(size).collect();
                let missing = size.saturating_sub(kept.len());
                AttributeValue::S(kept + &"x".repeat(missing))
            }
            _ => AttributeValue::S("x".repeat(size)),
        };
        self.set(path, sized);
    }

    /// Puts a value where a path leads, with the maps and lists on the way.
    fn set(&mut self, path: &Path, value: AttributeValue) {
        if (self.is_fixed)(path.top()) {
            return;
        }
        if path.is_top_level() {
            self.item.insert(path.top().to_owned(), value);
            return;
        }
        if !self.item.contains(path.top()) {
            self.item.insert(path.top().to_owned(), AttributeValue::Null);
        }
        let mut place = self.item.get_mut(path.top());
        for step in path.rest() {
            place = place.and_then(|place| inner(place, step));
        }
        if let Some(place) = place {
            *place = value;
        }
    }

    fn remove(&mut self, path: &Path) {
        if (self.is_fixed)(path.top()) {
            return;
        }
        let Some((last, way)) = path.rest().split_last() else {
            self.item.remove(path.top());
            return;
        };
        let mut place = self.item.get_mut(path.top());
        for step in way {
            place = place.and_then(|place| known(place, step));
        }
        match (place, last) {
            (Some(AttributeValue::M(map)), Step::Name(name)) => _ = map.remove(name),
            (Some(AttributeValue::L(list)), Step::Index(at)) => list.truncate(*at),
            _ => {}
        }
    }
}

fn known<'v>(value: &'v mut AttributeValue, step: &Step) -> Option<&'v mut AttributeValue> {
    match (value, step) {
        (AttributeValue::M(map), Step::Name(name)) => map.get_mut(name),
        (AttributeValue::L(list), Step::Index(at)) => list.get_mut(*at),
        _ => None,
    }
}

/// The place one step deeper, made where it is not there; what is of another type on the way is replaced.
fn inner<'v>(value: &'v mut AttributeValue, step: &Step) -> Option<&'v mut AttributeValue> {
    match step {
        Step::Name(name) => {
            if !matches!(value, AttributeValue::M(_)) {
                *value = AttributeValue::M(Attributes::default());
            }
            let AttributeValue::M(map) = value else { return None };
            if !map.contains(name) {
                map.insert(name.clone(), AttributeValue::Null);
            }
            map.get_mut(name)
        }
        Step::Index(at) => {
            if *at >= ELEMENTS_MAX {
                return None;
            }
            if !matches!(value, AttributeValue::L(_)) {
                *value = AttributeValue::L(Vec::new());
            }
            let AttributeValue::L(list) = value else { return None };
            while list.len() <= *at {
                list.push(AttributeValue::Null);
            }
            list.get_mut(*at)
        }
    }
}

fn negated(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Equal => Comparator::NotEqual,
        Comparator::NotEqual => Comparator::Equal,
        Comparator::Less => Comparator::GreaterOrEqual,
        Comparator::LessOrEqual => Comparator::Greater,
        Comparator::Greater => Comparator::LessOrEqual,
        Comparator::GreaterOrEqual => Comparator::Less,
    }
}

/// Values that stand in a relation to another one, near ones first.
fn related(comparator: Comparator, value: &AttributeValue) -> Vec<AttributeValue> {
    match comparator {
        Comparator::Equal | Comparator::LessOrEqual | Comparator::GreaterOrEqual => vec![value.clone()],
        Comparator::Less => less(value).into_iter().collect(),
        Comparator::Greater => more(value).into_iter().collect(),
        Comparator::NotEqual => {
            let other = AttributeValue::S("x".to_owned());
            more(value).into_iter().chain(less(value)).chain([other, AttributeValue::Null]).collect()
        }
    }
}

fn less(value: &AttributeValue) -> Option<AttributeValue> {
    match value {
        AttributeValue::N(number) => number.subtract(&Number::from_i64(1)).ok().map(AttributeValue::N),
        AttributeValue::S(text) => {
            let mut text = text.clone();
            text.pop().map(|_| AttributeValue::S(text))
        }
        AttributeValue::B(bytes) => {
            let (_, before) = bytes.split_last()?;
            Some(AttributeValue::B(before.to_vec()))
        }
        AttributeValue::Bool(flag) => Some(AttributeValue::Bool(!flag)),
        _ => None,
    }
}

fn more(value: &AttributeValue) -> Option<AttributeValue> {
    match value {
        AttributeValue::N(number) => number.add(&Number::from_i64(1)).ok().map(AttributeValue::N),
        AttributeValue::S(text) => Some(AttributeValue::S(text.clone() + "x")),
        AttributeValue::B(bytes) => Some(AttributeValue::B([bytes.as_slice(), b"x"].concat())),
        AttributeValue::Bool(flag) => Some(AttributeValue::Bool(!flag)),
        _ => None,
    }
}

/// A value of a type.
fn of_kind(kind: Kind) -> AttributeValue {
    match kind {
        Kind::S => AttributeValue::S("x".to_owned()),
        Kind::N => AttributeValue::N(Number::from_i64(1)),
        Kind::B => AttributeValue::B(b"x".to_vec()),
        Kind::Bool => AttributeValue::Bool(true),
        Kind::Null => AttributeValue::Null,
        Kind::Ss => AttributeValue::Ss(Set::new(vec!["x".to_owned()]).expect(ONE_MEMBER)),
        Kind::Ns => AttributeValue::Ns(Set::new(vec![Number::from_i64(1)]).expect(ONE_MEMBER)),
        Kind::Bs => AttributeValue::Bs(Set::new(vec![b"x".to_vec()]).expect(ONE_MEMBER)),
        Kind::L => AttributeValue::L(vec![AttributeValue::Null]),
        Kind::M => AttributeValue::M(Attributes::default()),
    }
}

fn other_kind(kind: Kind) -> Kind {
    if kind == Kind::S { Kind::N } else { Kind::S }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binder, ExpressionKind};

    fn item() -> Attributes {
        Attributes::from_pairs(vec![
            ("pk".to_owned(), AttributeValue::from("USER#1")),
            ("n".to_owned(), AttributeValue::N(Number::from_i64(5))),
            ("s".to_owned(), AttributeValue::from("text")),
        ])
    }

    fn values() -> Attributes {
        Attributes::from_pairs(vec![
            (":a".to_owned(), AttributeValue::from("abc")),
            (":t".to_owned(), AttributeValue::from("SS")),
            (":three".to_owned(), AttributeValue::N(Number::from_i64(3))),
            (":nine".to_owned(), AttributeValue::N(Number::from_i64(9))),
            (":yes".to_owned(), AttributeValue::Bool(true)),
        ])
    }

    fn condition(text: &str) -> Condition {
        let values = values();
        Binder::new(None, Some(&values)).condition(ExpressionKind::Filter, text).unwrap()
    }

    /// Each form alone, on a top-level attribute and on nested ones, present and absent.
    fn forms() -> Vec<String> {
        let mut forms = Vec::new();
        for path in ["n", "s", "absent", "m.city", "m.legs[2].sku"] {
            for operator in ["=", "<>", "<", "<=", ">", ">="] {
                for value in [":a", ":three", ":yes"] {
                    if value != ":yes" || matches!(operator, "=" | "<>") {
                        forms.push(format!("{path} {operator} {value}"));
                    }
                }
                forms.push(format!("size({path}) {operator} :three"));
            }
            forms.push(format!("{path} BETWEEN :three AND :nine"));
            forms.push(format!("{path} IN (:a, :nine)"));
            forms.push(format!("begins_with({path}, :a)"));
            forms.push(format!("contains({path}, :a)"));
            forms.push(format!("contains({path}, :three)"));
            forms.push(format!("attribute_exists({path})"));
            forms.push(format!("attribute_not_exists({path})"));
            forms.push(format!("attribute_type({path}, :t)"));
        }
        forms
    }

    #[test]
    fn every_form_can_be_made_to_hold_and_not_to_hold() {
        for text in forms() {
            let condition = condition(&text);
            for wanted in [true, false] {
                let made = condition.satisfied_by(&item(), wanted, &|name| name == "pk");
                let made = made.unwrap_or_else(|| panic!("{text} to be {wanted}"));
                assert_eq!(condition.evaluate(Some(&made)), wanted, "{text}");
                assert_eq!(made.get("pk"), item().get("pk"), "{text}");
            }
        }
    }

    #[test]
    fn joined_conditions_are_satisfied_together() {
        for text in [
            "n < :nine AND n > :three AND attribute_exists(s)",
            "n > :three AND n < :nine AND NOT n = :nine",
            "(s = :a OR n = :nine) AND NOT begins_with(m.city, :a)",
            "NOT (attribute_exists(s) OR n < :nine)",
            "size(s) > :three AND contains(s, :a) AND attribute_type(tags, :t)",
            "m.legs[0].sku = :a AND m.legs[1].sku <> :a AND m.city = s",
            "n = :three OR attribute_not_exists(pk)",
        ] {
            assert!(condition(text).satisfied_by(&item(), true, &|name| name == "pk").is_some(), "{text}");
        }
    }

    #[test]
    fn what_cannot_hold_gives_nothing() {
        for text in
            ["n = :three AND n = :nine", "pk = :a", "attribute_not_exists(pk)", "m.legs[900].sku = :a"]
        {
            assert_eq!(condition(text).satisfied_by(&item(), true, &|name| name == "pk"), None, "{text}");
        }
    }

    #[test]
    fn what_holds_already_changes_nothing() {
        let same = condition("n > :three").satisfied_by(&item(), true, &|_| false);
        assert_eq!(same, Some(item()));
    }
}
