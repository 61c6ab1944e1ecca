//! The tables of the views.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use clap::ValueEnum;
use jiff::Timestamp;

use super::natural_order::compare;
use super::records::Assignment;
use super::snapshot::Snapshot;
use super::status_text::{StyledText, Tone, ago, count, span};

/// A view of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    // These variants have no docs, which would turn the list of values in the help into a paragraph.
    Nodes,
    Modules,
    Rollouts,
    Events,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) title: &'static str,
    /// The rank: columns with the highest rank are omitted first if there is no room.
    pub(super) rank: u8,
}

/// A row of a table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) cells: Vec<StyledText>,
}

impl View {
    pub(super) const ALL: [Self; 4] = [Self::Nodes, Self::Modules, Self::Rollouts, Self::Events];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Nodes => "Nodes",
            Self::Modules => "Modules",
            Self::Rollouts => "Rollouts",
            Self::Events => "Events",
        }
    }

    /// Returns the singular noun for a row.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Nodes => "node",
            Self::Modules => "module",
            Self::Rollouts => "rollout",
            Self::Events => "event",
        }
    }

    pub(super) fn columns(self) -> Vec<Column> {
        let columns: &[(&str, u8)] = match self {
            Self::Nodes => {
                &[("NODE", 0), ("STATE", 0), ("HEARD", 2), ("MODULES", 1), ("AGENT", 4), ("LABELS", 3)]
            }
            Self::Modules => &[
                ("MODULE", 0),
                ("MODE", 2),
                ("NODES", 3),
                ("APPLIED", 0),
                ("ROLLED OUT", 1),
                ("SCHEDULED", 4),
            ],
            Self::Rollouts => {
                &[("ROLLOUT", 0), ("PHASE", 0), ("BEGAN", 2), ("TOOK", 4), ("VERSION", 3), ("WHY", 1)]
            }
            Self::Events => &[("EVENT", 0), ("TO WHAT", 1), ("LAST", 0), ("TIMES", 3), ("MESSAGE", 2)],
        };
        columns.iter().map(|&(title, rank)| Column { title, rank }).collect()
    }

    /// Returns the rows: nodes and modules by name, rollouts and events with the latest first.
    pub(super) fn rows(self, snapshot: &Snapshot, now: Timestamp) -> Vec<Row> {
        match self {
            Self::Nodes => nodes(snapshot, now),
            Self::Modules => modules(snapshot),
            Self::Rollouts => rollouts(snapshot, now),
            Self::Events => events(snapshot, now),
        }
    }

    /// Whether all rows have been received.
    pub(super) fn is_whole(self, snapshot: &Snapshot) -> bool {
        match self {
            Self::Nodes => snapshot.nodes.whole,
            Self::Modules => snapshot.modules.whole,
            Self::Rollouts => snapshot.rollouts.whole,
            Self::Events => snapshot.events.whole,
        }
    }
}

/// The number of a node's modules by result.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    all: usize,
    applied: usize,
    drifted: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, assignment: &Assignment) {
        self.all += 1;
        self.applied += usize::from(assignment.standing.tone == Tone::Good);
        self.drifted += usize::from(assignment.drift.is_some());
        self.failed += usize::from(assignment.errors.is_some());
    }

    fn said(self) -> StyledText {
        let Self { all, applied, drifted, failed } = self;
        if all == 0 {
            return StyledText::new(Tone::Unknown, "none");
        }
        let problems =
            [(drifted, "drifted"), (failed, "failed")].into_iter().filter(|(number, _)| *number > 0);
        let problems = problems.map(|(number, what)| format!("{number} {what}"));
        let parts: Vec<_> = std::iter::once(format!("{applied}/{all} applied")).chain(problems).collect();
        let tone = match () {
            () if drifted + failed > 0 => Tone::Bad,
            () if applied == all => Tone::Good,
            () => Tone::Busy,
        };
        StyledText::new(tone, parts.join(", "))
    }
}

fn nodes(snapshot: &Snapshot, now: Timestamp) -> Vec<Row> {
    let mut tallies: HashMap<&str, Tally> = HashMap::new();
    for (_, assignment) in snapshot.assignments.all() {
        tallies.entry(&assignment.node).or_default().add(assignment);
    }
    let row = |(key, node): (&String, &super::records::Node)| {
        let report = snapshot.reports.get(key);
        let heartbeat = report.and_then(|report| report.heard);
        let heartbeat = if heartbeat.is_some() { ago(heartbeat, now) } else { "never".to_owned() };
        let cells = vec![
            StyledText::plain(node.name.as_str()),
            node.state.clone(),
            StyledText::plain(heartbeat),
            tallies.get(key.as_str()).copied().unwrap_or_default().said(),
            StyledText::plain(report.map(|report| report.version.clone()).unwrap_or_default()),
            StyledText::plain(node.labels.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    let mut entries: Vec<_> = snapshot.nodes.all().collect();
    entries.sort_by(|(_, one), (_, other)| compare(&one.name, &other.name));
    entries.into_iter().map(row).collect()
}

fn modules(snapshot: &Snapshot) -> Vec<Row> {
    let row = |(key, module): (&String, &super::records::Module)| {
        let mode = if module.suspended {
            StyledText::new(Tone::Unknown, format!("{}, suspended", module.mode))
        } else {
            StyledText::plain(module.mode.as_str())
        };
        let cells = vec![
            StyledText::plain(module.name.as_str()),
            mode,
            StyledText::plain(module.nodes.as_str()),
            module.applied.clone(),
            module.rolled_out.clone(),
            module.scheduled.clone(),
        ];
        Row { key: key.clone(), cells }
    };
    let mut entries: Vec<_> = snapshot.modules.all().collect();
    entries.sort_by(|(_, one), (_, other)| compare(&one.name, &other.name));
    entries.into_iter().map(row).collect()
}

fn rollouts(snapshot: &Snapshot, now: Timestamp) -> Vec<Row> {
    let mut entries: Vec<_> = snapshot.rollouts.all().collect();
    entries.sort_by_key(|(_, rollout)| Reverse(rollout.began));
    let row = |(key, rollout): (&String, &super::records::Rollout)| {
        let duration = rollout.began.map(|began| span(began, rollout.ended.unwrap_or(now)));
        let cells = vec![
            StyledText::plain(rollout.name.as_str()),
            rollout.phase.clone(),
            StyledText::plain(ago(rollout.began, now)),
            StyledText::plain(duration.unwrap_or_default()),
            StyledText::plain(rollout.version.as_str()),
            StyledText::plain(rollout.why.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    entries.into_iter().map(row).collect()
}

fn events(snapshot: &Snapshot, now: Timestamp) -> Vec<Row> {
    let mut entries: Vec<_> = snapshot.events.all().collect();
    entries.sort_by_key(|(_, event)| Reverse(event.last));
    let row = |(key, event): (&String, &super::records::Event)| {
        let cells = vec![
            event.what.clone(),
            StyledText::plain(event.about.as_str()),
            StyledText::plain(ago(event.last, now)),
            StyledText::plain(event.times.as_str()),
            StyledText::plain(event.message.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    entries.into_iter().map(row).collect()
}

impl Row {
    /// Whether the row contains all these lower-case words.
    pub(super) fn has(&self, words: &[String]) -> bool {
        let texts: Vec<_> = self.cells.iter().map(|cell| cell.text.to_lowercase()).collect();
        words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// Returns the number of rows in total and by state.
pub(super) fn summary(view: View, snapshot: &Snapshot, rows: &[Row]) -> String {
    if !view.is_whole(snapshot) {
        return "Not known yet.".to_owned();
    }
    let text = count(rows.len(), view.what());
    let state = match view {
        View::Nodes | View::Rollouts => 1,
        View::Modules | View::Events => return text,
    };
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *states.entry(&row.cells[state].text).or_default() += 1;
    }
    let states: Vec<_> = states.into_iter().map(|(word, number)| format!("{number} {word}")).collect();
    if states.is_empty() { text } else { format!("{text}: {}", states.join(", ")) }
}
