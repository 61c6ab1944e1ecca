//! The watches of a server, one task for each type.

use std::future::pending;
use std::panic::resume_unwind;
use std::time::Duration;

use serde::Deserialize as _;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::records::{Fact, Raw};
use super::snapshot::{Change, News};
use super::status_text::clean;
use crate::client::{Address, HttpError, Watch};

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
    address: Address,
    sender: Sender<Change>,
    all: JoinSet<()>,
    /// The watches of a single node.
    node: JoinSet<()>,
}

impl Feed {
    /// Starts to watch all types that the tables show.
    pub(super) fn start(address: Address) -> (Self, Receiver<Change>) {
        let (sender, receiver) = mpsc::channel(NEWS);
        let mut feed = Self { address, sender, all: JoinSet::new(), node: JoinSet::new() };
        feed.follow_all(Change::Nodes);
        feed.follow_all(Change::Reports);
        feed.follow_all(Change::Modules);
        feed.follow_all(Change::Rollouts);
        feed.follow_all(Change::Events);
        feed.follow_all(Change::Assignments);
        (feed, receiver)
    }

    fn follow_all<T: Fact>(&mut self, wrap: fn(News<T>) -> Change) {
        let wanted = Wanted { path: format!("{TYPES}{}&watch=true", T::PATH), key: None };
        self.all.spawn(follow(self.address.clone(), wanted, wrap, self.sender.clone()));
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

    fn follow_node<T: Fact>(&mut self, key: &str, wrap: fn(News<T>) -> Change) {
        let Some((partition, name)) = key.split_once('/') else { return };
        // A key begins with a namespace, which nodes do not have.
        let name = name.trim_start_matches('/');
        let path = format!("{TYPES}{}partition={partition}&name_prefix={name}&watch=true", T::PATH);
        let wanted = Wanted { path, key: Some(key.to_owned()) };
        self.node.spawn(follow(self.address.clone(), wanted, wrap, self.sender.clone()));
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
async fn follow<T: Fact>(
    address: Address,
    wanted: Wanted,
    wrap: fn(News<T>) -> Change,
    sender: Sender<Change>,
) {
    let mut tries = 0;
    loop {
        let Err(error) = listen(&address, &wanted, wrap, &sender, &mut tries).await else { return };
        let (news, pause) = match &error {
            HttpError::Refused { status, message } if status.is_client_error() => {
                (News::Refused(clean(message)), REFUSED)
            }
            error => (News::Away(clean(&error.to_string())), PAUSES[tries.min(PAUSES.len() - 1)]),
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
async fn listen<T: Fact>(
    address: &Address,
    wanted: &Wanted,
    wrap: fn(News<T>) -> Change,
    sender: &Sender<Change>,
    tries: &mut usize,
) -> Result<(), HttpError> {
    let mut watch = address.watch(&wanted.path).await?;
    let mut news = Some(News::Begun);
    loop {
        if let Some(News::Whole) = news {
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
    async fn next<T: Fact>(&self, watch: &mut Watch) -> Result<Option<News<T>>, HttpError> {
        let strange = |why: &str| HttpError::Strange(why.to_owned());
        let (event, json) = watch.next().await?.ok_or_else(|| strange("the server closed the connection"))?;
        if event == "end_of_snapshot" {
            return Ok(Some(News::Whole));
        }
        if !["upsert", "delete"].contains(&event.as_str()) {
            return Err(strange(json["error"]["message"].as_str().unwrap_or(&event)));
        }
        let raw = Raw::deserialize(&json).map_err(|error| strange(&error.to_string()))?;
        let key = raw.id.key();
        if self.key.as_ref().is_some_and(|wanted| *wanted != key) {
            return Ok(None);
        }
        Ok(Some(if event == "delete" { News::Gone(key) } else { News::There(key, T::read(&raw)) }))
    }
}
