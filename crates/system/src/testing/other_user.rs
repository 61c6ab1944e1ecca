//! Another user of this machine, for tests that are root: what is theirs, and a process of theirs that works beside the test.
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

/// A user that this machine does not have.
pub const JO: u32 = 53_211;

/// Names the place, in the process of the stranger.
const PLACE: &str = "CONVERGE_TEST_STRANGER";

/// What the process writes before the number of its rounds.
const ROUNDS: &str = "rounds: ";

/// In a place: the stranger is to end after this round.
const END: &str = "end";

/// A directory of root that everybody can enter. All paths are below it.
#[derive(Debug)]
pub struct Place(PathBuf);

/// A file as it is found: its path, mode, owner, group and content.
pub type Found = (PathBuf, u32, u32, u32, Vec<u8>);

impl Place {
    /// Makes a directory of root such a place.
    pub fn new(directory: &Path) -> Self {
        fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("it is ours");
        Self(directory.to_owned())
    }

    /// The place of the test, in the process of the stranger that the test has started; `None` in the test itself.
    pub fn of_stranger() -> Option<Self> {
        env::var_os(PLACE).map(|place| Self(place.into()))
    }

    /// The full path.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Makes a directory of a user.
    pub fn dir(&self, path: &str, uid: u32, mode: u32) {
        fs::create_dir(self.at(path)).expect("it can be made");
        self.give(path, uid, mode);
    }

    /// Makes a file of a user, whose content is its path.
    pub fn file(&self, path: &str, uid: u32, mode: u32) {
        fs::write(self.at(path), path).expect("it can be written");
        self.give(path, uid, mode);
    }

    /// Makes a link of a user.
    pub fn link(&self, path: &str, target: &str, uid: u32) {
        symlink(target, self.at(path)).expect("it can be made");
        lchown(self.at(path), Some(uid), Some(uid)).expect("we are root");
    }

    fn give(&self, path: &str, uid: u32, mode: u32) {
        chown(self.at(path), Some(uid), Some(uid)).expect("we are root");
        fs::set_permissions(self.at(path), Permissions::from_mode(mode)).expect("we are root");
    }

    /// All that is at a path and below, sorted.
    pub fn state(&self, path: &str) -> Vec<Found> {
        let mut state = Vec::new();
        let mut left = vec![self.at(path)];
        while let Some(path) = left.pop() {
            let found = path.symlink_metadata().expect("it is there");
            let content = if found.is_dir() {
                let entries = fs::read_dir(&path).expect("it can be listed");
                left.extend(entries.map(|entry| entry.expect("an entry").path()));
                Vec::new()
            } else {
                fs::read(&path).unwrap_or_default()
            };
            state.push((path, found.mode(), found.uid(), found.gid(), content));
        }
        state.sort();
        state
    }

    /// Does `round` until the test ends it, or has ended itself, and tells the test how often: for the process of the stranger.
    pub fn work(&self, mut round: impl FnMut()) {
        let test = getppid();
        let end = self.at(END);
        let mut rounds = 0;
        while getppid() == test && !end.exists() {
            round();
            rounds += 1;
        }
        // The harness writes lines of its own.
        writeln!(io::stdout(), "\n{ROUNDS}{rounds}").expect("the test reads it");
    }
}

/// A process of [`JO`]. It ends with this value.
#[derive(Debug)]
pub struct Stranger {
    process: Child,
    end: PathBuf,
}

impl Stranger {
    /// Starts a test of this program as another user: that test asks for the place, and [works](Place::work) there.
    pub fn start(place: &Place, test: &str) -> Self {
        // What was built need not be where everybody may go.
        let program = place.at("program");
        fs::copy(env::current_exe().expect("a path"), &program).expect("it can be copied");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("it is ours");
        let mut command = Command::new(program);
        command.args(["--exact", test, "--nocapture"]).env(PLACE, &place.0).current_dir("/");
        let process = command.uid(JO).gid(JO).stdout(Stdio::piped()).spawn().expect("it can be started");
        Self { process, end: place.at(END) }
    }

    /// Waits until it has ended by itself.
    pub fn wait(mut self) -> ExitStatus {
        self.process.wait().expect("a child")
    }

    /// Ends it after a whole round, and says how many there were.
    pub fn end(mut self) -> usize {
        fs::write(&self.end, "").expect("the place is ours");
        let mut said = String::new();
        let mut stdout = self.process.stdout.take().expect("a pipe");
        stdout.read_to_string(&mut said).expect("it is text");
        assert!(self.process.wait().expect("a child").success(), "{said}");
        let rounds = said.lines().find_map(|line| line.strip_prefix(ROUNDS)?.parse().ok());
        rounds.unwrap_or_else(|| panic!("it did not work: {said}"))
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
