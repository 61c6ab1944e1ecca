//! Options for how long an apply waits for another apply.

use std::time::Duration;

use clap::Args;
use converge_core::engine::LockWait;
use converge_core::value::parse_duration;

#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// Wait at most this long (`30s`, `5m`) for another apply to end [default: no limit]
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "no_wait")]
    lock_timeout: Option<Duration>,

    /// Do not wait for another apply: exit with 5 if one is running
    #[arg(long)]
    no_wait: bool,
}

impl LockArgs {
    pub(crate) fn wait(&self) -> LockWait {
        match self.lock_timeout {
            _ if self.no_wait => LockWait::Never,
            Some(limit) => LockWait::AtMost(limit),
            None => LockWait::Forever,
        }
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "it is not a duration; write it like `30s` or `1h30m`".to_owned())
}
