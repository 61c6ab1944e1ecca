//! The machine: the interface to it, the local machine, an in-memory model of one, and the HTTP client.
//!
//! This crate owns every effect on a machine. It knows values, but neither resources nor modules. It promises nothing by
//! itself: only `converge-sdk` and `converge-core` are API.
//!
//! A resource reads and changes files, users, processes and the clock only through [`System`]. The same code
//! thus runs on the local machine, on the in-memory model host of tests, and on any other implementation of
//! these traits.
//!
//! The traits are written with `async_trait`, because the parts of a system are `dyn` objects.
//! Implementations need `#[async_trait]` as well; without it the compiler reports that the lifetimes of
//! methods do not match (E0195). The traits of resources do not use it.
//!
//! All methods that access the machine are `async`, so that a system may be remote. The local system runs
//! short file operations directly on the calling thread, because handing them over costs several times the
//! operation itself. Large files and waits for the disk have their own threads.

mod acl;
mod calls;
#[cfg(feature = "local")]
mod captured_output;
mod error;
mod files;
#[doc(hidden)]
#[cfg(feature = "local")]
pub mod folder_trust;
#[doc(hidden)]
pub mod git_error;
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
#[cfg(feature = "local")]
mod random;
#[doc(hidden)]
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod traits;
#[cfg(any(all(unix, feature = "local"), test, feature = "testing"))]
mod trust;
mod users;

use converge_value::{diagnostic, types};

pub use crate::types::platform::{Platform, PlatformMount};
pub use acl::{Acl, AclTag};
#[doc(hidden)]
pub use calls::call_prelude;
pub use calls::{
    Clock, Directory, Files, Network, Processes, Random, System, Users, WrapClock, WrapDirectory, WrapFiles,
    WrapNetwork, WrapProcesses, WrapRandom, WrapSystem, WrapUsers,
};
pub use error::{FileOwner, ForeignLink, ForeignName, SystemError, SystemErrorKind, Unsupported};
pub use files::{
    CommitFile, DirEntry, ExtendedAttribute, FileContent, Follow, Inherit, NamedEntry, Ownership, ReadAt,
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
pub use model::FaultSchedule;
#[cfg(any(test, feature = "testing"))]
pub use model::ModelSystem;
#[cfg(any(test, feature = "testing"))]
pub use model::{
    Disk, Effect, Entry, EntryKind, HostState, HttpCall, HttpReply, Machine, Page, Speaker, Speech,
};
pub use network::{Address, Stream};
pub use processes::{Command, Exit, KeepOutput, LeftOut, Output, OutputStream, OutputWatch, RunAs};
pub use users::{Group, User};
