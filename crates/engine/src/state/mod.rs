//! The state folder of a run, and the lock that lets only one run at a time change the machine.
//!
//! The folder is on the machine of this process, whatever [`System`](crate::system::System) a run works on.
#![expect(clippy::disallowed_methods, reason = "the state is where the program runs, not on the system")]

mod error;
mod holder;
mod leftovers;
mod lock;
mod locks;
mod owner;
mod process;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use converge_system::folder_trust::{Untrusted, WrongOwner, examine};
pub(crate) use converge_system::private_files;
pub use error::StateError;
pub use holder::{Holder, Leftover};
pub(crate) use lock::{RunLock, TryLock};
pub use locks::Locks;
pub(crate) use locks::{Lock, LockGuard, LockName};
pub use owner::{InvalidOwner, Owner};

/// The state folder of a run.
///
/// The folder holds the [lock](crate::Engine::with_state_folder), the owed refreshes, and the texts
/// that resources [keep](converge_sdk::Context::keep). The folder and all its parents belong to root or to the user
/// of this process, and nobody else may write to them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use converge_core::state::State;
///
/// // Everybody may write into the folder for temporary files, so nothing in it can be relied on.
/// assert!(State::create(std::env::temp_dir().join("state")).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct State {
    folder: PathBuf,
    /// The queue of waiters for the lock in this process, per owner.
    ///
    /// The lock file does not record their order.
    turns: Arc<Turns>,
    turn: Arc<Semaphore>,
}

/// The queues of named owners, as long as a run of the owner exists.
type Turns = Mutex<HashMap<Owner, Weak<Semaphore>>>;

/// States are equal if they have the same folder.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for State {}

impl State {
    /// Opens the state in this folder, and creates the folder with its parents if necessary.
    ///
    /// # Errors
    ///
    /// If others may write there, or the folder cannot be created.
    pub fn create(folder: impl Into<PathBuf>) -> Result<Self, StateError> {
        let folder = absolute(&folder.into())?;
        examine(&folder)?;
        create_all(&folder).map_err(|error| StateError::file("create", &folder, error))?;
        // Another user may have created a part meanwhile, so the folder is examined again.
        examine(&folder)?;
        Ok(Self::of_folder(folder))
    }

    /// Opens the state in this folder, or returns `None` if the folder does not exist.
    ///
    /// Nothing is created.
    ///
    /// # Errors
    ///
    /// If others may write there.
    pub fn find(folder: impl Into<PathBuf>) -> Result<Option<Self>, StateError> {
        let folder = absolute(&folder.into())?;
        examine(&folder)?;
        Ok(folder.is_dir().then(|| Self::of_folder(folder)))
    }

    fn of_folder(folder: PathBuf) -> Self {
        Self { folder, turns: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }

    /// Returns the part of this state that belongs to an owner, with its own lock and refreshes.
    ///
    /// Nothing is created.
    pub fn of_owner(&self, owner: &Owner) -> Self {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = turns.get(owner).and_then(Weak::upgrade).unwrap_or_else(|| {
            if turns.len() == turns.capacity() {
                turns.retain(|_, turn| turn.strong_count() > 0);
            }
            let turn = Arc::new(Semaphore::new(1));
            turns.insert(owner.clone(), Arc::downgrade(&turn));
            turn
        });
        Self { folder: self.folder.join("owners").join(owner.as_str()), turns: Arc::default(), turn }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the journal of owed refreshes.
    pub fn journal(&self) -> PathBuf {
        self.folder.join("refreshes")
    }

    /// Returns the path of the texts that resources keep between runs, such as generated passwords.
    pub fn kept(&self) -> PathBuf {
        self.folder.join("kept")
    }

    /// Returns the current holder of the lock.
    ///
    /// This neither waits nor blocks others.
    pub fn holder(&self) -> Option<Holder> {
        lock::holder(&self.folder)
    }

    /// Returns the semaphore that queues the runs of this process, in the order of arrival.
    pub(crate) fn turn(&self) -> &Arc<Semaphore> {
        &self.turn
    }

    /// Takes the lock unless another process holds it.
    ///
    /// Requires a permit of [`turn`](Self::turn).
    pub(crate) fn try_lock(&self, module: &str, turn: OwnedSemaphorePermit) -> Result<TryLock, StateError> {
        create_all(&self.folder).map_err(|error| StateError::file("create", &self.folder, error))?;
        lock::try_lock(&self.folder, module, turn)
    }
}

fn absolute(folder: &Path) -> Result<PathBuf, StateError> {
    std::path::absolute(folder).map_err(|error| StateError::file("use", folder, error))
}

fn create_all(folder: &Path) -> std::io::Result<()> {
    match private_files::create_folder(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        created => created,
    }
}
