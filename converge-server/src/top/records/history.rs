//! The run history and the drift of a node.

use jiff::Timestamp;
use serde_json::Value;

use super::raw_resource::{named, text, time};
use super::{Raw, Record};
use crate::top::status_text::{StyledText, Tone, clean, plain, short};

/// The maximum number of runs shown.
const RUNS: usize = 20;
/// The maximum number of lines shown of a plan; `converge resource read nodeplans` prints all.
const LINES: usize = 2000;

/// The last runs of a node, newest first.
#[derive(Debug)]
pub(in crate::top) struct History {
    pub(in crate::top) runs: Vec<Run>,
}

/// One run, or several consecutive runs with the same outcome.
#[derive(Debug)]
pub(in crate::top) struct Run {
    pub(in crate::top) when: Option<Timestamp>,
    pub(in crate::top) module: String,
    pub(in crate::top) outcome: StyledText,
    pub(in crate::top) times: String,
    pub(in crate::top) summary: String,
    pub(in crate::top) errors: Vec<String>,
}

/// The last plans of a node, newest first.
#[derive(Debug)]
pub(in crate::top) struct Plans {
    pub(in crate::top) plans: Vec<Plan>,
}

/// The drift that a run of a module found.
#[derive(Debug)]
pub(in crate::top) struct Plan {
    pub(in crate::top) module: String,
    pub(in crate::top) version: String,
    pub(in crate::top) outcome: StyledText,
    pub(in crate::top) began: Option<Timestamp>,
    /// The resources with drift, line by line.
    pub(in crate::top) lines: Vec<StyledText>,
}

fn all<'a>(value: &'a Value, field: &str) -> impl DoubleEndedIterator<Item = &'a Value> {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

impl Record for History {
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

impl Record for Plans {
    const PATH: &'static str = "nodeplans?";

    fn read(raw: &Raw) -> Self {
        let plan = |plan: &Value| {
            let resources = all(plan, "resources").flat_map(resource);
            let extra = ["summary", "left_out"].map(|field| StyledText::plain(text(&plan[field])));
            let mut lines: Vec<_> = resources.take(LINES).collect();
            if lines.len() == LINES {
                lines.push(StyledText::plain("(there is more)"));
            }
            lines.extend(extra.into_iter().filter(|line| !line.text.is_empty()));
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

/// Returns the outcome of a run or of a resource.
fn outcome(value: &Value, prefix: &str) -> StyledText {
    let word = plain(value.as_str().unwrap_or_default(), prefix);
    let tone = match word.as_str() {
        "unchanged" | "changed" => Tone::Good,
        "differs" | "will change" | "may change" => Tone::Busy,
        "failed" | "lost" => Tone::Bad,
        _ => Tone::Unknown,
    };
    StyledText::new(tone, word)
}

/// Returns the drift of a resource.
fn resource(resource: &Value) -> Vec<StyledText> {
    let StyledText { tone, text: word } = outcome(&resource["outcome"], "RESOURCE_OUTCOME_");
    let head = StyledText::new(tone, format!("{}: {word}", text(&resource["name"])));
    let changes = all(resource, "changes").flat_map(change);
    let messages = all(resource, "messages").map(|message| StyledText::plain(format!("  {}", text(message))));
    let error = resource["error"].as_str().filter(|error| !error.is_empty());
    let error = error.into_iter().flat_map(str::lines).map(|line| format!("  ! {}", clean(line)));
    let error = error.map(|line| StyledText::new(Tone::Bad, line));
    std::iter::once(head).chain(changes).chain(messages).chain(error).collect()
}

/// Returns the lines of one difference.
///
/// Each line has a sign, so that it is clear without colour.
fn change(change: &Value) -> Vec<StyledText> {
    let name = text(&change["name"]);
    if let Some(diff) = change["diff"].as_str().filter(|diff| !diff.is_empty()) {
        let lines = diff.lines().filter(|line| !line.is_empty()).map(|line| {
            let tone = match line.as_bytes()[0] {
                b'+' => Tone::Good,
                b'-' => Tone::Bad,
                b'@' => Tone::Busy,
                _ => Tone::Plain,
            };
            StyledText::new(tone, format!("    {}", clean(line)))
        });
        return std::iter::once(StyledText::plain(format!("  {name}:"))).chain(lines).collect();
    }
    let sides = [("before", Tone::Bad, '-'), ("after", Tone::Good, '+')].into_iter().filter_map(
        |(field, tone, sign)| {
            let value = text(&change[field]);
            (!value.is_empty()).then(|| StyledText::new(tone, format!("    {sign} {value}")))
        },
    );
    std::iter::once(StyledText::plain(format!("  {name}"))).chain(sides).collect()
}
