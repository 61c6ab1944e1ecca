//! The folder in which a run keeps what outlives it, and the lock that lets one run at a time change the machine.
//!
//! It is a folder of the machine that this process runs on, whatever [`System`](crate::system::System) a run works on.
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
pub(crate) use locks::{Held, Lock, LockName};
pub use owner::{InvalidOwner, Owner};
#[cfg(any(feature = "git", feature = "http"))]
pub(crate) use private_files::{create as create_private, create_folder};

/// The folder of a run's state: the [lock](crate::engine::Engine::with_state_folder), the refreshes that are owed, and what resources
/// [keep](crate::Context::keep).
///
/// It, and every folder above it, belongs to root or to the user of this process, and nobody else may write there.
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
    /// Who waits for the lock in this process, of each owner. The file says nothing of who was first.
    turns: Arc<Turns>,
    turn: Arc<Semaphore>,
}

/// Of each owner but the one that has no name; as long as a run of it is there.
type Turns = Mutex<HashMap<Owner, Weak<Semaphore>>>;

/// States of one folder.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for State {}

impl State {
    /// The state in this folder, which is made, with those above it, where it is not there.
    ///
    /// # Errors
    ///
    /// When others may write there, or it cannot be made.
    pub fn create(folder: impl Into<PathBuf>) -> Result<Self, StateError> {
        let folder = absolute(&folder.into())?;
        examine(&folder)?;
        create_all(&folder).map_err(|error| StateError::file("create", &folder, error))?;
        // What was made by somebody else in the meantime is looked at like the rest.
        examine(&folder)?;
        Ok(Self::of_folder(folder))
    }

    /// The state in this folder; `None` when there is none. Nothing is made.
    ///
    /// # Errors
    ///
    /// When others may write there.
    pub fn find(folder: impl Into<PathBuf>) -> Result<Option<Self>, StateError> {
        let folder = absolute(&folder.into())?;
        examine(&folder)?;
        Ok(folder.is_dir().then(|| Self::of_folder(folder)))
    }

    fn of_folder(folder: PathBuf) -> Self {
        Self { folder, turns: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }

    /// The part of this state that belongs to an owner, which has a lock and refreshes of its own. Nothing is made.
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

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the refreshes that are owed are written down.
    pub fn journal(&self) -> PathBuf {
        self.folder.join("refreshes")
    }

    /// Where resources keep what stays from run to run, such as passwords that were drawn.
    pub fn kept(&self) -> PathBuf {
        self.folder.join("kept")
    }

    /// Who applies a module with this state at this moment. This waits for nothing and keeps nobody waiting.
    pub fn holder(&self) -> Option<Holder> {
        lock::holder(&self.folder)
    }

    /// One run of this process after the other, in the order in which they came.
    pub(crate) fn turn(&self) -> &Arc<Semaphore> {
        &self.turn
    }

    /// Takes the lock, unless another process holds it. Only who has the [turn](Self::turn) may.
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
