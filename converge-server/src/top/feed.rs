//! The watches of a server, one task for each type.

use std::future::pending;
use std::panic::resume_unwind;
use std::time::Duration;

use converge_client::{Client, ClientError, Event, Refusal, Watch};
use serde::Deserialize as _;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::records::{Raw, Record};
use super::snapshot::{Change, Update};
use super::status_text::clean;

/// The URL path of the types.
pub(super) const TYPES: &str = "/v1/resources/converge/v1/";
/// The delays before a retry; the last one repeats.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5)];
/// The delay after a refusal, since permissions may change.
const REFUSED: Duration = Duration::from_secs(30);
/// The capacity of the channel of changes.
///
/// When it is full, the server has to wait.
const NEWS: usize = 256;

/// The watches of a server, which end when this is dropped.
#[derive(Debug)]
pub(super) struct Feed {
    client: Client,
    sender: Sender<Change>,
    all: JoinSet<()>,
    /// The watches of a single node.
    node: JoinSet<()>,
}

impl Feed {
    /// Starts to watch all types that the tables show.
    pub(super) fn start(client: Client) -> (Self, Receiver<Change>) {
        let (sender, receiver) = mpsc::channel(NEWS);
        let mut feed = Self { client, sender, all: JoinSet::new(), node: JoinSet::new() };
        feed.follow_all(Change::Nodes);
        feed.follow_all(Change::Reports);
        feed.follow_all(Change::Modules);
        feed.follow_all(Change::Rollouts);
        feed.follow_all(Change::Events);
        feed.follow_all(Change::Assignments);
        (feed, receiver)
    }

    fn follow_all<T: Record>(&mut self, wrap: fn(Update<T>) -> Change) {
        let target = Wanted { path: format!("{TYPES}{}&watch=true", T::PATH), key: None };
        self.all.spawn(follow(self.client.clone(), target, wrap, self.sender.clone()));
    }

    /// Waits forever, unless one of the tasks panics; then resumes that panic.
    pub(super) async fn panicked(&mut self) {
        while let Some(ended) = self.all.join_next().await {
            if let Some(panic) = ended.err().and_then(|error| error.try_into_panic().ok()) {
                resume_unwind(panic);
            }
        }
        pending::<()>().await;
    }

    /// Watches the history and plans of this node only.
    pub(super) fn look_at(&mut self, key: Option<&str>) {
        self.node = JoinSet::new();
        if let Some(key) = key {
            self.follow_node(key, Change::History);
            self.follow_node(key, Change::Plans);
        }
    }

    fn follow_node<T: Record>(&mut self, key: &str, wrap: fn(Update<T>) -> Change) {
        let Some((partition, name)) = key.split_once('/') else { return };
        // A key begins with a namespace, which nodes do not have.
        let name = name.trim_start_matches('/');
        let path = format!("{TYPES}{}partition={partition}&name_prefix={name}&watch=true", T::PATH);
        let target = Wanted { path, key: Some(key.to_owned()) };
        self.node.spawn(follow(self.client.clone(), target, wrap, self.sender.clone()));
    }
}

/// The target of a watch.
#[derive(Debug)]
struct Wanted {
    path: String,
    /// The key to which the events are limited.
    key: Option<String>,
}

/// Forwards the events of a type until the receiver is gone, and reports when the server is away.
async fn follow<T: Record>(
    client: Client,
    wanted: Wanted,
    wrap: fn(Update<T>) -> Change,
    sender: Sender<Change>,
) {
    let mut tries = 0;
    loop {
        let Err(error) = listen(&client, &wanted, wrap, &sender, &mut tries).await else { return };
        let (news, pause) = match &error {
            ClientError::Refused(Refusal { status: Some(status), message, .. })
                if status.is_client_error() =>
            {
                (Update::Refused(clean(message)), REFUSED)
            }
            error => (Update::Away(clean(&error.to_string())), PAUSES[tries.min(PAUSES.len() - 1)]),
        };
        if sender.send(wrap(news)).await.is_err() {
            return;
        }
        tries += 1;
        sleep(pause).await;
    }
}

/// Forwards the events of one watch.
///
/// Returns `Ok` only if the receiver is gone.
async fn listen<T: Record>(
    client: &Client,
    wanted: &Wanted,
    wrap: fn(Update<T>) -> Change,
    sender: &Sender<Change>,
    tries: &mut usize,
) -> Result<(), ClientError> {
    let mut watch = client.watch(&wanted.path).await?;
    let mut news = Some(Update::Begun);
    loop {
        if let Some(Update::Whole) = news {
            *tries = 0;
        }
        if let Some(news) = news
            && sender.send(wrap(news)).await.is_err()
        {
            return Ok(());
        }
        news = wanted.next(&mut watch).await?;
    }
}

impl Wanted {
    /// Returns the next event of a watch if it concerns the target.
    async fn next<T: Record>(&self, watch: &mut Watch) -> Result<Option<Update<T>>, ClientError> {
        let Event { name, data } = watch.next().await?;
        if name == "end_of_snapshot" {
            return Ok(Some(Update::Whole));
        }
        if !["upsert", "delete"].contains(&name.as_str()) {
            return Err(watch.strange(&format!("it sends an unknown event, {name:?}")));
        }
        let raw = Raw::deserialize(&data).map_err(|error| watch.strange(&error))?;
        let key = raw.id.key();
        if self.key.as_ref().is_some_and(|target| *target != key) {
            return Ok(None);
        }
        Ok(Some(if name == "delete" { Update::Gone(key) } else { Update::There(key, T::read(&raw)) }))
    }
}
