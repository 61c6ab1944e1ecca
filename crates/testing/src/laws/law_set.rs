//! The laws of one resource type, with the options that its author sets.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::case::Case;
use super::law::Law;
use super::runner::{Printer, Runner};
use super::search::{Known, Search};
use super::trial_start::{Begin, Start};
use super::violation::Broken;
use crate::sdk::resource::{Preparer, Resource};
use crate::system::ModelSystem;
use crate::types::value::Value;

/// The real time after which the trials of one law count as blocked.
///
/// The limit is for code that never yields its thread.
const PATIENCE: Duration = Duration::from_mins(5);

/// The stack size of the trial thread, in bytes: as much as a main thread has.
///
/// The default of 2 MiB is too small for clients of servers in unoptimized builds; `docker.container` needs 4
/// MiB.
const STACK: usize = 8 << 20;

/// The laws of one resource type. `laws!` uses this type, and tests may use it by hand.
///
/// ```no_run
/// # use converge_core::prelude::*;
/// # use converge_core::testing::laws::{Law, Laws};
/// # fn check<MotdPreparer: Resource>() {
/// Laws::<MotdPreparer>::new().values(("text", ["a", "b"])).hold(Law::TwiceIsOnce);
/// # }
/// ```
pub struct Laws<R> {
    starts: Vec<Box<dyn Fn() -> Start + Send + Sync>>,
    known: Known,
    deadline: Duration,
    exceptions: Vec<(Law, &'static str)>,
    beside: Vec<&'static str>,
    written: String,
    printed: Option<Box<Printer>>,
    resource: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for Laws<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Laws").field("written", &self.written).finish_non_exhaustive()
    }
}

impl<R: Resource> Default for Laws<R> {
    fn default() -> Self {
        Self::new()
    }
}

// The bound is on the functions, not on the impl, so that the compiler reports the missing `Resource` and not
// a missing method.
impl<R> Laws<R> {
    /// Creates all laws, on a machine with only the directories `/etc`, `/srv` and `/tmp`.
    pub fn new() -> Self
    where
        R: Resource,
    {
        let name = std::any::type_name::<R>();
        Self {
            starts: Vec::new(),
            known: Known::default(),
            deadline: Duration::from_hours(1),
            exceptions: Vec::new(),
            beside: Vec::new(),
            written: format!("Laws::<{}>::new()", name.rsplit("::").next().unwrap_or(name)),
            printed: None,
            resource: PhantomData,
        }
    }

    /// Sets the function that prints a task of the type. `laws!` sets it.
    #[doc(hidden)]
    pub fn printed(mut self, print: impl Fn(&R::Task) -> Option<String> + Send + Sync + 'static) -> Self
    where
        R: Resource,
    {
        let print = move |task: &dyn Any| task.downcast_ref::<R::Task>().and_then(&print);
        self.printed = Some(Box::new(print));
        self
    }

    /// Sets a start machine in place of the empty one; further calls add further machines.
    pub fn start(mut self, start: impl Begin + Send + Sync + 'static) -> Self {
        self.starts.push(Box::new(move || start.begin()));
        self
    }

    /// Sets the values that a field is tried with, in place of those guessed from its schema.
    ///
    /// The first value must be the plainest one: it replaces the others when a failing case is made smaller.
    pub fn values<V: Into<Value>>(
        mut self,
        (field, values): (&'static str, impl IntoIterator<Item = V>),
    ) -> Self {
        self.known.values.push((field, values.into_iter().map(Into::into).collect()));
        self
    }

    /// Sets the maximum duration of a prepare, a check or an apply, by the clock of the machine.
    ///
    /// The default is one hour.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the number of cases for each law. The default is 24.
    ///
    /// Some laws also try each value of each field.
    pub fn cases(mut self, cases: usize) -> Self {
        self.known.cases = cases;
        self
    }

    /// Excludes a law that does not hold for the type, with the reason.
    ///
    /// For example, a resource that only waits changes nothing.
    pub fn except(mut self, (law, reason): (Law, &'static str)) -> Self {
        self.exceptions.push((law, reason));
        self
    }

    /// Declares that the type only looks, with the reason.
    ///
    /// Laws about the result of an apply are then not tried.
    ///
    /// Examples are resources that wait for something, or that read values for exports.
    pub fn only_looks(mut self, reason: &'static str) -> Self {
        let applies = Law::ALL.into_iter().filter(|law| law.needs_an_apply());
        self.exceptions.extend(applies.map(|law| (law, reason)));
        self
    }

    /// Declares what other programs change in addition to the resource, with the reason.
    ///
    /// The first value is a path, with everything below it, or the prefix of the name of a user, group or
    /// fact. Such changes count as reported.
    pub fn beside(mut self, (what, reason): (&'static str, &'static str)) -> Self {
        let _ = reason;
        self.beside.push(what);
        self
    }

    /// Sets the source of this declaration, which is printed in failing tests.
    #[doc(hidden)]
    pub fn written(mut self, source: &str) -> Self {
        source.clone_into(&mut self.written);
        self
    }

    /// Checks a law.
    ///
    /// # Errors
    ///
    /// The law is broken, or no case could be tried.
    pub fn check(self, law: Law) -> Result<(), Box<Broken>>
    where
        R: Resource,
    {
        self.try_out(law, None)
    }

    /// Asserts that a law holds.
    ///
    /// # Panics
    ///
    /// The law is broken, or no case could be tried. The message contains a test to keep.
    #[track_caller]
    #[expect(clippy::panic, reason = "that is how a test fails")]
    pub fn hold(self, law: Law)
    where
        R: Resource,
    {
        if let Err(broken) = self.check(law) {
            panic!("{broken}");
        }
    }

    /// Asserts that a law holds on one case.
    ///
    /// # Panics
    ///
    /// The law is broken.
    #[track_caller]
    #[expect(clippy::panic, reason = "that is how a test fails")]
    pub fn hold_on(self, law: Law, case: Case)
    where
        R: Resource,
    {
        if let Err(broken) = self.try_out(law, Some(case)) {
            panic!("{broken}");
        }
    }

    /// Checks a law on a separate thread, which is abandoned if it does not end.
    fn try_out(mut self, law: Law, replay: Option<Case>) -> Result<(), Box<Broken>>
    where
        R: Resource,
    {
        if self.exceptions.iter().any(|(except, _)| *except == law) {
            return Ok(());
        }
        if self.starts.is_empty() {
            let empty = || ModelSystem::new().with_dir("/etc").with_dir("/srv").with_dir("/tmp");
            self.starts.push(Box::new(move || empty.begin()));
        }
        let (sender, receiver) = channel();
        let source = self.written.clone();
        let broken = move |(reason, case): (String, Option<Case>)| {
            Box::new(Broken { resource: <R as Preparer>::NAME, law, reason, case, written: source })
        };
        let (trying, tried) = channel();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            let runner = Runner {
                starts: &self.starts,
                beside: &self.beside,
                deadline: self.deadline,
                printed: self.printed.as_deref(),
            };
            let mut search = Search::<R>::new(&runner, &self.known, law, trying);
            let result = match runtime {
                Ok(runtime) => runtime.block_on(search.run(replay)),
                Err(error) => Err((format!("there is no runtime: {error}"), None)),
            };
            // The receiver may have given up waiting.
            let _ = sender.send(result);
        });
        if let Err(error) = thread {
            return Err(broken((format!("there is no thread: {error}"), None)));
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(result) => result.map_err(broken),
            Err(RecvTimeoutError::Timeout) => {
                let reason = format!("after {PATIENCE:?} it still works, and does not let go of its thread");
                Err(broken((reason, tried.try_iter().last())))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(broken(("the thread that tried it has panicked".to_owned(), tried.try_iter().last())))
            }
        }
    }
}
