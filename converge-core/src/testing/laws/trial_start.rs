//! Where a trial begins.

use crate::sdk::app_state::AppState;
use crate::system::ModelSystem;

/// What a law begins with: a machine, and the state of the application for resources that need one.
///
/// It is made anew for each try. State that a resource changes has to be new, too, or the tries would see each other.
#[derive(Debug)]
pub struct Start {
    pub(in crate::testing) model: ModelSystem,
    pub(in crate::testing) state: AppState,
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

/// Gives a [`Start`] each time: a closure that makes a [`ModelSystem`], or a pair of one and an [`AppState`].
pub trait Begin {
    /// A new one.
    fn begin(&self) -> Start;
}

impl<F: Fn() -> S, S: Into<Start>> Begin for F {
    fn begin(&self) -> Start {
        self().into()
    }
}
