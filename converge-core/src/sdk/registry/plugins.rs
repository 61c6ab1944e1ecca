//! What became of the plugins that modules name.

use std::collections::BTreeMap;

use super::Registry;

/// Why a plugin that a module names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginProblem {
    /// Why.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

/// What became of a plugin that a module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PluginStanding<'a> {
    /// Nobody has tried to start it.
    Unknown,
    /// It runs, and its types are known.
    Started,
    /// It cannot be used.
    Refused(&'a PluginProblem),
}

/// By name and SHA-256.
pub(super) type Named = BTreeMap<(String, String), Option<PluginProblem>>;

impl Registry {
    /// Says what became of a plugin that a module names: that it was started, or why it was not. Of one of which nothing is said a
    /// module must not name it.
    #[cfg(feature = "plugin-host")]
    pub(crate) fn with_plugin(mut self, name: &str, sha256: &str, problem: Option<PluginProblem>) -> Self {
        self.plugins.insert((name.to_owned(), sha256.to_ascii_lowercase()), problem);
        self.identity = super::RegistryIdentity::default();
        self
    }

    /// What became of a plugin of this name and SHA-256.
    pub(crate) fn plugin(&self, name: &str, sha256: &str) -> PluginStanding<'_> {
        match self.plugins.get(&(name.to_owned(), sha256.to_ascii_lowercase())) {
            None => PluginStanding::Unknown,
            Some(None) => PluginStanding::Started,
            Some(Some(problem)) => PluginStanding::Refused(problem),
        }
    }
}
