//! Tags.

use hashrange_api::message::tables as text;
use hashrange_api::{Error, Tag, TagResourceInput, UntagResourceInput};
use hashrange_item::limits;

use super::refuse;
use crate::catalog::names;

/// Checks a `TagResource`.
pub(in crate::catalog) fn tag(input: &TagResourceInput) -> Result<(), Error> {
    names::check_resource(&input.resource_arn)?;
    if input.tags.is_empty() {
        return refuse(text::no_tags());
    }
    new(&input.tags)
}

/// Checks an `UntagResource`.
pub(in crate::catalog) fn untag(input: &UntagResourceInput) -> Result<(), Error> {
    names::check_resource(&input.resource_arn)?;
    if input.tag_keys.is_empty() {
        return refuse(text::no_tag_keys());
    }
    input.tag_keys.iter().try_for_each(|key| valid_key(key))?;
    if input.tag_keys.len() > limits::TAGS_MAX {
        return refuse(text::too_many_tags());
    }
    Ok(())
}

/// Checks tags that come with a table or are added to it.
pub(super) fn new(tags: &[Tag]) -> Result<(), Error> {
    for tag in tags {
        valid_key(&tag.key)?;
        if tag.key.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("aws:")) {
            return refuse(text::tag_key_reserved(&tag.key));
        }
        if tag.value.chars().count() > limits::TAG_VALUE_MAX || !tag.value.chars().all(is_allowed) {
            return refuse(text::tag_value_invalid(&tag.value));
        }
    }
    let twice = |(at, tag): &(usize, &Tag)| tags[..*at].iter().any(|earlier| earlier.key == tag.key);
    if let Some((_, tag)) = tags.iter().enumerate().take(limits::TAGS_MAX + 1).find(twice) {
        return refuse(text::tag_key_twice(&tag.key));
    }
    if tags.len() > limits::TAGS_MAX {
        return refuse(text::too_many_tags());
    }
    Ok(())
}

fn valid_key(key: &str) -> Result<(), Error> {
    let length = key.chars().count();
    if length == 0 || length > limits::TAG_KEY_MAX || !key.chars().all(is_allowed) {
        return refuse(text::tag_key_invalid(key));
    }
    Ok(())
}

/// Letters and digits of any script, spaces, and a few signs.
fn is_allowed(character: char) -> bool {
    let space = character.is_whitespace() && !character.is_control();
    character.is_alphabetic() || character.is_numeric() || space || "_.:/=+-@".contains(character)
}
