//! Tests of the laws with a resource type in a plugin, on the model host.

use converge_core::laws;
use converge_core::prelude::*;
use converge_core::schema::{BlockKind, ExportField, Fields};
use converge_core::system::ModelSystem;
use converge_core::value::{FieldError, Value};
use converge_core::{AnyTask, Exports};
use converge_tests::plugins::{Note, NoteTask};

use super::registry;

/// The plugin's `fixture.note` as a type for the law tests.
struct NoteOfPlugin(Vec<Option<Value>>);

impl Preparer for NoteOfPlugin {
    const NAME: &'static str = Note::NAME;
    type Task = TaskOfPlugin;
    const DOC: &'static str = Note::DOC;

    fn block() -> BlockKind {
        Note::block()
    }

    fn from_fields(mut fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        fields.check_shape();
        let values = (0..Self::block().fields.len()).map(|index| fields.take(index, || Some(Value::Null)));
        // The plugin supplies the defaults of missing fields.
        let values = values.map(|value| value.filter(|value| *value != Value::Null)).collect();
        if fields.has_errors() { Err(fields.into_errors()) } else { Ok(Self(values)) }
    }
}

impl Resource for NoteOfPlugin {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<TaskOfPlugin> {
        let resource_type = registry().get(Self::NAME).ok_or("the plugin has it")?;
        Ok(TaskOfPlugin(resource_type.from_values(self.0)?.prepare_any(cx, renderer).await?))
    }
}

/// The task of the type.
struct TaskOfPlugin(Box<dyn AnyTask>);

impl Export for TaskOfPlugin {
    fn export_fields() -> Vec<ExportField> {
        NoteTask::export_fields()
    }

    fn exports(&self) -> Exports {
        self.0.exports_any()
    }
}

impl Task for TaskOfPlugin {
    async fn check(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        self.0.check_any(cx, renderer).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.0.apply_any(cx).await
    }
}

laws!(
    NoteOfPlugin,
    start = || ModelSystem::new().with_dir("/work").with_file("/work/old", "old"),
    values = ("path", ["/work/note", "/work/old"]),
    cases = 12,
);
