//! Resources whose changes consist of steps.
//!
//! A check inspects the machine, reports the differences, and lists the steps that an apply has to make.

use converge_sdk::prelude::*;

use crate::{missing_dependency, platform, tools};

/// The findings of an inspection of the machine.
#[derive(Debug)]
pub(crate) struct Findings<S> {
    pub(crate) status: Status,
    /// The steps of an apply, in order.
    pub(crate) steps: Vec<S>,
}

impl<S> Findings<S> {
    pub(crate) fn new() -> Self {
        Self { status: Status::new(), steps: Vec::new() }
    }

    /// Returns findings for a plan that depends on a pending change.
    pub(crate) fn not_yet(message: impl Into<String>) -> Self {
        Self { status: missing_dependency::not_yet(message), steps: Vec::new() }
    }

    /// Returns findings about a missing device.
    ///
    /// # Errors
    ///
    /// Returns an error if no pending change may create the device.
    #[cfg(feature = "lvm")]
    pub(crate) fn missing_device(cx: &Context, path: &str) -> Result<Self> {
        let status = missing_dependency::missing(cx, "device", path, format!("{path} does not exist yet"))?;
        Ok(Self { status, steps: Vec::new() })
    }

    /// Records the reason why the resource cannot change. Only the first reason is kept.
    #[cfg(feature = "lvm")]
    pub(crate) fn refuse(&mut self, reason: String) {
        if self.status.error().is_none() {
            self.status.raise_level(StatusLevel::WillChange);
            self.status.set_error(reason);
        }
    }
}

/// A resource whose changes are steps.
///
/// [`task`] makes it a [`Task`], which keeps the steps in a field `steps`.
#[async_trait]
pub(crate) trait Stepwise: Sync {
    const TYPE: &'static str;

    /// The reason why the resource exists only on Linux.
    const ONLY_LINUX: &'static str;

    type Step: PartialEq + Send + Sync;

    async fn inspect(&self, cx: &Context) -> Result<Findings<Self::Step>>;

    async fn make(&self, cx: &Context, step: &Self::Step) -> Result<()>;

    /// Does work that is known only after these steps.
    async fn finish(&self, _cx: &Context, _made: &[Self::Step]) -> Result<()> {
        Ok(())
    }
}

/// Inspects the machine, for the check of a task.
pub(crate) async fn check<R: Stepwise>(resource: &R, cx: &Context) -> Result<Findings<R::Step>> {
    platform::only_on_linux(cx, R::TYPE, R::ONLY_LINUX)?;
    match resource.inspect(cx).await {
        Err(error) => match tools::may_come(cx, &error) {
            Some(message) => Ok(Findings::not_yet(message)),
            None => Err(error),
        },
        found => found,
    }
}

/// Makes those planned steps that are still necessary.
pub(crate) async fn apply<R: Stepwise>(resource: &R, planned: &[R::Step], cx: &Context) -> Result<Status> {
    // The machine is inspected again immediately before. A device that was empty may hold data by now, and
    // `mkfs.ext4` does not ask without a terminal. A group may be shared with other resources.
    let Findings { mut status, mut steps } = resource.inspect(cx).await?;
    if let Some(error) = status.take_error() {
        return Err(error);
    }
    steps.retain(|step| planned.contains(step));
    for step in &steps {
        cx.check_cancelled()?;
        resource.make(cx, step).await?;
    }
    resource.finish(cx, &steps).await?;
    Ok(Status::new())
}

/// Implements [`Task`] for a [`Stepwise`] resource.
macro_rules! task {
    ($resource:ident) => {
        impl Task for $resource {
            async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
                self.steps.clear();
                let found = steps::check(self, cx).await?;
                self.steps = found.steps;
                Ok(found.status)
            }

            async fn apply(&mut self, cx: &Context) -> Result<Status> {
                steps::apply(self, &self.steps, cx).await
            }
        }
    };
}

pub(crate) use task;
