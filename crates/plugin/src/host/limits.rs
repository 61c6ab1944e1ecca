//! The time limits for plugins.

use std::time::Duration;

/// The time limits for a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginLimits {
    /// The time for the plugin to say hello, and again for the description of its types.
    pub start: Duration,
    /// The time that a plugin may be silent in a call: no request and no progress event.
    pub silence: Duration,
    /// The time between the end of a call or run and the kill of a plugin that does not comply.
    pub grace: Duration,
}

impl Default for PluginLimits {
    /// Returns the defaults: ten seconds to start, ten minutes of silence, five seconds of grace.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            silence: Duration::from_mins(10),
            grace: Duration::from_secs(5),
        }
    }
}
