//! Tests of the messages of a plugin while a resource is processed.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use converge_core::plugin::PluginLimits;
use converge_core::system::ModelSystem;
use converge_core::testing::{FakeRenderer, plan_context};
use converge_core::{Context, Registry, Result, TaskStatus as _};

use super::{LONG, TYPE, begins, prepared, start};

async fn check(registry: &Registry, cx: &Context) -> Result<String> {
    let renderer = FakeRenderer::new();
    let resource = registry.get("a.b").unwrap().from_values(Vec::new())?;
    let mut task = resource.prepare_any(cx, &renderer).await?;
    let status = task.check_any(cx, &renderer).await?;
    Ok(format!("{} {:?} {:?}", status.level(), status.messages(), task.exports_any()))
}

#[tokio::test]
async fn what_a_plugin_must_not_say_is_an_error_of_the_resource() {
    let script_of = |lines: &[&str]| {
        let mut script = prepared();
        for line in lines {
            writeln!(script, "say '{line}'").unwrap();
        }
        // The script stays alive until it is killed.
        script + "cat >/dev/null\n"
    };
    let result = |ok: &str| format!(r#"{{"type":"result","id":3,"ok":{ok}}}"#);
    let right = result(r#"{"status":{},"exports":{"y":1}}"#);
    let ask = r#"{"type":"ask","call":3,"ask":1,"question":{"do":"files.write","path":"/x","content":"y","mode":null,"ownership":{"uid":null,"gid":null},"inherit":"from-anyone"}}"#;
    // The limit must allow for the steps before the check.
    let silence = Duration::from_secs(5);
    let cases: &[(&str, String, PluginLimits)] = &[
        ("is right", script_of(&[&right]), LONG),
        ("says nothing", script_of(&[]), PluginLimits { silence, ..LONG }),
        ("ends", prepared() + "echo oh >&2; exit 9\n", LONG),
        ("is killed", prepared() + "kill -9 $$\n", LONG),
        ("fails", script_of(&[r#"{"type":"result","id":3,"error":{"message":"it is full"}}"#]), LONG),
        (
            "fails and does not",
            script_of(&[r#"{"type":"result","id":3,"ok":{},"error":{"message":"it is full"}}"#]),
            LONG,
        ),
        ("gives no result", script_of(&[r#"{"type":"result","id":3}"#]), LONG),
        ("tells no status", script_of(&[&result(r#"{"exports":{"y":1}}"#)]), LONG),
        ("tells no exports", script_of(&[&result(r#"{"status":{}}"#)]), LONG),
        (
            "has a level that is none",
            script_of(&[&result(r#"{"status":{"level":"done"},"exports":{"y":1}}"#)]),
            LONG,
        ),
        (
            "has a difference of one side",
            script_of(&[&result(
                r#"{"status":{"differences":[{"name":"x","before":"a"}]},"exports":{"y":1}}"#,
            )]),
            LONG,
        ),
        (
            "exports what it did not describe",
            script_of(&[&result(r#"{"status":{},"exports":{"y":1,"z":2}}"#)]),
            LONG,
        ),
        ("does not export what it described", script_of(&[&result(r#"{"status":{},"exports":{}}"#)]), LONG),
        (
            "exports a value that is none",
            script_of(&[&result(r#"{"status":{},"exports":{"y":{"$sekret":1}}}"#)]),
            LONG,
        ),
        ("answers another call", script_of(&[r#"{"type":"result","id":4,"ok":{}}"#]), LONG),
        ("answers an old call", script_of(&[r#"{"type":"result","id":2,"ok":{}}"#]), LONG),
        (
            "tells progress of no call",
            script_of(&[r#"{"type":"progress","call":9,"progress":{"step":"x"}}"#]),
            LONG,
        ),
        ("says what is not a message", script_of(&["what?"]), LONG),
        ("changes something in a check", script_of(&[ask, &right]), LONG),
        (
            "asks what there is not, and goes on",
            script_of(&[r#"{"type":"ask","call":3,"ask":1,"question":{"do":"files.format"}}"#, &right]),
            LONG,
        ),
        (
            "asks in a call that is over, and goes on",
            script_of(&[r#"{"type":"ask","call":2,"ask":1,"question":{"do":"clock.now"}}"#, &right]),
            LONG,
        ),
        (
            "closes what is not open, and goes on",
            script_of(&[r#"{"type":"close","task":1,"handle":7}"#, &right]),
            LONG,
        ),
    ];
    let mut report = String::new();
    for (description, script, limits) in cases {
        let model = Arc::new(ModelSystem::new());
        let (plugin, registry) = start(script, *limits).unwrap();
        let answer =
            check(&registry, &plan_context(&model)).await.unwrap_or_else(|error| format!("error: {error}"));
        assert!(model.effects().is_empty(), "{description}: {:?}", model.effects());
        plugin.end();
        writeln!(report, "{description}:\n  {}\n", answer.replace('\n', "\n  ")).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[tokio::test]
async fn floods_are_contained() {
    let model = Arc::new(ModelSystem::new());
    let cx = plan_context(&model);
    let right = r#"say '{"type":"result","id":3,"ok":{"status":{},"exports":{"y":1}}}'"#;
    // The standard error is read all the time, and its end is kept.
    let loud =
        prepared() + "yes 'a line that says nothing' | head -c 20000000 >&2\n" + right + "\ncat >/dev/null\n";
    let (plugin, registry) = start(&loud, LONG).unwrap();
    assert_eq!(check(&registry, &cx).await.unwrap(), r#"no change [] Exports({"y": 1})"#);
    plugin.end();
    // The plugin asks questions without end and never reads the answers.
    let asks = r#"yes '{"type":"ask","call":3,"ask":1,"question":{"do":"clock.now"}}'"#;
    let (plugin, registry) = start(&(prepared() + asks + "\n"), LONG).unwrap();
    let message = check(&registry, &cx).await.unwrap_err().to_string();
    assert_eq!(message, "the plugin `bad` sent more than 1024 requests without reading the answers");
    plugin.end();
    // Endless progress is allowed, but an endless result is not.
    let endless = prepared() + "printf '{\"type\":\"result\",\"id\":3,\"ok\":\"'; yes x | tr -d '\\n'\n";
    let (plugin, registry) = start(&endless, LONG).unwrap();
    let message = check(&registry, &cx).await.unwrap_err().to_string();
    assert!(message.starts_with("the plugin `bad` sent a line of more than 64 MiB"), "{message}");
    plugin.end();
}

#[tokio::test]
async fn a_plugin_that_ends_is_started_again_once() {
    let model = Arc::new(ModelSystem::new());
    let cx = plan_context(&model);
    let (plugin, registry) = start(&(prepared() + "exit 5\n"), LONG).unwrap();
    let mut messages = Vec::new();
    for _ in 0..4 {
        messages.push(check(&registry, &cx).await.unwrap_err().to_string());
    }
    let ended = "the plugin `bad` ended with exit code 5";
    let refusal = "the plugin `bad` is not started again, as it has ended twice: it ended with exit code 5";
    assert_eq!(messages, [ended, ended, refusal, refusal]);
    plugin.end();
}

#[tokio::test]
async fn one_that_describes_itself_otherwise_the_second_time_is_not_used() {
    let folder = super::folder();
    let mark = folder.path().join("mark");
    let mark = mark.display();
    let other_type = TYPE.replace("A type.", "Another type.");
    let script = format!(
        "{}read -r prepare\nexit 6\n",
        begins("TYPE").replace("[TYPE]", "['\"$type\"']").replacen(
            "read -r hello",
            &format!(
                "type='{TYPE}'\nif [ -e {mark} ]; then type='{other_type}'; fi\n: > {mark}\nread -r hello"
            ),
            1
        )
    );
    let (plugin, registry) = start(&script, LONG).unwrap();
    let cx = plan_context(&Arc::new(ModelSystem::new()));
    assert_eq!(
        check(&registry, &cx).await.unwrap_err().to_string(),
        "the plugin `bad` ended with exit code 6"
    );
    assert_eq!(
        check(&registry, &cx).await.unwrap_err().to_string(),
        "the plugin `bad` describes other types than before, now that it was started again"
    );
    plugin.end();
}
