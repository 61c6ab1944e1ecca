//! Plugin images on Linux: a sealed copy of the file in memory.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{MemfdFlags, OFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use sha2::{Digest as _, Sha256};

use super::super::error::Problem;
use crate::system::folder_trust::examine;

/// The maximum size of a plugin in bytes.
const LARGEST: u64 = 1 << 30;

/// The bytes of a plugin in sealed memory, which nobody can change.
#[derive(Debug)]
pub(crate) struct Image {
    sealed: File,
    sha256: String,
    is_script: bool,
}

impl Image {
    /// Reads a file that only root or the user of this process can have written, following links.
    pub(crate) fn trusted(path: &Path) -> Result<Self, Problem> {
        // Both the path as written and the path behind its links are examined. Whoever can change either
        // decides what runs.
        let canonical_path = path.canonicalize().map_err(|error| unreadable(&error))?;
        for place in [std::path::absolute(path).map_err(|error| unreadable(&error))?, canonical_path.clone()]
        {
            let folder = place.parent().unwrap_or(Path::new("/"));
            examine(folder).map_err(|untrusted| Problem::Untrusted(untrusted.to_string()))?;
        }
        let file = open(&canonical_path)?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        let user = rustix::process::geteuid().as_raw();
        if metadata.uid() != 0 && metadata.uid() != user {
            return Err(Problem::Untrusted(format!("it belongs to the user {}", metadata.uid())));
        }
        if metadata.mode() & 0o022 != 0 {
            let mode = metadata.mode() & 0o7777;
            return Err(Problem::Untrusted(format!(
                "it has the mode {mode:04o}, so others than its owner may write to it"
            )));
        }
        Self::read(file)
    }

    /// Reads a file that must have this SHA-256.
    ///
    /// Its owner does not matter.
    pub(crate) fn pinned(path: &Path, sha256: &str) -> Result<Self, Problem> {
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Problem::NoChecksum(sha256.to_owned()));
        }
        let image = Self::read(open(path)?)?;
        if image.sha256.eq_ignore_ascii_case(sha256) {
            return Ok(image);
        }
        Err(Problem::Checksum { expected: sha256.to_ascii_lowercase(), found: image.sha256 })
    }

    pub(crate) fn sha256(&self) -> &str {
        &self.sha256
    }

    fn read(mut file: File) -> Result<Self, Problem> {
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.mode() & 0o111 == 0 {
            return Err(Problem::NotExecutable);
        }
        if metadata.len() > LARGEST {
            return Err(Problem::TooLarge(LARGEST));
        }
        let mut copy = memory()?;
        let mut hash = Sha256::new();
        let mut piece = vec![0; 1 << 20];
        let (mut length, mut is_script) = (0, false);
        loop {
            let read = match file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(&error)),
            };
            let bytes = piece.get(..read).unwrap_or(&piece);
            is_script = is_script || length == 0 && bytes.starts_with(b"#!");
            length += read as u64;
            if length > LARGEST {
                return Err(Problem::TooLarge(LARGEST));
            }
            hash.update(bytes);
            io::Write::write_all(&mut copy, bytes).map_err(|error| unreadable(&error))?;
        }
        seal(&copy)?;
        let mut sha256 = String::with_capacity(64);
        for byte in hash.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        Ok(Self { sealed: copy, sha256, is_script })
    }
}

fn unreadable(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::NotFound => Problem::Missing,
        _ => Problem::Unreadable(error.to_string()),
    }
}

/// Opens a regular file.
///
/// Anything else is refused, as opening a pipe could block.
fn open(path: &Path) -> Result<File, Problem> {
    let expect_file =
        |metadata: std::fs::Metadata| if metadata.is_file() { Ok(()) } else { Err(Problem::NotAFile) };
    expect_file(std::fs::metadata(path).map_err(|error| unreadable(&error))?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = file.map_err(|error| unreadable(&error))?;
    expect_file(file.metadata().map_err(|error| unreadable(&error))?)?;
    Ok(file)
}

fn memory() -> Result<File, Problem> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Older kernels do not know the flag; all their memory files are executable.
    let result = match memfd_create("converge-plugin", flags | MemfdFlags::EXEC) {
        Err(Errno::INVAL) => memfd_create("converge-plugin", flags),
        made => made,
    };
    result.map(File::from).map_err(|error| Problem::NotStarted(format!("no memory for its copy: {error}")))
}

/// Seals the file so that nobody can change it.
fn seal(file: &File) -> Result<(), Problem> {
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    fcntl_add_seals(file.as_fd(), seals)
        .map_err(|error| Problem::NotStarted(format!("its copy cannot be sealed: {error}")))
}

impl Image {
    /// Starts the image in its own process group, with pipes as its standard streams.
    ///
    /// Environment variables that begin with `CONVERGE_` are removed. `shown` is the name of the process in
    /// process lists.
    pub(crate) fn spawn(&self, display_path: &Path) -> io::Result<Child> {
        let variables = std::env::vars_os().map(|(name, _)| name);
        let variables: Vec<_> =
            variables.filter(|name| name.as_encoded_bytes().starts_with(b"CONVERGE_")).collect();
        let mut command = Command::new(format!("/proc/self/fd/{}", self.sealed.as_raw_fd()));
        for name in variables {
            command.env_remove(name);
        }
        command.arg0(display_path).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !self.is_script {
            return command.spawn();
        }
        // The interpreter opens the script after `exec`, so the descriptor must stay open.
        fcntl_setfd(&self.sealed, FdFlags::empty())?;
        let child = command.spawn();
        fcntl_setfd(&self.sealed, FdFlags::CLOEXEC)?;
        child
    }
}

/// Whether the error says that the file is not a program of this machine.
pub(crate) fn is_no_program(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::NOEXEC)
}
