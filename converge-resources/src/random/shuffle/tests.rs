use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::ShufflePreparer;
use crate::random::drawn_value::DrawnResource as _;
use crate::testing::{apply, context, plan, prepare};

fn from(items: &[&str]) -> (&'static str, Value) {
    ("from", Value::List(items.iter().map(|item| Value::from(*item)).collect()))
}

#[tokio::test]
async fn what_fits() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let cx = context(system, RunMode::Plan);
    let task = prepare::<ShufflePreparer>(&cx, &[from(&["a", "b", "b"]), ("count", 2.into())]).await.unwrap();
    let check = |values: &[&str], expect: Option<&str>| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        assert_eq!(task.misfit(&values).as_deref(), expect, "{values:?}");
    };
    check(&["a", "b"], None);
    check(&["b", "b"], None);
    check(&["a", "a"], Some("one of its items is no longer in `from`"));
    check(&["a", "c"], Some("one of its items is no longer in `from`"));
    check(&["a"], Some("it has 1 items, and not 2"));
    check(&["a", "b", "b"], Some("it has 3 items, and not 2"));
}

#[tokio::test]
async fn it_stays_while_all_of_it_is_there() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = apply::<ShufflePreparer>(&system, &[from(&["a", "b", "c"])]).await;
    assert_eq!(output, "will change\nvalue: \"(none)\" => \"(known after apply)\"");
    assert_eq!(plan::<ShufflePreparer>(&system, &[from(&["c", "b", "a"])]).await, "no change");
    let output = plan::<ShufflePreparer>(&system, &[from(&["a", "b", "c", "d"])]).await;
    assert!(output.ends_with("# another value is drawn: it has 3 items, and not 4"), "{output}");
    let output = plan::<ShufflePreparer>(&system, &[from(&["a"]), ("count", 2.into())]).await;
    assert_eq!(output, "error: count: 2 items cannot be drawn from 1");
}

laws!(
    ShufflePreparer,
    values = ("from", [from(&["a", "b"]).1, from(&["a", "b", "c"]).1]),
    values = ("count", [1, 2])
);
