use converge_sdk::prelude::*;
use converge_sdk::{Health, Refreshing, RunMode};
use indexmap::IndexMap;

use crate::missing_dependency;
use crate::shell::run::{ScriptError, ScriptOutcome, ScriptResult, Shell};
use crate::text::Text;

/// The task of a `task` or `healthcheck.task` resource.
#[derive(Debug, Export)]
pub struct Script {
    /// The script that checks.
    #[export]
    check: Text,
    /// The script that changes.
    #[export]
    apply: Text,
    /// The working directory of the scripts.
    #[export]
    dir: Text,
    /// The variables that are added to their environment.
    #[export]
    env: IndexMap<String, Text>,
    /// The result of the last script that ran: `apply` if it ran, and `check` otherwise.
    #[re_export_as = "status"]
    #[export(computed)]
    status: Option<ScriptResult>,
    /// The result of the first run of `check`.
    #[export]
    checkstatus: Option<ScriptResult>,
    /// `healthy` if the last run of `check` ended with exit code 0, `warning` for 1, `error` for any other.
    #[export(computed)]
    healthstatus: Option<Health>,
    shell: Shell,
    applied: bool,
    /// Whether the syntax of `apply` has been checked.
    apply_is_accepted: bool,
    /// Whether the exit code of the check gives the health of the resource.
    reports_health: bool,
}

/// Converts the exit code of a check to a health.
fn health(result: &ScriptResult) -> Health {
    match result.exit_code() {
        0 => Health::Healthy,
        1 => Health::Warning,
        _ => Health::Error,
    }
}

impl Script {
    pub(in crate::shell) fn new(check: Text, apply: Text, shell: Shell) -> Self {
        let (dir, env) = (shell.dir.clone(), shell.env.clone());
        Self {
            check,
            apply,
            dir,
            env,
            status: None,
            checkstatus: None,
            healthstatus: None,
            shell,
            applied: false,
            apply_is_accepted: false,
            reports_health: false,
        }
    }

    /// Makes the check report health.
    pub(in crate::shell) fn with_health(self) -> Self {
        Self { reports_health: true, ..self }
    }

    /// Checks the syntax of `apply`, once.
    async fn accept_apply(&mut self, cx: &Context) -> Result<()> {
        if !self.apply_is_accepted {
            self.shell.check_syntax(cx, "apply", &self.apply).await?;
            self.apply_is_accepted = true;
        }
        Ok(())
    }

    /// Checks the syntax of `apply`, unless the shell does so itself before it runs any of it.
    async fn accept_before_apply(&mut self, cx: &Context) -> Result<()> {
        if self.shell.reads_at_once(&self.apply) { Ok(()) } else { self.accept_apply(cx).await }
    }

    fn record(&mut self, result: &ScriptResult) {
        self.healthstatus = Some(health(result));
        self.checkstatus.get_or_insert_with(|| result.clone());
        if !self.applied {
            self.status = Some(result.clone());
        }
    }
}

impl Task for Script {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let never_runs = self.check.is_empty() && cx.refreshing() == Refreshing::Never;
        if never_runs && !self.apply.is_empty() {
            status.add_warning("there is no `check`, so `apply` only runs for `on_change_of`");
        }
        let result = match self.shell.run(cx, "check", &self.check).await? {
            ScriptOutcome::Done(result) => result,
            ScriptOutcome::NotYet { missing } => return Ok(missing_dependency::not_yet(missing)),
        };
        self.record(&result);
        if self.reports_health {
            status.set_health(health(&result));
        }
        if result.success() {
            return Ok(status);
        }
        // The syntax check takes a process of its own, so it runs only after a failure.
        self.shell.check_failed(cx, "check", &self.check, &result).await?;
        if cx.mode() == RunMode::Plan {
            self.accept_apply(cx).await?;
        } else {
            self.accept_before_apply(cx).await?;
        }
        let (code, output) = (result.exit_code(), result.printed());
        if !self.apply.is_empty() {
            status.add_difference("check", format!("exit code {code}"), "exit code 0");
            if !output.is_empty() {
                status.add_message(format!("`check` printed{output}"));
            }
            status.raise_level(StatusLevel::WillChange);
            return Ok(status);
        }
        let failed = ScriptError::Failed { name: "check", code, output };
        if cx.pending().is_empty() {
            status.raise_level(StatusLevel::CantChange);
            status.set_error(format!("there is no `apply`, so nothing can be changed: {failed}"));
        } else {
            status.add_message(failed.to_string());
            status.raise_level(StatusLevel::MayChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        self.accept_before_apply(cx).await?;
        let result = match self.shell.run(cx, "apply", &self.apply).await? {
            ScriptOutcome::Done(result) => result,
            ScriptOutcome::NotYet { missing } => return Err(Error::msg(missing)),
        };
        self.applied = true;
        let (code, output) = (result.exit_code(), result.printed());
        if code != 0 && !self.apply_is_accepted {
            self.shell.check_failed(cx, "apply", &self.apply, &result).await?;
        }
        self.status = Some(result);
        if code != 0 {
            return Err(Error::other(ScriptError::Failed { name: "apply", code, output }));
        }
        if !output.is_empty() {
            status.add_message(format!("`apply` printed{output}"));
        }
        Ok(status)
    }
}

impl Refresh for Script {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        if self.apply.is_empty() {
            return Err(Error::msg("there is no `apply`, which is what `on_change_of` runs"));
        }
        self.apply(cx).await
    }
}
