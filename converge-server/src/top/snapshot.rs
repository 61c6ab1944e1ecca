//! The known resources of a server.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::records::{Assignment, Event, History, Module, Node, Plans, Report, Rollout};

/// An update from a watch.
#[derive(Debug)]
pub(super) enum Update<T> {
    /// The watch starts; existing resources follow.
    Begun,
    /// The resource under this key exists in this version.
    There(String, T),
    /// The resource under this key was deleted.
    Gone(String),
    /// All existing resources have been sent.
    Whole,
    /// The server is away, with the reason.
    Away(String),
    /// The server refuses, with the reason.
    Refused(String),
}

/// An update of one type.
#[derive(Debug)]
pub(super) enum Change {
    Nodes(Update<Node>),
    Reports(Update<Report>),
    Modules(Update<Module>),
    Rollouts(Update<Rollout>),
    Events(Update<Event>),
    Assignments(Update<Assignment>),
    History(Update<History>),
    Plans(Update<Plans>),
}

/// The state of the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Connection {
    /// No answer yet.
    #[default]
    Asking,
    Live,
    /// The server is away, with the time since when and the reason.
    Away(Timestamp, String),
    Refused(String),
}

/// The resources of a type.
#[derive(Debug)]
pub(super) struct Live<T> {
    items: BTreeMap<String, T>,
    /// The resources of a new snapshot, while the previous ones are still shown.
    next: Option<BTreeMap<String, T>>,
    /// Whether a snapshot was ever complete.
    pub(super) whole: bool,
    pub(super) link: Connection,
}

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self { items: BTreeMap::new(), next: None, whole: false, link: Connection::Asking }
    }
}

impl<T> Live<T> {
    pub(super) fn get(&self, key: &str) -> Option<&T> {
        self.items.get(key)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &T)> {
        self.items.iter()
    }

    fn take(&mut self, news: Update<T>, now: Timestamp) {
        match news {
            Update::Begun if self.whole => self.next = Some(BTreeMap::new()),
            Update::Begun => self.items.clear(),
            Update::There(key, item) => {
                self.next.as_mut().unwrap_or(&mut self.items).insert(key, item);
            }
            Update::Gone(key) => {
                self.next.as_mut().unwrap_or(&mut self.items).remove(&key);
            }
            Update::Whole => {
                if let Some(next) = self.next.take() {
                    self.items = next;
                }
                (self.whole, self.link) = (true, Connection::Live);
            }
            Update::Away(why) => {
                self.next = None;
                let start = if let Connection::Away(since, _) = self.link { since } else { now };
                self.link = Connection::Away(start, why);
            }
            Update::Refused(why) => self.link = Connection::Refused(why),
        }
    }
}

/// All known resources.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) nodes: Live<Node>,
    pub(super) reports: Live<Report>,
    pub(super) modules: Live<Module>,
    pub(super) rollouts: Live<Rollout>,
    pub(super) events: Live<Event>,
    pub(super) assignments: Live<Assignment>,
    /// The history of the node whose details are shown; its plans likewise.
    pub(super) history: Live<History>,
    pub(super) plans: Live<Plans>,
}

impl Snapshot {
    pub(super) fn take(&mut self, change: Change, now: Timestamp) {
        match change {
            Change::Nodes(news) => self.nodes.take(news, now),
            Change::Reports(news) => self.reports.take(news, now),
            Change::Modules(news) => self.modules.take(news, now),
            Change::Rollouts(news) => self.rollouts.take(news, now),
            Change::Events(news) => self.events.take(news, now),
            Change::Assignments(news) => self.assignments.take(news, now),
            Change::History(news) => self.history.take(news, now),
            Change::Plans(news) => self.plans.take(news, now),
        }
    }

    /// Returns the worst state of the connections of all types.
    pub(super) fn link(&self) -> &Connection {
        let links = [
            &self.nodes.link,
            &self.reports.link,
            &self.modules.link,
            &self.rollouts.link,
            &self.events.link,
            &self.assignments.link,
        ];
        let find = |is: fn(&Connection) -> bool| links.into_iter().find(|link| is(link));
        find(|link| matches!(link, Connection::Away(..)))
            .or_else(|| find(|link| matches!(link, Connection::Refused(_))))
            .or_else(|| find(|link| *link == Connection::Asking))
            .unwrap_or(&Connection::Live)
    }
}
