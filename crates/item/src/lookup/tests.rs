use super::*;
use crate::Path;

#[test]
fn a_tree_and_its_row_answer_alike() {
    let item = Attributes::from([("a", "x".into()), ("l", AttributeValue::L(vec!["y".into(), "z".into()]))]);
    let images = [Image::from(item.clone()), Image::from(Row::encode(&item))];
    let mut path = Path::new("l");
    path.push(crate::Step::Index(1));
    for image in images {
        assert_eq!(image.attribute("a").as_deref(), Some(&"x".into()));
        assert_eq!(image.attribute("b"), None);
        assert_eq!(path.resolve_in(&image).as_deref(), Some(&"z".into()));
        assert_eq!(image.size(), item.size());
        assert_eq!(image.to_item(), Ok(item.clone()));
        assert_eq!(image.into_item(), Ok(item.clone()));
    }
}
