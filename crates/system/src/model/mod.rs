//! A machine in memory, for tests.

mod chance;
mod clock;
mod directory;
mod disk;
mod effect;
mod errno;
mod fault;
mod fault_schedule;
mod file_operations;
mod files;
mod http;
mod machine;
mod network;
mod operation_gate;
mod peer;
mod peer_stream;
mod processes;
mod random;
mod script;
mod servers;
mod setup;
mod stream;
mod temp_dir;
mod temp_dirs;
#[cfg(test)]
mod tests;
mod tree;
mod users;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;

use super::{
    Address, Clock, Command, Files, Network, Platform, Processes, Random, System, SystemError,
    SystemErrorKind, Url, Users,
};
use chance::Chance;
pub use effect::Effect;
use fault::{Faults, unreadable};
#[doc(hidden)]
pub use fault_schedule::Course;
use http::Service;
pub use http::{HttpCall, HttpReply};
pub use machine::{Disk, Entry, EntryKind, HostState, Machine, Page};
use peer::Speaks;
pub use peer::{Speaker, Speech};
use script::Script;
use temp_dirs::TempDirs;

/// From the beginning of Unix time.
const HOURS_TO_2020: u64 = 18_262 * 24;

/// A machine in memory: a test sets it up, lets a resource work on it, and looks at what became of it.
///
/// # Guarantees
///
/// Files answer as those of Linux do for root, errors included: links are followed, a new file belongs
/// to root, a change of owner takes the set-id bits away. One suite of laws runs against this and the
/// local system. Nothing happens in the background, time stands still until it is turned, and two equal
/// runs give equal results.
///
/// # Caveats
///
/// There are no permissions: everyone is root. A relative path starts at `/`, unless there is a
/// [working directory](Self::with_working_dir). A program that no script
/// was given for does not exist.
///
/// ```
/// use converge_core::system::System;
/// use converge_core::system::{Command, Effect, ModelSystem, Output, WriteFile};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let model = ModelSystem::new()
///     .with_file("/etc/motd", "hello")
///     .with_query(["uname", "-s"], Output::success("Linux\n"));
///
/// let uname = model.processes().run(Command::new("uname").arg("-s")).await?;
/// assert_eq!(uname.stdout, b"Linux\n");
/// assert_eq!(model.effects(), []);
///
/// model.files().write("/etc/motd".as_ref(), WriteFile::new(b"bye")).await?;
/// assert_eq!(model.effects(), [Effect::WriteFile { path: "/etc/motd".into() }]);
/// assert_eq!(model.machine().file("/etc/motd"), Some(&b"bye"[..]));
/// # Ok::<(), converge_core::system::SystemError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ModelSystem {
    platform: Platform,
    env: BTreeMap<String, String>,
    scripts: Vec<Script>,
    services: Vec<Arc<Service>>,
    /// Who listens at an address and speaks HTTP, and the URL of what is there.
    speakers: Vec<(Address, Url)>,
    /// Who listens at an address and speaks a protocol of its own.
    talkers: Vec<Speaks>,
    state: Shared,
}

struct State {
    machine: Machine,
    effects: Vec<Effect>,
    commands: Vec<Command>,
    calls: Vec<HttpCall>,
    looked: BTreeSet<PathBuf>,
    temp_dirs: TempDirs,
    chance: Chance,
    faults: Faults,
    time: Time,
    /// No file becomes larger.
    file_size_limit: Option<u64>,
    /// No more is kept of what a program prints.
    output_limit: Option<usize>,
}

impl ModelSystem {
    /// From now on this is what happens.
    #[doc(hidden)]
    pub fn take_course(&self, course: Course) {
        self.lock().faults.course = Some(course);
    }

    /// How many operations and effects there were on this course.
    #[doc(hidden)]
    pub fn on_course(&self) -> (usize, usize) {
        self.lock().faults.course.as_ref().map_or((0, 0), |course| (course.operations, course.effects))
    }

    /// A Linux machine with the root directory, the users `root`, `daemon` and `nobody`, their groups, and
    /// nothing else. It is 2020-01-01, midnight UTC.
    pub fn new() -> Self {
        Self {
            platform: Platform::new("linux"),
            env: BTreeMap::new(),
            scripts: Vec::new(),
            services: Vec::new(),
            speakers: Vec::new(),
            talkers: Vec::new(),
            state: Shared::new(State {
                machine: Machine::new(SystemTime::UNIX_EPOCH + Duration::from_hours(HOURS_TO_2020)),
                effects: Vec::new(),
                commands: Vec::new(),
                calls: Vec::new(),
                looked: BTreeSet::new(),
                temp_dirs: TempDirs::default(),
                chance: Chance::new(0),
                faults: Faults::default(),
                time: Time::Stands,
                file_size_limit: None,
                output_limit: None,
            }),
        }
    }

    /// With a clock that [`Clock::sleep`] turns forward itself, so that no test waits.
    pub fn with_flowing_time(self) -> Self {
        self.let_time_flow();
        self
    }

    /// From now on [`Clock::sleep`] turns the clock itself. Who sleeps already wakes when the clock gets
    /// there.
    pub fn let_time_flow(&self) {
        self.lock().time = Time::Flows;
    }

    /// From now on [`Clock::sleep`] waits by the clock of `tokio`, and turns that of the machine by as much: on a runtime
    /// whose time is [paused](https://docs.rs/tokio/latest/tokio/time/fn.pause.html) no test waits, and what waits for ever runs
    /// into a timeout.
    pub fn let_time_follow_tokio(&self) {
        self.lock().time = Time::FollowsTokio;
    }

    /// Turns the clock forward, and wakes the sleepers whose time has come.
    pub fn advance(&self, duration: Duration) {
        self.lock().machine.advance(duration);
        self.state.turned.notify_waiters();
    }

    /// What has changed the machine so far, in order. What failed is not among it.
    pub fn effects(&self) -> Vec<Effect> {
        self.lock().effects.clone()
    }

    /// Every program that was run so far, in order, whether it was an effect or not.
    pub fn commands(&self) -> Vec<Command> {
        self.lock().commands.clone()
    }

    /// Every request that was made so far, in order, whether it was an effect or not.
    pub fn requests(&self) -> Vec<HttpCall> {
        self.lock().calls.clone()
    }

    /// Lets `count` more effects happen. Then the machine has crashed: everything that would change it
    /// fails, until [`restart`](Self::restart).
    pub fn fail_after(&self, count: usize) {
        self.lock().faults.effects_left = Some(count);
    }

    /// Lets `count` more effects happen, and the one after them fail: a change of files as on a disk that is full, a program with exit
    /// code 1, a request with the status 500. It changes nothing then, and what comes after it happens again.
    ///
    /// ```
    /// use converge_core::system::{Files, ModelSystem, System, WriteFile};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let model = ModelSystem::new();
    /// model.fail_once_after(1);
    /// let files = model.files();
    /// files.write("/a".as_ref(), WriteFile::new(b"")).await?;
    /// let error = files.write("/b".as_ref(), WriteFile::new(b"")).await.unwrap_err();
    /// assert_eq!(error.to_string(), "cannot write /b: no space left on device");
    /// files.write("/b".as_ref(), WriteFile::new(b"")).await?;
    /// # Ok::<(), converge_core::system::SystemError>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fail_once_after(&self, count: usize) {
        self.lock().faults.until_failure = Some(count);
    }

    /// Lets `count` more looks at the machine be answered, and the next one fail: at a file, a user or a group, by a program that only looks, which
    /// cannot be started then, or by a request that only looks, whose connection ends. What comes after it is answered again.
    pub fn fail_read_after(&self, count: usize) {
        self.lock().faults.until_read_failure = Some(count);
    }

    /// Whether the look that was [to fail](Self::fail_read_after) has come.
    #[doc(hidden)]
    pub fn has_failed_to_read(&self) -> bool {
        self.lock().faults.until_read_failure.is_none()
    }

    /// The paths that were looked at or changed so far.
    #[doc(hidden)]
    pub fn looked_at(&self) -> Vec<PathBuf> {
        self.lock().looked.iter().cloned().collect()
    }

    /// From now on every operation lets others have a turn before it is done, as those of a real machine may: what waits for it
    /// can be dropped there.
    pub fn pause_before_each(&self) {
        self.lock().faults.pauses = true;
    }

    /// Answers `count` more operations. Whoever asks for more waits for ever, as for a disk or a server that hangs.
    pub fn hang_after(&self, count: usize) {
        self.lock().faults.answers_left = Some(count);
    }

    /// Ends the crash and whatever else was to go wrong, and forgets the effects so far.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.faults = Faults::default();
        state.effects.clear();
        state.commands.clear();
        state.calls.clear();
        state.looked.clear();
        state.chance.restart();
    }

    /// Boots the machine, as it does after a run that ended with [`Error::Booting`](crate::Error::Booting), and as somebody may do by hand at any
    /// time: what is in `/run` is gone, and `/proc/sys/kernel/random/boot_id` has another text, where it is there. No effect is recorded, and
    /// all else is as it was.
    ///
    /// ```
    /// use converge_core::system::ModelSystem;
    ///
    /// let model = ModelSystem::new().with_file("/run/reboot-required", "").with_file("/etc/motd", "hello");
    /// model.alter(|machine| machine.go_down());
    /// assert!(model.machine().is_going_down());
    /// model.boot();
    /// assert_eq!(model.machine().file("/run/reboot-required"), None);
    /// assert_eq!(model.machine().file("/etc/motd"), Some(&b"hello"[..]));
    /// assert_eq!((model.machine().boots(), model.machine().is_going_down()), (1, false));
    /// ```
    pub fn boot(&self) {
        self.lock().machine.boot();
    }

    /// Changes the machine by hand, as somebody else may at any time. No effect is recorded.
    pub fn alter(&self, change: impl FnOnce(&mut Machine)) {
        change(&mut self.lock().machine);
    }

    /// The machine as it is now.
    pub fn machine(&self) -> Machine {
        self.lock().machine.clone()
    }

    /// All files, by path, without their times.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Entry> {
        self.lock().machine.entries()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// What becomes of time while somebody sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// It stands until the test turns it.
    Stands,
    /// Whoever sleeps turns it.
    Flows,
    /// It is the time of `tokio`.
    FollowsTokio,
}

/// The state of a machine, which open directories have too, and may have for longer.
#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    /// Told when time was turned.
    turned: Arc<Notify>,
}

impl Shared {
    fn new(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)), turned: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked while it held the lock has failed; others may look at what it left.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a path.
    fn look<T>(
        &self,
        operation: &'static str,
        path: &Path,
        look: impl FnOnce(&Machine) -> Result<T, SystemErrorKind>,
    ) -> Result<T, SystemError> {
        let mut state = self.lock();
        state.has_looked(path);
        if state.faults.read_fails() {
            return Err(SystemError::file(operation, path, unreadable()));
        }
        let machine = &state.machine;
        look(machine).map_err(|kind| SystemError::file(operation, path, machine.named(kind)))
    }

    /// Changes what is at a path.
    fn change(
        &self,
        operation: &'static str,
        path: &Path,
        change: impl FnOnce(&mut Machine) -> Result<Effect, SystemErrorKind>,
    ) -> Result<(), SystemError> {
        let mut state = self.lock();
        state.has_looked(path);
        let changed = state.change(change);
        changed.map_err(|kind| SystemError::file(operation, path, state.machine.named(kind)))
    }
}

impl State {
    /// Makes a change that either happens as a whole or not at all, unless the machine has crashed.
    fn change(
        &mut self,
        change: impl FnOnce(&mut Machine) -> Result<Effect, SystemErrorKind>,
    ) -> Result<(), SystemErrorKind> {
        self.faults.check_crash()?;
        if !self.faults.fails_now() && self.machine.is_plain() {
            let effect = change(&mut self.machine)?;
            self.record(effect);
            return Ok(());
        }
        // What would have failed anyway says why.
        let mut after = self.machine.clone();
        let effect = change(&mut after)?;
        self.machine.check_disk(&after, &effect)?;
        if let Effect::WriteFile { path } = &effect {
            self.machine.check_mounted(path)?;
        }
        if self.faults.fails_now() && !self.temp_dirs.have(&effect) {
            self.faults.has_failed();
            return Err(SystemErrorKind::NoSpace);
        }
        self.machine = after;
        self.record(effect);
        Ok(())
    }

    fn has_looked(&mut self, path: &Path) {
        if !self.looked.contains(path) {
            self.looked.insert(path.to_owned());
        }
    }

    /// Whether a file may be so large.
    fn check_size(&self, len: usize) -> Result<(), SystemErrorKind> {
        match self.file_size_limit {
            Some(limit) if len as u64 > limit => Err(SystemErrorKind::FileTooLarge(limit)),
            _ => Ok(()),
        }
    }

    /// Remembers what has changed the machine for longer than a while.
    fn record(&mut self, effect: Effect) {
        if self.temp_dirs.have(&effect) {
            return;
        }
        self.faults.count();
        self.effects.push(effect);
    }
}

impl Default for ModelSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ModelSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("ModelSystem")
            .field("machine", &state.machine)
            .field("effects", &state.effects)
            .finish_non_exhaustive()
    }
}

impl System for ModelSystem {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn files(&self) -> &dyn Files {
        &self.state
    }

    fn users(&self) -> &dyn Users {
        self
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        self
    }

    fn clock(&self) -> &dyn Clock {
        self
    }

    fn random(&self) -> &dyn Random {
        self
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }
}
