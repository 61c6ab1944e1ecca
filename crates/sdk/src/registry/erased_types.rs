//! Type-erased resources and tasks.

use std::any::Any;

use async_trait::async_trait;

use crate::context::Context;
use crate::error::Result;
use crate::export::{Export, Exports};
use crate::resource::{Refresher, Renderer, Resource, Task};
use crate::status::Status;

/// A [`Resource`] of any type.
///
/// Implemented for all of them; not meant to be implemented by hand.
#[async_trait]
pub trait AnyResource: Send {
    /// Calls [`Resource::prepare`].
    async fn prepare_any(self: Box<Self>, cx: &Context, renderer: &dyn Renderer) -> Result<Box<dyn AnyTask>>;
}

#[async_trait]
impl<R: Resource> AnyResource for R {
    async fn prepare_any(self: Box<Self>, cx: &Context, renderer: &dyn Renderer) -> Result<Box<dyn AnyTask>> {
        let task = (*self).prepare(cx, renderer).await?;
        Ok(Box::new(Prepared { task, refresher: R::refresher() }))
    }
}

/// A [`Task`] of any type; not meant to be implemented by hand.
#[async_trait]
pub trait AnyTask: Send {
    /// Calls [`Task::check`].
    async fn check_any(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status>;

    /// Calls [`Task::apply`].
    async fn apply_any(&mut self, cx: &Context) -> Result<Status>;

    /// Calls [`Refresh::refresh`](crate::Refresh::refresh); `None` if the task cannot be refreshed.
    async fn refresh_any(&mut self, cx: &Context) -> Option<Result<Status>>;

    /// Calls [`Export::exports`].
    fn exports_any(&self) -> Exports;

    /// Returns the task as `Any`, for a downcast to its type.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// A task with the optional abilities of its type.
pub(super) struct Prepared<T> {
    pub(super) task: T,
    refresher: Option<Refresher<T>>,
}

#[async_trait]
impl<T: Task> AnyTask for Prepared<T> {
    async fn check_any(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        self.task.check(cx, renderer).await
    }

    async fn apply_any(&mut self, cx: &Context) -> Result<Status> {
        self.task.apply(cx).await
    }

    async fn refresh_any(&mut self, cx: &Context) -> Option<Result<Status>> {
        match &self.refresher {
            Some(refresher) => Some(refresher.call(&mut self.task, cx).await),
            None => None,
        }
    }

    fn exports_any(&self) -> Exports {
        Export::exports(&self.task)
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
