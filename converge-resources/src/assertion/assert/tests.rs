use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::AssertPreparer;
use crate::testing::{Written, apply, plan};

#[tokio::test]
async fn conditions() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<AssertPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<AssertPreparer>(&system, written).await, expect, "{written:?}");
    };
    let message = |message: &str| ("message", Value::from(message));
    check(&[("condition", true.into())], "no change").await;
    check(&[("condition", "true".into()), message("no")], "no change").await;
    check(&[("condition", false.into())], "error: the condition does not hold").await;
    check(&[("condition", "false".into()), message("buy a licence")], "error: buy a licence").await;
    let secret = ("message", Value::from("hunter2").into_secret());
    check(&[("condition", false.into()), secret], "error: (sensitive)").await;
    check(
        &[("condition", "perhaps".into())],
        "error: condition: \"perhaps\" is not a boolean: write true or false",
    )
    .await;
    check(&[], "error: condition: `condition` is required").await;
    check(&[("condition", true.into()), message("")], "error: message: `message` must not be empty").await;
}

laws!(AssertPreparer, values = ("condition", [true]), only_looks = "an assertion has no changes");
