//! The controller that reports whether an artist's label exists and how many albums the artist has.

use converge_controller::runtime::{Action, Controller, Definition, Request, Runtime, map, report};
use converge_controller::service::TypedError;
use converge_controller::storage::Consistency;
use converge_controller::{Condition, ConditionState, Typed};

use super::index::BY_LABEL;
use crate::types::RecordLabel;
use crate::types::v2::{Album, Artist};

/// Returns the controller of artists.
pub fn artists() -> Definition {
    Controller::<Artist>::new("artists")
        .watch::<Album>(map::owner())
        .watch::<RecordLabel>(map::list(&BY_LABEL))
        .index(&BY_LABEL)
        .concurrency(4)
        .reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, TypedError> {
    let artist = runtime.client.find_as::<Artist>(request.id(), Consistency::Eventual).await?;
    let Some(artist) = artist else { return Ok(Action::await_change()) };
    let accepted = accepted(&runtime, &artist).await?;
    let albums = runtime.client.list_by_owner(artist.id()).await?.len();
    let released =
        Condition::new("released", ConditionState::from(albums > 0)).message(format!("albums: {albums}"));
    report(&runtime, &artist.resource, [accepted, released]).await?;
    Ok(Action::await_change())
}

/// Returns the condition that tells whether the artist's label exists.
async fn accepted(runtime: &Runtime, artist: &Typed<Artist>) -> Result<Condition, TypedError> {
    let accepted = |state| Condition::new("accepted", state);
    let Some(label) = &artist.label else { return Ok(accepted(ConditionState::True)) };
    Ok(match runtime.client.find_as::<RecordLabel>(&label.id(), Consistency::Eventual).await? {
        Some(_) => accepted(ConditionState::True),
        None => accepted(ConditionState::False)
            .reason("UnknownLabel")
            .message(format!("there is no {}", label.id()))
            .resource(label),
    })
}
