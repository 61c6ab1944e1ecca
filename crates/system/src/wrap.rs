//! Wrappers that change parts of another system.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::{
    Address, Clock, Command, CommitFile, DirEntry, Directory, FileContent, Files, Follow, Group, HttpError,
    HttpRequest, HttpResponse, Inherit, Inode, Metadata, NamedEntry, Network, Output, Ownership, Platform,
    Processes, Random, ReadAt, ScratchFile, StagedFile, Stream, System, SystemError, TempDir, User, Users,
    WriteFile,
};

/// A system that differs from another one in some parts.
///
/// Every implementor is a [`System`].
///
/// Parts that are not overridden come from the wrapped system. A changed part is written in the same way:
/// [`WrapFiles`], [`WrapDirectory`], [`WrapUsers`], [`WrapProcesses`], [`WrapNetwork`], [`WrapClock`] and
/// [`WrapRandom`] have all methods of the wrapped trait. They require only the method that returns the
/// wrapped part.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use converge_core::async_trait;
/// use converge_core::system::{Files, ModelSystem, System, SystemError, SystemErrorKind, WrapFiles, WrapSystem};
///
/// /// A machine on which nothing is removed.
/// #[derive(Debug)]
/// struct Hoard(Arc<dyn System>);
///
/// impl WrapSystem for Hoard {
///     fn wrapped_system(&self) -> &dyn System {
///         &*self.0
///     }
///
///     fn files(&self) -> &dyn Files {
///         self
///     }
/// }
///
/// #[async_trait]
/// impl WrapFiles for Hoard {
///     fn wrapped_files(&self) -> &dyn Files {
///         self.0.files()
///     }
///
///     async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
///         Err(SystemError::file("remove", path, SystemErrorKind::PermissionDenied))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let hoard: Arc<dyn System> = Arc::new(Hoard(Arc::new(ModelSystem::new().with_file("/a", "kept"))));
/// assert!(hoard.files().remove_file("/a".as_ref()).await.is_err());
/// assert_eq!(hoard.files().read("/a".as_ref()).await?.map(|file| file.bytes), Some(b"kept".to_vec()));
/// # Ok::<(), SystemError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait WrapSystem: fmt::Debug + Send + Sync {
    /// Returns the wrapped system.
    fn wrapped_system(&self) -> &dyn System;

    /// Like [`System::platform`].
    fn platform(&self) -> &Platform {
        self.wrapped_system().platform()
    }

    /// Like [`System::files`].
    fn files(&self) -> &dyn Files {
        self.wrapped_system().files()
    }

    /// Like [`System::users`].
    fn users(&self) -> &dyn Users {
        self.wrapped_system().users()
    }

    /// Like [`System::processes`].
    fn processes(&self) -> &dyn Processes {
        self.wrapped_system().processes()
    }

    /// Like [`System::network`].
    fn network(&self) -> &dyn Network {
        self.wrapped_system().network()
    }

    /// Like [`System::clock`].
    fn clock(&self) -> &dyn Clock {
        self.wrapped_system().clock()
    }

    /// Like [`System::random`].
    fn random(&self) -> &dyn Random {
        self.wrapped_system().random()
    }

    /// Like [`System::env`].
    fn env(&self, name: &str) -> Option<String> {
        self.wrapped_system().env(name)
    }
}

impl<T: WrapSystem> System for T {
    fn platform(&self) -> &Platform {
        WrapSystem::platform(self)
    }

    fn files(&self) -> &dyn Files {
        WrapSystem::files(self)
    }

    fn users(&self) -> &dyn Users {
        WrapSystem::users(self)
    }

    fn processes(&self) -> &dyn Processes {
        WrapSystem::processes(self)
    }

    fn network(&self) -> &dyn Network {
        WrapSystem::network(self)
    }

    fn clock(&self) -> &dyn Clock {
        WrapSystem::clock(self)
    }

    fn random(&self) -> &dyn Random {
        WrapSystem::random(self)
    }

    fn env(&self, name: &str) -> Option<String> {
        WrapSystem::env(self, name)
    }
}

/// Defines a wrapper trait whose methods delegate to the wrapped value.
///
/// The wrapped trait is implemented for all implementors. A method that is missing here does not compile.
macro_rules! wrapper {
    (
        $(#[$doc:meta])*
        trait $Wrap:ident($wrapped:ident) for $Trait:ident {
            $(fn $plain:ident() -> $plain_out:ty;)*
            $(async fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)?;)*
        }
    ) => {
        $(#[$doc])*
        #[async_trait]
        pub trait $Wrap: Send + Sync {
            /// Returns the wrapped value, which implements all methods that are not overridden.
            fn $wrapped(&self) -> &dyn $Trait;

            $(
                #[doc = concat!("As [`", stringify!($Trait), "::", stringify!($plain), "`].")]
                fn $plain(&self) -> $plain_out {
                    self.$wrapped().$plain()
                }
            )*

            $(
                #[doc = concat!("As [`", stringify!($Trait), "::", stringify!($name), "`].")]
                async fn $name(&self, $($arg: $ty),*) $(-> $out)? { // with `#[async_trait]` on the `impl`
                    self.$wrapped().$name($($arg),*).await
                }
            )*
        }

        #[async_trait]
        impl<T: $Wrap> $Trait for T {
            $(
                fn $plain(&self) -> $plain_out {
                    $Wrap::$plain(self)
                }
            )*

            $(
                async fn $name(&self, $($arg: $ty),*) $(-> $out)? {
                    $Wrap::$name(self, $($arg),*).await
                }
            )*
        }
    };
}

wrapper! {
    /// [`Files`] that differ from others in some methods; see [`WrapSystem`].
    ///
    /// [`Files::read`] calls [`read_head`](Self::read_head) and cannot be overridden. Content is written by
    /// [`write`](Self::write), [`write_in_place`](Self::write_in_place), [`stage`](Self::stage), and through
    /// [open directories](Self::open_dir). To observe all writes, override all four.
    trait WrapFiles(wrapped_files) for Files {
        async fn metadata(path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>;
        async fn read_head(path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError>;
        async fn open(path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>;
        async fn write(path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;
        async fn write_in_place(path: &Path, content: &[u8]) -> Result<(), SystemError>;
        async fn inherited(path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError>;
        async fn stage(path: &Path) -> Result<Box<dyn StagedFile>, SystemError>;
        async fn commit_all(
            staged: Vec<(Box<dyn StagedFile>, CommitFile)>
        ) -> Vec<Result<(), SystemError>>;
        async fn scratch() -> Result<Box<dyn ScratchFile>, SystemError>;
        async fn temp_dir() -> Result<Box<dyn TempDir>, SystemError>;
        async fn create_dir(path: &Path, mode: u32) -> Result<(), SystemError>;
        async fn sync_dir(path: &Path) -> Result<(), SystemError>;
        async fn flush(paths: &[&Path]) -> Result<(), SystemError>;
        async fn open_dir(path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;
        async fn read_dir(path: &Path) -> Result<Vec<DirEntry>, SystemError>;
        async fn set_mode(path: &Path, mode: u32) -> Result<(), SystemError>;
        async fn set_ownership(
            path: &Path,
            ownership: Ownership,
            follow: Follow
        ) -> Result<(), SystemError>;
        async fn may_change(path: &Path, follow: Follow) -> Result<(), SystemError>;
        async fn read_link(path: &Path) -> Result<Option<PathBuf>, SystemError>;
        async fn symlink(target: &Path, path: &Path) -> Result<(), SystemError>;
        async fn inode(path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError>;
        async fn hard_link(existing: &Path, path: &Path) -> Result<(), SystemError>;
        async fn rename(from: &Path, to: &Path) -> Result<(), SystemError>;
        async fn remove_file(path: &Path) -> Result<(), SystemError>;
        async fn remove_dir(path: &Path) -> Result<(), SystemError>;
    }
}

wrapper! {
    /// A [`Directory`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapDirectory(wrapped_directory) for Directory {
        fn path() -> &Path;
        async fn own_metadata() -> Result<Metadata, SystemError>;
        async fn entries() -> Result<Vec<NamedEntry>, SystemError>;
        async fn metadata(name: &OsStr) -> Result<Option<Metadata>, SystemError>;
        async fn open_dir(name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError>;
        async fn open_below(path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;
        async fn open(name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError>;
        async fn read_link(name: &OsStr) -> Result<Option<PathBuf>, SystemError>;
        async fn stage(name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError>;
        async fn create_dir(name: &OsStr, mode: u32) -> Result<(), SystemError>;
        async fn symlink(target: &Path, name: &OsStr) -> Result<(), SystemError>;
        async fn inode(name: &OsStr) -> Result<Option<Inode>, SystemError>;
        async fn hard_link(existing: &Path, name: &OsStr) -> Result<(), SystemError>;
        async fn set_mode(name: &OsStr, mode: u32) -> Result<(), SystemError>;
        async fn set_ownership(name: &OsStr, ownership: Ownership) -> Result<(), SystemError>;
        async fn may_change(name: &OsStr) -> Result<(), SystemError>;
        async fn rename(from: &OsStr, to: &OsStr) -> Result<(), SystemError>;
        async fn remove_file(name: &OsStr) -> Result<(), SystemError>;
        async fn remove_dir(name: &OsStr) -> Result<(), SystemError>;
        async fn sync() -> Result<(), SystemError>;
    }
}

wrapper! {
    /// [`Users`] that differ from others in some methods; see [`WrapSystem`].
    trait WrapUsers(wrapped_users) for Users {
        async fn user_by_name(name: &str) -> Result<Option<User>, SystemError>;
        async fn user_by_uid(uid: u32) -> Result<Option<User>, SystemError>;
        async fn group_by_name(name: &str) -> Result<Option<Group>, SystemError>;
        async fn group_by_gid(gid: u32) -> Result<Option<Group>, SystemError>;
        async fn users_in_primary_group(gid: u32) -> Result<Vec<User>, SystemError>;
        async fn groups_of(name: &str) -> Result<Option<Vec<u32>>, SystemError>;
        async fn local_users() -> Result<Vec<User>, SystemError>;
        async fn local_groups() -> Result<Vec<Group>, SystemError>;
    }
}

wrapper! {
    /// [`Processes`] that differ from others in some methods; see [`WrapSystem`].
    trait WrapProcesses(wrapped_processes) for Processes {
        async fn run(command: Command) -> Result<Output, SystemError>;
        async fn started_elsewhere(command: &Command);
    }
}

wrapper! {
    /// A [`Network`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapNetwork(wrapped_network) for Network {
        async fn connect(address: &Address) -> Result<Box<dyn Stream>, SystemError>;
        async fn request(request: HttpRequest) -> Result<HttpResponse, HttpError>;
    }
}

wrapper! {
    /// A [`Clock`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapClock(wrapped_clock) for Clock {
        fn now() -> SystemTime;
        async fn sleep(duration: Duration);
    }
}

wrapper! {
    /// A [`Random`] that differs from another one in some methods; see [`WrapSystem`].
    ///
    /// [`Random::below`] uses [`bytes`](Self::bytes) and cannot be overridden.
    trait WrapRandom(wrapped_random) for Random {
        async fn bytes(count: usize) -> Result<Vec<u8>, SystemError>;
    }
}
