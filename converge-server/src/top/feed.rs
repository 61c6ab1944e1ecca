//! What a server tells, as it comes: one task for each type.

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

/// Where the types are.
pub(super) const TYPES: &str = "/v1/resources/converge/v1/";
/// How long to wait until a server that was away is asked again; the last one again and again.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5)];
/// How long to wait after a refusal: somebody may change who may do what.
const REFUSED: Duration = Duration::from_secs(30);
/// How much news may wait to be drawn. A server that tells more waits.
const NEWS: usize = 256;

/// Watches of a server, which end when this is dropped.
#[derive(Debug)]
pub(super) struct Feed {
    address: Address,
    sender: Sender<Change>,
    all: JoinSet<()>,
    /// Those of one node.
    node: JoinSet<()>,
}

impl Feed {
    /// Begins to watch everything that tables show.
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

    /// Comes to no end, but for a mistake of this program in one of the tasks, of which it dies.
    pub(super) async fn panicked(&mut self) {
        while let Some(ended) = self.all.join_next().await {
            if let Some(panic) = ended.err().and_then(|error| error.try_into_panic().ok()) {
                resume_unwind(panic);
            }
        }
        pending::<()>().await;
    }

    /// Watches what is kept of a node, of this one alone.
    pub(super) fn look_at(&mut self, key: Option<&str>) {
        self.node = JoinSet::new();
        if let Some(key) = key {
            self.follow_node(key, Change::History);
            self.follow_node(key, Change::Plans);
        }
    }

    fn follow_node<T: Fact>(&mut self, key: &str, wrap: fn(News<T>) -> Change) {
        let Some((partition, name)) = key.split_once('/') else { return };
        // Keys have a place for a namespace, which nodes do not have.
        let name = name.trim_start_matches('/');
        let path = format!("{TYPES}{}partition={partition}&name_prefix={name}&watch=true", T::PATH);
        let wanted = Wanted { path, key: Some(key.to_owned()) };
        self.node.spawn(follow(self.address.clone(), wanted, wrap, self.sender.clone()));
    }
}

/// What is watched.
#[derive(Debug)]
struct Wanted {
    path: String,
    /// Of what is told there, only what is under this key.
    key: Option<String>,
}

/// Tells what a server tells of a type until nobody listens, and when it does not.
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

/// Tells what one watch tells. It is well only when nobody listens any more.
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
    /// What a watch tells next, if it is about what is wanted.
    async fn next<T: Fact>(&self, watch: &mut Watch) -> Result<Option<News<T>>, HttpError> {
        let strange = |why: &str| HttpError::Strange(why.to_owned());
        let (event, json) =
            watch.next().await?.ok_or_else(|| strange("the server has ended the connection"))?;
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
