//! How every resource of this family works: it looks at the machine, says what differs, and what it finds to do is a list of
//! steps.

use converge_core::prelude::*;

use super::tools;

/// What a look at the machine says.
#[derive(Debug)]
pub(super) struct Look<S> {
    pub(super) status: Status,
    /// What an apply has to do, in this order.
    pub(super) steps: Vec<S>,
}

impl<S> Look<S> {
    /// Nothing differs so far.
    pub(super) fn new() -> Self {
        Self { status: Status::new(), steps: Vec::new() }
    }

    /// A plan cannot say more, as something else comes first.
    pub(super) fn not_yet(message: impl Into<String>) -> Self {
        let mut look = Self::new();
        look.status.add_message(message);
        look.status.raise_level(StatusLevel::MayChange);
        look
    }

    /// Says why it cannot change; the first reason is kept, as one is enough.
    pub(super) fn refuse(&mut self, refused: impl std::error::Error + Send + Sync + 'static) {
        if self.status.error().is_none() {
            self.status.raise_level(StatusLevel::WillChange);
            self.status.set_error(Error::other(refused));
        }
    }
}

/// A resource whose changes are steps.
#[async_trait]
pub(super) trait Stepwise: Sync {
    /// The name of its type.
    const TYPE: &'static str;

    /// Something that changes.
    type Step: PartialEq + Send + Sync;

    /// Looks at the machine.
    async fn look(&self, cx: &Context) -> Result<Look<Self::Step>>;

    /// Changes the machine.
    async fn make(&self, cx: &Context, step: &Self::Step) -> Result<()>;
}

/// Looks at the machine, for the check of a task.
pub(super) async fn check<R: Stepwise>(resource: &R, cx: &Context) -> Result<Look<R::Step>> {
    tools::only_on_linux(cx, R::TYPE)?;
    match resource.look(cx).await {
        Err(error) => match tools::may_come(cx, &error) {
            Some(message) => Ok(Look::not_yet(message)),
            None => Err(error),
        },
        looked => looked,
    }
}

/// Makes those of the planned steps that are still to be made, and tells which these were.
pub(super) async fn apply<R: Stepwise>(
    resource: &R,
    planned: &[R::Step],
    cx: &Context,
) -> Result<Vec<R::Step>> {
    // Looked at again, right before: a device that was empty may hold something by now, and a group is shared with others.
    let Look { mut status, mut steps } = resource.look(cx).await?;
    if let Some(error) = status.take_error() {
        return Err(error);
    }
    steps.retain(|step| planned.contains(step));
    for step in &steps {
        cx.check_cancelled()?;
        resource.make(cx, step).await?;
    }
    Ok(steps)
}
