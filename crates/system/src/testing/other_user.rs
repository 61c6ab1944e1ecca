//! Another user of this machine, for tests that run as root: files and a process of that user.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "it makes what a system works on")]

use std::env;
use std::fs::{self, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::getppid;

/// The id of a user that this machine does not have.
pub const JO: u32 = 53_211;

/// The environment variable that names the place in the process of the other user.
const PLACE: &str = "CONVERGE_TEST_STRANGER";

/// The text before the number of rounds in the output of the process.
const ROUNDS: &str = "rounds: ";

/// The name of the file in a place that asks the process to end after the current round.
const END: &str = "end";

/// A directory owned by root that everybody can enter. All paths of a test are below it.
#[derive(Debug)]
pub struct Place(PathBuf);

/// A file as found: its path, mode, owner, group and content.
pub type Found = (PathBuf, u32, u32, u32, Vec<u8>);

impl Place {
    /// Makes a directory of root such a place.
    pub fn new(directory: &Path) -> Self {
        fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("it is ours");
        Self(directory.to_owned())
    }

    /// Returns the place of the test in the process of the other user, or `None` in the test itself.
    pub fn of_stranger() -> Option<Self> {
        env::var_os(PLACE).map(|place| Self(place.into()))
    }

    /// Returns the full path.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Creates a directory that belongs to a user.
    pub fn dir(&self, path: &str, uid: u32, mode: u32) {
        fs::create_dir(self.at(path)).expect("it can be made");
        self.give(path, uid, mode);
    }

    /// Creates a file that belongs to a user, with its path as content.
    pub fn file(&self, path: &str, uid: u32, mode: u32) {
        fs::write(self.at(path), path).expect("it can be written");
        self.give(path, uid, mode);
    }

    /// Creates a symbolic link that belongs to a user.
    pub fn link(&self, path: &str, target: &str, uid: u32) {
        symlink(target, self.at(path)).expect("it can be made");
        lchown(self.at(path), Some(uid), Some(uid)).expect("we are root");
    }

    fn give(&self, path: &str, uid: u32, mode: u32) {
        chown(self.at(path), Some(uid), Some(uid)).expect("we are root");
        fs::set_permissions(self.at(path), Permissions::from_mode(mode)).expect("we are root");
    }

    /// Returns everything at and below a path, sorted.
    pub fn state(&self, path: &str) -> Vec<Found> {
        let mut state = Vec::new();
        let mut left = vec![self.at(path)];
        while let Some(path) = left.pop() {
            let metadata = path.symlink_metadata().expect("it is there");
            let content = if metadata.is_dir() {
                let entries = fs::read_dir(&path).expect("it can be listed");
                left.extend(entries.map(|entry| entry.expect("an entry").path()));
                Vec::new()
            } else {
                fs::read(&path).unwrap_or_default()
            };
            state.push((path, metadata.mode(), metadata.uid(), metadata.gid(), content));
        }
        state.sort();
        state
    }

    /// Repeats `round` until the test asks to end or has ended, and reports the number of rounds.
    ///
    /// The function is called in the process of the other user.
    pub fn work(&self, mut round: impl FnMut()) {
        let test = getppid();
        let end = self.at(END);
        let mut rounds = 0;
        while getppid() == test && !end.exists() {
            round();
            rounds += 1;
        }
        // The test harness writes lines of its own, so the report starts on a new line.
        writeln!(io::stdout(), "\n{ROUNDS}{rounds}").expect("the test reads it");
    }
}

/// A process of the user [`JO`] that ends when this value is dropped.
#[derive(Debug)]
pub struct Stranger {
    process: Child,
    end: PathBuf,
}

impl Stranger {
    /// Starts a test of this program as another user.
    ///
    /// That test asks for the place and [works](Place::work) there.
    pub fn start(place: &Place, test: &str) -> Self {
        // The other user may not be able to enter the build directory, so the program is copied.
        let program = place.at("program");
        fs::copy(env::current_exe().expect("a path"), &program).expect("it can be copied");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("it is ours");
        let mut command = Command::new(program);
        command.args(["--exact", test, "--nocapture"]).env(PLACE, &place.0).current_dir("/");
        let process = command.uid(JO).gid(JO).stdout(Stdio::piped()).spawn().expect("it can be started");
        Self { process, end: place.at(END) }
    }

    /// Waits until the process has ended by itself.
    pub fn wait(mut self) -> ExitStatus {
        self.process.wait().expect("a child")
    }

    /// Ends the process after a whole round and returns the number of rounds.
    pub fn end(mut self) -> usize {
        fs::write(&self.end, "").expect("the place is ours");
        let mut output = String::new();
        let mut stdout = self.process.stdout.take().expect("a pipe");
        stdout.read_to_string(&mut output).expect("it is text");
        assert!(self.process.wait().expect("a child").success(), "{output}");
        let rounds = output.lines().find_map(|line| line.strip_prefix(ROUNDS)?.parse().ok());
        rounds.unwrap_or_else(|| panic!("it did not work: {output}"))
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
