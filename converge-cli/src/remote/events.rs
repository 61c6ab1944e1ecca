//! A watch of resources that survives lost connections.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::mem;
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::mpsc;

use super::error::{Refusal, RemoteError};
use super::path::Query;
use super::resource::Found;
use super::server::Server;
use super::type_catalog::KnownType;

/// The maximum silence of a server, which sends a keep-alive every 15 s.
const SILENCE: Duration = Duration::from_mins(1);
/// The maximum length of a line in bytes.
const LINE: u64 = 16 * 1024 * 1024;
/// The capacity of the event queue.
const WAITING: usize = 16;
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
    lines: Option<mpsc::Receiver<Told>>,
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

/// An item read from the connection.
#[derive(Debug)]
enum Told {
    Alive,
    Event { name: String, data: String },
    End(RemoteError),
}

impl Changes {
    pub(crate) fn new(server: Server, resource_type: KnownType, query: Query) -> Self {
        let [wait, _] = RETRY;
        let (resources, unseen, pending) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self {
            server,
            of: resource_type,
            query,
            lines: None,
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
            let message = match self.told().await {
                Told::Alive => continue,
                Told::Event { name, data } => self.event(&name, &data),
                Told::End(error) => Err(error),
            };
            match message {
                Ok(Some(change)) => return Ok(change),
                Ok(None) => {}
                Err(error) if self.connected && error.passes() => {
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

    /// Reads the next item, connecting first if necessary.
    async fn told(&mut self) -> Told {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            none => none.insert(connect(self.server.clone(), self.of.clone(), self.query.clone())),
        };
        match tokio::time::timeout(SILENCE, lines.recv()).await {
            Ok(message) => message.unwrap_or(Told::End(RemoteError::Ended)),
            Err(_) => Told::End(RemoteError::Silent { seconds: SILENCE.as_secs() }),
        }
    }

    fn event(&mut self, name: &str, data: &str) -> Result<Option<Change>, RemoteError> {
        let json: Json = serde_json::from_str(data).map_err(|error| self.server.strange(&error))?;
        self.connected = true;
        self.is_lost = false;
        [self.wait, _] = RETRY;
        match name {
            "end_of_snapshot" => {
                let deleted = mem::take(&mut self.unseen);
                self.pending.push(Change::Synced);
                self.pending.extend(deleted.into_values().map(Change::Deleted));
                Ok(self.pending.pop())
            }
            "upsert" => {
                let resource = Found::new(json).map_err(|error| self.server.strange(&error))?;
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
                let resource = Found::new(json).map_err(|error| self.server.strange(&error))?;
                self.known.remove(resource.uid());
                Ok(Some(Change::Deleted(resource)))
            }
            "error" => {
                let refusal = json.get("error").cloned().unwrap_or_default();
                let refusal: Refusal =
                    serde_json::from_value(refusal).map_err(|error| self.server.strange(&error))?;
                Err(RemoteError::Refused(refusal))
            }
            // Events of later server versions are ignored.
            _ => Ok(None),
        }
    }

    /// Drops the connection, and reports the loss once.
    fn lost(&mut self, error: &RemoteError) -> Option<Change> {
        self.lines = None;
        self.unseen.append(&mut self.known);
        let is_news = !mem::replace(&mut self.is_lost, true);
        is_news.then(|| Change::Lost(error.to_string()))
    }
}

/// Connects on a new thread, which ends with the connection or when the receiver is gone.
fn connect(server: Server, resource_type: KnownType, query: Query) -> mpsc::Receiver<Told> {
    let (sender, lines) = mpsc::channel(WAITING);
    let read = {
        let sender = sender.clone();
        move || {
            let end = match server.watch(&resource_type, &query) {
                Ok(body) => read(BufReader::new(body), &sender).unwrap_or(RemoteError::Ended),
                Err(error) => error,
            };
            // The receiver may be gone.
            drop(sender.blocking_send(Told::End(end)));
        }
    };
    if let Err(error) = thread::Builder::new().name("watch".into()).spawn(read) {
        let end = RemoteError::Unreachable { url: "the server".to_owned(), problem: error.to_string() };
        drop(sender.try_send(Told::End(end)));
    }
    lines
}

/// Reads server-sent events: `event: NAME`, `data: JSON`, and an empty line.
///
/// Returns `None` when the receiver is gone.
fn read(mut body: impl BufRead, sender: &mpsc::Sender<Told>) -> Option<RemoteError> {
    let (mut name, mut data, mut line) = (String::new(), String::new(), Vec::new());
    loop {
        line.clear();
        let length = match body.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Some(RemoteError::Ended),
            Ok(length) => length as u64,
        };
        if length == LINE || data.len() as u64 > LINE {
            let problem = format!("it sends an event of more than {LINE} bytes");
            return Some(RemoteError::Strange { url: "the server".to_owned(), problem });
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        let message = if text.is_empty() {
            if data.is_empty() {
                continue;
            }
            Told::Event { name: mem::take(&mut name), data: mem::take(&mut data) }
        } else if let Some(event_name) = text.strip_prefix("event:") {
            event_name.trim_start().clone_into(&mut name);
            continue;
        } else if let Some(payload) = text.strip_prefix("data:") {
            data.push_str(payload);
            continue;
        } else {
            Told::Alive
        };
        sender.blocking_send(message).ok()?;
    }
}
