//! Tests of statuses and metrics of controllers.

use std::time::Duration;

use tokio::time::sleep;

use super::stage::{Stage, settle};
use super::*;
use crate::runtime::demo::{Album, Artist};
use crate::runtime::{Action, Controller, Request, RunError, Runtime, map};

/// Starts a controller whose resources succeed, requeue, fail, and take a second for each reconcile.
async fn stage() -> (Stage, super::stage::Running) {
    let stage = Stage::new();
    let reconcile = |runtime: Runtime, request: Request<Artist>| async move {
        match request.id().name.as_str() {
            "slow" => {
                runtime.event(request.id(), "waits for its drummer");
                sleep(Duration::from_hours(1)).await;
            }
            "failing" => return Err(RunError::from("no \"strings\"")),
            "busy" => return Ok(Action::requeue(Duration::from_mins(1))),
            _ => {}
        }
        Ok(Action::await_change())
    };
    let controller = Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile);
    let running = stage.run([controller]);
    for name in ["failing", "busy", "good", "slow", "waiting"] {
        stage.write(name, Artist::default()).await;
    }
    stage.write("debut", Album::default()).await;
    settle().await;
    (stage, running)
}

#[tokio::test(start_paused = true)]
async fn the_status_as_json() {
    let (_stage, running) = stage().await;
    let status = serde_json::to_value(running.status()).expect("json");
    let zero = serde_json::json!({"secs": 0, "nanos": 0});
    let expect = serde_json::json!({
        "name": "artists",
        "managed_type": "demo.v2.Artist",
        "watched_types": ["demo.v2.Album"],
        "placement": "singleton",
        "supervisor": {"phase": "running", "restart_in": null, "restarts": 0, "last_error": null},
        "vacant": null,
        "reconciles": {"succeeded": 1, "requeued": 1, "failed": 1, "panicked": 0, "time": zero},
        "last_error": {
            "id": status["last_error"]["id"],
            "error": "no \"strings\"",
            "ago": {"secs": 0, "nanos": 1_000_000},
        },
        "events": [
            {
                "id": status["events"][0]["id"],
                "text": "no \"strings\"",
                "times": 1,
                "ago": {"secs": 0, "nanos": 1_000_000},
            },
            {
                "id": status["events"][1]["id"],
                "text": "waits for its drummer",
                "times": 1,
                "ago": {"secs": 0, "nanos": 1_000_000},
            },
        ],
        "run": {
            "queue": {
                "depth": 1,
                "delayed": 3,
                "in_flight": 1,
                "failing": [{
                    "key": "demo.v2.Artist/default/default/failing",
                    "failures": 1,
                    "error": "no \"strings\"",
                    "retry_in": {"secs": 0, "nanos": 4_000_000},
                }],
            },
            "feeds": [{
                "source": "demo.v2.Album",
                "queue": {"depth": 0, "delayed": 0, "in_flight": 0, "failing": []},
            }],
            "cache": [
                {"type": "demo.v2.Artist", "resources": 5},
                {"type": "demo.v2.Album", "resources": 1},
            ],
        },
    });
    assert_eq!(status, expect);
    let names: Vec<_> = running.status().events.into_iter().map(|event| event.id.name.to_string()).collect();
    assert_eq!(names, ["failing", "slow"]);
}

#[tokio::test(start_paused = true)]
async fn metrics() {
    let (_stage, running) = stage().await;
    let text = running.handle.openmetrics();
    for line in [
        "# TYPE converge_controller_running gauge",
        "converge_controller_running{controller=\"artists\"} 1",
        "converge_controller_restarts_total{controller=\"artists\"} 0",
        "# TYPE converge_controller_reconciles counter",
        "converge_controller_reconciles_total{controller=\"artists\",result=\"succeeded\"} 1",
        "converge_controller_reconciles_total{controller=\"artists\",result=\"failed\"} 1",
        "# UNIT converge_controller_reconcile_seconds seconds",
        "converge_controller_reconcile_seconds_bucket{controller=\"artists\",le=\"0.001\"} 3",
        "converge_controller_reconcile_seconds_bucket{controller=\"artists\",le=\"+Inf\"} 3",
        "converge_controller_reconcile_seconds_count{controller=\"artists\"} 3",
        "converge_controller_queue_depth{controller=\"artists\",source=\"reconcile\"} 1",
        "converge_controller_queue_depth{controller=\"artists\",source=\"demo.v2.Album\"} 0",
        "converge_controller_queue_failing{controller=\"artists\",source=\"reconcile\"} 1",
        "converge_controller_cache_resources{controller=\"artists\",type=\"demo.v2.Artist\"} 5",
    ] {
        assert!(text.lines().any(|entry| entry == line), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
    // The samples of a family follow its description, and each family is described once.
    let mut families = BTreeSet::new();
    let mut family = "";
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(described) = line.strip_prefix("# TYPE ") {
            family = described.split(' ').next().expect("a name");
            assert!(families.insert(family), "{family} twice");
        }
        assert!(
            line.trim_start_matches("# HELP ")
                .trim_start_matches("# UNIT ")
                .trim_start_matches("# TYPE ")
                .starts_with(family),
            "{line} is not of {family}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn names_are_escaped_in_metrics() {
    let stage = Stage::new();
    let nothing = |_: Runtime, _: Request<Artist>| async { Ok::<_, RunError>(Action::await_change()) };
    let running = stage.run([Controller::new("a \"b\" \\c\n").reconcile(nothing)]);
    let text = running.handle.openmetrics();
    assert!(
        text.contains("converge_controller_restarts_total{controller=\"a \\\"b\\\" \\\\c\\n\"} 0\n"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_time_of_reconciles_is_counted() {
    let stage = Stage::new();
    let slow = |_: Runtime, _: Request<Artist>| async {
        sleep(Duration::from_millis(30)).await;
        Ok::<_, RunError>(Action::await_change())
    };
    let running = stage.run([Controller::new("artists").reconcile(slow)]);
    stage.write("korn", Artist::default()).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(running.status().reconciles.time, Duration::from_millis(30));
    let text = running.handle.openmetrics();
    assert!(text.contains("le=\"0.02\"} 0\n") && text.contains("le=\"0.1\"} 1\n"), "{text}");
    assert!(text.contains("reconcile_seconds_sum{controller=\"artists\"} 0.03\n"), "{text}");
}
