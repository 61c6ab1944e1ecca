//! The context in which an attempt calls its task.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Attempt, refreshes};
use crate::events::progress::NodeProgress;
use crate::sdk::context::{Context, Refreshing};
use crate::sdk::keep::KeepPlace;
use crate::sdk::progress::ProgressTarget;
use crate::work::system_layers::environment::with_environment;
use crate::work::system_layers::observed_paths::ObservedSystem;
use crate::work::system_layers::secret_exposure::WatchedSystem;

impl<'a> Attempt<'a> {
    /// Returns the context for the task. `refreshing` matters only if something refreshes the node.
    pub(super) fn context(&mut self, refreshing: Refreshing) -> Cow<'a, Context> {
        let mut cx = self.shared.context(self.index);
        cx = with_environment(cx, self.node);
        if self.shared.setup.observes_reads {
            let observe = || Arc::new(ObservedSystem::new(Arc::clone(cx.shared_system())));
            let observed = Arc::clone(self.observed.get_or_insert_with(observe));
            cx = Cow::Owned(cx.into_owned().with_system(observed));
        }
        let redactor = self.shared.redactor();
        if !redactor.is_empty() {
            let watch = || Arc::new(WatchedSystem::new(Arc::clone(cx.shared_system()), redactor.clone()));
            let watched = Arc::clone(self.watched.get_or_insert_with(watch));
            cx = Cow::Owned(cx.into_owned().with_system(watched));
        }
        if self.node.resource.keeps() {
            let place = match &self.shared.setup.kept {
                Some(store) => KeepPlace::At(Arc::clone(store) as _, self.node.id.clone()),
                None => KeepPlace::NoState,
            };
            cx = Cow::Owned(cx.into_owned().with_keep(place));
        }
        if let Some(declared) = &self.declared {
            cx = Cow::Owned(cx.into_owned().with_declared(declared.clone()));
        }
        if let Some(limit) = self.limit {
            cx = Cow::Owned(cx.into_owned().with_deadline(limit.deadline()));
        }
        if let Some(progress) = self.progress() {
            cx = Cow::Owned(cx.into_owned().with_progress(progress));
        }
        if refreshes(self.shared, self.index).is_some() {
            cx = Cow::Owned(cx.into_owned().with_refreshing(refreshing));
        }
        cx
    }

    pub(super) fn progress(&mut self) -> Option<Arc<ProgressTarget>> {
        if self.progress.is_none() {
            let progress = NodeProgress::new(self.index, self.tells, self.shared.setup.room.as_ref())?;
            self.progress = Some(Arc::new(ProgressTarget::new(progress)));
        }
        self.progress.clone()
    }
}
