//! The builder of local systems with a restricted view of the machine.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use super::LocalSystem;
use super::account::Account;
use super::path_root::PathRoot;
use super::pool::Pool;
use super::program_settings::{Environment, Programs};
use super::system_state::Shared;
use crate::SystemError;
use crate::types::limits::Limits;

/// A builder for a restricted [`LocalSystem`], created by [`LocalSystem::builder`].
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
    /// Creates a builder for a restricted part of the machine, for example for a tenant.
    pub fn builder() -> LocalSystemBuilder {
        LocalSystemBuilder::default()
    }
}

impl LocalSystemBuilder {
    /// Confines all files to a directory.
    ///
    /// `/` in a path of [`files`](crate::System::files) is this directory, and no `..` or link leads
    /// out of it. The same holds for the working directory of a program and the path of a Unix socket.
    /// [`build`](Self::build) opens the directory, which stays the root if it is renamed.
    ///
    /// Everything else is that of the machine: users, groups, platform, network and programs. Other file
    /// systems are visible if they are mounted below the directory. **A program is not confined to the
    /// directory**: it is started there, and sees every file of the machine that its [user](Self::run_as) may
    /// see, under the paths of the machine.
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.root = Some(directory.into());
        self
    }

    /// Sets the directory for relative paths and for programs that have no directory of their own.
    ///
    /// The directory is below the [`root`](Self::root); the default is `/` there. Without a root the default
    /// is the working directory of the process.
    pub fn working_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.working_dir = Some(directory.into());
        self
    }

    /// Hides the environment of this process.
    ///
    /// The environment is hidden from [`env`](crate::System::env) and from programs, which get only
    /// the variables set [here](Self::env) and by their [`Command`](crate::Command). Without `PATH`,
    /// programs are searched in `/bin` and `/usr/bin`. HTTP requests use no proxy.
    pub fn clear_env(mut self) -> Self {
        self.clears_env = true;
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Runs programs as a user of the machine.
    ///
    /// Programs have exactly the primary and other groups of that user. `HOME`, `LOGNAME`, `SHELL` and `USER`
    /// are set to match, unless they are set [here](Self::env). This needs the privilege to change users
    /// (`CAP_SETUID`, `CAP_SETGID`), and is supported on Linux only.
    ///
    /// Files are not accessed as this user: [`files`](crate::System::files) has the rights of the
    /// process. New files belong to the user of the process unless another owner is requested.
    pub fn run_as(mut self, user: impl Into<String>) -> Self {
        self.run_as = Some(user.into());
        self
    }

    /// Sets the umask of programs.
    ///
    /// Files that resources write have exactly the mode that they request.
    pub fn umask(mut self, mask: u32) -> Self {
        self.umask = Some(mask & 0o777);
        self
    }

    /// Limits the output that is kept of a program, for standard output and standard error each.
    ///
    /// [`KeepOutput`](crate::KeepOutput) decides what happens to further output. The limit cannot
    /// exceed the default.
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = Some(bytes);
        self
    }

    /// Limits the size of each file in bytes.
    ///
    /// Writing a larger file is [`FileTooLarge`](crate::SystemErrorKind::FileTooLarge). A program
    /// that tries gets the signal `SIGXFSZ`, which ends it. For programs the limit is rounded down to a
    /// multiple of 512 bytes. The limit holds for each file, not for all together.
    pub fn file_size_limit(mut self, bytes: u64) -> Self {
        self.file_size_limit = Some(bytes);
        self
    }

    /// Applies the limits on [output](Self::output_limit) and [file size](Self::file_size_limit).
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.output_limit = Some(limits.output);
        // A limit that no file can reach is omitted, because programs with a limit are started through a
        // shell.
        self.file_size_limit = Some(limits.file).filter(|bytes| *bytes < u64::MAX);
        self
    }

    /// Sets the file size in bytes above which blocking threads do the reading and writing.
    ///
    /// Smaller files are handled on the calling thread. The default is 256 KiB.
    pub fn blocking_above(mut self, bytes: u64) -> Self {
        self.blocking_above = Some(bytes);
        self
    }

    /// Sets the maximum number of blocking threads.
    ///
    /// The default is 32.
    ///
    /// Threads start on demand and end when they are idle.
    pub fn blocking_threads(mut self, maximum: NonZeroUsize) -> Self {
        self.blocking_threads = Some(maximum);
        self
    }

    /// Creates the system.
    ///
    /// # Errors
    ///
    /// If the directory or the user does not exist, or the platform does not support a setting.
    pub fn build(self) -> Result<LocalSystem, SystemError> {
        let working = self.working_dir.map(|working| match &self.root {
            // The working directory is always taken relative to the root.
            Some(_) => PathBuf::from("/").join(working),
            None => std::path::absolute(&working).unwrap_or(working),
        });
        let directory = self.root.clone().or_else(|| working.clone()).unwrap_or_default();
        let place = PathRoot::new(self.root.as_deref(), working)
            .map_err(|error| SystemError::file("use the directory", directory, error))?;
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
            platform: super::unknown_platform(),
            shared: Arc::new(shared),
            programs: Arc::new(programs),
            #[cfg(feature = "http")]
            http: super::http::LocalClient::new(hides_env),
        })
    }
}
