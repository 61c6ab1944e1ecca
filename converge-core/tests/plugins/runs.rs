//! Tests of engine runs with a plugin: cancellations, deadlines and secrets.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use converge_core::engine::{CancellationToken, Engine, Event, EventKind};
use converge_core::load::Loader;
use converge_core::plugin::PluginLimits;
use converge_core::system::ModelSystem;

use super::{LONG, TYPE, begins, folder, prepared, start};

/// Plans a module with one resource and returns what was reported about it.
async fn plan(script: &str, limits: PluginLimits, meta: &str, cancel: Option<CancellationToken>) -> String {
    let (plugin, registry) = start(script, limits).unwrap();
    let loader = Loader::new(&registry);
    let graph = loader.load_text("a.hcl", format!("a.b \"it\" {{ {meta} }}")).into_graph().unwrap();
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    let mut output = String::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            output = format!("{:?} {:?}", report.outcome, report.failure.map(|failure| failure.message));
        }
    };
    let run = engine.plan(&graph).sink(&mut sink);
    let run = cancel.into_iter().fold(run, converge_core::engine::Run::cancel_on);
    run.await.unwrap();
    plugin.end();
    output
}

/// Waits until a file exists, which shows how far a script came.
async fn appears(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "{} never came", path.display());
        tokio::task::yield_now().await;
    }
}

/// Waits for a complete line that a script writes to a file.
async fn line(path: &Path) -> String {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Some((line, _)) = text.split_once('\n') {
            return line.to_owned();
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{} never had a line: {text:?}", path.display());
        tokio::task::yield_now().await;
    }
}

fn is_there(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[tokio::test]
async fn the_timeout_of_a_resource_ends_a_check_that_never_does() {
    let limits = PluginLimits { grace: Duration::from_millis(50), ..LONG };
    let output = plan(&(prepared() + "cat >/dev/null\n"), limits, "timeout = \"100ms\"", None).await;
    assert_eq!(output, r#"Failed Some("took longer than its timeout of 100ms")"#);
}

#[tokio::test]
async fn a_call_that_is_given_up_and_does_not_end_ends_the_plugin() {
    // The script copies its input to a file and answers nothing.
    let folder = folder();
    let (process, log) = (folder.path().join("process"), folder.path().join("told"));
    let script = prepared() + &format!("echo $$ > {}\ncat > {}\n", process.display(), log.display());
    // The limits must allow for the steps before the end.
    let limits = PluginLimits { grace: Duration::from_secs(5), ..LONG };
    let (plugin, registry) = start(&script, limits).unwrap();
    let graph =
        Loader::new(&registry).load_text("a.hcl", "a.b \"it\" { timeout = \"5s\" }").into_graph().unwrap();
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    engine.plan(&graph).await.unwrap();
    assert_eq!(line(&log).await, r#"{"type":"abandon","id":3}"#);
    // The script ignores the cancellation and is killed.
    let process = line(&process).await;
    let began = Instant::now();
    while is_there(&process) {
        assert!(began.elapsed() < Duration::from_mins(1), "the process {process} was left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    plugin.end();
}

#[tokio::test]
async fn a_cancelled_run_tells_the_plugin() {
    let folder = folder();
    let (begin_file, log) = (folder.path().join("begun"), folder.path().join("told"));
    let script = prepared()
        + &format!(
            ": > {}\nread -r cancel\nprintf '%s\\n' \"$cancel\" > {}\ncat >/dev/null\n",
            begin_file.display(),
            log.display()
        );
    let token = CancellationToken::new();
    let cancels = token.clone();
    let cancel = async {
        appears(&begin_file).await;
        cancels.cancel();
    };
    let (output, ()) = futures_util::future::join(plan(&script, LONG, "", Some(token)), cancel).await;
    assert!(output.is_empty() || output.contains("cancelled"), "{output}");
    let entry = line(&log).await;
    assert!(entry.contains(r#""type":"cancel""#) || entry.contains(r#""type":"abandon""#), "{entry}");
}

#[test]
fn a_plugin_ends_when_its_host_does_and_with_all_that_it_started() {
    let folder = folder();
    let ended = folder.path().join("ended");
    // The script notices the end of its standard input.
    let script = begins(TYPE) + &format!("cat >/dev/null; : > {}\n", ended.display());
    let (plugin, _) = start(&script, LONG).unwrap();
    plugin.end();
    assert!(ended.exists());
    // The script ignores the end of its input, and has a child process.
    let children = folder.path().join("child");
    let script =
        begins(TYPE) + &format!("sleep 1000 & echo $! > {}\nwhile :; do wait; done\n", children.display());
    let (plugin, _) = start(&script, PluginLimits { grace: Duration::from_millis(50), ..LONG }).unwrap();
    let began = Instant::now();
    let child = loop {
        let text = std::fs::read_to_string(&children).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(began.elapsed() < Duration::from_mins(1));
        std::thread::yield_now();
    };
    plugin.end();
    while is_there(&child) {
        assert!(began.elapsed() < Duration::from_mins(1), "the child {child} was left");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn secrets_are_marked_on_the_way_and_hidden_where_they_come_back() {
    let folder = folder();
    let log = folder.path().join("seen");
    let script = begins(
        &TYPE.replace(r#""kind":{"type":"string"}"#, r#""kind":{"type":"string"},"sensitive":true"#),
    ) + &format!(
        "read -r prepare\nprintf '%s' \"$prepare\" > {}\nsay '{{\"type\":\"result\",\"id\":2,\"ok\":{{}}}}'\nread -r check\n\
             say '{{\"type\":\"hide\",\"call\":3,\"secret\":\"learned-it\"}}'\necho 'this is hunter22' >&2\n\
             say '{{\"type\":\"result\",\"id\":3,\"ok\":{{\"status\":{{\"level\":\"will-change\",\"differences\":[{{\"name\":\"x\",\"before\":\"learned-it\",\"after\":\"hunter22\"}}],\
             \"messages\":[\"it is hunter22\"]}},\"exports\":{{\"y\":\"hunter22\"}}}}}}'\nread -r drop\nexit 1\n",
        log.display()
    );
    let (plugin, registry) = start(&script, LONG).unwrap();
    let loaded = Loader::new(&registry).load_text("a.hcl", "a.b \"it\" { x = \"hunter22\" }");
    let graph = loaded.into_graph().unwrap();
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    let mut lines = Vec::new();
    let mut sink = |event: Event| lines.push(format!("{event:?}"));
    engine.plan(&graph).sink(&mut sink).await.unwrap();
    let output = lines.join("\n");
    assert!(!output.contains("hunter22") && !output.contains("learned-it"), "{output}");
    assert!(output.contains("it is (sensitive)"), "{output}");
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#""fields":{"x":{"$secret":"hunter22"}}"#), "{text}");
    plugin.end();
}
