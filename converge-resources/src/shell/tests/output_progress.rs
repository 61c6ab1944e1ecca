//! Tests of progress events of scripts, and of their end after a cancellation.

use std::path::Path;

use super::*;

/// Returns the lines that an apply sends as progress events.
async fn told(fields: Written<'_>) -> Vec<String> {
    crate::testing::output_lines::<ScriptPreparer>(&local(), fields).await
}

#[tokio::test]
async fn what_scripts_print_is_told_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let fields = [
        ("check", Value::from("echo looking; [ -f a ]")),
        ("apply", "printf 'one\\ntw'; printf 'o\\n\\377\\n'; touch a; printf end".into()),
        ("dir", folder.path().to_str().unwrap().into()),
    ];
    assert_eq!(told(&fields).await, ["looking", "one", "two", "\u{fffd}", "end", "looking"]);
    let fields =
        [("check", Value::from("echo out; sleep 0.01; echo err >&2; exit 1")), ("apply", "true".into())];
    assert_eq!(told(&fields).await, ["out", "! err", "out", "! err"]);
}

#[tokio::test]
async fn a_script_with_a_secret_tells_nothing() {
    let env = Value::from([("PASSWORD", Value::from("hunter2").into_secret())]);
    let fields =
        [("check", Value::from("echo $PASSWORD | rev; exit 1")), ("apply", "true".into()), ("env", env)];
    assert_eq!(told(&fields).await, [""; 0]);
}

#[expect(clippy::disallowed_methods, reason = "the test looks at what the script did")]
async fn until_there(path: &Path) {
    while !path.exists() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_cancelled_script_is_asked_to_end_and_has_time_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let dir = || Value::from(folder.path().to_str().unwrap());
    let check = async |script: &str, expect: &str| {
        let cx = context(local(), RunMode::Apply);
        // A shell builtin creates the file. A child process would be signalled as well, and the shell would
        // report that.
        let script = format!("trap '{script}' TERM; : > begun; sleep 100 & wait");
        let fields =
            [("check", Value::from("[ -f cleaned ]")), ("apply", script.as_str().into()), ("dir", dir())];
        let mut task = prepare::<ScriptPreparer>(&cx, &fields).await.unwrap();
        task.check(&cx, &FakeRenderer::new()).await.unwrap();
        let start_marker = folder.path().join("begun");
        let (applied, ()) = tokio::join!(task.apply(&cx), async {
            until_there(&start_marker).await;
            cx.cancellation().cancel();
        });
        assert_eq!(show(&applied), expect, "{script}");
        // A check after a cancelled apply still runs, to complete the started work.
        let recheck = task.check(&cx, &FakeRenderer::new()).await;
        assert_eq!(show(&recheck), "no change");
        #[expect(clippy::disallowed_methods, reason = "the next one begins anew")]
        for name in ["begun", "cleaned"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
    };
    check("touch cleaned; exit 1", "error: cancelled").await;
    check("touch cleaned; exit 0", "no change").await;
}

#[tokio::test]
async fn a_cancelled_check_is_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let start_marker = folder.path().join("begun");
    let cx = context(local(), RunMode::Plan);
    let script = format!("touch {}; sleep 100", start_marker.display());
    let mut task = prepare::<ScriptPreparer>(&cx, &[("check", script.into())]).await.unwrap();
    let renderer = FakeRenderer::new();
    let (checked, ()) = tokio::join!(task.check(&cx, &renderer), async {
        until_there(&start_marker).await;
        cx.cancellation().cancel();
    });
    assert_eq!(show(&checked), "error: cancelled");
}
