//! A store in a file.

mod answer;
mod error;
mod group;
mod holder;
mod open;
mod prepared_transaction;
mod request;
mod store_state;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use error::OpenError;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use super::backend::{Backend, Consistency};
use super::error::{CommitError, ReadError, Unavailable};
use super::key::Key;
use super::lease::{Lease, LeaseName, LocalLeases};
use super::query::Query;
use super::transaction::Transaction;
use super::watch::Watch;
use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::Resource;
use answer::Answer;
use error::Failure;
use prepared_transaction::Prepared;
use request::Request;
use store_state::Shared;
use tables::Snapshot;
use writer::Writer;

/// The maximum number of commits that wait for the writer; further ones wait for a place.
const WAITING_COMMITS: usize = 1_024;

/// A store in a file of [redb](https://docs.rs/redb), for one process at a time.
///
/// Acknowledged transactions are on the disk, whatever ends the process or the machine. One thread writes. It
/// makes one commit of the file from all waiting transactions, so that many at a time cost little more than
/// one. A single transaction waits for no other. Reads never wait for writes, and see only whole commits.
///
/// When the disk is full or fails, commits fail as [`Unavailable`] and nothing is half written; the store
/// recovers once there is space. The same holds for the file size limit (`ulimit -f`), in a program that
/// handles `SIGXFSZ`. In other programs that signal ends the process.
///
/// A damaged part of the file causes an error, which names the file, only for requests that need the part.
/// Not every damage is detected: pages are checked only when a file is repaired.
///
/// Dropping the store waits for running work and closes the file; watches are told so.
///
/// ```
/// use converge_controller::storage::{Backend as _, Consistency, Redb};
/// use converge_controller::{Id, Resource, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let file = folder.path().join("resources.redb");
/// let id = Id::new("demo.v2.Artist".parse()?, Scope::Namespace.default_tenancy(), "korn".parse()?);
///
/// let store = Redb::open(&file).await?;
/// let stored = store.write(Resource::new(id.clone().with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?))).await?;
/// drop(store);
///
/// let again = Redb::open(&file).await?;
/// assert_eq!(again.read(&id, Consistency::Strong).await?, stored);
/// # Ok(())
/// # }
/// ```
pub struct Redb {
    shared: Arc<Shared>,
    leases: LocalLeases,
    /// The queue of the writer; taken when the store is dropped.
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
}

impl Redb {
    /// Opens the store in a file, or creates it and its folder for this user only.
    ///
    /// # Errors
    ///
    /// Fails if the file is in use by a process, or is not a store that this program knows.
    pub async fn open(file: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let file = file.into();
        let path = file.clone();
        // After a crash the file is read and repaired, which takes time.
        let opened = spawn_blocking(move || Self::open_here(file)).await;
        opened.unwrap_or_else(|failed| Err(OpenError::File { path, source: failed.into() }))
    }

    fn open_here(file: PathBuf) -> Result<Self, OpenError> {
        let (database, revision) = open::open(&file)?;
        let shared = Arc::new(Shared::new(file.clone(), database));
        let leases = LocalLeases::default();
        let (requests, received) = mpsc::channel(WAITING_COMMITS);
        let writer = Writer::new(Arc::clone(&shared), leases.clone(), revision);
        let thread = std::thread::Builder::new().name("converge-store".to_owned());
        let thread = thread.spawn(move || writer.run(received));
        let writer = thread.map_err(|source| OpenError::File { path: file, source })?;
        Ok(Self { shared, leases, requests: Some(requests), writer: Some(writer) })
    }

    /// Returns unused space of the file to the file system, and returns whether there was any.
    ///
    /// Reads and commits wait until it is done.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written.
    pub async fn compact(&self) -> Result<bool, Unavailable> {
        self.ask(Request::Compact).await?
    }

    /// Returns the leases of the store.
    pub fn leases(&self) -> &LocalLeases {
        &self.leases
    }

    /// Sends a request to the writer, and waits for the answer.
    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T, Unavailable> {
        let (answer, answered) = oneshot::channel();
        if let (Some(requests), Some(writer)) = (&self.requests, &self.writer)
            && requests.send(request(answer)).await.is_ok()
        {
            if self.shared.gathering().is_complete(requests.max_capacity() - requests.capacity()) {
                writer.thread().unpark();
            }
            if let Ok(answer) = answered.await {
                return Ok(answer);
            }
        }
        Err(Unavailable::new(format!("the writer of {} has ended", self.shared.file().display())))
    }

    /// Runs a read on a blocking thread, as long lists take time.
    async fn reading<T: Send + 'static>(
        &self,
        read: impl Fn(&Snapshot) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Result<T, Unavailable> {
        let read = Arc::new(read);
        let spawn_read = || {
            let (shared, read) = (Arc::clone(&self.shared), Arc::clone(&read));
            spawn_blocking(move || shared.snapshot(|snapshot| read(snapshot)))
        };
        let unavailable = |failure: Failure| failure.unavailable(self.shared.file());
        match spawn_read().await.unwrap_or(Err(Failure::Closed)) {
            Ok(read) => Ok(read),
            Err(failure @ Failure::Record { .. }) => Err(unavailable(failure)),
            Err(_) => {
                // After a disk error the file has to be opened again.
                self.ask(Request::Reopen).await??;
                spawn_read().await.unwrap_or(Err(Failure::Closed)).map_err(unavailable)
            }
        }
    }
}

impl Drop for Redb {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            // A panic of the writer was already reported.
            let _ = writer.join();
        }
    }
}

#[async_trait]
impl Backend for Redb {
    async fn read(&self, id: &Id, _: Consistency) -> Result<Arc<Resource>, ReadError> {
        let key = Key::from_id(id);
        // The read takes a microsecond from cached pages, so another thread would not be faster.
        let read = match self.shared.try_snapshot(|snapshot| snapshot.get(&key)) {
            Some(Ok(read)) => read,
            None | Some(Err(_)) => self.reading(move |snapshot| snapshot.get(&key)).await?,
        };
        let read = read.filter(|stored| id.uid.is_none_or(|uid| stored.id.uid == Some(uid)));
        match read.map(Arc::new) {
            None => Err(ReadError::NotFound { id: Box::new(id.clone()) }),
            Some(stored) if stored.id.resource_type != id.resource_type => {
                Err(ReadError::GroupVersionMismatch { requested: id.resource_type.clone(), stored })
            }
            Some(stored) => Ok(stored),
        }
    }

    async fn list(&self, query: &Query, _: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        let query = query.clone();
        self.reading(move |snapshot| snapshot.matching(&query)).await
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.reading(move |snapshot| snapshot.owned(owner)).await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.reading(Snapshot::kinds).await
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        let subscription = self.shared.hub().subscribe(query);
        let query = query.clone();
        let read = move |snapshot: &Snapshot| Ok((snapshot.matching(&query)?, snapshot.revision()?));
        let (resources, revision) = self.reading(read).await?;
        Ok(subscription.after(resources, revision))
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        transaction.check()?;
        let prepared = Prepared::try_from(transaction)?;
        let commit = self.ask(|answer| Request::Commit(prepared, Answer::new(answer))).await??;
        Ok(commit.into_stored())
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        self.leases.stand(name)
    }
}

impl std::fmt::Debug for Redb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redb").field("file", &self.shared.file()).finish_non_exhaustive()
    }
}
