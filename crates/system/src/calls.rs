//! The table of system calls.
//!
//! A row of this table is all that a call needs besides its implementations. The macro `traits` turns the
//! rows into the traits of a system and their wrappers. The plugin protocol turns the rows with `=>` into its
//! questions.

use async_trait::async_trait;

use super::traits::traits;
use call_prelude::*;

/// The types in the rows of the table, for the modules that expand it.
#[doc(hidden)]
pub mod call_prelude {
    pub use std::ffi::OsStr;
    pub use std::fmt::Debug;
    pub use std::num::NonZeroU64;
    pub use std::path::{Path, PathBuf};
    pub use std::time::{Duration, SystemTime};

    pub use crate::{
        Address, Clock, Command, CommitFile, DirEntry, Directory, FileContent, Files, Follow, Group,
        HttpError, HttpRequest, HttpResponse, Inherit, Inode, Metadata, NamedEntry, Network, Output,
        Ownership, Platform, Processes, Random, ReadAt, ScratchFile, StagedFile, Stream, System, SystemError,
        TempDir, User, Users, WriteFile,
    };
}

/// Passes the table of all calls to a macro.
///
/// Each part of a system has its trait, the wrapper with the method that returns the wrapped part, and groups
/// of rows. `plain` are required methods that return at once, `calls` are the other required ones. `provided`
/// are methods with a default, which implementations and wrappers may replace; wrappers do not replace `fixed`.
///
/// `=> Reads "files.open" FilesOpen` says whether the call reads or changes the machine, and gives the name
/// and the type of its question in the plugin protocol. A call without it is written by hand there.
#[doc(hidden)]
#[macro_export]
macro_rules! system_calls {
    ($macro:ident $with:tt) => { $macro! { $with

    /// A machine.
    ///
    /// To change only parts of another system, implement [`WrapSystem`].
    trait System: Debug,
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
    trait WrapSystem(wrapped_system) {
        plain {
            /// Returns facts about the machine and its operating system.
            fn platform(&self) -> &Platform;
            /// Returns the files.
            fn files(&self) -> &dyn Files;
            /// Returns the users and groups.
            fn users(&self) -> &dyn Users;
            /// Returns the interface to run programs.
            fn processes(&self) -> &dyn Processes;
            /// Returns the network.
            fn network(&self) -> &dyn Network;
            /// Returns the clock.
            fn clock(&self) -> &dyn Clock;
            /// Returns the source of secure random numbers.
            fn random(&self) -> &dyn Random;
            /// Returns an environment variable; `None` if it is unset.
            ///
            /// Invalid UTF-8 is replaced.
            fn env(&self, name: &str) -> Option<String>;
        }
    }

    /// The files of a machine.
    ///
    /// Paths are absolute, or relative to the working directory of the process. A missing file is `Ok(None)`
    /// for queries and an error for changes.
    ///
    /// # Links
    ///
    /// Root and the user that the process runs as are trusted; nobody else is. A symbolic link that another
    /// user owns, or that is in a directory of another user, is followed only to files of that user. In a
    /// directory where everybody may create files (`/tmp`), links of others are not followed. These rules
    /// hold for every link on the path, and for reading as well. A refused link is
    /// [`ForeignLink`](super::SystemErrorKind::ForeignLink). Real directories and files are used whoever owns
    /// them.
    ///
    /// A file may have several names, one of them in a directory of another user who does not own the file.
    /// Through that name the file is not changed in place, and only read if everybody may read it:
    /// [`ForeignName`](super::SystemErrorKind::ForeignName).
    ///
    /// A path is resolved once, and the operation applies to the result. Nobody can substitute another file
    /// in between.
    trait Files,
    /// [`Files`] that differ from others in some methods; see [`WrapSystem`].
    ///
    /// [`Files::read`] calls [`read_head`](Self::read_head) and cannot be overridden. Content is written by
    /// [`write`](Self::write), [`write_in_place`](Self::write_in_place), [`stage`](Self::stage), and through
    /// [open directories](Self::open_dir). To observe all writes, override all four.
    trait WrapFiles(wrapped_files) {
        calls {
            /// Returns the metadata, or `None` if the path does not exist.
            async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>
                => Reads "files.metadata" FilesMetadata;

            /// Reads at most the first `limit` bytes of a file, otherwise like [`read`](Self::read).
            ///
            /// To compare a file with known content, ask for one byte more than the content has.
            async fn read_head(&self, path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError>;

            /// Opens a file for reading, following links, or returns `None` if the path does not exist.
            ///
            /// A directory is an error.
            async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>
                => Reads "files.open" FilesOpen;

            /// Writes a whole file atomically and durably.
            ///
            /// After a crash or power failure at any moment, the path has the old file or the new one; once
            /// this has returned, the new one. The content reaches the disk before the file gets its name,
            /// and the name before this returns.
            ///
            /// A symbolic link at the path stays, and its target is replaced. Another hard link of the file
            /// keeps the old content. Anything but a file is an error.
            ///
            /// The local system first writes to an unnamed file. If it replaces another file, it has a random
            /// name in the same directory for a moment. If the file system does not support unnamed files, it
            /// has that name for the whole write. The next run that replaces a file in the directory removes
            /// leftovers of killed runs. A path with such a name is
            /// [`ReservedName`](super::SystemErrorKind::ReservedName).
            async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;

            /// Overwrites an existing file in place. **This is not atomic.**
            ///
            /// Use it only for files that cannot be replaced: kernel files (`/proc/sys`), individually
            /// mounted files as in containers (`/etc/hosts`), and devices. Use [`write`](Self::write) for all
            /// others. A reader may see partial content meanwhile. If this fails, is killed or its future is
            /// dropped, partial content may remain.
            ///
            /// The file keeps its owner, mode and other names. Afterwards it is as long as `content`, unless
            /// it has no length. The content is offered in one write, as kernel files require. Nothing is
            /// created: a missing file is [`NotFound`](super::SystemErrorKind::NotFound). Links are followed
            /// as elsewhere. A file under a name that another user may have given it is not changed; see
            /// [`may_change`](Self::may_change). A pipe or a socket is an error. When this returns, the
            /// content has reached the disk, if there is one.
            async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError>
                => Changes "files.write-in-place" FilesWriteInPlace;

            /// Returns the existing file from which a file written at the path inherits owner, group and
            /// mode.
            ///
            /// Returns `None` if there is no file, or if nothing is inherited from its owner.
            async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError>
                => Reads "files.inherited" FilesInherited;

            /// Begins to write a file piece by piece.
            ///
            /// Its commit replaces the path as [`write`](Self::write) does.
            async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError>
                => Changes "files.stage" FilesStage;

            /// Creates an unnamed file.
            ///
            /// This does not count as a change of the machine, as no other process can see it.
            async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError>
                => Reads "files.scratch" FilesScratch;

            /// Creates a temporary directory with a unique name.
            ///
            /// Its parent is the temporary directory of the machine (`TMPDIR`, `/tmp`), or `/tmp` below the
            /// [root](super::LocalSystemBuilder::root) of a tenant.
            async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError>
                => Reads "files.temp-dir" FilesTempDir;

            /// Creates a directory with exactly these permission bits, regardless of the umask.
            ///
            /// Its parent must exist.
            async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError>
                => Changes "files.create-dir" FilesCreateDir;

            /// Waits until entries created or removed in this directory are on disk.
            async fn sync_dir(&self, path: &Path) -> Result<(), SystemError>
                => Reads "files.sync-dir" FilesSyncDir;

            /// Waits until all earlier changes on the file systems of these paths are on disk.
            ///
            /// The changes include new directories and links, owners, permissions and removals. The path of a
            /// removed file stands for the file system that it was on.
            async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError>;

            /// Opens a directory, following links, or returns `None` if the path does not exist.
            ///
            /// Anything but a directory is an error.
            async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "files.open-dir" FilesOpenDir;

            /// Returns the entries of a directory, sorted by path.
            async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError>
                => Reads "files.read-dir" FilesReadDir;

            /// Changes permission bits, following links.
            async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError>
                => Changes "files.set-mode" FilesSetMode;

            /// Changes owner and group.
            ///
            /// This clears the set-uid and set-gid bits of files, so set the mode afterwards.
            async fn set_ownership(&self, path: &Path, ownership: Ownership, follow: Follow) -> Result<(), SystemError>
                => Changes "files.set-ownership" FilesSetOwnership;

            /// Checks whether the mode and the owner of a file may be changed.
            ///
            /// Returns an error if [`set_mode`](Self::set_mode) and [`set_ownership`](Self::set_ownership)
            /// would refuse. The reason is that the file does not exist, or the other names that it has. A
            /// check can thus report the error of an apply.
            async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError>
                => Reads "files.may-change" FilesMayChange;

            /// Returns the target of a symbolic link, or `None` if the path does not exist.
            async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError>
                => Reads "files.read-link" FilesReadLink;

            /// Creates a symbolic link at `path` that points to `target`.
            async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError>
                => Changes "files.symlink" FilesSymlink;

            /// Returns the identity of the file at a path, or `None` if the path does not exist.
            async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError>
                => Reads "files.inode" FilesInode;

            /// Gives the file at `existing` a further name, `path`.
            ///
            /// Both names refer to the same file until one of them is replaced. A symbolic link at the end of
            /// `existing` is not followed, and only files can be linked. The path is resolved once, and the
            /// file found gets the name. A file that [may not be changed](Self::may_change) through
            /// `existing` gets no further name.
            ///
            /// Another file system is [`OtherFileSystem`](super::SystemErrorKind::OtherFileSystem). A file
            /// that the kernel protects is [`ProtectedFile`](super::SystemErrorKind::ProtectedFile).
            async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError>
                => Changes "files.hard-link" FilesHardLink;

            /// Renames a file or directory, and replaces an existing file.
            ///
            /// If both are names of one file, nothing happens and both stay.
            async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError>
                => Changes "files.rename" FilesRename;

            /// Removes a file or a link.
            ///
            /// A missing file is an error.
            async fn remove_file(&self, path: &Path) -> Result<(), SystemError>
                => Changes "files.remove-file" FilesRemoveFile;

            /// Removes an empty directory.
            async fn remove_dir(&self, path: &Path) -> Result<(), SystemError>
                => Changes "files.remove-dir" FilesRemoveDir;
        }
        provided {
            /// Commits several files of this system together, with fewer waits for the disk than one by one.
            ///
            /// Each file has the same guarantees as in a single commit. A file that cannot be committed has
            /// an error of its own and does not affect the others. There is one result per file, in their
            /// order. Each file stays open until then, so a caller with many files commits them in batches of
            /// some hundred.
            async fn commit_all(&self, staged: Vec<(Box<dyn StagedFile>, CommitFile)>) -> Vec<Result<(), SystemError>> {
                let mut results = Vec::with_capacity(staged.len());
                for (staged, commit) in staged {
                    results.push(staged.commit(commit).await);
                }
                results
            }
        }
        fixed {
            /// Reads a whole file, following links, or returns `None` if the path does not exist.
            ///
            /// A directory is an error.
            async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
                self.read_head(path, u64::MAX).await
            }
        }
    }

    /// An open directory.
    ///
    /// Operations through it apply to that directory, even if its path leads elsewhere by now. Work on a tree
    /// through open directories, never through concatenated paths.
    ///
    /// A `name` is that of one entry: no slash, not empty, neither `.` nor `..`. Any other is
    /// [`InvalidPath`](super::SystemErrorKind::InvalidPath). Links are never followed, except by
    /// [`open_below`](Self::open_below). A missing entry is `Ok(None)` for queries and an error for changes.
    /// Creating an entry fails if the name exists, except that a staged file replaces a file or a link.
    ///
    /// ```
    /// use converge_core::system::{Directory, FileKind, SystemError};
    ///
    /// /// Counts the files in a tree.
    /// async fn count(root: Box<dyn Directory>) -> Result<usize, SystemError> {
    ///     let mut files = 0;
    ///     let mut open = vec![root];
    ///     while let Some(directory) = open.pop() {
    ///         for entry in directory.entries().await? {
    ///             match entry.kind {
    ///                 // It may have gone since it was listed.
    ///                 FileKind::Directory => open.extend(directory.open_dir(&entry.name).await?),
    ///                 FileKind::File => files += 1,
    ///                 _ => {}
    ///             }
    ///         }
    ///     }
    ///     Ok(files)
    /// }
    /// ```
    trait Directory,
    /// A [`Directory`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapDirectory(wrapped_directory) {
        plain {
            /// Returns the path by which it was opened, for messages.
            fn path(&self) -> &Path;
        }
        calls {
            /// Returns the metadata of the directory itself.
            async fn own_metadata(&self) -> Result<Metadata, SystemError>
                => Reads "dir.own-metadata" DirOwnMetadata;
            /// Returns the entries, sorted by name.
            async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> => Reads "dir.entries" DirEntries;
            /// Returns the metadata of an entry, or `None` if it does not exist.
            async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError>
                => Reads "dir.metadata" DirMetadata;

            /// Opens a subdirectory, or returns `None` if there is no entry of this name.
            ///
            /// Any other kind of entry is an error.
            async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "dir.open-dir" DirOpenDir;

            /// Opens a directory below this one by a path, or returns `None` if the path does not exist.
            ///
            /// Links are followed as by [`Files`], but only to targets within this directory; others are
            /// [`Outside`](super::SystemErrorKind::Outside). The [`path`](Self::path) of the result consists
            /// of the path of this directory and the link-free names below it.
            async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "dir.open-below" DirOpenBelow;

            /// Opens a file for reading, or returns `None` if there is no entry of this name.
            ///
            /// Any other kind of entry is an error.
            async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError>
                => Reads "dir.open" DirOpen;
            /// Returns the target of a symbolic link, or `None` if there is no entry of this name.
            async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError>
                => Reads "dir.read-link" DirReadLink;

            /// Begins to write a file.
            ///
            /// Its commit replaces a file or a link of this name.
            async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError>
                => Changes "dir.stage" DirStage;
            /// Creates a directory with exactly these permission bits, regardless of the umask.
            async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>
                => Changes "dir.create-dir" DirCreateDir;
            /// Creates a symbolic link that points to `target`.
            async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.symlink" DirSymlink;
            /// Returns the identity of an entry's file, or `None` if the entry does not exist.
            async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError>
                => Reads "dir.inode" DirInode;

            /// Gives the file at a path of [`Files`] a further name in this directory; see
            /// [`Files::hard_link`].
            async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.hard-link" DirHardLink;

            /// Changes permission bits.
            ///
            /// It is an error for a link.
            async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>
                => Changes "dir.set-mode" DirSetMode;
            /// Changes owner and group, also of a link itself; see [`Files::set_ownership`].
            async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError>
                => Changes "dir.set-ownership" DirSetOwnership;
            /// Checks whether an entry may be changed; see [`Files::may_change`].
            async fn may_change(&self, name: &OsStr) -> Result<(), SystemError>
                => Reads "dir.may-change" DirMayChange;

            /// Renames an entry within the directory, and replaces an existing file.
            ///
            /// If both are names of one file, nothing happens and both stay.
            async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError>
                => Changes "dir.rename" DirRename;

            /// Removes a file or a link.
            ///
            /// A missing entry is an error.
            async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.remove-file" DirRemoveFile;
            /// Removes an empty directory.
            async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.remove-dir" DirRemoveDir;
            /// Waits until entries created or removed in this directory are on disk.
            async fn sync(&self) -> Result<(), SystemError> => Reads "dir.sync" DirSync;
        }
    }

    /// A reader of users and groups.
    ///
    /// Users and groups are changed with the system's own programs, through [`Processes`](super::Processes).
    trait Users,
    /// [`Users`] that differ from others in some methods; see [`WrapSystem`].
    trait WrapUsers(wrapped_users) {
        calls {
            /// Returns the user with a name; `None` if there is none.
            async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError>
                => Reads "users.user-by-name" UserByName;
            /// Returns the user with an id; `None` if there is none.
            async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError>
                => Reads "users.user-by-uid" UserByUid;
            /// Returns the group with a name; `None` if there is none.
            async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError>
                => Reads "users.group-by-name" GroupByName;
            /// Returns the group with an id; `None` if there is none.
            async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError>
                => Reads "users.group-by-gid" GroupByGid;

            /// Returns the local users whose primary group has this id, ordered by name.
            ///
            /// Only the machine's own user file is read: a directory service cannot list all of its users.
            async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError>
                => Reads "users.in-primary-group" UsersInPrimaryGroup;

            /// Returns the sorted ids of all groups of a user, including the primary one.
            ///
            /// Returns `None` if there is no such user.
            async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError>
                => Reads "users.groups-of" GroupsOf;

            /// Returns the users in the machine's own user file, ordered by name.
            ///
            /// A directory service cannot list all of its users.
            async fn local_users(&self) -> Result<Vec<User>, SystemError>
                => Reads "users.local-users" LocalUsers;
            /// Returns the groups in the machine's own group file, ordered by name.
            async fn local_groups(&self) -> Result<Vec<Group>, SystemError>
                => Reads "users.local-groups" LocalGroups;
        }
    }

    /// The interface to run programs on a machine.
    trait Processes,
    /// [`Processes`] that differ from others in some methods; see [`WrapSystem`].
    trait WrapProcesses(wrapped_processes) {
        calls {
            /// Runs a program to its end.
            ///
            /// The program gets its own process group, which is killed as a whole at the time limit and when
            /// the future is dropped. A [watcher](Command::watch) sees the output while the program runs. A
            /// system that cannot deliver it earlier delivers it at the end.
            ///
            /// # Errors
            ///
            /// If the program cannot be started (missing program or directory), or prints more than may be
            /// [kept](Command::keep). A failed exit is no error.
            async fn run(&self, command: Command) -> Result<Output, SystemError>;
        }
        provided {
            /// Takes note of a program that somebody else starts for a resource, such as one in a container.
            ///
            /// [`program`](Command::program) is its name for people. A run warns about secrets among the
            /// arguments, as it does for programs that it starts itself. Nothing is started.
            async fn started_elsewhere(&self, command: &Command) -> () {
                let _ = command;
            }
        }
    }

    /// The network as the machine sees it.
    trait Network,
    /// A [`Network`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapNetwork(wrapped_network) {
        calls {
            /// Opens a connection.
            ///
            /// The only time limit is that of the operating system. A caller with another limit drops the
            /// future.
            ///
            /// # Errors
            ///
            /// If the host does not exist, nothing listens at the address, or there is no route.
            async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError>;

            /// Sends an HTTP request, and returns the response as soon as its head arrives.
            ///
            /// At most five redirects are followed, and none from https to http. The local system uses the
            /// proxies in the environment, and trusts the certificates that the machine trusts.
            ///
            /// # Errors
            ///
            /// If there is no response. A response with any status is no error.
            async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;
        }
    }

    /// The clock of a machine.
    trait Clock,
    /// A [`Clock`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapClock(wrapped_clock) {
        plain {
            /// Returns the current time.
            fn now(&self) -> SystemTime;
        }
        calls {
            /// Waits for the duration.
            async fn sleep(&self, duration: Duration) -> ();
        }
    }

    /// A source of cryptographically secure random numbers.
    trait Random,
    /// A [`Random`] that differs from another one in some methods; see [`WrapSystem`].
    ///
    /// [`Random::below`] uses [`bytes`](Self::bytes) and cannot be overridden.
    trait WrapRandom(wrapped_random) {
        calls {
            /// Returns `count` random bytes that are suitable for keys and passwords.
            ///
            /// # Errors
            ///
            /// If more than a MiB is requested, or the machine cannot provide random bytes.
            async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError>
                => Reads "random.bytes" RandomBytes;
        }
        fixed {
            /// Returns a uniformly distributed number from 0 to `end`, excluding `end`.
            ///
            /// # Errors
            ///
            /// Like [`bytes`](Self::bytes).
            async fn below(&self, end: NonZeroU64) -> Result<u64, SystemError> {
                // Numbers above the last whole multiple would bias the result towards small ones.
                let rest = (u64::MAX % end + 1) % end;
                loop {
                    let bytes = self.bytes(size_of::<u64>()).await?;
                    let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
                    if number <= u64::MAX - rest {
                        return Ok(number % end);
                    }
                }
            }
        }
    }

    } };
}

system_calls!(traits {});
