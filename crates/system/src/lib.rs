//! The machine that resources work on: the local one, the model of one for tests, and the HTTP client.
//!
//! This crate owns every effect. It knows values, and neither resources nor modules. It promises nothing by itself: only
//! `converge-sdk` and `converge-core` are API.
//!
//! A resource reads and changes files, users, processes and the clock only through [`System`], so the
//! same code runs on the local machine, on the in-memory model host that tests use, and on whatever
//! else implements these traits.
//!
//! The traits here are written with `async_trait`, as a system has its parts as `dyn` objects, and so is whatever implements them:
//! without `#[async_trait]` before an `impl` the compiler says that the lifetimes of its methods do not match (E0195). Those of
//! resources are not.
//!
//! All methods that touch the machine are `async`, so that a system may be far away. The local system
//! makes short file calls directly on the calling thread, as handing each to another one costs several
//! times what the call does; large files, and whatever waits for the disk, have threads of their own.

#[cfg(feature = "local")]
mod captured_output;
mod error;
mod files;
#[doc(hidden)]
#[cfg(feature = "local")]
pub mod folder_trust;
pub mod http;
#[cfg(feature = "local")]
pub mod kernel_random;
mod lines;
#[cfg(feature = "local")]
mod local;
#[cfg(feature = "local")]
mod marker;
mod metadata;
#[cfg(any(test, feature = "testing"))]
mod model;
#[cfg(feature = "local")]
mod names;
mod network;
#[doc(hidden)]
#[cfg(feature = "local")]
pub mod private_files;
mod processes;
mod random;
#[doc(hidden)]
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(any(all(unix, feature = "local"), test, feature = "testing"))]
mod trust;
mod users;
mod wrap;

use std::fmt;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use converge_value::{diagnostic, types};

pub use crate::types::platform::{Platform, PlatformMount};
pub use error::{FileOwner, ForeignLink, ForeignName, SystemError, SystemErrorKind, Unsupported};
pub use files::{
    CommitFile, DirEntry, Directory, FileContent, Files, Follow, Inherit, NamedEntry, Ownership, ReadAt,
    ScratchFile, StagedFile, TempDir, WriteFile,
};
#[cfg(feature = "http")]
pub use http::Proxies;
pub use http::{
    HttpBody, HttpError, HttpRequest, HttpResponse, Identity, LeastRate, Method, MethodError, MethodName,
    RequestBody, Tls, Url, UrlError,
};
#[doc(hidden)]
pub use lines::LineSplitter;
pub use lines::{OutputLine, OutputLines};
#[cfg(all(windows, feature = "local"))]
pub(crate) use local::profile;
#[cfg(feature = "local")]
pub use local::{LocalSystem, LocalSystemBuilder};
#[doc(hidden)]
#[cfg(feature = "local")]
pub use marker::Marker;
pub use metadata::{FileKind, Inode, Metadata, SpecialFile};
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use model::Course;
#[cfg(any(test, feature = "testing"))]
pub use model::ModelSystem;
#[cfg(any(test, feature = "testing"))]
pub use model::{
    Disk, Effect, Entry, EntryKind, HostState, HttpCall, HttpReply, Machine, Page, Speaker, Speech,
};
pub use network::{Address, Network, Stream};
pub use processes::{
    Command, Exit, KeepOutput, LeftOut, Output, OutputStream, OutputWatch, Processes, RunAs,
};
pub use random::Random;
pub use users::{Group, User, Users};
pub use wrap::{
    WrapClock, WrapDirectory, WrapFiles, WrapNetwork, WrapProcesses, WrapRandom, WrapSystem, WrapUsers,
};

/// A machine. One that is like another but for some part of it is a [`WrapSystem`].
pub trait System: fmt::Debug + Send + Sync {
    /// What the machine runs.
    fn platform(&self) -> &Platform;

    /// Its files.
    fn files(&self) -> &dyn Files;

    /// Its users and groups.
    fn users(&self) -> &dyn Users;

    /// Its programs.
    fn processes(&self) -> &dyn Processes;

    /// The network around it.
    fn network(&self) -> &dyn Network;

    /// Its clock.
    fn clock(&self) -> &dyn Clock;

    /// What nobody can guess on it.
    fn random(&self) -> &dyn Random;

    /// An environment variable; `None` when it is unset. Bytes that are not UTF-8 are replaced.
    fn env(&self, name: &str) -> Option<String>;
}

/// The clock of a machine.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> SystemTime;

    /// Waits.
    async fn sleep(&self, duration: Duration); // with `#[async_trait]` on the `impl`
}
