//! `healthcheck.task`: the other name of `task`.

use converge_core::prelude::*;
use converge_core::resource::Refresher;
use converge_core::schema::{BlockKind, Fields};
use converge_core::value::FieldError;

use super::{Script, ScriptPreparer};

/// `task` under the name that modules give to checks of health.
#[derive(Debug)]
pub struct HealthcheckPreparer(ScriptPreparer);

// Written by hand: its fields are those of `task`, and are described there.
impl Preparer for HealthcheckPreparer {
    const NAME: &'static str = "healthcheck.task";
    type Task = Script;
    const DOC: &'static str = ScriptPreparer::DOC;
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
        self.0.prepare(cx, renderer).await
    }
}

converge_core::register!(HealthcheckPreparer);
