//! The start of a trial: the machine and the application state.

use crate::sdk::app_state::AppState;
use crate::system::ModelSystem;

/// The start of a trial: a machine, and the application state for resources that need one.
///
/// Each trial gets a new one. State that a resource changes must be new too, or trials would affect each
/// other.
#[derive(Debug)]
pub struct Start {
    pub(crate) model: ModelSystem,
    pub(crate) state: AppState,
}

impl From<ModelSystem> for Start {
    fn from(model: ModelSystem) -> Self {
        Self { model, state: AppState::new() }
    }
}

impl From<(ModelSystem, AppState)> for Start {
    fn from((model, state): (ModelSystem, AppState)) -> Self {
        Self { model, state }
    }
}

/// A source of [`Start`]s.
///
/// Closures implement it that return a [`ModelSystem`], or a pair of one and an [`AppState`].
pub trait Begin {
    /// Returns a new start.
    fn begin(&self) -> Start;
}

impl<F: Fn() -> S, S: Into<Start>> Begin for F {
    fn begin(&self) -> Start {
        self().into()
    }
}
