//! Watches as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html).

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use converge_controller::service::List;
use converge_controller::storage::WatchEvent;
use futures_util::stream::{Stream, unfold};
use serde_json::{Map, Value};

use crate::http::error_response::to_json;
use crate::listeners::{Refusal, RequestContext};

/// Streams `upsert` for existing resources, `end_of_snapshot`, then `upsert` and `delete`.
///
/// An `error` is the last event.
pub(super) async fn events(
    doors: RequestContext,
    list: List,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let watch = doors.watch(&list).await?;
    let events = unfold(Some((doors, watch)), |telling| async {
        let (doors, mut watch) = telling?;
        let event = match watch.next().await?.and_then(|event| tell(&doors, event)) {
            Ok((name, data)) => (named(name, &data), Some((doors, watch))),
            Err(refusal) => (named("error", &to_json(&refusal)), None),
        };
        Some((Ok(event.0), event.1))
    });
    // The keep-alive reveals a client that has gone.
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn named(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

fn tell(doors: &RequestContext, event: WatchEvent) -> Result<(&'static str, Value), Refusal> {
    Ok(match event {
        WatchEvent::Upsert(resource) => ("upsert", doors.codec().encode(&resource)?),
        WatchEvent::EndOfSnapshot => ("end_of_snapshot", Value::Object(Map::new())),
        WatchEvent::Delete(last) => ("delete", doors.codec().encode(&last)?),
    })
}
