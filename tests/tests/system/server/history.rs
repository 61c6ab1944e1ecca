//! What agents did, with the real programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use converge_tests::{Said, run};
use serde_json::{Value, json};

use super::agent::{PAUSE, Place};

const HISTORY: &str = "/v1/resources/converge/v1/nodehistory/web-1";

fn history(place: &Place, arguments: &[&str]) -> Said {
    asked(place, "history", arguments)
}

fn asked(place: &Place, command: &str, arguments: &[&str]) -> Said {
    run(&[&[command, "--server", &place.server().url], arguments].concat()).success()
}

/// The warnings, as soon as this is among them.
fn warnings(place: &Place, reason: &str) -> String {
    loop {
        let said = asked(place, "events", &["--warnings"]).everything();
        if said.contains(reason) {
            return said;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The runs, the newest first.
fn runs(place: &Place) -> Vec<Value> {
    let said = history(place, &["--node", "web-1", "--module", "site", "--limit", "1000", "-o", "json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    said["runs"].as_array().unwrap().clone()
}

/// Waits until the runs are so.
fn until(place: &Place, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    loop {
        let runs = runs(place);
        if is_so(&runs) {
            return runs;
        }
        std::thread::sleep(PAUSE);
    }
}

fn outcomes(runs: &[Value]) -> Vec<&str> {
    runs.iter().map(|run| run["outcome"].as_str().unwrap().trim_start_matches("RUN_OUTCOME_")).collect()
}

/// A module whose apply begins, and ends when it is let go.
fn held(place: &Place) -> (String, String) {
    let path = |name: &str| place.folder.path().join(name).to_str().unwrap().to_owned();
    let (begun, go, done) = (path("begun"), path("go"), path("done"));
    let apply = format!("touch {begun}; while ! test -e {go}; do sleep 0.02; done; touch {done}");
    let text = format!("task \"held\" {{ check = \"test -e {done}\" apply = \"{apply}\" }}");
    place.says(&json!({"text": text}), "MODE_ENFORCE");
    (begun, go)
}

fn until_there(file: &str) {
    while !Path::new(file).exists() {
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn a_run_whose_agent_is_killed_is_lost_and_the_server_may_be_away() {
    let mut place = Place::new();
    let (begun, go) = held(&place);
    let agent = place.agent();
    until_there(&begun);
    drop(agent);
    place.kill_server();
    fs::write(go, "").unwrap();
    let _agent = place.agent();
    place.start_server_again();
    let runs = until(&place, |runs| outcomes(runs).first().is_some_and(|last| *last != "LOST"));
    // What was begun ended by itself. The next one either waited for it, or came after it.
    assert_eq!(outcomes(&runs)[1..], ["LOST"]);
    assert!(["CHANGED", "UNCHANGED"].contains(&outcomes(&runs)[0]), "{runs:?}");
    assert!(runs[1]["errors"][0].as_str().unwrap().contains("it was killed"), "{runs:?}");
    let said = history(&place, &["--limit", "1"]).stdout;
    let heads: Vec<_> = said.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads[..6], ["WHEN", "NODE", "MODULE", "VERSION", "MODE", "OUTCOME"]);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert_eq!(history(&place, &["--node", "web"]).stdout, "no runs\n");
}

#[test]
fn a_run_that_is_cancelled_is_told_before_the_agent_ends() {
    let place = Place::new();
    let (begun, go) = held(&place);
    let agent = place.agent();
    until_there(&begun);
    // Whether it heeds that it is to end, or is waited for.
    fs::write(go, "").unwrap();
    assert_eq!(agent.ends().0, Some(0));
    let runs = runs(&place);
    assert!(["CANCELLED", "CHANGED"].contains(&outcomes(&runs)[0]), "{runs:?}");
}

#[test]
fn two_agents_with_one_name_lose_nothing_of_each_other() {
    let place = Place::new();
    place.assign("MODE_ENFORCE", "one");
    let agents = [place.agent(), place.agent_with("state-2")];
    let ids = |runs: &[Value]| runs.iter().map(|run| run["id"].to_string()).collect::<BTreeSet<_>>();
    // Each has one of its own for each version.
    until(&place, |runs| ids(runs).len() >= 2);
    place.assign("MODE_ENFORCE", "two");
    place.until_file_is("two");
    let runs = until(&place, |runs| ids(runs).len() >= 4);
    let versions: BTreeSet<_> = runs.iter().map(|run| run["revision"]["name"].to_string()).collect();
    assert_eq!(versions.len(), 2, "{runs:?}");
    drop(agents);
}

#[test]
fn secrets_and_what_is_huge_or_strange_stay_where_they_are() {
    const CANARY: &str = "canary-4711-secret";
    let place = Place::new();
    let text = "param \"p\" { sensitive = true }\n\
                task \"a\" { check = \"exit 1\" apply = \"printf '\\\\033[2J' >&2; echo {{param `p`}} >&2; \
                yes '{{param `p`}} \\\\\\\\' | head -c 4000000 >&2; exit 3\" }";
    place.says(&json!({"text": text, "params": {"p": CANARY}}), "MODE_ENFORCE");
    let agent = place.agent();
    let found = until(&place, |runs| outcomes(runs).first() == Some(&"FAILED"));
    let error = found[0]["errors"][0].as_str().unwrap();
    assert!(error.contains("(sensitive)") && error.len() <= 600, "{error}");
    let (_, stored) = place.server().get(HISTORY);
    let (_, assignments) = place.server().get("/v1/resources/converge/v1/assignment");
    let told = warnings(&place, "NotApplied");
    assert!(!told.contains("NodeReady"), "{told}");
    let events = asked(&place, "events", &["-o", "json"]).stdout;
    let said = history(&place, &[]).everything();
    let (code, log) = agent.ends();
    assert_eq!(code, Some(0), "{log}");
    let kept = fs::read(place.folder.path().join("state/agent/runs")).unwrap();
    let kept = String::from_utf8_lossy(&kept).into_owned();
    for (what, text) in [
        ("stored", stored),
        ("reported", assignments),
        ("said", said.clone()),
        ("told", told.clone()),
        ("events", events),
        ("kept", kept),
        ("logged", log),
    ] {
        assert!(!text.contains(CANARY), "{what}: {text}");
    }
    assert!(!said.contains('\u{1b}') && !told.contains('\u{1b}'), "{said:?} {told:?}");
}
