//! The results of starting the plugins that modules name.

use std::collections::BTreeMap;

/// The reason why a plugin that a module names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginProblem {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// The result of starting a plugin that a module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PluginStanding<'a> {
    /// No attempt was made to start the plugin.
    Unknown,
    /// The plugin runs, and its types are known.
    Started,
    /// The plugin cannot be used.
    Refused(&'a PluginProblem),
}

/// The results, by name and SHA-256.
pub(super) type Named = BTreeMap<(String, String), Option<PluginProblem>>;
