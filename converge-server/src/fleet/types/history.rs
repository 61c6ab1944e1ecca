//! The stored type for the run history of a node.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredMessage, StoredResource, Typed};

use super::module::{Mode, Module};
use super::node::Node;
use super::revision::Revision;

/// The number of runs kept per node.
pub(crate) const RUNS: usize = 100;
/// The maximum number of resources named per run.
pub(crate) const CHANGES: usize = 10;
/// The maximum number of errors per run; the first ones matter most.
pub(crate) const ERRORS: usize = 3;
/// The maximum length of an error or a summary in bytes.
pub(crate) const TEXT: usize = 600;
/// The maximum length of a resource name in bytes.
pub(crate) const NAME: usize = 120;

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum RunOutcome {
    /// No outcome was given.
    Unspecified = 0,
    /// The machine was as the module declares.
    Unchanged = 1,
    /// The machine differed from the module, or may have differed; nothing was changed.
    Differs = 2,
    /// The machine was changed and is now as the module declares.
    Changed = 3,
    /// The module could not be loaded, or a part of it failed.
    Failed = 4,
    /// The agent was told to stop during the run.
    Cancelled = 5,
    /// The agent died during the run: it was killed, or the machine lost power.
    Lost = 6,
}

/// One run of a module on a node, or several consecutive runs with the same outcome.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Run {
    /// The unique id of the run.
    #[stored(tag = 1)]
    pub id: String,
    /// The module.
    #[stored(tag = 2)]
    pub module: Option<Ref<Module>>,
    /// The revision of the module.
    #[stored(tag = 3)]
    pub revision: Option<Ref<Revision>>,
    /// Whether the run could change the machine.
    #[stored(tag = 4)]
    pub mode: Mode,
    /// The outcome.
    #[stored(tag = 5)]
    pub outcome: RunOutcome,
    /// The start of the first run, by the clock of the node.
    #[stored(tag = 6)]
    pub began: Option<Timestamp>,
    /// The start of the last run, by the clock of the node.
    #[stored(tag = 7)]
    pub last: Option<Timestamp>,
    /// The number of runs.
    #[stored(tag = 8)]
    pub times: u64,
    /// The duration of the last run.
    #[stored(tag = 9)]
    pub took: Duration,
    /// The number of resources of each outcome.
    #[stored(tag = 10)]
    pub summary: String,
    /// The first resources that changed or would change.
    #[stored(tag = 11)]
    pub changes: Vec<String>,
    /// The first errors.
    #[stored(tag = 12)]
    pub errors: Vec<String>,
}

impl Run {
    /// Whether another run had the same outcome.
    pub(crate) fn has_same_outcome(&self, other: &Self) -> bool {
        let of_one = |run: &Self| Self {
            id: String::new(),
            began: None,
            last: None,
            times: 0,
            took: Duration::ZERO,
            ..run.clone()
        };
        of_one(self) == of_one(other)
    }

    fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("id").require((1..=NAME).contains(&self.id.len()), "is empty, or too long");
        invalid.field("module").present(self.module.as_ref());
        invalid.field("revision").present(self.revision.as_ref());
        invalid.field("outcome").require(self.outcome != RunOutcome::Unspecified, Cause::Missing);
        invalid.field("summary").require(self.summary.len() <= TEXT, too_long(TEXT));
        for (field, texts, maximum, length) in
            [("changes", &self.changes, CHANGES, NAME), ("errors", &self.errors, ERRORS, TEXT)]
        {
            invalid.field(field).require(texts.len() <= maximum, format!("are more than {maximum}"));
            for (index, text) in texts.iter().enumerate().take(maximum) {
                invalid.field(field).element(index).require(text.len() <= length, too_long(length));
            }
        }
        invalid.finish()
    }
}

/// The latest runs on a machine, the newest last.
///
/// It has the name of its `Node`, which owns it.
///
/// The agent writes it. The size is limited for every writer: at most 100 runs, and a maximum length for each
/// text.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodeHistory::check)]
pub(crate) struct NodeHistory {
    /// The latest runs, the newest last.
    #[stored(tag = 1)]
    pub runs: Vec<Run>,
}

impl NodeHistory {
    /// Adds runs, or updates runs that are already present.
    pub(crate) fn add(&mut self, runs: impl IntoIterator<Item = Run>) {
        for run in runs {
            match self.runs.iter().position(|entry| entry.id == run.id) {
                Some(index) if self.runs[index].times >= run.times => {}
                Some(index) => {
                    self.runs.remove(index);
                    self.runs.push(run);
                }
                None => self.runs.push(run),
            }
        }
        limit(&mut self.runs, |run| run);
    }

    fn check(history: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("runs").require(history.runs.len() <= RUNS, format!("are more than {RUNS}"));
        for (index, run) in history.runs.iter().enumerate().take(RUNS) {
            invalid.field("runs").element(index).include(run.check());
        }
        invalid.field("owner").require(history.owner().is_some(), Cause::Missing);
        invalid.owner_type(history.owner(), &[Node::resource_type()]);
        if let Some(owner) = history.owner().filter(|owner| owner.name != history.id().name) {
            invalid
                .field("owner")
                .field("name")
                .add(format!("is {}: a history has the name of its node", owner.name));
        }
        invalid.finish()
    }
}

/// Removes runs over the limit, always the oldest one of the module with most runs.
///
/// A module that fails all the time therefore does not displace the runs of the others.
pub(crate) fn limit<T>(runs: &mut Vec<T>, run: impl Fn(&T) -> &Run) {
    while runs.len() > RUNS {
        let mut counts: BTreeMap<Option<&Ref<Module>>, usize> = BTreeMap::new();
        for entry in runs.iter().map(&run) {
            *counts.entry(entry.module.as_ref()).or_default() += 1;
        }
        let busiest = counts.iter().max_by_key(|(_, count)| **count).map(|(module, _)| *module);
        let oldest = runs.iter().position(|entry| Some(run(entry).module.as_ref()) == busiest);
        runs.remove(oldest.unwrap_or_default());
    }
}

/// Shortens a text that is too long, and marks it with dots.
pub(crate) fn shortened(text: &str, length: usize) -> String {
    const MORE: &str = "..";
    if text.len() <= length {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(length.saturating_sub(MORE.len()));
    format!("{}{MORE}", &text[..end])
}

fn too_long(length: usize) -> String {
    format!("is longer than {length} bytes")
}
