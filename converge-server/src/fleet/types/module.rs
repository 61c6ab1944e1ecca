//! What is to be true of machines.

use std::time::Duration;

use converge_controller::registry::Cause as Failure;
use converge_controller::service::MetadataSelector;
use converge_controller::validation::Invalid;
use converge_controller::{StoredEnum, StoredResource, Typed};

use super::content::Content;
use super::strategy::Strategy;
use super::window::Window;

/// How often a module is looked at, where nobody says.
const INTERVAL: Duration = Duration::from_mins(30);
/// The least time between two looks: a plan of a large module takes seconds.
const LEAST_INTERVAL: Duration = Duration::from_secs(10);
/// What is written for every node.
const EVERY_NODE: &str = "*";

/// What agents do when a machine is not as a module says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum Mode {
    /// Nobody has said.
    Unspecified = 0,
    /// They say so, and change nothing.
    Report = 1,
    /// They change the machine.
    Enforce = 2,
}

/// What is to be true of some machines.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Module::check, mutate = Module::fill_in)]
pub(crate) struct Module {
    /// What it says.
    #[stored(tag = 1)]
    pub content: Content,
    /// What is done when a machine is not so. Somebody has to say.
    #[stored(tag = 2)]
    pub mode: Mode,
    /// On which nodes of the partition: those of which the labels are so, such as `role=web, tier in (front, edge)`; `*` is every node.
    #[stored(tag = 3)]
    pub nodes: String,
    /// How often agents look, at least every 10 seconds; every 30 minutes where nothing is said.
    #[stored(tag = 4)]
    pub interval: Duration,
    /// Nothing is done about it, as long as this is so.
    #[stored(tag = 5)]
    pub suspended: bool,
    /// How a new version comes to the nodes; where nothing is said, to all at once.
    #[stored(tag = 6)]
    pub rollout: Option<Strategy>,
    /// When machines may be changed; at any time where there is none. Outside of them agents look, and say what they would do.
    #[stored(tag = 7)]
    pub windows: Vec<Window>,
}

impl Module {
    /// Which nodes it means. It was checked when it was written.
    pub(crate) fn selector(&self) -> Option<MetadataSelector> {
        match self.nodes.trim() {
            "" => None,
            EVERY_NODE => Some(MetadataSelector::default()),
            labels => labels.parse().ok(),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the shape of the hook")]
    fn fill_in(module: &mut Typed<Self>) -> Result<(), Failure> {
        if module.interval.is_zero() {
            module.interval = INTERVAL;
        }
        if let Some(strategy) = &mut module.rollout {
            strategy.fill_in();
        }
        module.windows.iter_mut().for_each(Window::fill_in);
        Ok(())
    }

    fn check(module: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("content").include(module.content.check());
        invalid
            .field("mode")
            .require(module.mode != Mode::Unspecified, "is not said: MODE_REPORT or MODE_ENFORCE");
        match module.nodes.trim() {
            "" => invalid.field("nodes").add("is empty: write labels, such as role=web, or * for every node"),
            EVERY_NODE => {}
            labels => {
                if let Err(error) = labels.parse::<MetadataSelector>() {
                    invalid.field("nodes").add(format!("is not a selector of labels: {error}"));
                }
            }
        }
        if let Some(strategy) = &module.rollout {
            invalid.field("rollout").include(strategy.check());
        }
        for (at, window) in module.windows.iter().enumerate() {
            invalid.field("windows").element(at).include(window.check());
        }
        invalid
            .field("interval")
            .require(module.interval >= LEAST_INTERVAL, "is shorter than 10 seconds, the least there is");
        invalid.finish()
    }
}
