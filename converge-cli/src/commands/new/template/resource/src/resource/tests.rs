use std::sync::Arc;

use converge_core::system::{Effect, ModelSystem};
use converge_core::testing::{self, FakeRenderer};

use super::*;

/// The laws: one test for each property that holds for every resource.
///
/// Values and machines are generated from the schema of the type.
mod laws {
    converge_core::laws!(super::SampleKind);
}

/// Returns the fields as a module sets them.
fn written(state: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("path", "/welcome".into()),
        ("text", "Hello!\n".into()),
        ("state", state.into()),
    ]
}

/// Returns a machine in memory with a file.
fn machine(text: impl Into<Vec<u8>>) -> ModelSystem {
    ModelSystem::new().with_file("/welcome", text)
}

/// Prepares the task from the fields.
async fn prepared(cx: &Context, state: &str) -> Result<impl Task> {
    let (fields, renderer) = (written(state), FakeRenderer::new());
    testing::prepare::<SampleKind>(fields, cx, &renderer).await
}

/// Tests this resource, one step after the other.
#[tokio::test]
async fn another_text_is_replaced() -> Result<()> {
    let model = Arc::new(machine("Bye!\n"));
    let (cx, renderer) = (testing::context(&model), FakeRenderer::new());
    let mut task = prepared(&cx, "present").await?;
    assert!(task.check(&cx, &renderer).await?.has_changes());
    assert_eq!(model.effects(), []);
    task.apply(&cx).await?;
    let path = "/welcome".into();
    assert_eq!(model.effects(), [Effect::WriteFile { path }]);
    assert_eq!(model.machine().file("/welcome"), Some(&b"Hello!\n"[..]));
    assert!(!task.check(&cx, &renderer).await?.has_changes());
    Ok(())
}

#[tokio::test]
async fn what_is_no_text_is_not_replaced() -> Result<()> {
    let model = Arc::new(machine([0xff, 0xfe]));
    let cx = testing::context(&model);
    let mut task = prepared(&cx, "present").await?;
    let checked = task.check(&cx, &FakeRenderer::new()).await;
    let problem = checked.unwrap_err().to_string();
    assert!(problem.contains("utf-8"), "{problem}");
    Ok(())
}
