//! Makes the parts that somebody wants, and removes those that nobody wants any more.

use converge_controller::runtime::{
    Action, Controller, Definition, Request, RunError, Runtime, map, report,
};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Typed};

use crate::types::{SampleKind, SampleKindPart};

#[cfg(test)]
mod tests;

/// The name of the controller, under which it reports too.
const NAME: &str = "sample-crate";

/// A change of a part is one of its owner: the controller is asked for that.
pub(crate) fn definition() -> Definition {
    Controller::<SampleKind>::new(NAME)
        .watch::<SampleKindPart>(map::owner())
        .reconcile(reconcile)
}

/// Looks at one resource. It is asked at any time, and twice, and never told what has changed: it reads what there is,
/// and does what is missing. What it cannot do it is asked for again.
async fn reconcile(runtime: Runtime, request: Request<SampleKind>) -> Result<Action, RunError> {
    let found = runtime
        .client
        .find_as::<SampleKind>(request.id(), Consistency::Eventual)
        .await?;
    let Some(wanted) = found else {
        // It is gone, and what it owned goes by itself.
        return Ok(Action::await_change());
    };
    let made = make_parts(&runtime, &wanted).await;
    // The good outcome is reported as well as the bad one, so that an old failure goes away.
    let ready = match &made {
        Ok(()) => Condition::new("ready", ConditionState::True),
        Err(error) => Condition::new("ready", ConditionState::False)
            .reason("PartsMissing")
            .message(error.to_string()),
    };
    report(&runtime, &wanted.resource, [ready]).await?;
    made?;
    Ok(Action::await_change())
}

async fn make_parts(runtime: &Runtime, wanted: &Typed<SampleKind>) -> Result<(), RunError> {
    let owner = wanted.id();
    let mut parts = Vec::new();
    for number in 0..wanted.parts.unwrap_or_default() {
        let name = format!("{}-{number}", owner.name).parse()?;
        parts.push(Typed::named(
            owner.tenancy.clone(),
            name,
            SampleKindPart { number },
        ));
    }
    let there = runtime.client.list_by_owner(owner).await?;
    for part in &there {
        if !parts.iter().any(|wanted| wanted.id().name == part.id.name) {
            runtime.client.delete(&part.id, None).await?;
        }
    }
    for part in parts {
        if !there.iter().any(|made| made.id.name == part.id().name) {
            runtime.client.write_as(part.with_owner(owner)).await?;
        }
    }
    Ok(())
}
