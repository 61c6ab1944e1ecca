//! Execution of the program `git`, restricted to fetching and reading objects.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::git_error::GitError;
use crate::read_limits::Reading;
use crate::system::git_error;

/// The maximum number of bytes of error output that are kept.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// The interval between checks of the running program.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Settings that override those of the user and the repository.
///
/// They prevent git from starting other programs, and from fetching in another way than written.
const SETTINGS: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "credential.interactive=false",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "http.followRedirects=initial",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
];

/// Environment variables of git that configure how a server is reached and trusted.
///
/// All others are removed because they could lead git to another repository.
const KEPT_VARIABLES: [&str; 6] =
    ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_EXEC_PATH"];

/// The parameters of one run of git.
pub(super) struct Run<'a> {
    /// The repository that git works in.
    pub(super) repository: &'a Path,
    pub(super) arguments: &'a [&'a str],
    /// The maximum number of output bytes; further output is not read.
    pub(super) most: u64,
    /// The maximum duration.
    pub(super) timeout: Duration,
    /// The maximum size of the repository after the run, in bytes.
    pub(super) most_stored: u64,
    pub(super) reading: &'a Reading,
}

/// The result of a run.
pub(super) struct RunResult {
    pub(super) status: ExitStatus,
    pub(super) bytes: Vec<u8>,
    said: Vec<u8>,
}

impl RunResult {
    /// Returns the output if git succeeded.
    pub(super) fn success(self) -> Result<Vec<u8>, GitError> {
        if self.status.success() {
            Ok(self.bytes)
        } else {
            Err(GitError::Refused { said: self.error_text() })
        }
    }

    /// Returns the reason in the error output.
    fn error_text(&self) -> String {
        let message = git_error::reason(&String::from_utf8_lossy(&self.said));
        if message.is_empty() { format!("nothing, and it ended with {}", self.status) } else { message }
    }
}

impl Run<'_> {
    /// Runs git to its end, or until the load is cancelled or a limit is exceeded.
    pub(super) fn run(&self) -> Result<RunResult, GitError> {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let is_git = name.as_encoded_bytes().starts_with(b"GIT_");
            if is_git && !KEPT_VARIABLES.iter().any(|variable| name == *variable) {
                command.env_remove(name);
            }
        }
        // Git must not prompt, because no user is present.
        command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_NO_REPLACE_OBJECTS", "1");
        if std::env::var_os("GIT_SSH").is_none() && std::env::var_os("GIT_SSH_COMMAND").is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command.arg("--git-dir").arg(self.repository).args(self.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        in_own_group(&mut command);
        let mut child = command.spawn().map_err(|error| GitError::NoProgram { reason: error.to_string() })?;
        let stdout_reader = child.stdout.take().map(|from| read_beside(from, self.most));
        let stderr_reader = child.stderr.take().map(|from| read_beside(from, MAX_ERROR_BYTES));
        let status = self.wait(&mut child);
        if status.is_err() {
            kill(&mut child);
        }
        let output_of = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
            // A reader that panicked has no output.
            reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
        };
        // The readers end once all processes with the pipes have ended.
        let (bytes, stderr) = (output_of(stdout_reader), output_of(stderr_reader));
        Ok(RunResult { status: status?, bytes, said: stderr })
    }

    fn wait(&self, child: &mut Child) -> Result<ExitStatus, GitError> {
        let began = Instant::now();
        let mut polls = 0_u32;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => return Err(GitError::NoProgram { reason: error.to_string() }),
            }
            if began.elapsed() > self.timeout || self.reading.stopped().is_some() {
                return Err(GitError::TooSlow(self.timeout.min(began.elapsed())));
            }
            polls += 1;
            if polls.is_multiple_of(10) && stored(self.repository) > self.most_stored {
                return Err(GitError::TooLarge { most: self.most_stored });
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Reads a stream on another thread, up to a limit; then closes it, which ends the writer.
fn read_beside(from: impl Read + Send + 'static, maximum: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A read error ends the output; everything before it counts.
        let _ = from.take(maximum).read_to_end(&mut bytes);
        bytes
    })
}

/// Returns the number of bytes of stored objects, including those being received.
///
/// Git keeps incomplete objects in a separate folder such as `objects/tmp_objdir-incoming-1/pack`.
fn stored(repository: &Path) -> u64 {
    sizes(&repository.join("objects"), 3)
}

/// Sums the file sizes in a folder down to a depth; files that disappear count as empty.
fn sizes(folder: &Path, depth: u8) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth > 0 => sizes(&entry.path(), depth - 1),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// Starts the command in a new process group that includes its children.
#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    command.process_group(0);
}

#[cfg(windows)]
fn in_own_group(_command: &mut Command) {}

/// Kills the process and all of its children.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The group may have ended already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
