//! The origin of a module's text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_source::Source;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ModuleOrigin {
    Source(Source),
    /// A text given by the program under this name.
    Text(Arc<str>),
}

impl ModuleOrigin {
    /// Returns the name that messages use.
    pub(crate) fn name(&self) -> &Arc<str> {
        match self {
            Self::Source(source) => source.name(),
            Self::Text(name) => name,
        }
    }

    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Self::Source(source) => Some(source),
            Self::Text(_) => None,
        }
    }

    /// Returns the directory that the module reads files from.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        self.source().and_then(Source::directory).map(Path::to_owned)
    }
}
