//! The controller that protects a label while an artist is under contract with it.

use std::time::Duration;

use converge_controller::runtime::{
    Action, Controller, Definition, Request, RunError, Runtime, ensure_finalizer, ensure_finalizer_removed,
    map, report,
};
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Reference, Typed};

use super::index::BY_LABEL;
use crate::types::RecordLabel;
use crate::types::v2::Artist;

/// The finalizer that protects a label.
const CONTRACTS: &str = "demo.example/contracts";
/// The delay before contracts are counted again.
///
/// An artist's move to another label triggers a reconcile of the new label only, not of the old one.
const RECOUNT_DELAY: Duration = Duration::from_secs(2);

/// Returns the controller of labels.
pub fn labels() -> Definition {
    Controller::<RecordLabel>::new("labels")
        .watch(map::references(|artist: &Typed<Artist>| artist.label.as_ref().map(Reference::from)))
        .index(&BY_LABEL)
        .reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<RecordLabel>) -> Result<Action, RunError> {
    let contracts = CONTRACTS.parse()?;
    let label = runtime.client.find(request.id(), Consistency::Eventual).await?;
    let Some(label) = label else { return Ok(Action::await_change()) };
    if !label.metadata.is_marked_for_deletion() {
        ensure_finalizer(&runtime, &label, &contracts).await?;
        return Ok(Action::await_change());
    }
    let artists = runtime.cache.list(&BY_LABEL, &Reference::from(request.id().clone()))?;
    if let Some(artist) = artists.first() {
        let condition = Condition::new("deleted", ConditionState::False)
            .reason("UnderContract")
            .message(format!("artists under contract: {}", artists.len()))
            .resource(artist.id().clone());
        report(&runtime, &label, [condition]).await?;
        return Ok(Action::requeue(RECOUNT_DELAY));
    }
    ensure_finalizer_removed(&runtime, &label, &contracts).await?;
    Ok(Action::await_change())
}
