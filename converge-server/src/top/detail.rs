//! The details of one resource as lines of text.

use jiff::Timestamp;
use unicode_width::UnicodeWidthChar as _;

use super::natural_order::compare;
use super::records::Assignment;
use super::rows::View;
use super::snapshot::Snapshot;
use super::status_text::{StyledText, Tone, ago};

/// Returns the detail lines of the resource with this key.
pub(super) fn lines(view: View, key: &str, snapshot: &Snapshot, now: Timestamp) -> Vec<StyledText> {
    let Some(row) = view.rows(snapshot, now).into_iter().find(|row| row.key == key) else {
        let text = if view.is_whole(snapshot) { "It is gone." } else { "Not known yet." };
        return vec![StyledText::new(Tone::Unknown, text)];
    };
    let facts = view.columns().into_iter().zip(row.cells).filter(|(_, cell)| !cell.text.is_empty());
    let mut lines: Vec<_> =
        facts.map(|(column, cell)| StyledText::new(cell.tone, field(column.title, &cell.text))).collect();
    match view {
        View::Nodes => node(&mut lines, key, snapshot, now),
        View::Modules => {
            let assignments = snapshot.assignments.all().filter(|(_, assignment)| assignment.module == key);
            assigned(&mut lines, "Nodes", assignments.map(|(_, it)| (it.node_name.as_str(), it)), now);
        }
        View::Rollouts => rollout(&mut lines, key, snapshot, now),
        View::Events => {}
    }
    lines
}

fn field(title: &str, text: &str) -> String {
    format!("{:<12}{text}", title.to_lowercase())
}

fn title(lines: &mut Vec<StyledText>, text: &str) {
    lines.extend([StyledText::default(), StyledText::new(Tone::Title, text)]);
}

fn node(lines: &mut Vec<StyledText>, key: &str, snapshot: &Snapshot, now: Timestamp) {
    if let Some(node) = snapshot.nodes.get(key) {
        for (name, text) in [("why", &node.why), ("description", &node.description)] {
            if !text.is_empty() {
                lines.push(StyledText::plain(field(name, text)));
            }
        }
    }
    if let Some(report) = snapshot.reports.get(key) {
        lines.extend(report.facts.iter().map(|(name, value)| StyledText::plain(field(name, value))));
    }
    let assignments = snapshot.assignments.all().filter(|(_, assignment)| assignment.node == key);
    assigned(lines, "Modules", assignments.map(|(_, it)| (it.module_name.as_str(), it)), now);
    plans(lines, key, snapshot, now);
    history(lines, key, snapshot, now);
}

/// Adds the nodes that have the revision, and the nodes of the module with another one.
fn rollout(lines: &mut Vec<StyledText>, key: &str, snapshot: &Snapshot, now: Timestamp) {
    let Some(rollout) = snapshot.rollouts.get(key) else { return };
    let assignments =
        snapshot.assignments.all().map(|(_, assignment)| assignment).filter(|it| it.module == rollout.module);
    let (current, others): (Vec<_>, Vec<_>) =
        assignments.partition(|assignment| assignment.version == rollout.version);
    for (head, nodes) in [("Nodes with this version", current), ("Nodes with another version", others)] {
        assigned(
            lines,
            head,
            nodes.into_iter().map(|assignment| (assignment.node_name.as_str(), assignment)),
            now,
        );
    }
}

/// Adds the results of assignments and their first errors.
fn assigned<'a>(
    lines: &mut Vec<StyledText>,
    head: &str,
    all: impl Iterator<Item = (&'a str, &'a Assignment)>,
    now: Timestamp,
) {
    title(lines, head);
    let mut rows: Vec<_> = all.collect();
    rows.sort_by(|(one, _), (other, _)| compare(one, other));
    if rows.is_empty() {
        lines.push(StyledText::new(Tone::Unknown, "none"));
    }
    for (name, assignment) in rows {
        let StyledText { tone, text } = &assignment.standing;
        let mut details: Vec<&str> = vec![&assignment.mode, &assignment.version];
        let age = ago(assignment.since, now);
        details.push(&age);
        details.retain(|text| !text.is_empty());
        lines.push(StyledText::new(*tone, format!("{name}: {text} ({})", details.join(", "))));
        let texts = [("plan", &assignment.plan), ("result", &assignment.result)];
        for (label, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            lines.push(StyledText::plain(format!("  {label}: {text}")));
        }
        for (label, text) in [("drifted", &assignment.drift), ("errors", &assignment.errors)] {
            if let Some(text) = text {
                lines.push(StyledText::new(Tone::Bad, format!("  ! {label}: {text}")));
            }
        }
    }
}

fn plans(lines: &mut Vec<StyledText>, key: &str, snapshot: &Snapshot, now: Timestamp) {
    title(lines, "Last plans");
    let plans = snapshot.plans.get(key).map(|plans| plans.plans.as_slice()).unwrap_or_default();
    if plans.is_empty() {
        let text =
            if snapshot.plans.whole { "No run has found anything to change." } else { "Not known yet." };
        lines.push(StyledText::new(Tone::Unknown, text));
    }
    for plan in plans {
        let StyledText { tone, text } = &plan.outcome;
        let age = ago(plan.began, now);
        lines.push(StyledText::new(*tone, format!("{} {}: {text}, {age}", plan.module, plan.version)));
        lines.extend(plan.lines.iter().map(|line| StyledText::new(line.tone, format!("  {}", line.text))));
    }
}

fn history(lines: &mut Vec<StyledText>, key: &str, snapshot: &Snapshot, now: Timestamp) {
    title(lines, "History");
    let runs = snapshot.history.get(key).map(|history| history.runs.as_slice()).unwrap_or_default();
    if runs.is_empty() {
        let text = if snapshot.history.whole { "Nothing was done yet." } else { "Not known yet." };
        lines.push(StyledText::new(Tone::Unknown, text));
    }
    for run in runs {
        let times = if run.times == "1" || run.times.is_empty() {
            String::new()
        } else {
            format!(", {} times", run.times)
        };
        let StyledText { tone, text } = &run.outcome;
        let age = ago(run.when, now);
        lines.push(StyledText::new(*tone, format!("{age}  {}: {text}{times}  {}", run.module, run.summary)));
        lines.extend(run.errors.iter().map(|error| StyledText::new(Tone::Bad, format!("  ! {error}"))));
    }
}

/// Wraps lines at a number of columns.
pub(super) fn wrapped(lines: Vec<StyledText>, width: usize) -> Vec<StyledText> {
    let width = width.max(2);
    let mut output = Vec::with_capacity(lines.len());
    for StyledText { tone, text } in lines {
        let (mut part, mut wide) = (String::new(), 0);
        for character in text.chars() {
            let next = character.width().unwrap_or_default();
            if wide + next > width {
                output.push(StyledText::new(tone, std::mem::take(&mut part)));
                wide = 0;
            }
            part.push(character);
            wide += next;
        }
        output.push(StyledText::new(tone, part));
    }
    output
}
