//! The output of a finished command, and the events of `converge --format json`.

use std::collections::BTreeMap;
use std::process::Output;

use serde_json::Value;

/// The output of a finished command.
#[derive(Clone, Debug)]
pub struct Said {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Said {
    /// Returns itself if the command succeeded, and panics otherwise.
    #[track_caller]
    pub fn success(self) -> Self {
        assert!(self.code == Some(0), "it failed: {}", self.everything());
        self
    }

    /// Returns the complete output for people.
    pub fn everything(&self) -> String {
        format!("exit code {:?}\n{}{}", self.code, self.stdout, self.stderr)
    }

    /// Returns the events of a run with `--format json` in order.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let read = |line: &str| match serde_json::from_str(line) {
            Ok(event) => event,
            Err(error) => panic!("{error}: {line}\n{}", self.everything()),
        };
        self.stdout.lines().map(read).collect()
    }

    /// Returns the report of a resource: `outcome`, `differences`, `messages` and so on.
    ///
    /// The id is without `root/`.
    #[track_caller]
    pub fn report(&self, id: &str) -> Value {
        let full_id = format!("root/{id}");
        let report = self.reports().find(|event| event["id"] == *full_id);
        report.unwrap_or_else(|| panic!("no report of {id}: {}", self.everything()))
    }

    /// Returns the error of a failed resource, and panics unless the run failed too.
    #[track_caller]
    pub fn failure(&self, id: &str) -> String {
        assert_ne!(self.code, Some(0), "{}", self.everything());
        let report = self.report(id);
        let message = report["failure"]["message"].as_str();
        message.unwrap_or_else(|| panic!("{id} did not fail: {report:#}")).to_owned()
    }

    /// Returns the number of resources with each outcome: `summary()["changed"]`.
    #[track_caller]
    pub fn summary(&self) -> Value {
        self.events().last().map_or(Value::Null, |event| event["summary"].clone())
    }

    /// Returns the outcome of each resource by its id without `root/`.
    #[track_caller]
    pub fn outcomes(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = |report: &Value| text(&report["id"]).trim_start_matches("root/").to_owned();
        self.reports().map(|report| (id(&report), text(&report["outcome"]))).collect()
    }

    /// Returns the ids of the resources with this outcome in order, without `root/`.
    #[track_caller]
    pub fn with_outcome(&self, outcome: &str) -> Vec<String> {
        self.outcomes().into_iter().filter(|(_, have)| have == outcome).map(|(id, _)| id).collect()
    }

    /// Asserts that the run succeeded and had nothing to change.
    #[track_caller]
    pub fn has_nothing_to_do(self) {
        let output = self.success();
        let summary = output.summary();
        let is_unchanged =
            ["changed", "will_change", "may_change"].iter().all(|outcome| summary[outcome] == 0);
        assert!(is_unchanged, "there is something left to do: {}", output.everything());
    }

    /// Asserts that the apply did what the plan announced.
    ///
    /// The resources are the same, all planned changes were made, and each planned difference occurred. The
    /// apply may have more differences, where a plan could not read something that did not exist yet.
    #[track_caller]
    pub fn did_what_was_planned(&self, plan: &Said) {
        let mut applied = self.outcomes();
        let mut planned = plan.outcomes();
        // If the plan did not know the instances of a `for_each`, the apply has the instances instead.
        let later =
            |id: &String, outcome: &String| outcome == "may-change" && plan.report(id)["role"] == "for-each";
        let later: Vec<String> =
            planned.extract_if(.., |id, outcome| later(id, outcome)).map(|(id, _)| id).collect();
        applied.retain(|id, _| !later.iter().any(|end| id.starts_with(&format!("{end}[\""))));
        assert_eq!(applied.keys().collect::<Vec<_>>(), planned.keys().collect::<Vec<_>>(), "the resources");
        for (id, planned) in planned {
            let expect: &[&str] = match planned.as_str() {
                "will-change" => &["changed"],
                // The outcome depends on other resources, as the plan announced.
                "may-change" => &["changed", "unchanged", "not-taken"],
                other => &[other],
            };
            let outputs = || format!("{}\n{}", plan.everything(), self.everything());
            let have = applied[&id].as_str();
            assert!(expect.contains(&have), "{id}: the plan says {planned}, the apply {have}\n{}", outputs());
            if planned == "will-change" {
                let actual = self.differences(&id);
                for (name, _, to) in plan.differences(&id) {
                    // The reason for a refresh has another tense in an apply.
                    let matches_planned = |made: &(String, String, String)| {
                        made.0 == name && (made.2 == to || name == "refresh")
                    };
                    assert!(
                        actual.iter().any(matches_planned),
                        "{id}: {name} is not made {to:?}\n{}",
                        outputs()
                    );
                }
            }
        }
    }

    /// Returns the changing differences of a resource: name, before, after.
    #[track_caller]
    pub fn differences(&self, id: &str) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let report = self.report(id);
        let list = report["differences"].as_array().into_iter().flatten();
        list.filter(|difference| difference["changes"] == true)
            .map(|difference| {
                (text(&difference["name"]), text(&difference["before"]), text(&difference["after"]))
            })
            .collect()
    }

    #[track_caller]
    fn reports(&self) -> impl Iterator<Item = Value> + use<> {
        self.events().into_iter().filter(|event| event["event"] == "resource-finished")
    }
}
