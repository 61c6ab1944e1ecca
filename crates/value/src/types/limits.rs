//! All limits of a load, a run and a system in one place.

use crate::diagnostic::Limit;

/// What a load, a run and a system may cost.
///
/// `Loader::with_limits` takes `resources`, `bytes` and `work`,
/// `Engine::with_limits` `bytes` and `work`, and
/// `LocalSystemBuilder::limits` `output` and `file`; so one value serves for all.
///
/// Whatever reaches one ends with a message that names it, and its diagnostic has it
/// [as data](crate::diagnostic::Diagnostic::limit).
///
/// ```
/// use converge_core::diagnostic::Limit;
/// use converge_core::load::Loader;
/// use converge_core::{Limits, Registry};
///
/// let registry = Registry::new();
/// let limits = Limits { resources: 2, ..Limits::default() };
/// let load = |text: &str| Loader::new(&registry).with_limits(limits).load_text("site.hcl", text).into_graph();
///
/// assert!(load("param \"a\" { default = 1 }\nparam \"b\" { default = 2 }\n").is_ok());
/// let error = load("param \"a\" {}\nparam \"b\" {}\nparam \"c\" {}\n").unwrap_err();
/// let reached = error.diagnostics.iter().find_map(|found| found.limit).ok_or("a limit")?;
/// assert_eq!((reached.limit, reached.most), (Limit::Resources, 2));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many nodes the graph of a load may have: resources, each instance of a `for_each` and each use of a module counted
    /// by itself, parameters, and what modules, switches and `for_each` are made of. A million.
    pub resources: usize,
    /// How many bytes of text may be read: by a load for its modules and by `file` and `templatefile` together, and again by a run.
    /// 256 MiB. One text alone may have no more than 16 MiB of it, whatever is said here.
    pub bytes: u64,
    /// How many bytes of what a program prints are kept, of its standard output and its standard error each. 16 MiB, which is also
    /// the most that can be said.
    pub output: usize,
    /// How many bytes a file may have that is written: by the system, and by the programs that it starts. [`u64::MAX`] is no
    /// limit, and the default.
    pub file: u64,
    /// What expressions and templates may take.
    pub work: WorkLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            resources: 1_000_000,
            bytes: 256 << 20,
            output: 16 << 20,
            file: u64::MAX,
            work: WorkLimits::default(),
        }
    }
}

impl Limits {
    /// The same with another value for one of them, by its name.
    ///
    /// ```
    /// use converge_core::Limits;
    /// use converge_core::diagnostic::Limit;
    ///
    /// let limits = Limits::default().with(Limit::WorkSteps, 1000);
    /// assert_eq!(limits.work.steps, 1000);
    /// assert_eq!(limits.get(Limit::WorkSteps), 1000);
    /// ```
    #[must_use]
    pub fn with(mut self, limit: Limit, most: u64) -> Self {
        let count = || usize::try_from(most).unwrap_or(usize::MAX);
        match limit {
            Limit::Resources => self.resources = count(),
            Limit::Bytes => self.bytes = most,
            Limit::Output => self.output = count(),
            Limit::File => self.file = most,
            Limit::WorkSteps => self.work.steps = most,
            Limit::WorkMemory => self.work.memory = most,
        }
        self
    }

    /// The value of one of them.
    pub fn get(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Resources => self.resources as u64,
            Limit::Bytes => self.bytes,
            Limit::Output => self.output as u64,
            Limit::File => self.file,
            Limit::WorkSteps => self.work.steps,
            Limit::WorkMemory => self.work.memory,
        }
    }
}

impl From<WorkLimits> for Limits {
    /// The other limits are the usual ones.
    fn from(work: WorkLimits) -> Self {
        Self { work, ..Self::default() }
    }
}

/// What expressions and templates may cost, all of one load together, and all of one run.
///
/// One of them may cost no more than some millions of steps, whatever is said here.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::language::WorkLimits;
/// use converge_core::load::Loader;
///
/// let registry = Registry::new();
/// let limits = WorkLimits { steps: 1000, ..WorkLimits::default() };
/// let text = r#"param "x" { default = length([for i in range(900) : i + i]) }"#;
/// let loaded = Loader::new(&registry).with_limits(limits.into()).load_text("x.hcl", text);
/// assert!(loaded.diagnostics.has_errors());
/// assert!(Loader::new(&registry).load_text("x.hcl", text).into_graph().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimits {
    /// Steps: about one for each operation, each value that is made or copied, and each 16 bytes of text.
    pub steps: u64,
    /// Bytes of the values of parameters, which are kept as long as there is a load or a run.
    pub memory: u64,
}

impl Default for WorkLimits {
    /// Some seconds of work, and 256 MiB.
    fn default() -> Self {
        Self { steps: 1 << 28, memory: 256 << 20 }
    }
}
