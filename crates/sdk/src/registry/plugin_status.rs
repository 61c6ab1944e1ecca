//! The results of starting the plugins that modules name.

use std::collections::BTreeMap;

/// The reason why a plugin that a module names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct PluginProblem {
    #[doc(hidden)]
    pub message: String,
    #[doc(hidden)]
    pub help: Option<String>,
}

/// The result of starting a plugin that a module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum PluginStatus<'a> {
    /// No attempt was made to start the plugin.
    Unknown,
    /// The plugin runs, and its types are known.
    Started,
    /// The plugin cannot be used.
    Refused(&'a PluginProblem),
}

/// The results, by name and SHA-256.
pub(super) type PluginResults = BTreeMap<(String, String), Option<PluginProblem>>;
