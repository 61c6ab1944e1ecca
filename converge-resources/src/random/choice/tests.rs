use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::ChoicePreparer;
use crate::testing::{apply, plan};

fn from(items: &[&str]) -> [(&'static str, Value); 1] {
    [("from", Value::List(items.iter().map(|item| Value::from(*item)).collect()))]
}

/// The drawn item stays while other items come and go.
#[tokio::test]
async fn it_stays_while_it_is_there() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    apply::<ChoicePreparer>(&system, &from(&["a"])).await;
    for items in [&["a"][..], &["b", "a", "c"], &["a", "a"]] {
        assert_eq!(plan::<ChoicePreparer>(&system, &from(items)).await, "no change", "{items:?}");
    }
    let redraw = "will change\nvalue: \"a\" => \"(known after apply)\"\n# another value is drawn: it is no longer in `from`";
    assert_eq!(plan::<ChoicePreparer>(&system, &from(&["b"])).await, redraw);
    assert_eq!(apply::<ChoicePreparer>(&system, &from(&["b"])).await, redraw);
    assert_eq!(plan::<ChoicePreparer>(&system, &from(&["b"])).await, "no change");
    assert_eq!(plan::<ChoicePreparer>(&system, &from(&[])).await, "error: from: `from` must not be empty");
}

laws!(ChoicePreparer, values = ("from", [from(&["a", "b"])[0].1.clone(), from(&["c"])[0].1.clone()]));
