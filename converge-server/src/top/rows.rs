//! The tables of the views.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use clap::ValueEnum;
use jiff::Timestamp;

use super::natural_order::compare;
use super::records::Assignment;
use super::snapshot::Known;
use super::status_text::{Said, Tone, ago, count, span};

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
    pub(super) cells: Vec<Said>,
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
    pub(super) fn rows(self, known: &Known, now: Timestamp) -> Vec<Row> {
        match self {
            Self::Nodes => nodes(known, now),
            Self::Modules => modules(known),
            Self::Rollouts => rollouts(known, now),
            Self::Events => events(known, now),
        }
    }

    /// Whether all rows have been received.
    pub(super) fn is_whole(self, known: &Known) -> bool {
        match self {
            Self::Nodes => known.nodes.whole,
            Self::Modules => known.modules.whole,
            Self::Rollouts => known.rollouts.whole,
            Self::Events => known.events.whole,
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

    fn said(self) -> Said {
        let Self { all, applied, drifted, failed } = self;
        if all == 0 {
            return Said::new(Tone::Unknown, "none");
        }
        let more = [(drifted, "drifted"), (failed, "failed")].into_iter().filter(|(number, _)| *number > 0);
        let more = more.map(|(number, what)| format!("{number} {what}"));
        let said: Vec<_> = std::iter::once(format!("{applied}/{all} applied")).chain(more).collect();
        let tone = match () {
            () if drifted + failed > 0 => Tone::Bad,
            () if applied == all => Tone::Good,
            () => Tone::Busy,
        };
        Said::new(tone, said.join(", "))
    }
}

fn nodes(known: &Known, now: Timestamp) -> Vec<Row> {
    let mut tallies: HashMap<&str, Tally> = HashMap::new();
    for (_, assignment) in known.assignments.all() {
        tallies.entry(&assignment.node).or_default().add(assignment);
    }
    let row = |(key, node): (&String, &super::records::Node)| {
        let report = known.reports.get(key);
        let heard = report.and_then(|report| report.heard);
        let heard = if heard.is_some() { ago(heard, now) } else { "never".to_owned() };
        let cells = vec![
            Said::plain(node.name.as_str()),
            node.state.clone(),
            Said::plain(heard),
            tallies.get(key.as_str()).copied().unwrap_or_default().said(),
            Said::plain(report.map(|report| report.version.clone()).unwrap_or_default()),
            Said::plain(node.labels.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    let mut all: Vec<_> = known.nodes.all().collect();
    all.sort_by(|(_, one), (_, other)| compare(&one.name, &other.name));
    all.into_iter().map(row).collect()
}

fn modules(known: &Known) -> Vec<Row> {
    let row = |(key, module): (&String, &super::records::Module)| {
        let mode = if module.suspended {
            Said::new(Tone::Unknown, format!("{}, suspended", module.mode))
        } else {
            Said::plain(module.mode.as_str())
        };
        let cells = vec![
            Said::plain(module.name.as_str()),
            mode,
            Said::plain(module.nodes.as_str()),
            module.applied.clone(),
            module.rolled_out.clone(),
            module.scheduled.clone(),
        ];
        Row { key: key.clone(), cells }
    };
    let mut all: Vec<_> = known.modules.all().collect();
    all.sort_by(|(_, one), (_, other)| compare(&one.name, &other.name));
    all.into_iter().map(row).collect()
}

fn rollouts(known: &Known, now: Timestamp) -> Vec<Row> {
    let mut all: Vec<_> = known.rollouts.all().collect();
    all.sort_by_key(|(_, rollout)| Reverse(rollout.began));
    let row = |(key, rollout): (&String, &super::records::Rollout)| {
        let took = rollout.began.map(|began| span(began, rollout.ended.unwrap_or(now)));
        let cells = vec![
            Said::plain(rollout.name.as_str()),
            rollout.phase.clone(),
            Said::plain(ago(rollout.began, now)),
            Said::plain(took.unwrap_or_default()),
            Said::plain(rollout.version.as_str()),
            Said::plain(rollout.why.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    all.into_iter().map(row).collect()
}

fn events(known: &Known, now: Timestamp) -> Vec<Row> {
    let mut all: Vec<_> = known.events.all().collect();
    all.sort_by_key(|(_, event)| Reverse(event.last));
    let row = |(key, event): (&String, &super::records::Event)| {
        let cells = vec![
            event.what.clone(),
            Said::plain(event.about.as_str()),
            Said::plain(ago(event.last, now)),
            Said::plain(event.times.as_str()),
            Said::plain(event.message.as_str()),
        ];
        Row { key: key.clone(), cells }
    };
    all.into_iter().map(row).collect()
}

impl Row {
    /// Whether the row contains all these lower-case words.
    pub(super) fn has(&self, words: &[String]) -> bool {
        let texts: Vec<_> = self.cells.iter().map(|cell| cell.text.to_lowercase()).collect();
        words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// Returns the number of rows in total and by state.
pub(super) fn summary(view: View, known: &Known, rows: &[Row]) -> String {
    if !view.is_whole(known) {
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
