//! A controller that creates the parts that a resource asks for, and deletes all others.

use converge_controller::runtime::{
    Action, Controller, Definition, Request, RunError, Runtime, map, report,
};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Typed};

use crate::types::{SampleKind, SampleKindPart};

#[cfg(test)]
mod tests;

/// The name of the controller, which is also its name in statuses.
const NAME: &str = "sample-crate";

/// Returns the definition of the controller: a change of a part triggers a reconcile of its owner.
pub(crate) fn definition() -> Definition {
    Controller::<SampleKind>::new(NAME)
        .watch::<SampleKindPart>(map::owner())
        .reconcile(reconcile)
}

/// Reconciles one resource.
///
/// It can be called at any time and repeatedly, without being told what changed: it reads the current state
/// and does what is missing. After an error it is called again.
async fn reconcile(runtime: Runtime, request: Request<SampleKind>) -> Result<Action, RunError> {
    let found = runtime
        .client
        .find_as::<SampleKind>(request.id(), Consistency::Eventual)
        .await?;
    let Some(wanted) = found else {
        // The resource is being deleted, and the parts that it owns are deleted automatically.
        return Ok(Action::await_change());
    };
    let made = make_parts(&runtime, &wanted).await;
    // Success is reported as well as failure, so that an old failure is cleared.
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
