//! The stored types that operators, agents and the scheduler write.

mod assignment;
mod content;
mod event;
mod history;
mod module;
mod node;
mod plans;
mod revision;
mod rollout;
mod secret;
mod strategy;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use assignment::Assignment;
pub(crate) use content::{Content, Source};
pub(crate) use event::{Event, Occurrence, Severity};
pub(crate) use history::{CHANGES, ERRORS, NAME, NodeHistory, Run, RunOutcome, TEXT, limit, shortened};
pub(crate) use module::{Mode, Module};
pub(crate) use node::{Node, NodeReport};
pub(crate) use plans::{Change, DifferingResource, NodePlan, NodePlans, ResourceOutcome};
pub(crate) use revision::Revision;
pub(crate) use rollout::{Phase, Rollout};
pub(crate) use secret::Secret;
pub(crate) use strategy::{OnFailure, Strategy};
#[cfg(test)]
pub(crate) use window::Window;
pub(crate) use window::{Opening, until};
