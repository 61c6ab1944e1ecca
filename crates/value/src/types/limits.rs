//! Limits of a load, a run and a system.

use crate::diagnostic::Limit;

/// The limits of a load, a run and a system.
///
/// One value serves all three: `Loader::with_limits` uses `resources`,
/// `bytes` and `work`. `Engine::with_limits` uses `bytes` and `work`.
/// `LocalSystemBuilder::limits` uses `output` and `file`.
///
/// The error for a reached limit names the limit, and its diagnostic contains it [as
/// data](crate::diagnostic::Diagnostic::limit).
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
    /// The maximum number of nodes in the graph of a load. The default is one million.
    ///
    /// Nodes are resources, parameters, and the structure nodes of modules, switches and `for_each`. Each
    /// instance of a `for_each` and each use of a module counts separately.
    pub resources: usize,
    /// The maximum number of bytes of text that are read. The default is 256 MiB.
    ///
    /// A load counts its modules and the files that `file` and `templatefile` read; a run counts anew. A
    /// single text is limited to 16 MiB in any case.
    pub bytes: u64,
    /// The number of bytes kept of the standard output, and of the standard error, of a program.
    ///
    /// The default is 16 MiB, which is also the maximum.
    pub output: usize,
    /// The maximum size in bytes of a file that the system, or a program that it starts, writes.
    ///
    /// The default, [`u64::MAX`], means no limit.
    pub file: u64,
    /// The limits on expressions and templates.
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
    /// Returns the limits with another value for one of them.
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
    pub fn with(mut self, limit: Limit, maximum: u64) -> Self {
        let count = || usize::try_from(maximum).unwrap_or(usize::MAX);
        match limit {
            Limit::Resources => self.resources = count(),
            Limit::Bytes => self.bytes = maximum,
            Limit::Output => self.output = count(),
            Limit::File => self.file = maximum,
            Limit::WorkSteps => self.work.steps = maximum,
            Limit::WorkMemory => self.work.memory = maximum,
        }
        self
    }

    /// Returns the value of a limit.
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
    /// Uses the defaults for the other limits.
    fn from(work: WorkLimits) -> Self {
        Self { work, ..Self::default() }
    }
}

/// The limits on all expressions and templates of one load, and again of one run.
///
/// A single expression or template is limited to some millions of steps in any case.
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
    /// The maximum number of steps.
    ///
    /// A step is about one operation, one value that is made or copied, or 16 bytes of text.
    pub steps: u64,
    /// The maximum size in bytes of all parameter values, which are kept during a load or a run.
    pub memory: u64,
}

impl Default for WorkLimits {
    /// Returns limits of some seconds of work and 256 MiB.
    fn default() -> Self {
        Self { steps: 1 << 28, memory: 256 << 20 }
    }
}
