//! The model host: a machine in memory, for tests.

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
pub use fault_schedule::FaultSchedule;
use http::Service;
pub use http::{HttpCall, HttpReply};
pub use machine::{Disk, Entry, EntryKind, HostState, Machine, Page};
use peer::SpeakerListener;
pub use peer::{Speaker, Speech};
use script::Script;
use temp_dirs::TempDirs;

/// The number of hours from the Unix epoch to 2020.
const HOURS_TO_2020: u64 = 18_262 * 24;

/// A machine in memory.
///
/// A test sets it up, lets a resource work on it and inspects the result.
///
/// # Guarantees
///
/// Files behave as on Linux for root, including errors: links are followed, a new file belongs to root, and
/// changing the owner clears the set-id bits. One suite of laws runs against the model and the local system.
/// Nothing happens in the background, time stands still until the test advances it, and equal runs have equal
/// results.
///
/// # Caveats
///
/// There are no permissions: everyone is root. A relative path starts at `/`, unless there is a [working
/// directory](Self::with_working_dir). A program without a script does not exist.
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
    /// The addresses of listeners that speak HTTP, with the URL that they serve.
    http_listeners: Vec<(Address, Url)>,
    /// The listeners with a protocol of their own.
    speaker_listeners: Vec<SpeakerListener>,
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
    /// The maximum file size in bytes, if limited.
    file_size_limit: Option<u64>,
    /// The maximum number of output bytes kept of a program, if limited.
    output_limit: Option<usize>,
}

impl ModelSystem {
    /// Applies a schedule of faults from now on.
    #[doc(hidden)]
    pub fn set_fault_schedule(&self, course: FaultSchedule) {
        self.lock().faults.course = Some(course);
    }

    /// Returns the numbers of operations and effects since the schedule was set.
    #[doc(hidden)]
    pub fn schedule_counts(&self) -> (usize, usize) {
        self.lock().faults.course.as_ref().map_or((0, 0), |course| (course.operations, course.effects))
    }

    /// Creates a Linux machine with the root directory and a clock at 2020-01-01, midnight UTC.
    ///
    /// The machine has the users `root`, `daemon` and `nobody`, their groups, and nothing else.
    pub fn new() -> Self {
        Self {
            platform: Platform::new("linux"),
            env: BTreeMap::new(),
            scripts: Vec::new(),
            services: Vec::new(),
            http_listeners: Vec::new(),
            speaker_listeners: Vec::new(),
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

    /// Makes [`Clock::sleep`] advance the clock, so that no test waits.
    pub fn with_flowing_time(self) -> Self {
        self.let_time_flow();
        self
    }

    /// Makes [`Clock::sleep`] advance the clock from now on.
    ///
    /// Current sleepers wake when the clock reaches their time.
    pub fn let_time_flow(&self) {
        self.lock().time = Time::Flows;
    }

    /// Makes [`Clock::sleep`] wait by the clock of `tokio` from now on.
    ///
    /// The clock of the machine advances by the same time. On a runtime with [paused
    /// time](https://docs.rs/tokio/latest/tokio/time/fn.pause.html) no test waits, and an endless wait
    /// reaches its timeout.
    pub fn let_time_follow_tokio(&self) {
        self.lock().time = Time::FollowsTokio;
    }

    /// Advances the clock, and wakes sleepers whose time has come.
    pub fn advance(&self, duration: Duration) {
        self.lock().machine.advance(duration);
        self.state.turned.notify_waiters();
    }

    /// Returns the effects so far, in order.
    ///
    /// Failed changes are not included.
    pub fn effects(&self) -> Vec<Effect> {
        self.lock().effects.clone()
    }

    /// Returns all programs that ran so far, in order, including those without effect.
    pub fn commands(&self) -> Vec<Command> {
        self.lock().commands.clone()
    }

    /// Returns all requests so far, in order, including those without effect.
    pub fn requests(&self) -> Vec<HttpCall> {
        self.lock().calls.clone()
    }

    /// Crashes the machine after `count` further effects.
    ///
    /// Every further change then fails until [`restart`](Self::restart).
    pub fn fail_after(&self, count: usize) {
        self.lock().faults.effects_left = Some(count);
    }

    /// Makes one effect fail after `count` further effects.
    ///
    /// A file change fails as on a full disk, a program with exit code 1, a request with status 500. The
    /// failed effect changes nothing, and later effects succeed.
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

    /// Makes one read fail after `count` further reads.
    ///
    /// The fault applies to reads of files, users and groups. A program that only reads cannot be started,
    /// and a request that only reads loses its connection. Later reads succeed.
    pub fn fail_read_after(&self, count: usize) {
        self.lock().faults.until_read_failure = Some(count);
    }

    /// Whether the read that was set [to fail](Self::fail_read_after) has happened.
    #[doc(hidden)]
    pub fn has_failed_to_read(&self) -> bool {
        self.lock().faults.until_read_failure.is_none()
    }

    /// Returns the paths that were read or changed so far.
    #[doc(hidden)]
    pub fn looked_at(&self) -> Vec<PathBuf> {
        self.lock().looked.iter().cloned().collect()
    }

    /// Makes every operation yield once before it is done, as on a real machine.
    ///
    /// Callers can be dropped at that point.
    pub fn pause_before_each(&self) {
        self.lock().faults.pauses = true;
    }

    /// Makes all operations hang after `count` further ones, as with a disk or server that hangs.
    pub fn hang_after(&self, count: usize) {
        self.lock().faults.answers_left = Some(count);
    }

    /// Ends a crash and all other faults, and clears the list of effects.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.faults = Faults::default();
        state.effects.clear();
        state.commands.clear();
        state.calls.clear();
        state.looked.clear();
        state.chance.restart();
    }

    /// Boots the machine.
    ///
    /// Call it after a run that ended with `Error::Booting`, or to simulate a boot
    /// by hand. The content of `/run` is removed, and an existing `/proc/sys/kernel/random/boot_id` gets a
    /// new value. No effect is recorded, and all else stays unchanged.
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

    /// Changes the machine directly, as somebody else might at any time.
    ///
    /// No effect is recorded.
    pub fn alter(&self, change: impl FnOnce(&mut Machine)) {
        change(&mut self.lock().machine);
    }

    /// Returns the current state of the machine.
    pub fn machine(&self) -> Machine {
        self.lock().machine.clone()
    }

    /// Returns all files by path, without their times.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Entry> {
        self.lock().machine.entries()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// Time stands still until the test advances it.
    Stands,
    /// A sleep advances the time.
    Flows,
    FollowsTokio,
}

/// The shared state of a machine, which open directories keep alive.
#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    /// Notified when time advances.
    turned: Arc<Notify>,
}

impl Shared {
    fn new(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)), turned: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked with the lock has failed; others may still inspect the state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
        look(machine).map_err(|kind| SystemError::file(operation, path, machine.with_user_names(kind)))
    }

    fn change(
        &self,
        operation: &'static str,
        path: &Path,
        change: impl FnOnce(&mut Machine) -> Result<Effect, SystemErrorKind>,
    ) -> Result<(), SystemError> {
        let mut state = self.lock();
        state.has_looked(path);
        let changed = state.change(change);
        changed.map_err(|kind| SystemError::file(operation, path, state.machine.with_user_names(kind)))
    }
}

impl State {
    /// Makes a change that happens completely or not at all, unless the machine has crashed.
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
        // A change that would fail anyway reports its own error.
        let mut after = self.machine.clone();
        let effect = change(&mut after)?;
        self.machine.check_disk(&after, &effect)?;
        if let Effect::WriteFile { path } = &effect {
            self.machine.check_mounted(path)?;
        }
        if self.faults.fails_now() && !self.temp_dirs.contains(&effect) {
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

    fn check_size(&self, len: usize) -> Result<(), SystemErrorKind> {
        match self.file_size_limit {
            Some(limit) if len as u64 > limit => Err(SystemErrorKind::FileTooLarge(limit)),
            _ => Ok(()),
        }
    }

    /// Records an effect, unless it is in a temporary directory.
    fn record(&mut self, effect: Effect) {
        if self.temp_dirs.contains(&effect) {
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
