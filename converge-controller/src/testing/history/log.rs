//! The order in which changes happened.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::event::{Commit, Mark, Outcome, Promise, State, Violation, Watched, WatchedEvent};
use super::recorder::History;
use crate::storage::Key;

/// A change in the order of the log.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The number of the transaction.
    pub(super) commit: usize,
    pub(super) told: WatchedEvent,
    pub(super) key: Key,
    /// The new state.
    pub(super) mark: Option<Mark>,
}

/// All changes in the order in which they happened.
pub(super) struct Log {
    pub(super) entries: Vec<Entry>,
    /// The number of entries before the first transaction and after each one.
    pub(super) boundaries: Vec<usize>,
}

impl Log {
    /// Returns the order that the witness saw, if it is consistent.
    pub(super) fn from_history(history: &History) -> Result<Self, Violation> {
        let witness = history.witness.as_ref().ok_or_else(|| gap("nobody watched everything"))?;
        if witness.closed {
            return Err(gap("the watch of everything was closed"));
        }
        nothing_is_replaced_twice(history)?;
        let entries = entries(history, witness)?;
        let log = Self { boundaries: boundaries(history, &entries)?, entries };
        log.nothing_is_lost(history)?;
        log.changes_find_what_they_name(history)?;
        log.order_is_kept(history)?;
        Ok(log)
    }

    fn nothing_is_lost(&self, history: &History) -> Result<(), Violation> {
        let happened: HashSet<usize> = self.entries.iter().map(|entry| entry.commit).collect();
        let is_success =
            |(_, commit): &(usize, &Commit)| commit.outcome == Outcome::Done && !commit.changes.is_empty();
        match history
            .commits
            .iter()
            .enumerate()
            .filter(is_success)
            .find(|(number, _)| !happened.contains(number))
        {
            None => Ok(()),
            Some((_, lost)) => Err(Violation::new(
                Promise::NothingIsLost,
                format!("{:?} was acknowledged, and nobody was told of it", lost.changes),
            )),
        }
    }

    fn changes_find_what_they_name(&self, history: &History) -> Result<(), Violation> {
        let broken = |detail| Violation::new(Promise::ChangesFindWhatTheyName, detail);
        let mut marks: BTreeMap<&Key, Mark> = BTreeMap::new();
        for pair in self.boundaries.windows(2) {
            let entries = &self.entries[pair[0]..pair[1]];
            let Some(commit) = entries.first().map(|entry| &history.commits[entry.commit]) else { continue };
            if let Some(key) = commit.required.iter().find(|key| !marks.contains_key(key)) {
                return Err(broken(format!("{:?} relied on {key}, which was not there", commit.changes)));
            }
            for change in &commit.changes {
                let stored = marks.get(&change.key).copied();
                if stored != change.base {
                    return Err(broken(format!("{change:?} replaced {stored:?}")));
                }
                match change.mark {
                    Some(mark) => marks.insert(&change.key, mark),
                    None => marks.remove(&change.key),
                };
            }
        }
        Ok(())
    }

    /// Checks that a transaction that ended before another one began comes first.
    fn order_is_kept(&self, history: &History) -> Result<(), Violation> {
        let mut latest: Option<&Commit> = None;
        for entry in &self.entries {
            let commit = &history.commits[entry.commit];
            if let Some(latest) = latest.filter(|latest| commit.ended < latest.began) {
                return Err(Violation::new(
                    Promise::OrderIsKept,
                    format!("{:?} had ended before {:?} began", commit.changes, latest.changes),
                ));
            }
            if latest.is_none_or(|latest| latest.began < commit.began) {
                latest = Some(commit);
            }
        }
        Ok(())
    }
}

fn gap(detail: &str) -> Violation {
    Violation::new(Promise::WatchesHaveNoGap, detail)
}

/// Checks that only one transaction that replaced a state was acknowledged.
///
/// With two, the work of one is lost.
fn nothing_is_replaced_twice(history: &History) -> Result<(), Violation> {
    let mut replaced: HashMap<(&Key, Mark), &Commit> = HashMap::new();
    for commit in history.commits.iter().filter(|commit| commit.outcome == Outcome::Done) {
        for change in &commit.changes {
            let Some(base) = change.base else { continue };
            if let Some(other) = replaced.insert((&change.key, base), commit) {
                return Err(Violation::new(
                    Promise::NothingIsLost,
                    format!("both {:?} and {:?} replaced state {base}", other.changes, commit.changes),
                ));
            }
        }
    }
    Ok(())
}

/// Returns the changes that the witness saw, each with its transaction.
fn entries(history: &History, witness: &Watched) -> Result<Vec<Entry>, Violation> {
    let mut makers: HashMap<(&Key, Mark), usize> = HashMap::new();
    let mut enders: HashMap<(&Key, Mark), Vec<usize>> = HashMap::new();
    for (number, commit) in history.commits.iter().enumerate() {
        for change in &commit.changes {
            match (change.mark, change.base) {
                (Some(mark), _) => _ = makers.insert((&change.key, mark), number),
                (None, Some(base)) if commit.outcome != Outcome::Refused => {
                    enders.entry((&change.key, base)).or_default().push(number);
                }
                (None, _) => {}
            }
        }
    }
    let mut visited = HashSet::new();
    let mut entries = Vec::new();
    let mut events = witness.told.iter().map(|(told, _)| told);
    if events.next() != Some(&WatchedEvent::EndOfSnapshot) {
        return Err(gap("the store had something before anything was written"));
    }
    for event in events {
        let (state, commit) = match event {
            WatchedEvent::EndOfSnapshot => return Err(gap("the snapshot ended twice")),
            WatchedEvent::Upsert(state) => (state, makers.get(&(&state.key, state.mark)).copied()),
            // Of several possible deletions, an acknowledged one is the actual one.
            WatchedEvent::Delete(state) => (state, ender(history, enders.get(&(&state.key, state.mark)))),
        };
        let invented = |reason| Violation::new(Promise::NothingIsInvented, format!("{event} {reason}"));
        let commit = commit.ok_or_else(|| invented("was done by nobody"))?;
        if history.commits[commit].outcome == Outcome::Refused {
            return Err(invented("was refused"));
        }
        if !visited.insert((matches!(event, WatchedEvent::Upsert(_)), state.mark)) {
            return Err(Violation::new(Promise::NothingIsDoubled, format!("{event} came twice")));
        }
        let mark = matches!(event, WatchedEvent::Upsert(_)).then_some(state.mark);
        entries.push(Entry { commit, told: event.clone(), key: state.key.clone(), mark });
    }
    Ok(entries)
}

fn ender(history: &History, commits: Option<&Vec<usize>>) -> Option<usize> {
    let commits = commits?;
    let success = commits.iter().find(|commit| history.commits[**commit].outcome == Outcome::Done);
    success.or(commits.first()).copied()
}

/// Returns the ends of transactions, whose changes must be adjacent and in order.
fn boundaries(history: &History, entries: &[Entry]) -> Result<Vec<usize>, Violation> {
    let mut boundaries = vec![0];
    let mut position = 0;
    while let Some(first) = entries.get(position) {
        let changes = &history.commits[first.commit].changes;
        let event_entries = entries[position..].iter().take(changes.len());
        let is_same = |(entry, made): (&Entry, &super::event::Made)| {
            entry.commit == first.commit && (&entry.key, entry.mark) == (&made.key, made.mark)
        };
        if event_entries.len() < changes.len() || !event_entries.zip(changes).all(is_same) {
            return Err(Violation::new(
                Promise::TransactionsAreWhole,
                format!("{} belongs to {changes:?}, which was not told as a whole", first.told),
            ));
        }
        position += changes.len();
        boundaries.push(position);
    }
    Ok(boundaries)
}

/// Checks that each state has exactly one version, and each version one state.
pub(super) fn versions<'a>(states: impl Iterator<Item = &'a State>) -> Result<(), Violation> {
    let mut versions: HashMap<(&Key, &str), Mark> = HashMap::new();
    let mut marks: HashMap<(&Key, Mark), &str> = HashMap::new();
    for state in states {
        let mark = *versions.entry((&state.key, &state.version)).or_insert(state.mark);
        let version = *marks.entry((&state.key, state.mark)).or_insert(&state.version);
        if mark != state.mark || version != state.version {
            let detail = format!("{state} has version {version} elsewhere, which is that of state {mark}");
            return Err(Violation::new(Promise::VersionsTellStatesApart, detail));
        }
    }
    Ok(())
}
