//! `wait.query`: a script that is to succeed in the end.

mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::prelude::*;
use indexmap::IndexMap;

pub use task::Wait;

use super::run::Shell;
use crate::text::Text;
use crate::wait::Patience;

/// Waits until a script ends with exit code 0.
///
/// A check runs the script once. When it fails, the resource *will change*: an apply runs it again, as often as `max_retry`
/// says, and fails when it still does not succeed then, with how often it ran, how long that took, and how the last attempt
/// ended. A plan runs the script, so it must not change anything.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in it that reads standard input
/// too would take the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "wait.query", task = Wait, example = "example.hcl")]
pub struct WaitPreparer {
    /// The script.
    #[hcl(required, nonempty)]
    check: Text,
    /// The program that runs the script: a path, or a name that is searched in `PATH`. It is `/bin/sh`
    /// when nothing else is given.
    #[hcl(default)]
    interpreter: Text,
    /// Flags with which the interpreter checks the syntax of the script without running it. For `sh`, `bash`,
    /// `dash`, `ash`, `ksh`, `mksh` and `zsh` they are `-n` when none are given; for other interpreters, and
    /// with an empty list, the syntax is not checked.
    check_flags: Option<Vec<Text>>,
    /// Flags with which the interpreter runs the script.
    #[hcl(default)]
    exec_flags: Vec<Text>,
    /// How long one attempt may take. Then it is killed, with every program that it started, and counts as one that failed.
    timeout: Option<Duration>,
    /// The directory in which the script runs. It is the working directory of this program when nothing
    /// else is given.
    #[hcl(default)]
    dir: Text,
    /// Variables that are added to the environment of the script.
    #[hcl(default)]
    env: IndexMap<String, Text>,
    /// How long to wait after an attempt that failed, before the next one. It is `5s` when nothing else is given.
    interval: Option<Duration>,
    /// How long to wait before the first attempt, and again after the one that succeeds. There is no such wait when nothing
    /// is given.
    grace_period: Option<Duration>,
    /// The most attempts of an apply. It is 5 when nothing else is given.
    #[hcl(min = 1)]
    max_retry: Option<u32>,
}

#[async_trait]
impl Resource for WaitPreparer {
    async fn prepare(self, cx: &Context, _renderer: &dyn Renderer) -> Result<Wait> {
        let Self { check, interpreter, check_flags, exec_flags, timeout, dir, env, .. } = self;
        let shell = Shell { interpreter, check_flags, exec_flags, timeout, dir, env };
        shell.check_syntax(cx, "check", &check).await?;
        let patience = Patience::new(self.interval, self.grace_period, self.max_retry);
        Ok(Wait::new(check, shell, patience))
    }
}
