//! Writes of single items: drawn at random, sent as requests, and judged.

use std::collections::BTreeMap;

use hashrange_api::{
    ConsumedCapacity, DeleteItemInput, Details, Error, ItemCollectionMetrics, PutItemInput, Request,
    Response, ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue,
    ReturnValuesOnConditionCheckFailure, UpdateItemInput,
};
use hashrange_item::{Attributes, Image};

use super::expression::{Action, Condition, Placeholders};
use super::generate;
use super::rng::Rng;
use super::schema::TableSpec;
use super::table::{self, Charge, ITEM_BYTES, Key, Refusal, Table};
use super::value::{Item, from_attributes, item_size, to_attributes};

/// A write of one item.
#[derive(Clone, Debug)]
pub struct Write {
    pub change: Change,
    pub guard: Guard,
    pub wanted: ReturnValue,
}

/// What a write does; to the item with these key attributes.
#[derive(Clone, Debug)]
pub enum Change {
    Put(Item),
    Update(Item, Vec<Action>),
    Delete(Item),
}

/// The condition of a write, and whether its failure tells the item.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    pub condition: Option<Condition>,
    pub tell: bool,
}

/// What the rules say of a write that is carried out.
#[derive(Debug)]
pub struct Expected {
    pub key: Key,
    pub new: Option<Item>,
    pub attributes: Told,
    pub charge: Charge,
}

/// The Attributes of an answer.
#[derive(Debug)]
pub enum Told {
    Exactly(Option<Item>),
    /// The rules do not say.
    Open,
}

/// What a single write answers.
#[derive(Debug)]
pub struct Written {
    pub attributes: Option<Item>,
    pub consumed: Option<ConsumedCapacity>,
    pub metrics: Option<ItemCollectionMetrics>,
}

/// The item of an answer.
pub fn item_of(image: &Image) -> Item {
    from_attributes(&image.to_item().expect("a row that decodes"))
}

pub fn values_of(placeholders: &Placeholders) -> Option<Attributes> {
    let values = &placeholders.values;
    (!values.is_empty()).then(|| values.iter().map(|(name, value)| (name.clone(), value.to_api())).collect())
}

pub fn names_of(placeholders: &Placeholders) -> Option<BTreeMap<String, String>> {
    (!placeholders.names.is_empty()).then(|| placeholders.names.clone())
}

/// The error is the one that the rules give.
pub fn check_refusal(got: &Error, expected: &Refusal) -> Result<(), String> {
    let text = got.message.clone().unwrap_or_default();
    let item = match &got.details {
        Details::Item(image) => Some(item_of(image)),
        _ => None,
    };
    let text_fits = expected.texts.is_empty() || expected.texts.contains(&text);
    if got.code.name() == expected.code && text_fits && item == expected.item {
        return Ok(());
    }
    Err(format!("refused with {got:?}, expected {expected:?}"))
}

impl Written {
    /// What a single write answered; `None` where it is another operation's answer.
    pub fn of(response: Response) -> Option<Written> {
        let (attributes, consumed, metrics) = match response {
            Response::PutItem(it) => (it.attributes, it.consumed_capacity, it.item_collection_metrics),
            Response::UpdateItem(it) => (it.attributes, it.consumed_capacity, it.item_collection_metrics),
            Response::DeleteItem(it) => (it.attributes, it.consumed_capacity, it.item_collection_metrics),
            _ => return None,
        };
        Some(Written { attributes: attributes.as_ref().map(item_of), consumed, metrics })
    }
}

impl Guard {
    pub fn random(rng: &mut Rng, spec: &TableSpec) -> Guard {
        let names = generate::all_names(spec);
        let condition = rng.percent(40).then(|| generate::condition(rng, &names, 2));
        Guard { condition, tell: rng.percent(50) }
    }

    fn refusal(&self, old: Option<&Item>) -> Option<Refusal> {
        let condition = self.condition.as_ref()?;
        let empty = Item::new();
        if condition.evaluate(old.unwrap_or(&empty)) {
            return None;
        }
        let texts = vec!["The conditional request failed".to_owned()];
        let item = if self.tell { old.cloned() } else { None };
        Some(Refusal { code: "ConditionalCheckFailedException", texts, item })
    }

    fn told(&self) -> Option<ReturnValuesOnConditionCheckFailure> {
        self.tell.then_some(ReturnValuesOnConditionCheckFailure::AllOld)
    }
}

impl Write {
    pub fn put(rng: &mut Rng, spec: &TableSpec) -> Write {
        let item = generate::item(rng, spec);
        Write { change: Change::Put(item), guard: Guard::random(rng, spec), wanted: all_old(rng) }
    }

    pub fn update(rng: &mut Rng, spec: &TableSpec) -> Write {
        let key = generate::key(rng, spec);
        let actions = generate::actions(rng, spec);
        let guard = Guard::random(rng, spec);
        let wanted = *rng.pick(&[
            ReturnValue::None,
            ReturnValue::AllOld,
            ReturnValue::AllNew,
            ReturnValue::UpdatedOld,
            ReturnValue::UpdatedNew,
        ]);
        Write { change: Change::Update(key, actions), guard, wanted }
    }

    pub fn delete(rng: &mut Rng, spec: &TableSpec) -> Write {
        let key = generate::key(rng, spec);
        Write { change: Change::Delete(key), guard: Guard::random(rng, spec), wanted: all_old(rng) }
    }

    /// Attributes that hold the item's key, if it has one that is right.
    pub fn item(&self) -> &Item {
        match &self.change {
            Change::Put(item) | Change::Update(item, _) | Change::Delete(item) => item,
        }
    }

    /// The request, which asks for all that can be told of it.
    pub fn request(&self, table: &str) -> Request {
        let mut placeholders = Placeholders::default();
        match &self.change {
            Change::Put(item) => self.put_input(table, item, &mut placeholders).into(),
            Change::Update(key, actions) => self.update_input(table, key, actions, &mut placeholders).into(),
            Change::Delete(key) => self.delete_input(table, key, &mut placeholders).into(),
        }
    }

    fn condition(&self, placeholders: &mut Placeholders) -> Option<String> {
        self.guard.condition.as_ref().map(|condition| placeholders.condition(condition))
    }

    fn returned(&self) -> Option<ReturnValue> {
        (self.wanted != ReturnValue::None).then_some(self.wanted)
    }

    fn put_input(&self, table: &str, item: &Item, placeholders: &mut Placeholders) -> PutItemInput {
        PutItemInput {
            table_name: table.to_owned(),
            item: to_attributes(item).into(),
            condition_expression: self.condition(placeholders),
            expression_attribute_names: names_of(placeholders),
            expression_attribute_values: values_of(placeholders),
            return_values: self.returned(),
            return_values_on_condition_check_failure: self.guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..PutItemInput::default()
        }
    }

    fn update_input(
        &self,
        table: &str,
        key: &Item,
        actions: &[Action],
        placeholders: &mut Placeholders,
    ) -> UpdateItemInput {
        UpdateItemInput {
            table_name: table.to_owned(),
            key: to_attributes(key),
            update_expression: Some(placeholders.update(actions)),
            condition_expression: self.condition(placeholders),
            expression_attribute_names: names_of(placeholders),
            expression_attribute_values: values_of(placeholders),
            return_values: Some(self.wanted),
            return_values_on_condition_check_failure: self.guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..UpdateItemInput::default()
        }
    }

    fn delete_input(&self, table: &str, key: &Item, placeholders: &mut Placeholders) -> DeleteItemInput {
        DeleteItemInput {
            table_name: table.to_owned(),
            key: to_attributes(key),
            condition_expression: self.condition(placeholders),
            expression_attribute_names: names_of(placeholders),
            expression_attribute_values: values_of(placeholders),
            return_values: self.returned(),
            return_values_on_condition_check_failure: self.guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..DeleteItemInput::default()
        }
    }

    /// What must come of the write where the item was `old`.
    pub fn expect(&self, table: &Table, old: Option<&Item>) -> Result<Expected, Refusal> {
        if let Change::Put(item) = &self.change {
            let faults = table.put_faults(item);
            if !faults.is_empty() {
                return Err(Refusal::invalid(faults));
            }
        }
        self.guard.refusal(old).map_or(Ok(()), Err)?;
        let new = match &self.change {
            Change::Put(item) => Some(item.clone()),
            Change::Update(key, actions) => updated(table, old, key, actions)?,
            Change::Delete(_) => None,
        };
        let attributes = self.told(old, new.as_ref());
        let charge = table.write_charge(old, new.as_ref());
        Ok(Expected { key: table.key_of(self.item()), new, attributes, charge })
    }

    fn told(&self, old: Option<&Item>, new: Option<&Item>) -> Told {
        let actions = match &self.change {
            Change::Update(_, actions) => actions.as_slice(),
            Change::Put(_) | Change::Delete(_) => &[],
        };
        match self.wanted {
            ReturnValue::None => Told::Exactly(None),
            ReturnValue::AllOld => Told::Exactly(old.cloned()),
            ReturnValue::AllNew => Told::Exactly(new.cloned()),
            ReturnValue::UpdatedOld => Told::Exactly(table::touched(old, actions, false)),
            ReturnValue::UpdatedNew if table::tells_updated_new(old, actions) => {
                Told::Exactly(table::touched(new, actions, true))
            }
            ReturnValue::UpdatedNew => Told::Open,
        }
    }
}

impl Told {
    /// Whether an answer with these attributes says what the rules say.
    pub fn fits(&self, attributes: Option<&Item>) -> bool {
        match self {
            Told::Exactly(expected) => expected.as_ref() == attributes,
            Told::Open => true,
        }
    }
}

fn all_old(rng: &mut Rng) -> ReturnValue {
    if rng.percent(40) { ReturnValue::AllOld } else { ReturnValue::None }
}

fn updated(
    table: &Table,
    old: Option<&Item>,
    key: &Item,
    actions: &[Action],
) -> Result<Option<Item>, Refusal> {
    let new = table::update(old, key, actions).map_err(Refusal::invalid)?;
    let mut faults = new.as_ref().map(|item| table.index_faults(item, false)).unwrap_or_default();
    if new.as_ref().is_some_and(|item| item_size(item) > ITEM_BYTES) {
        faults.push("Item size to update has exceeded the maximum allowed size".to_owned());
    }
    if faults.is_empty() { Ok(new) } else { Err(Refusal::invalid(faults)) }
}
