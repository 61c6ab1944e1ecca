//! Runs the query.

use converge_core::prelude::*;

use crate::shell::run::{Ran, ScriptError, ScriptResult, Shell};
use crate::text::Text;

/// A query and its answer.
#[derive(Debug, Export)]
pub struct Query {
    /// The script.
    #[export(name = "task")]
    script: Text,
    /// How it ended and what it printed.
    #[re_export_as = "status"]
    #[export(computed)]
    status: Option<ScriptResult>,
    /// The same, under the name that it has for `task`.
    #[export(computed)]
    checkstatus: Option<ScriptResult>,
    shell: Shell,
}

impl Query {
    pub(super) fn new(script: Text, shell: Shell) -> Self {
        Self { script, status: None, checkstatus: None, shell }
    }
}

#[async_trait]
impl Task for Query {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.shell.run(cx, "query", &self.script).await? {
            Ran::Done(result) => {
                if !result.success() {
                    let (code, output) = (result.exit_code(), result.printed());
                    status.add_message(ScriptError::Failed { name: "query", code, output }.to_string());
                }
                self.checkstatus = Some(result.clone());
                self.status = Some(result);
            }
            Ran::NotYet { missing } => {
                status.add_message(missing);
                status.raise_level(StatusLevel::MayChange);
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
