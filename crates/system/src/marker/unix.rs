//! The marker on Unix: a descriptor and its inheritance flag.

use std::os::fd::OwnedFd;
use std::sync::{Arc, PoisonError, RwLock};

use rustix::io::{FdFlags, fcntl_setfd};

/// The marker that programs currently inherit.
static INHERITED: RwLock<Option<Marker>> = RwLock::new(None);

/// A descriptor that marks the programs of a run.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Marker(Arc<OwnedFd>);

impl PartialEq for Marker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Marker {}

impl Marker {
    /// Creates a marker that is not inherited yet.
    #[doc(hidden)]
    pub fn new(file: OwnedFd) -> rustix::io::Result<Self> {
        fcntl_setfd(&file, FdFlags::CLOEXEC)?;
        Ok(Self(Arc::new(file)))
    }

    #[doc(hidden)]
    pub fn file(&self) -> &OwnedFd {
        &self.0
    }

    /// Stops the inheritance of the marker.
    #[doc(hidden)]
    pub fn withdraw(&self) {
        let mut inherited = INHERITED.write().unwrap_or_else(PoisonError::into_inner);
        if inherited.as_ref() == Some(self) {
            set(&mut inherited, None);
        }
    }
}

/// Starts a program that inherits only this marker.
pub(crate) fn start_with<T>(marker: Option<&Marker>, start: impl FnOnce() -> T) -> T {
    {
        let inherited = INHERITED.read().unwrap_or_else(PoisonError::into_inner);
        if inherited.as_ref() == marker {
            return start();
        }
    }
    let mut inherited = INHERITED.write().unwrap_or_else(PoisonError::into_inner);
    set(&mut inherited, marker);
    // The lock is held during the start. If it were released, others could change the marker again and again.
    start()
}

fn set(inherited: &mut Option<Marker>, marker: Option<&Marker>) {
    // The calls cannot fail for valid descriptors.
    if let Some(before) = inherited.take() {
        let _ = fcntl_setfd(&*before.0, FdFlags::CLOEXEC);
    }
    if let Some(marker) = marker {
        let _ = fcntl_setfd(&*marker.0, FdFlags::empty());
    }
    *inherited = marker.cloned();
}
