use converge_sdk::prelude::*;

use crate::missing_dependency;
use crate::shell::run::{ScriptError, ScriptOutcome, ScriptResult, Shell};
use crate::text::Text;

/// The task of a `task.query` resource.
#[derive(Debug, Export)]
pub struct Query {
    /// The script.
    #[export(name = "task")]
    pub(super) script: Text,
    /// The exit code and the output of the script.
    #[re_export_as = "status"]
    #[export(computed)]
    pub(super) status: Option<ScriptResult>,
    /// The same result, under the name that it has for `task`.
    #[export(computed)]
    pub(super) checkstatus: Option<ScriptResult>,
    pub(super) shell: Shell,
}

impl Task for Query {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.shell.run(cx, "query", &self.script).await? {
            ScriptOutcome::Done(result) => {
                // This is no error: modules for the original Converge look up how a command failed.
                if !result.success() {
                    self.shell.check_failed(cx, "query", &self.script, &result).await?;
                    let (code, output) = (result.exit_code(), result.printed());
                    status.add_message(ScriptError::Failed { name: "query", code, output }.to_string());
                }
                self.checkstatus = Some(result.clone());
                self.status = Some(result);
            }
            ScriptOutcome::NotYet { missing } => return Ok(missing_dependency::not_yet(missing)),
        }
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
