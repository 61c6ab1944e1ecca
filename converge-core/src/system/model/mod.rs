//! A machine in memory, for tests.

mod clock;
mod directory;
mod effect;
mod fault;
mod files;
mod machine;
mod network;
mod processes;
mod script;
#[cfg(test)]
mod tests;
mod tree;
mod turn;
mod users;
mod work;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;

use super::{
    Address, Clock, Command, Files, Group, Network, Output, Platform, Processes, System, SystemError,
    SystemErrorKind, Url, Users,
};
use crate::types::limits::Limits;
pub use effect::Effect;
use fault::{Faults, disk_full};
pub use machine::{Entry, EntryKind, Machine, Page};
use script::Script;

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
    state: Shared,
    /// Told when time was turned.
    turned: Notify,
}

struct State {
    machine: Machine,
    effects: Vec<Effect>,
    commands: Vec<Command>,
    requests: Vec<Url>,
    faults: Faults,
    time: Time,
    /// No file becomes larger.
    file_size_limit: Option<u64>,
    /// No more is kept of what a program prints.
    output_limit: Option<usize>,
}

impl ModelSystem {
    /// A Linux machine with the root directory, the users `root`, `daemon` and `nobody`, their groups, and
    /// nothing else. It is 2020-01-01, midnight UTC.
    pub fn new() -> Self {
        Self {
            platform: Platform::new("linux"),
            env: BTreeMap::new(),
            scripts: Vec::new(),
            state: Shared(Arc::new(Mutex::new(State {
                machine: Machine::new(SystemTime::UNIX_EPOCH + Duration::from_hours(HOURS_TO_2020)),
                effects: Vec::new(),
                commands: Vec::new(),
                requests: Vec::new(),
                faults: Faults::default(),
                time: Time::Stands,
                file_size_limit: None,
                output_limit: None,
            }))),
            turned: Notify::new(),
        }
    }

    /// Changes the machine by hand. No effect is recorded.
    pub fn with(self, change: impl FnOnce(&mut Machine)) -> Self {
        change(&mut self.lock().machine);
        self
    }

    /// With a file of mode `0644` that belongs to root; missing directories are made.
    pub fn with_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.with(|machine| machine.put_file(path, content))
    }

    /// With a directory of mode `0755` that belongs to root; missing ones above it are made.
    pub fn with_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| machine.put_dir(path))
    }

    /// With a symbolic link; missing directories are made.
    pub fn with_symlink(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.with(|machine| machine.put_symlink(path, target))
    }

    /// With other permission bits for what is at `path`.
    pub fn with_mode(self, path: impl AsRef<Path>, mode: u32) -> Self {
        self.with(|machine| machine.put_mode(path, mode))
    }

    /// With another owner and group for what is at `path`.
    pub fn with_owner(self, path: impl AsRef<Path>, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_owner(path, uid, gid))
    }

    /// With a user whose home is in `/home` and whose shell is `/bin/sh`.
    pub fn with_user(self, name: &str, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_user(machine::user(name, uid, gid)))
    }

    /// With a group that has no members.
    pub fn with_group(self, name: &str, gid: u32) -> Self {
        self.with(|machine| machine.put_group(Group { name: name.to_owned(), gid, members: Vec::new() }))
    }

    /// With a listener at an address.
    pub fn with_listener(self, address: Address) -> Self {
        self.with(|machine| machine.put_listener(address))
    }

    /// With something that can be fetched from a URL, of which the server says no more than what it is.
    pub fn with_url(self, url: &str, content: impl Into<Vec<u8>>) -> Self {
        self.with_page(url, Page::new(content))
    }

    /// With an answer to whoever asks for a URL.
    pub fn with_page(self, url: &str, page: Page) -> Self {
        self.with(|machine| machine.put_page(url, page))
    }

    /// With a directory in which relative paths begin, which is made when it is not there: as
    /// [`LocalSystemBuilder::working_dir`](super::LocalSystemBuilder::working_dir).
    pub fn with_working_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| {
            machine.put_dir(&path);
            machine.tree.work_in(Path::new("/").join(&path));
        })
    }

    /// With a limit for the size of each file that is written from now on: as
    /// [`LocalSystemBuilder::file_size_limit`](super::LocalSystemBuilder::file_size_limit).
    pub fn with_file_size_limit(self, bytes: u64) -> Self {
        self.lock().file_size_limit = Some(bytes);
        self
    }

    /// With a limit for what is kept of what a program prints, of each of its streams: as
    /// [`LocalSystemBuilder::output_limit`](super::LocalSystemBuilder::output_limit), with the same refusals.
    pub fn with_output_limit(self, bytes: usize) -> Self {
        self.lock().output_limit = Some(bytes);
        self
    }

    /// With the limits of output and of files that a local system would have: as
    /// [`LocalSystemBuilder::limits`](super::LocalSystemBuilder::limits).
    pub fn with_limits(self, limits: &Limits) -> Self {
        self.with_output_limit(limits.output).with_file_size_limit(limits.file)
    }

    /// With an environment variable.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With another platform.
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Answers a program with exactly these arguments, and counts each run as an effect.
    pub fn with_command<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, true))
    }

    /// Answers a program with exactly these arguments that only looks: no run of it is an effect.
    pub fn with_query<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, false))
    }

    /// Answers by a function, for programs that change the machine. It says `None` to what is not its
    /// own. A run is an effect when the machine is another one after it. The function must not use the
    /// model itself, which waits for it.
    ///
    /// ```
    /// use converge_core::system::{ModelSystem, Output};
    ///
    /// ModelSystem::new().with_program(|command, machine| {
    ///     let package = command.args.last()?;
    ///     match command.program.as_str() {
    ///         "dpkg" if machine.fact(package).is_some() => Some(Output::success("installed")),
    ///         "dpkg" => Some(Output::failure(1, "not installed")),
    ///         "apt-get" => {
    ///             machine.put_fact(package, "installed");
    ///             Some(Output::success(""))
    ///         }
    ///         _ => None,
    ///     }
    /// });
    /// ```
    pub fn with_program(
        self,
        program: impl Fn(&Command, &mut Machine) -> Option<Output> + Send + Sync + 'static,
    ) -> Self {
        self.with_script(Script::Program(Box::new(program)))
    }

    fn with_script(mut self, script: Script) -> Self {
        self.scripts.push(script);
        self
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
        self.turned.notify_waiters();
    }

    /// What has changed the machine so far, in order. What failed is not among it.
    pub fn effects(&self) -> Vec<Effect> {
        self.lock().effects.clone()
    }

    /// Every program that was run so far, in order, whether it was an effect or not.
    pub fn commands(&self) -> Vec<Command> {
        self.lock().commands.clone()
    }

    /// Every URL that was asked for so far, in order.
    pub fn requests(&self) -> Vec<Url> {
        self.lock().requests.clone()
    }

    /// Lets `count` more effects happen. Then the machine has crashed: everything that would change it
    /// fails, until [`restart`](Self::restart).
    pub fn fail_after(&self, count: usize) {
        self.lock().faults.effects_left = Some(count);
    }

    /// Lets `count` more effects happen, and the one after them fail: a change of files as on a disk that is full, a program with exit
    /// code 1. It changes nothing then, and what comes after it happens again.
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
        state.requests.clear();
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
struct Shared(Arc<Mutex<State>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked while it held the lock has failed; others may look at what it left.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a path.
    fn look<T>(
        &self,
        operation: &'static str,
        path: &Path,
        look: impl FnOnce(&Machine) -> Result<T, SystemErrorKind>,
    ) -> Result<T, SystemError> {
        let machine = &self.lock().machine;
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
        if self.faults.fails_now() {
            // What would have failed anyway says why.
            change(&mut self.machine.clone())?;
            self.faults.has_failed();
            return Err(disk_full());
        }
        let effect = change(&mut self.machine)?;
        self.record(effect);
        Ok(())
    }

    /// Whether a file may be so large.
    fn check_size(&self, len: usize) -> Result<(), SystemErrorKind> {
        match self.file_size_limit {
            Some(limit) if len as u64 > limit => Err(SystemErrorKind::FileTooLarge(limit)),
            _ => Ok(()),
        }
    }

    fn record(&mut self, effect: Effect) {
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

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }
}
