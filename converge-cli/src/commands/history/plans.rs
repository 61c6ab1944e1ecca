//! The last plan of each module on a machine, in the format of `converge plan`.

use anstyle::Style;
use converge_core::view::render::{sanitize, sanitize_line};
use serde_json::Value as Json;

use super::run_format::{seconds, version, word};
use crate::console::{ADD, BOLD, CHANGE, DIM, ERROR, HUNK, Paint, REMOVE};

/// Formats plans for people.
pub(super) fn last_plans(plans: &[&Json], paint: Paint) -> String {
    plans.iter().map(|plan| last_plan(plan, paint)).collect::<Vec<_>>().join("\n")
}

fn last_plan(plan: &Json, paint: Paint) -> String {
    let outcome = word(&plan["outcome"], "RUN_OUTCOME_");
    let (module, version, began) =
        (text(&plan["module"]["name"]), version(&plan["revision"]), seconds(text(&plan["began"])));
    let title = format!("{module} {version}, {began}: {outcome}");
    let mut lines = vec![paint.paint(BOLD, sanitize_line(&title)) + "\n"];
    lines.extend(list(&plan["resources"]).map(|resource| format_resource(resource, paint)));
    let left_out = text(&plan["left_out"]);
    if !left_out.is_empty() {
        lines.push(paint.paint(DIM, sanitize_line(left_out)) + "\n");
    }
    lines.push(sanitize_line(text(&plan["summary"])).into_owned() + "\n");
    lines.concat()
}

fn format_resource(resource: &Json, paint: Paint) -> String {
    let outcome = word(&resource["outcome"], "RESOURCE_OUTCOME_");
    let (sign, style) = sign(&outcome);
    let name = paint.paint(BOLD, sanitize_line(text(&resource["name"])));
    let mut output =
        format!("{} {name}  {}\n", paint.paint(style, sign), paint.paint(style, sanitize_line(&outcome)));
    for change in list(&resource["changes"]) {
        output.push_str(&format_change(change, paint));
    }
    for message in list(&resource["messages"]) {
        output.push_str(&indented("", text(message)));
    }
    let error = text(&resource["error"]);
    if !error.is_empty() {
        output.push_str(&indented(&paint.paint(ERROR, "error: "), error));
    }
    output
}

/// Returns the sign before the line of a resource, and its colour.
fn sign(outcome: &str) -> (&'static str, Style) {
    match outcome {
        "will change" => ("+", CHANGE),
        "may change" => ("~", CHANGE),
        "changed" => ("+", ADD),
        "failed" => ("!", ERROR),
        _ => ("-", DIM),
    }
}

fn format_change(change: &Json, paint: Paint) -> String {
    let name = sanitize_line(text(&change["name"]));
    let (before, after, diff) = (text(&change["before"]), text(&change["after"]), text(&change["diff"]));
    let [removed, added] =
        [(REMOVE, before), (ADD, after)].map(|(style, text)| paint.paint(style, sanitize_line(text)));
    match (before.is_empty(), after.is_empty(), diff.is_empty()) {
        (_, _, false) => {
            let lines =
                diff.lines().map(|line| format!("    {}\n", paint.paint(line_style(line), sanitize(line))));
            format!("  {name}:\n{}", lines.collect::<String>())
        }
        (true, true, _) => format!("  {name}\n"),
        (true, false, _) => format!("  {name}: {added}\n"),
        (false, ..) => format!("  {name}: {removed} => {added}\n"),
    }
}

/// Returns the colour of a line of a diff, by its sign.
fn line_style(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'+') => ADD,
        Some(b'-') => REMOVE,
        Some(b'@') => HUNK,
        Some(b' ') => Style::new(),
        _ => DIM,
    }
}

/// Indents each line of a text, putting `first` before the first one.
fn indented(first: &str, text: &str) -> String {
    let text = sanitize(text.trim_end_matches('\n'));
    let lines = text.split('\n').enumerate();
    let lines = lines.map(|(at, line)| format!("  {}{line}\n", if at == 0 { first } else { "" }));
    lines.collect::<Vec<_>>().concat()
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plan_is_shown_as_plans_are() {
        let plan = json!({
            "module": {"name": "site"},
            "revision": {"name": "site-276a24d1ab4ab1e7"},
            "began": "2026-11-23T15:11:27.123Z",
            "outcome": "RUN_OUTCOME_FAILED",
            "summary": "1 changed, 1 failed",
            "left_out": "2 more resources are left out.",
            "resources": [
                {"name": "file.content.page", "outcome": "RESOURCE_OUTCOME_CHANGED", "messages": ["one\ntwo"], "changes": [
                    {"name": "content", "diff": "@@ -1 +1 @@\n-old\n+new\n same\n\\ no newline at the end\n"},
                    {"name": "mode", "before": "\"0644\"", "after": "\"0600\""},
                    {"name": "refresh", "after": "a changed"},
                    {"name": "3 more differences"},
                ]},
                {"name": "task.\u{1b}[2J", "outcome": "RESOURCE_OUTCOME_FAILED", "error": "exit code 3"},
                {"name": "task.b", "outcome": "RESOURCE_OUTCOME_NOT_RUN"},
            ],
        });
        let output = last_plans(&[&plan], Paint { color: false });
        insta::assert_snapshot!(output, @r#"
        site 276a24d1, 2026-11-23T15:11:27: failed
        + file.content.page  changed
          content:
            @@ -1 +1 @@
            -old
            +new
             same
            \ no newline at the end
          mode: "0644" => "0600"
          refresh: a changed
          3 more differences
          one
          two
        ! task.\u{1b}[2J  failed
          error: exit code 3
        - task.b  not run
        2 more resources are left out.
        1 changed, 1 failed
        "#);
        let colored = last_plans(&[&plan], Paint { color: true });
        for expect in ["\u{1b}[31m-old", "\u{1b}[32m+new", "\u{1b}[31m\"0644\"", "\u{1b}[36m@@"] {
            assert!(colored.contains(expect), "{expect}: {colored:?}");
        }
        assert!(!colored.contains("\u{1b}[2J"), "{colored:?}");
    }
}
