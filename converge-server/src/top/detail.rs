//! The details of one resource as lines of text.

use jiff::Timestamp;
use unicode_width::UnicodeWidthChar as _;

use super::natural_order::compare;
use super::records::Assignment;
use super::rows::View;
use super::snapshot::Known;
use super::status_text::{Said, Tone, ago};

/// Returns the detail lines of the resource with this key.
pub(super) fn lines(view: View, key: &str, known: &Known, now: Timestamp) -> Vec<Said> {
    let Some(row) = view.rows(known, now).into_iter().find(|row| row.key == key) else {
        let text = if view.is_whole(known) { "It is gone." } else { "Not known yet." };
        return vec![Said::new(Tone::Unknown, text)];
    };
    let facts = view.columns().into_iter().zip(row.cells).filter(|(_, cell)| !cell.text.is_empty());
    let mut lines: Vec<_> =
        facts.map(|(column, cell)| Said::new(cell.tone, field(column.title, &cell.text))).collect();
    match view {
        View::Nodes => node(&mut lines, key, known, now),
        View::Modules => {
            let own = known.assignments.all().filter(|(_, assignment)| assignment.module == key);
            assigned(&mut lines, "Nodes", own.map(|(_, it)| (it.node_name.as_str(), it)), now);
        }
        View::Rollouts => rollout(&mut lines, key, known, now),
        View::Events => {}
    }
    lines
}

fn field(title: &str, text: &str) -> String {
    format!("{:<12}{text}", title.to_lowercase())
}

fn title(lines: &mut Vec<Said>, text: &str) {
    lines.extend([Said::default(), Said::new(Tone::Title, text)]);
}

fn node(lines: &mut Vec<Said>, key: &str, known: &Known, now: Timestamp) {
    if let Some(node) = known.nodes.get(key) {
        for (name, text) in [("why", &node.why), ("description", &node.description)] {
            if !text.is_empty() {
                lines.push(Said::plain(field(name, text)));
            }
        }
    }
    if let Some(report) = known.reports.get(key) {
        lines.extend(report.facts.iter().map(|(name, value)| Said::plain(field(name, value))));
    }
    let own = known.assignments.all().filter(|(_, assignment)| assignment.node == key);
    assigned(lines, "Modules", own.map(|(_, it)| (it.module_name.as_str(), it)), now);
    plans(lines, key, known, now);
    history(lines, key, known, now);
}

/// Adds the nodes that have the revision, and the nodes of the module with another one.
fn rollout(lines: &mut Vec<Said>, key: &str, known: &Known, now: Timestamp) {
    let Some(rollout) = known.rollouts.get(key) else { return };
    let own = known.assignments.all().map(|(_, it)| it).filter(|it| it.module == rollout.module);
    let (has, other): (Vec<_>, Vec<_>) = own.partition(|it| it.version == rollout.version);
    for (head, nodes) in [("Nodes with this version", has), ("Nodes with another version", other)] {
        assigned(lines, head, nodes.into_iter().map(|it| (it.node_name.as_str(), it)), now);
    }
}

/// Adds the results of assignments and their first errors.
fn assigned<'a>(
    lines: &mut Vec<Said>,
    head: &str,
    all: impl Iterator<Item = (&'a str, &'a Assignment)>,
    now: Timestamp,
) {
    title(lines, head);
    let mut all: Vec<_> = all.collect();
    all.sort_by(|(one, _), (other, _)| compare(one, other));
    if all.is_empty() {
        lines.push(Said::new(Tone::Unknown, "none"));
    }
    for (name, it) in all {
        let Said { tone, text } = &it.standing;
        let mut more: Vec<&str> = vec![&it.mode, &it.version];
        let since = ago(it.since, now);
        more.push(&since);
        more.retain(|text| !text.is_empty());
        lines.push(Said::new(*tone, format!("{name}: {text} ({})", more.join(", "))));
        let said = [("plan", &it.plan), ("result", &it.result)];
        for (what, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
            lines.push(Said::plain(format!("  {what}: {text}")));
        }
        for (what, text) in [("drifted", &it.drift), ("errors", &it.errors)] {
            if let Some(text) = text {
                lines.push(Said::new(Tone::Bad, format!("  ! {what}: {text}")));
            }
        }
    }
}

fn plans(lines: &mut Vec<Said>, key: &str, known: &Known, now: Timestamp) {
    title(lines, "Last plans");
    let plans = known.plans.get(key).map(|plans| plans.plans.as_slice()).unwrap_or_default();
    if plans.is_empty() {
        let text = if known.plans.whole { "No run has found anything to change." } else { "Not known yet." };
        lines.push(Said::new(Tone::Unknown, text));
    }
    for plan in plans {
        let Said { tone, text } = &plan.outcome;
        let when = ago(plan.began, now);
        lines.push(Said::new(*tone, format!("{} {}: {text}, {when}", plan.module, plan.version)));
        lines.extend(plan.lines.iter().map(|line| Said::new(line.tone, format!("  {}", line.text))));
    }
}

fn history(lines: &mut Vec<Said>, key: &str, known: &Known, now: Timestamp) {
    title(lines, "History");
    let runs = known.history.get(key).map(|history| history.runs.as_slice()).unwrap_or_default();
    if runs.is_empty() {
        let text = if known.history.whole { "Nothing was done yet." } else { "Not known yet." };
        lines.push(Said::new(Tone::Unknown, text));
    }
    for run in runs {
        let times = if run.times == "1" || run.times.is_empty() {
            String::new()
        } else {
            format!(", {} times", run.times)
        };
        let Said { tone, text } = &run.outcome;
        let when = ago(run.when, now);
        lines.push(Said::new(*tone, format!("{when}  {}: {text}{times}  {}", run.module, run.summary)));
        lines.extend(run.errors.iter().map(|error| Said::new(Tone::Bad, format!("  ! {error}"))));
    }
}

/// Wraps lines at a number of columns.
pub(super) fn wrapped(lines: Vec<Said>, width: usize) -> Vec<Said> {
    let width = width.max(2);
    let mut all = Vec::with_capacity(lines.len());
    for Said { tone, text } in lines {
        let (mut part, mut wide) = (String::new(), 0);
        for character in text.chars() {
            let next = character.width().unwrap_or_default();
            if wide + next > width {
                all.push(Said::new(tone, std::mem::take(&mut part)));
                wide = 0;
            }
            part.push(character);
            wide += next;
        }
        all.push(Said::new(tone, part));
    }
    all
}
