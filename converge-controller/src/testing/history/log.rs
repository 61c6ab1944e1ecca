//! The order in which changes happened.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::event::{Commit, Mark, Outcome, Promise, State, Told, Violation, Watched};
use super::recorder::History;
use crate::storage::Key;

/// A change in the order of the log.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The number of the transaction.
    pub(super) commit: usize,
    pub(super) told: Told,
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
    pub(super) fn of(history: &History) -> Result<Self, Violation> {
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
        let done =
            |(_, commit): &(usize, &Commit)| commit.outcome == Outcome::Done && !commit.changes.is_empty();
        match history.commits.iter().enumerate().filter(done).find(|(number, _)| !happened.contains(number)) {
            None => Ok(()),
            Some((_, lost)) => Err(Violation::new(
                Promise::NothingIsLost,
                format!("{:?} was acknowledged, and nobody was told of it", lost.changes),
            )),
        }
    }

    fn changes_find_what_they_name(&self, history: &History) -> Result<(), Violation> {
        let broken = |detail| Violation::new(Promise::ChangesFindWhatTheyName, detail);
        let mut now: BTreeMap<&Key, Mark> = BTreeMap::new();
        for pair in self.boundaries.windows(2) {
            let entries = &self.entries[pair[0]..pair[1]];
            let Some(commit) = entries.first().map(|entry| &history.commits[entry.commit]) else { continue };
            if let Some(key) = commit.required.iter().find(|key| !now.contains_key(key)) {
                return Err(broken(format!("{:?} relied on {key}, which was not there", commit.changes)));
            }
            for made in &commit.changes {
                let stored = now.get(&made.key).copied();
                if stored != made.base {
                    return Err(broken(format!("{made:?} replaced {stored:?}")));
                }
                match made.mark {
                    Some(mark) => now.insert(&made.key, mark),
                    None => now.remove(&made.key),
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
        for made in &commit.changes {
            let Some(base) = made.base else { continue };
            if let Some(other) = replaced.insert((&made.key, base), commit) {
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
        for made in &commit.changes {
            match (made.mark, made.base) {
                (Some(mark), _) => _ = makers.insert((&made.key, mark), number),
                (None, Some(base)) if commit.outcome != Outcome::Refused => {
                    enders.entry((&made.key, base)).or_default().push(number);
                }
                (None, _) => {}
            }
        }
    }
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    let mut told = witness.told.iter().map(|(told, _)| told);
    if told.next() != Some(&Told::EndOfSnapshot) {
        return Err(gap("the store had something before anything was written"));
    }
    for told in told {
        let (state, commit) = match told {
            Told::EndOfSnapshot => return Err(gap("the snapshot ended twice")),
            Told::Upsert(state) => (state, makers.get(&(&state.key, state.mark)).copied()),
            // Of several possible deletions, an acknowledged one is the actual one.
            Told::Delete(state) => (state, ender(history, enders.get(&(&state.key, state.mark)))),
        };
        let invented = |why| Violation::new(Promise::NothingIsInvented, format!("{told} {why}"));
        let commit = commit.ok_or_else(|| invented("was done by nobody"))?;
        if history.commits[commit].outcome == Outcome::Refused {
            return Err(invented("was refused"));
        }
        if !seen.insert((matches!(told, Told::Upsert(_)), state.mark)) {
            return Err(Violation::new(Promise::NothingIsDoubled, format!("{told} came twice")));
        }
        let mark = matches!(told, Told::Upsert(_)).then_some(state.mark);
        entries.push(Entry { commit, told: told.clone(), key: state.key.clone(), mark });
    }
    Ok(entries)
}

fn ender(history: &History, commits: Option<&Vec<usize>>) -> Option<usize> {
    let commits = commits?;
    let done = commits.iter().find(|commit| history.commits[**commit].outcome == Outcome::Done);
    done.or(commits.first()).copied()
}

/// Returns the ends of transactions, whose changes must be adjacent and in order.
fn boundaries(history: &History, entries: &[Entry]) -> Result<Vec<usize>, Violation> {
    let mut boundaries = vec![0];
    let mut at = 0;
    while let Some(first) = entries.get(at) {
        let changes = &history.commits[first.commit].changes;
        let told = entries[at..].iter().take(changes.len());
        let same = |(entry, made): (&Entry, &super::event::Made)| {
            entry.commit == first.commit && (&entry.key, entry.mark) == (&made.key, made.mark)
        };
        if told.len() < changes.len() || !told.zip(changes).all(same) {
            return Err(Violation::new(
                Promise::TransactionsAreWhole,
                format!("{} belongs to {changes:?}, which was not told as a whole", first.told),
            ));
        }
        at += changes.len();
        boundaries.push(at);
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
