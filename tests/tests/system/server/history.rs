//! Tests of the run history with real programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use converge_tests::{Said, run};
use serde_json::{Value, json};

use super::agent::{PAUSE, Place};

const HISTORY: &str = "/v1/resources/converge/v1/nodehistory/web-1";
const PLANS: &str = "/v1/resources/converge/v1/nodeplans/web-1";

fn history(place: &Place, arguments: &[&str]) -> Said {
    asked(place, "history", arguments)
}

fn asked(place: &Place, command: &str, arguments: &[&str]) -> Said {
    run(&[&[command, "--server", &place.server().url], arguments].concat()).success()
}

/// Waits until there is a warning with this reason, and returns all warnings.
fn warnings(place: &Place, reason: &str) -> String {
    loop {
        let said = asked(place, "events", &["--warnings"]).everything();
        if said.contains(reason) {
            return said;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns the runs, newest first.
fn runs(place: &Place) -> Vec<Value> {
    let said = history(place, &["--node", "web-1", "--module", "site", "--limit", "1000", "-o", "json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    said["runs"].as_array().unwrap().clone()
}

/// Waits until the runs satisfy a condition.
fn until(place: &Place, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    loop {
        let runs = runs(place);
        if is_so(&runs) {
            return runs;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits until there were this many runs with changes.
///
/// The history keeps these, while the next check replaces the agent's report.
pub(super) fn until_changed(place: &Place, times: u64) -> Vec<Value> {
    let times_of = |run: &Value| run["times"].as_str().unwrap().parse::<u64>().unwrap();
    until(place, |runs| {
        let changed = runs.iter().filter(|run| run["outcome"] == "RUN_OUTCOME_CHANGED");
        changed.map(times_of).sum::<u64>() >= times
    })
}

fn outcomes(runs: &[Value]) -> Vec<&str> {
    runs.iter().map(|run| run["outcome"].as_str().unwrap().trim_start_matches("RUN_OUTCOME_")).collect()
}

/// Writes a module whose apply starts and then waits for a file.
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
    // The script of the killed agent ended by itself. The next run either waited for it or came after it.
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
    // The run may react to its cancellation, or the agent waits for its end.
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
    let versions =
        |runs: &[Value]| runs.iter().map(|run| run["revision"]["name"].to_string()).collect::<BTreeSet<_>>();
    // Each agent has its own run of each revision.
    until(&place, |runs| ids(runs).len() >= 2);
    place.assign("MODE_ENFORCE", "two");
    place.until_file_is("two");
    let runs = until(&place, |runs| ids(runs).len() >= 4 && versions(runs).len() >= 2);
    assert_eq!(versions(&runs).len(), 2, "{runs:?}");
    drop(agents);
}

/// Waits until the displayed plans contain a text, and returns them.
fn last_plans(place: &Place, expect: &str) -> String {
    loop {
        let said = history(place, &["--node", "web-1", "--plan"]).stdout;
        if said.contains(expect) {
            return said;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits until the stored plans contain a text, and returns them.
///
/// They are sent separately after the run.
fn stored_plans(place: &Place, expect: &str) -> String {
    loop {
        let (_, stored) = place.server().get(PLANS);
        if stored.contains(expect) {
            return stored;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits until the agent has stored a plan with this text.
///
/// The agent stores it after the run, so stopping the agent as soon as a file changes could prevent that.
fn until_plan_is_kept(place: &Place, expect: &str) {
    let plans = place.folder.path().join("state/agent/plans");
    let has = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(expect);
    while !fs::read(&plans).is_ok_and(has) {
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn the_last_plan_is_kept_with_what_differed_until_its_module_is_gone() {
    let mut place = Place::new();
    fs::write(place.file(), "one\ntwo\n").unwrap();
    place.assign("MODE_REPORT", "one\\nthree\\n");
    let agent = place.agent();
    let said = last_plans(&place, "file.content.page");
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("site ") && lines[0].ends_with(": differs"), "{said}");
    let expected = [
        "+ file.content.page  will change",
        "  content:",
        "    @@ -1,2 +1,2 @@",
        "     one",
        "    -two",
        "    +three",
    ];
    assert_eq!(lines[1..7], expected, "{said}");
    assert_eq!(lines.last(), Some(&"1 to change"), "{said}");

    // A change while the server is away is sent later, possibly by another agent.
    place.assign("MODE_ENFORCE", "one\\nthree\\n");
    place.until_file_is("one\nthree\n");
    last_plans(&place, ": changed");
    place.kill_server();
    fs::write(place.file(), "mine").unwrap();
    until_plan_is_kept(&place, "-mine");
    assert_eq!(fs::read_to_string(place.file()).unwrap(), "one\nthree\n");
    assert_eq!(agent.ends().0, Some(0));
    let agent = place.agent();
    place.start_server_again();
    let said = last_plans(&place, "-mine");
    assert!(said.contains("+ file.content.page  changed\n"), "{said}");
    let of_other = history(&place, &["--node", "web-1", "--plan", "--module", "other"]);
    assert_eq!(of_other.stdout, "no plans\n");
    let all = history(&place, &["--node", "web-1", "--plan", "-o", "json"]).stdout;
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["plans"][0]["resources"][0]["outcome"], "RESOURCE_OUTCOME_CHANGED");

    // The plan of a deleted module is not needed.
    assert_eq!(place.server().delete("/v1/resources/converge/v1/module/site").0, 204);
    last_plans(&place, "no plans");
    assert_eq!(agent.ends().0, Some(0));
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
    let plans = stored_plans(&place, "(sensitive)");
    assert!(plans.len() < 40_000, "{plans}");
    let shown = history(&place, &["--node", "web-1", "--plan"]).everything();
    assert!(shown.contains("! task.a  failed\n"), "{shown}");
    let (_, assignments) = place.server().get("/v1/resources/converge/v1/assignment");
    let told = warnings(&place, "NotApplied");
    assert!(!told.contains("NodeReady"), "{told}");
    let events = asked(&place, "events", &["-o", "json"]).stdout;
    let said = history(&place, &[]).everything();
    let (code, log) = agent.ends();
    assert_eq!(code, Some(0), "{log}");
    let kept = ["runs", "plans"].map(|name| fs::read(place.folder.path().join("state/agent").join(name)));
    let kept = kept.map(|kept| String::from_utf8_lossy(&kept.unwrap()).into_owned()).concat();
    for (what, text) in [
        ("stored", stored),
        ("plans", plans),
        ("shown", shown.clone()),
        ("reported", assignments),
        ("said", said.clone()),
        ("told", told.clone()),
        ("events", events),
        ("kept", kept),
        ("logged", log),
    ] {
        assert!(!text.contains(CANARY), "{what}: {text}");
    }
    assert!(
        !shown.contains('\u{1b}') && !said.contains('\u{1b}') && !told.contains('\u{1b}'),
        "{said:?} {told:?}"
    );
}
