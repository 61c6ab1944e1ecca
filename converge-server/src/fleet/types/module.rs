//! The stored type for modules.

use std::time::Duration;

use converge_controller::registry::Cause as Failure;
use converge_controller::service::MetadataSelector;
use converge_controller::validation::Invalid;
use converge_controller::{StoredEnum, StoredResource, Typed};

use super::content::Content;
use super::strategy::Strategy;
use super::window::Window;

/// The default interval between two checks.
const INTERVAL: Duration = Duration::from_mins(30);
/// The minimum interval between two checks, because a plan of a large module takes seconds.
const LEAST_INTERVAL: Duration = Duration::from_secs(10);
/// The selector of every node.
const EVERY_NODE: &str = "*";

/// The reaction of agents to a machine that differs from its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum Mode {
    /// No mode was given.
    Unspecified = 0,
    /// Report the difference and change nothing.
    Report = 1,
    /// Change the machine.
    Enforce = 2,
}

/// A module for a set of machines.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Module::check, mutate = Module::fill_in)]
pub(crate) struct Module {
    /// The text or source of the module, and its parameters.
    #[stored(tag = 1)]
    pub content: Content,
    /// Whether agents correct drift or only report it.
    ///
    /// Required.
    #[stored(tag = 2)]
    pub mode: Mode,
    /// The label selector of nodes in the partition, such as `role=web, tier in (front, edge)`.
    ///
    /// `*` is every node.
    #[stored(tag = 3)]
    pub nodes: String,
    /// The interval between two checks by the agents, at least 10 seconds; 30 minutes by default.
    #[stored(tag = 4)]
    pub interval: Duration,
    /// Whether agents do nothing about this module.
    #[stored(tag = 5)]
    pub suspended: bool,
    /// The rollout of a new revision.
    ///
    /// If absent, all nodes get it at once.
    #[stored(tag = 6)]
    pub rollout: Option<Strategy>,
    /// The times at which machines may be changed.
    ///
    /// If empty, they may be changed at any time. Outside of these times, agents check and report what they
    /// would change.
    #[stored(tag = 7)]
    pub windows: Vec<Window>,
}

impl Module {
    /// Returns the selector of the nodes.
    ///
    /// It was validated when the module was written.
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
            .require(module.mode != Mode::Unspecified, "is missing: write MODE_REPORT or MODE_ENFORCE");
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
        for (index, window) in module.windows.iter().enumerate() {
            invalid.field("windows").element(index).include(window.check());
        }
        invalid
            .field("interval")
            .require(module.interval >= LEAST_INTERVAL, "is shorter than the minimum of 10 seconds");
        invalid.finish()
    }
}
