//! Changes as they come, as [events](https://html.spec.whatwg.org/multipage/server-sent-events.html).

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use converge_controller::service::{List, ResourceWatch};
use converge_controller::storage::WatchEvent;
use futures_util::stream::{Stream, unfold};
use serde_json::Value;

use crate::http::doors::Doors;
use crate::http::refusal::Refusal;

/// A watch that is told.
struct Telling {
    doors: Doors,
    watch: ResourceWatch,
    ended: bool,
}

/// `upsert` of all that is there, `end_of_snapshot`, then `upsert` and `delete` as things change. An `error` is the last.
pub(super) async fn events(
    doors: Doors,
    list: List,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let watch = doors.client.watch_list(&list).await?;
    let telling = Telling { doors, watch, ended: false };
    let events = unfold(telling, |mut telling| async {
        let event = telling.next().await?;
        Some((Ok(event), telling))
    });
    // So that a client which has gone is noticed.
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

impl Telling {
    /// The next event; none after an error, and when the server stops.
    async fn next(&mut self) -> Option<Event> {
        if self.ended {
            return None;
        }
        let next = tokio::select! {
            biased;
            () = self.doors.stopping.cancelled() => return None,
            next = self.watch.next() => next,
        };
        let told = next.map_err(Refusal::from).and_then(|event| self.tell(event));
        let (name, data) = told.unwrap_or_else(|refusal| {
            self.ended = true;
            ("error", refusal.to_json())
        });
        Some(Event::default().event(name).data(data.to_string()))
    }

    fn tell(&self, event: WatchEvent) -> Result<(&'static str, Value), Refusal> {
        Ok(match event {
            WatchEvent::Upsert(resource) => ("upsert", self.doors.codec.encode(&resource)?),
            WatchEvent::EndOfSnapshot => ("end_of_snapshot", Value::Object(serde_json::Map::new())),
            WatchEvent::Delete(last) => ("delete", self.doors.codec.encode(&last)?),
        })
    }
}
