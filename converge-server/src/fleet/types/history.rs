//! What was done on a machine.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredMessage, StoredResource, Typed};

use super::module::{Mode, Module};
use super::node::Node;
use super::revision::Revision;

/// How many runs of a node are kept.
pub(crate) const RUNS: usize = 100;
/// How many resources of a run are named.
pub(crate) const CHANGES: usize = 10;
/// How many errors of a run are told: the first says most.
pub(crate) const ERRORS: usize = 3;
/// How long an error, or what is said of a run, may be, in bytes.
pub(crate) const TEXT: usize = 600;
/// How long the name of a resource may be, in bytes.
pub(crate) const NAME: usize = 120;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum RunOutcome {
    /// Nobody has said.
    Unspecified = 0,
    /// The machine was as the module says.
    Unchanged = 1,
    /// The machine was not as the module says, or may not have been; nothing was changed.
    Differs = 2,
    /// The machine was changed, and is now as the module says.
    Changed = 3,
    /// The module could not be loaded, or something of it failed.
    Failed = 4,
    /// The agent was told to stop meanwhile.
    Cancelled = 5,
    /// The agent ended meanwhile and could not say so: it was killed, or the machine lost its power.
    Lost = 6,
}

/// One run of a module on a node, or several in a row that came to the same.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Run {
    /// Tells it from all others.
    #[stored(tag = 1)]
    pub id: String,
    /// The module.
    #[stored(tag = 2)]
    pub module: Option<Ref<Module>>,
    /// What the module said.
    #[stored(tag = 3)]
    pub revision: Option<Ref<Revision>>,
    /// Whether the machine could be changed.
    #[stored(tag = 4)]
    pub mode: Mode,
    /// How it ended.
    #[stored(tag = 5)]
    pub outcome: RunOutcome,
    /// When the first of them began, by the clock of the node.
    #[stored(tag = 6)]
    pub began: Option<Timestamp>,
    /// When the last of them began, by the clock of the node.
    #[stored(tag = 7)]
    pub last: Option<Timestamp>,
    /// How many they are.
    #[stored(tag = 8)]
    pub times: u64,
    /// How long the last of them took.
    #[stored(tag = 9)]
    pub took: Duration,
    /// How many resources there were of each kind.
    #[stored(tag = 10)]
    pub summary: String,
    /// The first resources that were changed, or would be.
    #[stored(tag = 11)]
    pub changes: Vec<String>,
    /// The first errors.
    #[stored(tag = 12)]
    pub errors: Vec<String>,
}

impl Run {
    /// Whether another run came to the same.
    pub(crate) fn came_to_the_same_as(&self, other: &Self) -> bool {
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
        for (field, texts, most, length) in
            [("changes", &self.changes, CHANGES, NAME), ("errors", &self.errors, ERRORS, TEXT)]
        {
            invalid.field(field).require(texts.len() <= most, format!("are more than {most}"));
            for (index, text) in texts.iter().enumerate().take(most) {
                invalid.field(field).element(index).require(text.len() <= length, too_long(length));
            }
        }
        invalid.finish()
    }
}

/// What was done on a machine: the last runs, the newest at the end. It has the name of its `Node`, which owns it.
///
/// Its agent writes it. How large it may become is limited, whoever writes: it has at most 100 runs, and each text of them an end.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodeHistory::check)]
pub(crate) struct NodeHistory {
    /// The last runs, the newest at the end.
    #[stored(tag = 1)]
    pub runs: Vec<Run>,
}

impl NodeHistory {
    /// Adds runs, or what has become of them since they were added.
    pub(crate) fn add(&mut self, runs: impl IntoIterator<Item = Run>) {
        for run in runs {
            match self.runs.iter().position(|known| known.id == run.id) {
                Some(at) if self.runs[at].times >= run.times => {}
                Some(at) => {
                    self.runs.remove(at);
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

/// Leaves out what is too much: always the oldest of the module that has most, so that one which fails all the time leaves something of
/// the others.
pub(crate) fn limit<T>(runs: &mut Vec<T>, run: impl Fn(&T) -> &Run) {
    while runs.len() > RUNS {
        let mut counts: BTreeMap<Option<&Ref<Module>>, usize> = BTreeMap::new();
        for of in runs.iter().map(&run) {
            *counts.entry(of.module.as_ref()).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(_, count)| **count).map(|(module, _)| *module);
        let oldest = runs.iter().position(|one| Some(run(one).module.as_ref()) == most);
        runs.remove(oldest.unwrap_or_default());
    }
}

/// The beginning of a text that is too long, which says so.
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
