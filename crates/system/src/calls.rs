//! The table of system calls; the rows of files are in [`files`].
//!
//! A row of this table is all that a call needs besides its implementations. The macro `traits` turns the
//! rows into the traits of a system and their wrappers. The plugin protocol turns the rows with `=>` into its
//! questions.

mod files;

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
        Address, Clock, Command, CommitFile, DirEntry, Directory, ExtendedAttribute, FileContent, Files,
        Follow, Group, HttpError, HttpRequest, HttpResponse, Inherit, Inode, Metadata, NamedEntry, Network,
        Output, Ownership, Platform, Processes, Random, ReadAt, ScratchFile, StagedFile, Stream, System,
        SystemError, TempDir, User, Users, WriteFile,
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
    ($macro:ident $with:tt) => {
        $crate::file_calls! { $macro $with {

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

        } }
    };
}

system_calls!(traits {});
