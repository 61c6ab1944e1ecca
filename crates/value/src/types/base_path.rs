//! Folders that a relative path may begin at.

/// A folder that paths may be named relative to: `path.module`, `path.root`, `path.cwd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BasePath {
    /// The folder of the module that the name is written in.
    Module,
    /// The folder of the module that is run.
    Root,
    /// The working directory of the program, which relative paths of resources begin at.
    WorkingDirectory,
}

impl BasePath {
    /// All of them, in the order of their names.
    #[doc(hidden)]
    pub const ALL: [Self; 3] = [Self::WorkingDirectory, Self::Module, Self::Root];

    /// The names of all of them, in the order of [`ALL`](Self::ALL).
    #[doc(hidden)]
    pub const NAMES: [&str; 3] = ["cwd", "module", "root"];

    /// What follows `path.`.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkingDirectory => "cwd",
            Self::Module => "module",
            Self::Root => "root",
        }
    }
}
