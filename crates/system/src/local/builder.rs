//! A local system that is not all of the machine.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use super::account::Account;
use super::path_root::Place;
use super::pool::Pool;
use super::program_settings::{Environment, Programs};
use super::system_state::Shared;
use super::{LocalSystem, platform};
use crate::SystemError;
use crate::types::limits::Limits;

/// What a [`LocalSystem`] may and what it sees: [`LocalSystem::builder`].
///
/// ```
/// use converge_core::system::{Command, LocalSystem, System, WriteFile};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let folder = std::env::temp_dir().join(format!("converge-builder-{}", std::process::id()));
/// # LocalSystem::new().files().create_dir(&folder, 0o700).await?;
/// let tenant = LocalSystem::builder()
///     .root(&folder)
///     .clear_env()
///     .env("PATH", "/usr/bin:/bin")
///     .umask(0o027)
///     .output_limit(64 * 1024)
///     .file_size_limit(10 << 20)
///     .build()?;
///
/// // The file is in the folder.
/// tenant.files().write("/motd".as_ref(), WriteFile::new(b"hello")).await?;
/// assert_eq!(tenant.env("HOME"), None);
///
/// // A program works there as well, and sees no variable but those that it is given.
/// let printed = tenant.processes().run(Command::new("sh").args(["-c", "umask; cat motd; echo $HOME"])).await?;
/// assert_eq!(printed.stdout, b"0027\nhello\n");
/// # LocalSystem::new().files().remove_file(&folder.join("motd")).await?;
/// # LocalSystem::new().files().remove_dir(&folder).await?;
/// # Ok::<(), converge_core::system::SystemError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct LocalSystemBuilder {
    root: Option<PathBuf>,
    working_dir: Option<PathBuf>,
    clears_env: bool,
    env: BTreeMap<String, String>,
    run_as: Option<String>,
    umask: Option<u32>,
    output_limit: Option<usize>,
    file_size_limit: Option<u64>,
    blocking_above: Option<u64>,
    blocking_threads: Option<NonZeroUsize>,
}

impl LocalSystem {
    /// A part of the machine, with limits: for tenants, and for whatever is not to see and do all that this process may.
    pub fn builder() -> LocalSystemBuilder {
        LocalSystemBuilder::default()
    }
}

impl LocalSystemBuilder {
    /// Puts all files below a directory: `/` in a path of [`files`](crate::System::files) is this one, no `..` and no
    /// link leads out of it, and so it is for the working directory of a program and for the path of a Unix socket. The
    /// directory is opened by [`build`](Self::build), and stays the root when its name changes.
    ///
    /// Everything else is that of the machine: its users and groups, its platform, its network, its other file systems where
    /// they are mounted below the directory, and its programs. **A program is not kept in the directory**: it is
    /// started in it, and sees every file of the machine that its [user](Self::run_as) may see, by the paths of the machine.
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.root = Some(directory.into());
        self
    }

    /// Where relative paths begin, and where programs are started that are given no directory. It is below the
    /// [`root`](Self::root), and `/` there when it is not given. Without either it is the working directory of the process.
    pub fn working_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.working_dir = Some(directory.into());
        self
    }

    /// Hides the environment of this process: from [`env`](crate::System::env), and from programs, which get what is
    /// [given](Self::env) here and by their [`Command`](crate::Command). A program without `PATH` is searched in
    /// `/bin` and `/usr/bin`. No proxy is asked for what is fetched.
    pub fn clear_env(mut self) -> Self {
        self.clears_env = true;
        self
    }

    /// Adds a variable to the environment, or gives one another value.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Runs programs as a user of the machine, with the primary group and all other groups of that user and no others, and
    /// with `HOME`, `LOGNAME`, `SHELL` and `USER` to match where they are not [given](Self::env). It takes the privilege to
    /// change them (`CAP_SETUID`, `CAP_SETGID`), and is only possible on Linux.
    ///
    /// Files are not used as this user: [`files`](crate::System::files) has the rights of the process, and what it
    /// makes belongs to the user of the process unless another owner is asked for.
    pub fn run_as(mut self, user: impl Into<String>) -> Self {
        self.run_as = Some(user.into());
        self
    }

    /// The permission bits that new files of programs do not get. Those that resources write have the mode that they ask for.
    pub fn umask(mut self, mask: u32) -> Self {
        self.umask = Some(mask & 0o777);
        self
    }

    /// At most so many bytes of what a program prints are kept, of its standard output and its standard error each:
    /// [`KeepOutput`](crate::KeepOutput) says what becomes of more. More than without it are never kept.
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = Some(bytes);
        self
    }

    /// No file becomes larger than so many bytes: to write one is
    /// [`FileTooLarge`](crate::SystemErrorKind::FileTooLarge), and a program that tries gets the signal `SIGXFSZ`, which
    /// ends it. For programs the limit is rounded down to 512 bytes.
    ///
    /// It holds for each file, not for all together.
    pub fn file_size_limit(mut self, bytes: u64) -> Self {
        self.file_size_limit = Some(bytes);
        self
    }

    /// The [output](Self::output_limit) and the [size of files](Self::file_size_limit) as these limits say.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.output_limit = Some(limits.output);
        // A limit that no file can reach is none: programs would be started by a shell that sets it.
        self.file_size_limit = Some(limits.file).filter(|bytes| *bytes < u64::MAX);
        self
    }

    /// Files of more than so many bytes are read and written by threads that may wait, all others on the calling thread;
    /// 256 KiB when it is not given.
    pub fn blocking_above(mut self, bytes: u64) -> Self {
        self.blocking_above = Some(bytes);
        self
    }

    /// How many such threads there may be at a time; 32 when it is not given. They start when they are needed, and end when
    /// they are not.
    pub fn blocking_threads(mut self, most: NonZeroUsize) -> Self {
        self.blocking_threads = Some(most);
        self
    }

    /// Makes the system.
    ///
    /// # Errors
    ///
    /// There is no such directory, or no such user; or the system that this program was compiled for has no such thing.
    pub fn build(self) -> Result<LocalSystem, SystemError> {
        let working = self.working_dir.map(|working| match &self.root {
            // Below the root, however it is written.
            Some(_) => PathBuf::from("/").join(working),
            None => std::path::absolute(&working).unwrap_or(working),
        });
        let named = self.root.clone().or_else(|| working.clone()).unwrap_or_default();
        let place = Place::new(self.root.as_deref(), working)
            .map_err(|error| SystemError::file("use the directory", named, error))?;
        #[cfg(windows)]
        super::windows::refuse(&[
            ("a umask", self.umask.is_some()),
            ("a limit of the size of files", self.file_size_limit.is_some()),
        ])?;
        let account = self.run_as.as_deref().map(Account::find).transpose()?;
        let hides_env = self.clears_env;
        let programs = Programs {
            environment: Environment { hides_process: hides_env, given: self.env },
            account,
            #[cfg(unix)]
            umask: self.umask,
            output_limit: self.output_limit,
            #[cfg(unix)]
            file_size_limit: self.file_size_limit,
        };
        let pool = Pool::new(self.blocking_above, self.blocking_threads);
        let shared = Shared {
            pool,
            place,
            #[cfg(unix)]
            file_size_limit: self.file_size_limit,
            ..Shared::default()
        };
        Ok(LocalSystem {
            platform: platform::detect(),
            shared: Arc::new(shared),
            programs: Arc::new(programs),
            #[cfg(feature = "http")]
            http: super::http::LocalClient::new(hides_env),
        })
    }
}
