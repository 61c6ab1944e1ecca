//! A watch of resources that survives lost connections.

use std::collections::BTreeMap;
use std::mem;
use std::time::Duration;

use converge_client::{Event, Watch};
use serde_json::Value as Json;

use super::error::RemoteError;
use super::path::Query;
use super::resource::Found;
use super::server::Server;
use super::type_catalog::KnownType;

/// The first and the longest delay before a reconnect.
const RETRY: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(10)];

/// A change of the watched resources.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The resource is new.
    Added(Found),
    /// An existing resource has changed.
    Changed(Found),
    /// The resource was deleted; this is its last known state.
    Deleted(Found),
    /// All existing resources have been reported.
    Synced,
    /// The connection was lost and is being re-established.
    Lost(String),
}

/// A watch that reports each change once, across reconnects.
#[derive(Debug)]
pub(crate) struct Changes {
    server: Server,
    of: KnownType,
    query: Query,
    /// The current connection.
    watch: Option<Watch>,
    /// The reported resources, by uid.
    known: BTreeMap<String, Found>,
    /// The resources reported before the last reconnect and not seen since.
    unseen: BTreeMap<String, Found>,
    /// Whether a connection was ever established.
    connected: bool,
    /// Whether the loss was reported, and nothing has arrived since.
    is_lost: bool,
    wait: Duration,
    /// Deletions to report.
    pending: Vec<Change>,
}

impl Changes {
    pub(crate) fn new(server: Server, resource_type: KnownType, query: Query) -> Self {
        let [wait, _] = RETRY;
        let (resources, unseen, pending) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self {
            server,
            of: resource_type,
            query,
            watch: None,
            known: resources,
            unseen,
            connected: false,
            is_lost: false,
            wait,
            pending,
        }
    }

    /// Returns the next change.
    ///
    /// # Errors
    ///
    /// Fails if the first connection fails, or if the server refuses the watch. A connection that is lost
    /// later is re-established.
    pub(crate) async fn next(&mut self) -> Result<Change, RemoteError> {
        loop {
            if let Some(change) = self.pending.pop() {
                return Ok(change);
            }
            let change = self.next_event().await.and_then(|event| self.apply(event));
            match change {
                Ok(Some(change)) => return Ok(change),
                Ok(None) => {}
                Err(error) if self.connected && error.is_transient() => {
                    if let Some(change) = self.lost(&error) {
                        return Ok(change);
                    }
                    tokio::time::sleep(self.wait).await;
                    let [_, most] = RETRY;
                    self.wait = (self.wait * 2).min(most);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads the next event, connecting first if necessary.
    async fn next_event(&mut self) -> Result<Event, RemoteError> {
        let watch = match &mut self.watch {
            Some(watch) => watch,
            none => none.insert(self.server.watch(&self.of, &self.query).await?),
        };
        Ok(watch.next().await?)
    }

    /// Parses the resource in an event.
    fn resource(&self, json: Json) -> Result<Found, RemoteError> {
        Found::new(json).map_err(|error| self.server.strange(&error))
    }

    /// Applies an event to the known resources, and returns the change to report.
    fn apply(&mut self, Event { name, data }: Event) -> Result<Option<Change>, RemoteError> {
        self.connected = true;
        self.is_lost = false;
        [self.wait, _] = RETRY;
        match name.as_str() {
            "end_of_snapshot" => {
                let deleted = mem::take(&mut self.unseen);
                self.pending.push(Change::Synced);
                self.pending.extend(deleted.into_values().map(Change::Deleted));
                Ok(self.pending.pop())
            }
            "upsert" => {
                let resource = self.resource(data)?;
                let uid = resource.uid().to_owned();
                let before = self.unseen.remove(&uid).or_else(|| self.known.get(&uid).cloned());
                self.known.insert(uid, resource.clone());
                Ok(match before {
                    None => Some(Change::Added(resource)),
                    // This state was reported before the connection was lost.
                    Some(before) if before.version() == resource.version() => None,
                    Some(_) => Some(Change::Changed(resource)),
                })
            }
            "delete" => {
                let resource = self.resource(data)?;
                self.known.remove(resource.uid());
                Ok(Some(Change::Deleted(resource)))
            }
            // Events of later server versions are ignored.
            _ => Ok(None),
        }
    }

    /// Drops the connection, and reports the loss once.
    fn lost(&mut self, error: &RemoteError) -> Option<Change> {
        self.watch = None;
        self.unseen.append(&mut self.known);
        let is_news = !mem::replace(&mut self.is_lost, true);
        is_news.then(|| Change::Lost(error.to_string()))
    }
}
