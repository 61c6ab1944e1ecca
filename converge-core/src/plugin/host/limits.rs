//! How long is waited for a plugin.

use std::time::Duration;

/// How long is waited for a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginLimits {
    /// Until it has said what it is, and once more until it has described its types.
    pub start: Duration,
    /// In a call, while it says nothing at all: it asks for nothing, and tells of no progress.
    pub silence: Duration,
    /// Between a call that is given up, or the end of the run, and the end of a plugin that does not heed it.
    pub grace: Duration,
}

impl Default for PluginLimits {
    /// Ten seconds to start, ten minutes of silence, five seconds to end.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            silence: Duration::from_mins(10),
            grace: Duration::from_secs(5),
        }
    }
}
