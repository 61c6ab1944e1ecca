//! `healthcheck.task`: a `task` whose check tells how healthy something is.

use converge_core::prelude::*;
use converge_core::resource::Refresher;
use converge_core::schema::{BlockKind, Fields};
use converge_core::value::FieldError;

use super::{Script, ScriptPreparer};

/// A [`ScriptPreparer`] whose check tells how healthy something is.
#[derive(Debug)]
pub struct HealthcheckPreparer(ScriptPreparer);

const DOC: &str = "\
Runs a script that tells how healthy something is, and what `task` runs.

`converge healthcheck` takes the health from the exit code of `check`: with 0 the resource is *healthy*, with 1 it is a
*warning*, with any other an *error*. In a plan and in an apply it is the same as `task`: with 0 there is nothing to do,
and with any other exit code `apply` runs, without which the check has failed.";

// Written by hand: its fields are those of `task`, and are described there.
impl Preparer for HealthcheckPreparer {
    const NAME: &'static str = "healthcheck.task";
    type Task = Script;
    const DOC: &'static str = DOC;
    const EXAMPLE: &'static str = include_str!("healthcheck.hcl");

    fn block() -> BlockKind {
        ScriptPreparer::block()
    }

    fn from_fields(fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        ScriptPreparer::from_fields(fields).map(Self)
    }

    fn refresher() -> Option<Refresher<Script>> {
        ScriptPreparer::refresher()
    }
}

#[async_trait]
impl Resource for HealthcheckPreparer {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<Script> {
        Ok(self.0.prepare(cx, renderer).await?.of_health())
    }
}

converge_core::register!(HealthcheckPreparer);
