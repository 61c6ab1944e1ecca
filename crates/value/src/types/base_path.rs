//! The folders that relative paths can start from.

/// A folder that paths can be relative to: `path.module`, `path.root`, `path.cwd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BasePath {
    /// The folder of the module in which the name is written.
    Module,
    /// The folder of the module that is run.
    Root,
    /// The working directory of the program, from which relative paths of resources start.
    WorkingDirectory,
}

impl BasePath {
    /// All base paths, sorted by name.
    #[doc(hidden)]
    pub const ALL: [Self; 3] = [Self::WorkingDirectory, Self::Module, Self::Root];

    /// The names of all base paths, in the order of [`ALL`](Self::ALL).
    #[doc(hidden)]
    pub const NAMES: [&str; 3] = ["cwd", "module", "root"];

    /// Returns the name that follows `path.`.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkingDirectory => "cwd",
            Self::Module => "module",
            Self::Root => "root",
        }
    }
}
