//! The check of lists and watches.

use std::collections::BTreeMap;

use super::event::{Mark, Promise, State, Target, Violation, Watched, WatchedEvent};
use super::log::{Entry, Log};
use super::recorder::{History, means};
use crate::storage::{Key, Query};

/// The state of the resources of a query at each moment between two transactions.
struct Moments<'a> {
    now: BTreeMap<&'a Key, Mark>,
    /// The matching entries.
    entries: Vec<&'a Entry>,
    /// The number of matching entries at each moment.
    boundaries: Vec<usize>,
}

impl<'a> Moments<'a> {
    fn for_query(log: &'a Log, query: &Query) -> Self {
        let matches: Vec<bool> = log.entries.iter().map(|entry| means(query, &entry.key)).collect();
        let mut boundaries = Vec::with_capacity(log.boundaries.len());
        let (mut count, mut position) = (0, 0);
        for &boundary in &log.boundaries {
            count += matches[position..boundary].iter().filter(|is_match| **is_match).count();
            position = boundary;
            boundaries.push(count);
        }
        boundaries.dedup();
        let entries = log.entries.iter().zip(&matches).filter(|(_, meant)| **meant).map(|(entry, _)| entry);
        Self { now: BTreeMap::new(), entries: entries.collect(), boundaries }
    }

    /// Returns the numbers of entries at the moments with exactly this snapshot, and the entries.
    ///
    /// There can be several such moments if a resource was created and deleted in between.
    fn matching_moments(mut self, snapshot: &[&State]) -> (Vec<usize>, Vec<&'a Entry>) {
        let expect: BTreeMap<&Key, Mark> = snapshot.iter().map(|state| (&state.key, state.mark)).collect();
        let (mut moments, mut position) = (Vec::new(), 0);
        for &boundary in &self.boundaries {
            for entry in &self.entries[position..boundary] {
                match entry.mark {
                    Some(mark) => self.now.insert(&entry.key, mark),
                    None => self.now.remove(&entry.key),
                };
            }
            position = boundary;
            if expect.len() == snapshot.len() && self.now == expect {
                moments.push(position);
            }
        }
        (moments, self.entries)
    }
}

fn torn(source: &str, snapshot: &[&State]) -> Violation {
    let states: Vec<_> = snapshot.iter().map(ToString::to_string).collect();
    Violation::new(Promise::SnapshotsAreOfOneMoment, format!("{source} had [{}]", states.join(", ")))
}

/// Checks that each list shows the state at one moment.
pub(super) fn lists(history: &History, log: &Log) -> Result<(), Violation> {
    for observation in &history.looks {
        let Target::All(query) = &observation.at else { continue };
        let states: Vec<_> = observation.found.iter().collect();
        if !states.is_sorted_by_key(|state| &state.key) {
            return Err(torn("a list that is not in order", &states));
        }
        if Moments::for_query(log, query).matching_moments(&states).0.is_empty() {
            return Err(torn("a list", &states));
        }
    }
    Ok(())
}

/// Checks that each watch reports one moment and every change after it.
pub(super) fn watches(history: &History, log: &Log) -> Result<(), Violation> {
    history.watches.iter().try_for_each(|watched| watch(watched, log))
}

fn watch(watched: &Watched, log: &Log) -> Result<(), Violation> {
    let broken = |detail: String| Violation::new(Promise::WatchesHaveNoGap, detail);
    let mut events = watched.told.iter().map(|(told, _)| told);
    let mut snapshot = Vec::new();
    loop {
        match events.next() {
            Some(WatchedEvent::Upsert(state)) => snapshot.push(state),
            Some(WatchedEvent::EndOfSnapshot) => break,
            Some(event) => return Err(broken(format!("{event} came before the end of the snapshot"))),
            None if watched.closed => return Ok(()),
            None => return Err(broken("the snapshot of a watch did not end".to_owned())),
        }
    }
    let (moments, entries) = Moments::for_query(log, &watched.query).matching_moments(&snapshot);
    let events: Vec<_> = events.collect();
    let mut follows = Err(torn("a snapshot", &snapshot));
    for moment in moments {
        follows = goes_on(&events, &entries[moment..], watched.closed).map_err(broken);
        if follows.is_ok() {
            break;
        }
    }
    follows
}

/// Checks that a watch reported the entries, up to the end unless it was closed.
fn goes_on(events: &[&WatchedEvent], entries: &[&Entry], is_closed: bool) -> Result<(), String> {
    for (index, event) in events.iter().enumerate() {
        match entries.get(index) {
            Some(entry) if entry.told == **event => {}
            Some(entry) => return Err(format!("{event} came where {} had to", entry.told)),
            None => return Err(format!("{event} came after everything had been told")),
        }
    }
    match entries.get(events.len()) {
        Some(missing) if !is_closed => Err(format!("{} never came", missing.told)),
        _ => Ok(()),
    }
}
