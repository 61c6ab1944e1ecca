//! A comparison of the same resource built in and in a plugin, on identical model hosts.

use std::sync::Arc;

use converge_core::graph::NodeId;
use converge_core::system::{Address, ModelSystem, Output, Platform};
use converge_core::testing::{FakeRenderer, ProgressRecorder, context, plan_context};
use converge_core::value::Value;
use converge_core::{Context, Exports, Redactor, Registry, TaskStatus};
use converge_tests::plugins::{Note, Tour, Trouble};

use super::registry;

fn at_hand() -> Registry {
    Registry::builder().with::<Note>().with::<Tour>().with::<Trouble>().build().unwrap()
}

fn model() -> Arc<ModelSystem> {
    let model = ModelSystem::new()
        .with_dir("/work/sub")
        .with_file("/work/file", "content")
        .with_file("/work/large", "l".repeat((1 << 20) + 5))
        .with_symlink("/work/link", "file")
        .with_user("jo", 1000, 50)
        .with_group("staff", 50)
        .with_env("TOUR", "yes")
        .with_platform(Platform::new("beos"))
        .with_listener(Address::tcp("echo", 7))
        .with_url("http://example.com/page", "a page")
        .with_query(["ask", "me", "it is \u{e9}"], Output::success(b"out\xff\n".to_vec()))
        .with_query(["ask", "progress"], Output::failure(2, "first\nsecond\n"))
        .with_command(["change", "it"], Output::success("changed"));
    Arc::new(model)
}

/// Runs a resource with these values, and returns its output and the resulting machine as text.
async fn run(registry: &Registry, name: &str, values: &[(&str, Value)]) -> (Vec<String>, String) {
    let model = model();
    let redactor = Redactor::new();
    let pending = [NodeId::root().child("task.before")];
    let (plan, progress) = (plan_context(&model).with_pending(pending), ProgressRecorder::new());
    let mut events = Vec::new();
    for cx in [plan, progress.record(context(&model))] {
        let cx = cx.with_redactor(redactor.clone());
        if let Err(error) = once(registry, name, values, &cx, &mut events).await {
            events.push(format!("error: {error}"));
        }
    }
    events.push(format!("{:?}", progress.take()));
    events.push(redactor.redact("a found-secret").into_owned());
    let proofs = model.requests().into_iter().map(|call| {
        let key = call.tls.identity.as_ref().map(|identity| identity.key.expose().clone());
        format!("{:?} {key:?}", call.tls)
    });
    let proofs: Vec<_> = proofs.collect();
    (events, format!("{:?}\n{:?}\n{proofs:?}", model.machine(), model.effects()))
}

async fn once(
    registry: &Registry,
    name: &str,
    values: &[(&str, Value)],
    cx: &Context,
    said: &mut Vec<String>,
) -> converge_core::Result<()> {
    let renderer = FakeRenderer::new();
    let resource_type = registry.get(name).unwrap();
    let mut fields = vec![None; resource_type.schema().fields.len()];
    for (field, value) in values {
        fields[resource_type.schema().field(field).unwrap().0] = Some(value.clone());
    }
    let resource = resource_type.from_values(fields)?;
    let mut task = resource.prepare_any(cx, &renderer).await?;
    let checked = task.check_any(cx, &renderer).await?;
    said.push(told(&checked, &task.exports_any()));
    if cx.mode() == converge_core::RunMode::Apply {
        let applied = task.apply_any(cx).await?;
        said.push(told(&applied, &task.exports_any()));
        if let Some(refreshed) = task.refresh_any(cx).await {
            said.push(told(&refreshed?, &task.exports_any()));
        }
        said.push(told(&task.check_any(cx, &renderer).await?, &Exports::new()));
    }
    Ok(())
}

fn told(status: &converge_core::Status, exports: &Exports) -> String {
    let diffs: Vec<_> = status
        .diffs()
        .into_iter()
        .map(|(name, diff)| (name.to_owned(), diff.before(), diff.after(), diff.changes()))
        .collect();
    format!(
        "{} {diffs:?} {:?} {:?} {:?} {exports:?}",
        status.level(),
        status.messages(),
        status.warnings(),
        status.error()
    )
}

#[tokio::test]
async fn a_resource_does_in_a_plugin_what_it_does_at_hand() {
    let text = |text: &str| Value::from(text);
    let tour: &[(&str, Value)] = &[("folder", text("/work"))];
    let cases: &[(&str, &[(&str, Value)])] = &[
        ("fixture.tour", tour),
        ("fixture.note", &[("path", text("/work/note")), ("text", text("hello")), ("mode", text("0600"))]),
        ("fixture.note", &[("path", text("/work/none/note"))]),
        ("fixture.note", &[("path", text("note"))]),
        ("fixture.note", &[]),
        ("fixture.note", &[("path", text("/work/note")), ("mode", Value::Int(9999))]),
        ("fixture.note", &[("path", text("/work/note")), ("mode", text("99999"))]),
        ("fixture.note", &[("path", text("/n")), ("text", text("a")), ("secret", text("b"))]),
        ("fixture.note", &[("path", text("/work/n")), ("secret", text("hunter2").into_secret())]),
        (
            "fixture.note",
            &[("path", text("/work/n")), ("title", Value::from(vec![text("a"), Value::Int(3)]))],
        ),
        ("fixture.note", &[("path", text("/work/n")), ("title", text("one"))]),
        ("fixture.note", &[("path", text("/work/n")), ("state", text("abssent"))]),
        ("fixture.note", &[("path", text("/work/file")), ("state", text("absent"))]),
        ("fixture.note", &[("path", text("/work/n")), ("wait", text("later"))]),
        ("fixture.trouble", &[("how", text("fail"))]),
    ];
    for (name, values) in cases {
        let direct = run(&at_hand(), name, values).await;
        let plugin = run(registry(), name, values).await;
        for (direct_text, plugin) in direct.0.iter().zip(&plugin.0) {
            for (direct_line, plugin) in direct_text.split("\\\", \\\"").zip(plugin.split("\\\", \\\"")) {
                assert_eq!(plugin, direct_line, "{name} {values:?}");
            }
        }
        assert_eq!(plugin, direct, "{name} {values:?}");
    }
}
