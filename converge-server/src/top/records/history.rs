//! What was done on a node, and what differed there.

use jiff::Timestamp;
use serde_json::Value;

use super::raw_resource::{named, text, time};
use super::{Fact, Raw};
use crate::top::status_text::{Said, Tone, clean, plain, short};

/// How many runs are shown.
const RUNS: usize = 20;
/// How many lines of a plan are shown: `converge resource read nodeplans` has them all.
const LINES: usize = 2000;

/// The last runs of a node, the newest first.
#[derive(Debug)]
pub(in crate::top) struct History {
    pub(in crate::top) runs: Vec<Run>,
}

/// One run, or several in a row that came to the same.
#[derive(Debug)]
pub(in crate::top) struct Run {
    pub(in crate::top) when: Option<Timestamp>,
    pub(in crate::top) module: String,
    pub(in crate::top) outcome: Said,
    pub(in crate::top) times: String,
    pub(in crate::top) summary: String,
    pub(in crate::top) errors: Vec<String>,
}

/// The last plans of a node, the newest first.
#[derive(Debug)]
pub(in crate::top) struct Plans {
    pub(in crate::top) plans: Vec<Plan>,
}

/// What a run of a module found.
#[derive(Debug)]
pub(in crate::top) struct Plan {
    pub(in crate::top) module: String,
    pub(in crate::top) version: String,
    pub(in crate::top) outcome: Said,
    pub(in crate::top) began: Option<Timestamp>,
    /// The resources that differ, line by line.
    pub(in crate::top) lines: Vec<Said>,
}

fn all<'a>(value: &'a Value, field: &str) -> impl DoubleEndedIterator<Item = &'a Value> {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

impl Fact for History {
    const PATH: &'static str = "nodehistory?";

    fn read(raw: &Raw) -> Self {
        let run = |run: &Value| Run {
            when: time(&run["last"]).or_else(|| time(&run["began"])),
            module: named(&run["module"]).shown(),
            outcome: outcome(&run["outcome"], "RUN_OUTCOME_"),
            times: text(&run["times"]),
            summary: text(&run["summary"]),
            errors: all(run, "errors").map(text).collect(),
        };
        Self { runs: all(&raw.data, "runs").rev().take(RUNS).map(run).collect() }
    }
}

impl Fact for Plans {
    const PATH: &'static str = "nodeplans?";

    fn read(raw: &Raw) -> Self {
        let plan = |plan: &Value| {
            let resources = all(plan, "resources").flat_map(resource);
            let more = ["summary", "left_out"].map(|field| Said::plain(text(&plan[field])));
            let mut lines: Vec<_> = resources.take(LINES).collect();
            if lines.len() == LINES {
                lines.push(Said::plain("(there is more)"));
            }
            lines.extend(more.into_iter().filter(|line| !line.text.is_empty()));
            Plan {
                module: named(&plan["module"]).shown(),
                version: short(&named(&plan["revision"]).name),
                outcome: outcome(&plan["outcome"], "RUN_OUTCOME_"),
                began: time(&plan["began"]),
                lines,
            }
        };
        Self { plans: all(&raw.data, "plans").rev().map(plan).collect() }
    }
}

/// How a run, or a resource in it, ended.
fn outcome(value: &Value, prefix: &str) -> Said {
    let word = plain(value.as_str().unwrap_or_default(), prefix);
    let tone = match word.as_str() {
        "unchanged" | "changed" => Tone::Good,
        "differs" | "will change" | "may change" => Tone::Busy,
        "failed" | "lost" => Tone::Bad,
        _ => Tone::Unknown,
    };
    Said::new(tone, word)
}

/// What differed of a resource.
fn resource(resource: &Value) -> Vec<Said> {
    let Said { tone, text: word } = outcome(&resource["outcome"], "RESOURCE_OUTCOME_");
    let head = Said::new(tone, format!("{}: {word}", text(&resource["name"])));
    let changes = all(resource, "changes").flat_map(change);
    let messages = all(resource, "messages").map(|message| Said::plain(format!("  {}", text(message))));
    let error = resource["error"].as_str().filter(|error| !error.is_empty());
    let error = error.into_iter().flat_map(str::lines).map(|line| format!("  ! {}", clean(line)));
    let error = error.map(|line| Said::new(Tone::Bad, line));
    std::iter::once(head).chain(changes).chain(messages).chain(error).collect()
}

/// One difference. Each line has its sign, so that it is known without its colour.
fn change(change: &Value) -> Vec<Said> {
    let name = text(&change["name"]);
    if let Some(diff) = change["diff"].as_str().filter(|diff| !diff.is_empty()) {
        let lines = diff.lines().filter(|line| !line.is_empty()).map(|line| {
            let tone = match line.as_bytes()[0] {
                b'+' => Tone::Good,
                b'-' => Tone::Bad,
                b'@' => Tone::Busy,
                _ => Tone::Plain,
            };
            Said::new(tone, format!("    {}", clean(line)))
        });
        return std::iter::once(Said::plain(format!("  {name}:"))).chain(lines).collect();
    }
    let sides = [("before", Tone::Bad, '-'), ("after", Tone::Good, '+')].into_iter().filter_map(
        |(field, tone, sign)| {
            let value = text(&change[field]);
            (!value.is_empty()).then(|| Said::new(tone, format!("    {sign} {value}")))
        },
    );
    std::iter::once(Said::plain(format!("  {name}"))).chain(sides).collect()
}
