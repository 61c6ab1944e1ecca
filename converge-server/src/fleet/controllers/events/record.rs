//! The recording of events.

use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::{RunError, Runtime};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Typed};

use crate::fleet::types::{Event, Occurrence};

/// The time for which an event is kept after its last occurrence.
pub(super) const AGE: Duration = Duration::from_hours(7 * 24);

/// Records an event about a resource unless this occurrence is already recorded.
pub(super) async fn record(runtime: &Runtime, subject: &Id, happened: Occurrence) -> Result<(), RunError> {
    if remaining_retention(happened.at, now(runtime)).is_zero() {
        // The event is older than the retention time.
        return Ok(());
    }
    let event = Event::first_occurrence(subject, happened)?;
    let previous = runtime.client.find_as::<Event>(event.id(), Consistency::Strong).await?;
    let event = match previous {
        Some(previous) if previous.occurrence == event.occurrence => return Ok(()),
        Some(previous) => {
            let (first, times) = (previous.first, previous.times.saturating_add(1));
            // The write is conditional on the version, so that no count is lost.
            Typed { data: Event { first, times, ..event.data }, ..previous }
        }
        None => event,
    };
    runtime.client.write_as(event).await?;
    Ok(())
}

/// Returns the remaining retention time of an event.
pub(super) fn remaining_retention(time: Timestamp, now: Timestamp) -> Duration {
    let age = now.duration_since(time).try_into().unwrap_or(Duration::ZERO);
    AGE.saturating_sub(age)
}

pub(super) fn now(runtime: &Runtime) -> Timestamp {
    Timestamp::try_from(runtime.client.service().clock().now()).unwrap_or(Timestamp::MAX)
}
