//! The laws of one resource type, with what its author says about them.

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

/// So long may the tries of one law take, in the time of the person who waits. It is for what never gives its thread back.
const PATIENCE: Duration = Duration::from_mins(5);

/// As much as a program has to begin with. Whoever speaks with a server needs more than the 2 MiB of another thread, when nothing
/// is optimized: `docker.container` has 4.
const STACK: usize = 8 << 20;

/// The laws of one resource type: what [`laws!`](crate::laws) is made of, for a test that is written by hand.
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

// The functions ask for a resource, and not the impl: so a type that is none is told that, and not which functions it does not have.
impl<R> Laws<R> {
    /// All laws, on an empty machine: one with the directories `/etc`, `/srv` and `/tmp`.
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

    /// How a task of the type is printed, which [`laws!`](crate::laws) knows.
    #[doc(hidden)]
    pub fn printed(mut self, print: impl Fn(&R::Task) -> Option<String> + Send + Sync + 'static) -> Self
    where
        R: Resource,
    {
        let print = move |task: &dyn Any| task.downcast_ref::<R::Task>().and_then(&print);
        self.printed = Some(Box::new(print));
        self
    }

    /// A machine to begin with, in the place of the empty one; the next call adds another.
    pub fn start(mut self, start: impl Begin + Send + Sync + 'static) -> Self {
        self.starts.push(Box::new(move || start.begin()));
        self
    }

    /// The values that a field is tried with, in the place of those that its schema lets one guess. The first is the plainest, which
    /// the others are replaced by when a failure is made smaller.
    pub fn values<V: Into<Value>>(
        mut self,
        (field, values): (&'static str, impl IntoIterator<Item = V>),
    ) -> Self {
        self.known.values.push((field, values.into_iter().map(Into::into).collect()));
        self
    }

    /// How long a prepare, a check or an apply may take, in the time of the machine: an hour, when nothing is said.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many cases each law is tried on, beside each value of each field for some: 24, when nothing is said.
    pub fn cases(mut self, cases: usize) -> Self {
        self.known.cases = cases;
        self
    }

    /// A law that does not hold for the type, and why: something that only waits changes nothing, for example.
    pub fn except(mut self, (law, reason): (Law, &'static str)) -> Self {
        self.exceptions.push((law, reason));
        self
    }

    /// The type only looks, as what waits for others does, or what reads something for exports: laws about what an apply has done are not
    /// tried, and why.
    pub fn only_looks(mut self, reason: &'static str) -> Self {
        let applies = Law::ALL.into_iter().filter(|law| law.needs_an_apply());
        self.exceptions.extend(applies.map(|law| (law, reason)));
        self
    }

    /// Something that programs of others change beside what the resource is about, and why: a path with all below it, or what the
    /// name of a user, a group or a fact begins with. That it changes counts as reported.
    pub fn beside(mut self, (what, reason): (&'static str, &'static str)) -> Self {
        let _ = reason;
        self.beside.push(what);
        self
    }

    /// How this is written in the test, to be printed in others.
    #[doc(hidden)]
    pub fn written(mut self, written: &str) -> Self {
        written.clone_into(&mut self.written);
        self
    }

    /// Tries out a law.
    ///
    /// # Errors
    ///
    /// It is broken, or there is nothing that it could be tried on.
    pub fn check(self, law: Law) -> Result<(), Box<Broken>>
    where
        R: Resource,
    {
        self.try_out(law, None)
    }

    /// Tries out a law.
    ///
    /// # Panics
    ///
    /// It is broken, or there is nothing that it could be tried on. The message has a test to keep.
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

    /// Tries out a law on one case.
    ///
    /// # Panics
    ///
    /// It is broken.
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

    /// On a thread of its own, which is left behind when it does not end.
    fn try_out(mut self, law: Law, only: Option<Case>) -> Result<(), Box<Broken>>
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
        let (tell, told) = channel();
        let written = self.written.clone();
        let broken = move |(reason, case): (String, Option<Case>)| {
            Box::new(Broken { resource: <R as Preparer>::NAME, law, reason, case, written })
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
                Ok(runtime) => runtime.block_on(search.run(only)),
                Err(error) => Err((format!("there is no runtime: {error}"), None)),
            };
            // Whoever waited may have given up.
            let _ = tell.send(result);
        });
        if let Err(error) = thread {
            return Err(broken((format!("there is no thread: {error}"), None)));
        }
        match told.recv_timeout(PATIENCE) {
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
