//! What became of the plugins that modules name.

use std::collections::BTreeMap;

use super::{Registry, RegistryIdentity};

/// Why a plugin that a module names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginProblem {
    /// Why.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

/// By name and SHA-256.
pub(super) type Named = BTreeMap<(String, String), Option<PluginProblem>>;

impl Registry {
    /// Says what became of a plugin that a module names: that it was started, or why it was not. Of one of which nothing is said a
    /// module must not name it.
    #[cfg(feature = "plugin-host")]
    pub(crate) fn with_plugin(mut self, name: &str, sha256: &str, problem: Option<PluginProblem>) -> Self {
        self.plugins.insert((name.to_owned(), sha256.to_ascii_lowercase()), problem);
        self.identity = RegistryIdentity::default();
        self
    }

    /// What became of a plugin of this name and SHA-256; `None` when nobody has tried to start it.
    pub(crate) fn plugin(&self, name: &str, sha256: &str) -> Option<Option<&PluginProblem>> {
        self.plugins.get(&(name.to_owned(), sha256.to_ascii_lowercase())).map(Option::as_ref)
    }
}
