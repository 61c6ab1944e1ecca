//! Counts what happened.

use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{RunError, Runtime};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Typed};

use crate::fleet::types::{Event, Happened};

/// How long an event is kept after it happened the last time.
pub(super) const AGE: Duration = Duration::from_hours(7 * 24);

/// Writes down that something happened to a resource, unless that is written down.
pub(super) async fn record(runtime: &Runtime, about: &Id, happened: Happened) -> Result<(), RunError> {
    if rest(happened.at, now(runtime)).is_zero() {
        // It was forgotten, or would be now.
        return Ok(());
    }
    let event = Event::of(about, happened)?;
    let known = runtime.client.find_as::<Event>(event.id(), Consistency::Strong).await?;
    let event = match known {
        Some(known) if known.occurrence == event.occurrence => return Ok(()),
        Some(known) => {
            let (first, times) = (known.first, known.times.saturating_add(1));
            // Its version goes with it, so that no count is lost.
            Typed { data: Event { first, times, ..event.data }, ..known }
        }
        None => event,
    };
    runtime.client.write_as(event).await?;
    Ok(())
}

/// How long something is kept that happened at a time.
pub(super) fn rest(at: Timestamp, now: Timestamp) -> Duration {
    let age = now.duration_since(at).try_into().unwrap_or(Duration::ZERO);
    AGE.saturating_sub(age)
}

pub(super) fn now(runtime: &Runtime) -> Timestamp {
    Timestamp::try_from(runtime.client.service().clock().now()).unwrap_or(Timestamp::MAX)
}
