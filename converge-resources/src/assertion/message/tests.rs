use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::MessagePreparer;
use crate::testing::{Written, apply, context, plan, prepare};

#[tokio::test]
async fn messages() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<MessagePreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<MessagePreparer>(&system, written).await, expect, "{written:?}");
    };
    check(&[("text", "look".into())], "no change\n# look").await;
    check(&[("text", "two\nlines".into())], "no change\n# two\nlines").await;
    check(&[("text", 3.into())], "no change\n# 3").await;
    check(&[("text", Value::from("hunter2").into_secret())], "no change\n# (sensitive)").await;
    check(&[("text", "".into())], "error: text: `text` must not be empty").await;
    check(&[], "error: text: `text` is required").await;
}

#[tokio::test]
async fn people_are_to_read_them() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let mut task = prepare::<MessagePreparer>(&cx, &[("text", "look".into())]).await.unwrap();
    let status = task.check(&cx, &FakeRenderer::new()).await.unwrap();
    assert!(status.announces() && !status.has_changes());
}

laws!(MessagePreparer, only_looks = "a message has no changes");
