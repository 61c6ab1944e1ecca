//! What became of the plugins that modules name.

use std::collections::BTreeMap;

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
