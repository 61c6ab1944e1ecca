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
        let output = asked(place, "events", &["--warnings"]).everything();
        if output.contains(reason) {
            return output;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns the runs, newest first.
fn runs(place: &Place) -> Vec<Value> {
    let output = history(place, &["--node", "web-1", "--module", "site", "--limit", "1000", "-o", "json"]);
    let reply: Value = serde_json::from_str(&output.stdout).unwrap();
    reply["runs"].as_array().unwrap().clone()
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
    let (start_marker, go_marker, end_marker) = (path("begun"), path("go"), path("done"));
    let apply =
        format!("touch {start_marker}; while ! test -e {go_marker}; do sleep 0.02; done; touch {end_marker}");
    let text = format!("task \"held\" {{ check = \"test -e {end_marker}\" apply = \"{apply}\" }}");
    place.write_module(&json!({"text": text}), "MODE_ENFORCE");
    (start_marker, go_marker)
}

fn until_there(file: &str) {
    while !Path::new(file).exists() {
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn a_run_whose_agent_is_killed_is_lost_and_the_server_may_be_away() {
    let mut place = Place::new();
    let (start_marker, go_marker) = held(&place);
    let agent = place.agent();
    until_there(&start_marker);
    drop(agent);
    place.kill_server();
    fs::write(go_marker, "").unwrap();
    let _agent = place.agent();
    place.start_server_again();
    let runs = until(&place, |runs| outcomes(runs).first().is_some_and(|last| *last != "LOST"));
    // The script of the killed agent ended by itself. The next run either waited for it or came after it.
    assert_eq!(outcomes(&runs)[1..], ["LOST"]);
    assert!(["CHANGED", "UNCHANGED"].contains(&outcomes(&runs)[0]), "{runs:?}");
    assert!(runs[1]["errors"][0].as_str().unwrap().contains("it was killed"), "{runs:?}");
    let stdout = history(&place, &["--limit", "1"]).stdout;
    let heads: Vec<_> = stdout.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads[..6], ["WHEN", "NODE", "MODULE", "VERSION", "MODE", "OUTCOME"]);
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert_eq!(history(&place, &["--node", "web"]).stdout, "no runs\n");
}

#[test]
fn a_run_that_is_cancelled_is_told_before_the_agent_ends() {
    let place = Place::new();
    let (start_marker, go_marker) = held(&place);
    let agent = place.agent();
    until_there(&start_marker);
    // The run may react to its cancellation, or the agent waits for its end.
    fs::write(go_marker, "").unwrap();
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
        let stdout = history(place, &["--node", "web-1", "--plan"]).stdout;
        if stdout.contains(expect) {
            return stdout;
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
    let has_text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(expect);
    while !fs::read(&plans).is_ok_and(has_text) {
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn the_last_plan_is_kept_with_what_differed_until_its_module_is_gone() {
    let mut place = Place::new();
    fs::write(place.file(), "one\ntwo\n").unwrap();
    place.assign("MODE_REPORT", "one\\nthree\\n");
    let agent = place.agent();
    let output = last_plans(&place, "file.content.page");
    let lines: Vec<_> = output.lines().collect();
    assert!(lines[0].starts_with("site ") && lines[0].ends_with(": differs"), "{output}");
    let expected = [
        "+ file.content.page  will change",
        "  content:",
        "    @@ -1,2 +1,2 @@",
        "     one",
        "    -two",
        "    +three",
    ];
    assert_eq!(lines[1..7], expected, "{output}");
    assert_eq!(lines.last(), Some(&"1 to change"), "{output}");

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
    let output = last_plans(&place, "-mine");
    assert!(output.contains("+ file.content.page  changed\n"), "{output}");
    let of_other = history(&place, &["--node", "web-1", "--plan", "--module", "other"]);
    assert_eq!(of_other.stdout, "no plans\n");
    let json_text = history(&place, &["--node", "web-1", "--plan", "-o", "json"]).stdout;
    let document: Value = serde_json::from_str(&json_text).unwrap();
    assert_eq!(document["plans"][0]["resources"][0]["outcome"], "RESOURCE_OUTCOME_CHANGED");

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
    place.write_module(&json!({"text": text, "params": {"p": CANARY}}), "MODE_ENFORCE");
    let agent = place.agent();
    let failed_runs = until(&place, |runs| outcomes(runs).first() == Some(&"FAILED"));
    let error = failed_runs[0]["errors"][0].as_str().unwrap();
    assert!(error.contains("(sensitive)") && error.len() <= 600, "{error}");
    let (_, stored) = place.server().get(HISTORY);
    let plans = stored_plans(&place, "(sensitive)");
    assert!(plans.len() < 40_000, "{plans}");
    let plan_output = history(&place, &["--node", "web-1", "--plan"]).everything();
    assert!(plan_output.contains("! task.a  failed\n"), "{plan_output}");
    let (_, assignments) = place.server().get("/v1/resources/converge/v1/assignment");
    let warnings_text = warnings(&place, "NotApplied");
    assert!(!warnings_text.contains("NodeReady"), "{warnings_text}");
    let events = asked(&place, "events", &["-o", "json"]).stdout;
    let run_output = history(&place, &[]).everything();
    let (code, log) = agent.ends();
    assert_eq!(code, Some(0), "{log}");
    let agent_files =
        ["runs", "plans"].map(|name| fs::read(place.folder.path().join("state/agent").join(name)));
    let agent_files = agent_files.map(|kept| String::from_utf8_lossy(&kept.unwrap()).into_owned()).concat();
    for (label, text) in [
        ("stored", stored),
        ("plans", plans),
        ("shown", plan_output.clone()),
        ("reported", assignments),
        ("said", run_output.clone()),
        ("told", warnings_text.clone()),
        ("events", events),
        ("kept", agent_files),
        ("logged", log),
    ] {
        assert!(!text.contains(CANARY), "{label}: {text}");
    }
    assert!(
        !plan_output.contains('\u{1b}')
            && !run_output.contains('\u{1b}')
            && !warnings_text.contains('\u{1b}'),
        "{run_output:?} {warnings_text:?}"
    );
}
