//! Events of resources, for people.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::identity::Id;

/// The maximum number of events kept for one resource.
const MAX_PER_RESOURCE: usize = 8;
/// The maximum number of events kept in total.
const MAX_EVENTS: usize = 256;
/// The maximum length of the text of an event in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

/// An event of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceEvent {
    /// The resource.
    pub id: Id,
    /// The text of the event.
    pub text: String,
    /// The number of times that the event occurred.
    pub times: u64,
    /// The time since the last occurrence.
    pub ago: Duration,
}

/// The last events of a controller, limited per resource and in total. Clones share the same events.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<VecDeque<Kept>>>);

struct Kept {
    id: Id,
    text: String,
    times: u64,
    at: Instant,
}

impl Events {
    /// Adds an event, or moves an equal earlier event to the end.
    ///
    /// If there are too many events, the oldest of this resource is removed, and then the oldest of all.
    pub(crate) fn push(&self, id: &Id, text: &str) {
        let (id, text) = (id.clone().without_uid(), &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]);
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = events.iter().position(|event| event.id == id && event.text == text);
        let before = index.and_then(|place| events.remove(place)).map_or(0, |event| event.times);
        if events.iter().filter(|event| event.id == id).count() == MAX_PER_RESOURCE
            && let Some(oldest) = events.iter().position(|event| event.id == id)
        {
            events.remove(oldest);
        }
        if events.len() == MAX_EVENTS {
            events.pop_front();
        }
        events.push_back(Kept { id, text: text.to_owned(), times: before + 1, at: Instant::now() });
    }

    /// Returns all events, latest last.
    pub(crate) fn all(&self) -> Vec<ResourceEvent> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let event = |kept: &Kept| ResourceEvent {
            id: kept.id.clone(),
            text: kept.text.clone(),
            times: kept.times,
            ago: kept.at.elapsed(),
        };
        events.iter().map(event).collect()
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Scope, Uid};

    fn id(name: &str) -> Id {
        let tenancy = Scope::Namespace.default_tenancy();
        Id::new("demo.v2.Artist".parse().unwrap(), tenancy, name.parse().unwrap())
    }

    fn shown(events: &Events) -> Vec<String> {
        let all_events = events.all().into_iter();
        all_events.map(|event| format!("{} {} {}x", event.id.name, event.text, event.times)).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_again_is_one_event() {
        let events = Events::default();
        events.push(&id("korn"), "no stage");
        events.push(&id("tool"), "no stage");
        tokio::time::advance(Duration::from_secs(5)).await;
        // For people it is the same resource.
        events.push(&id("korn").with_uid(Uid::from_bits(1)), "no stage");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(shown(&events), ["tool no stage 1x", "korn no stage 2x"]);
        assert_eq!(events.all().iter().map(|event| event.ago.as_secs()).collect::<Vec<_>>(), [6, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_much_displaces_itself_first() {
        let events = Events::default();
        events.push(&id("quiet"), "here");
        for number in 0..MAX_PER_RESOURCE + 2 {
            events.push(&id("loud"), &number.to_string());
        }
        let loud = (2..MAX_PER_RESOURCE + 2).map(|number| format!("loud {number} 1x"));
        let expect: Vec<_> = std::iter::once("quiet here 1x".to_owned()).chain(loud).collect();
        assert_eq!(shown(&events), expect);

        for number in 0..MAX_EVENTS {
            events.push(&id(&format!("other-{number}")), "here");
        }
        assert_eq!((events.all().len(), shown(&events)[0].as_str()), (MAX_EVENTS, "other-0 here 1x"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_text_is_cut() {
        let events = Events::default();
        events.push(&id("korn"), &"\u{e9}".repeat(MAX_TEXT_BYTES));
        assert_eq!(events.all()[0].text, "\u{e9}".repeat(MAX_TEXT_BYTES / 2));
        events.push(&id("korn"), &format!("x{}", "\u{e9}".repeat(MAX_TEXT_BYTES)));
        assert_eq!(events.all()[1].text.len(), MAX_TEXT_BYTES - 1);
    }
}
