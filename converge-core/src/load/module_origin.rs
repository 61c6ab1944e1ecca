//! Where the text of a module comes from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::Source;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ModuleOrigin {
    Source(Source),
    /// From the program, which gives it this name.
    Text(Arc<str>),
}

impl ModuleOrigin {
    /// What messages call it.
    pub(super) fn name(&self) -> &Arc<str> {
        match self {
            Self::Source(source) => source.name(),
            Self::Text(name) => name,
        }
    }

    pub(super) fn source(&self) -> Option<&Source> {
        match self {
            Self::Source(source) => Some(source),
            Self::Text(_) => None,
        }
    }

    /// The directory that files are read from.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        self.source().and_then(Source::directory).map(Path::to_owned)
    }
}
