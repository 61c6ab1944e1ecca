//! Contexts and tasks for tests of resources.

mod progress;

use std::sync::Arc;

use crate::context::{Context, RunId, RunMode};
use crate::error::Result;
use crate::resource::{Renderer, Resource, to_resource};
use crate::system::System;
use crate::types::check::Fields;
use crate::types::schema::find_field;
use crate::types::value::Value;

pub use progress::ProgressRecorder;

/// Returns the context of an apply on `system`.
pub fn context<S: System + 'static>(system: &Arc<S>) -> Context {
    Context::new(system.clone(), RunId::new("test"), RunMode::Apply)
}

/// Returns the context of a plan on `system`.
pub fn plan_context<S: System + 'static>(system: &Arc<S>) -> Context {
    Context::new(system.clone(), RunId::new("test"), RunMode::Plan)
}

/// Makes the task of `R` from the names and values of its fields, as the engine does.
///
/// The function renders text, hides sensitive values, checks fields and rules, and prepares the task.
///
/// # Errors
///
/// - [State](crate::AppState) that `R` needs is missing in `cx`.
/// - Text cannot be rendered, a name is no field, a value does not fit, or a rule is broken.
/// - [`Resource::prepare`] fails.
pub async fn prepare<R: Resource>(
    values: impl IntoIterator<Item = (&str, Value)>,
    cx: &Context,
    renderer: &dyn Renderer,
) -> Result<R::Task> {
    if let Some(missing) = R::NEEDS.iter().find_map(|need| need.missing(cx.app_state())) {
        return Err(missing.into());
    }
    let block = R::block();
    let mut fields = Vec::new();
    for (name, value) in values {
        let value = render(value, name, renderer)?;
        let sensitive = find_field(&block.fields, name).is_some_and(|(_, field)| field.sensitive);
        fields.push((name.to_owned(), if sensitive { value.into_secret() } else { value }));
    }
    to_resource::<R>(Fields::from_map(&block, fields))?.prepare(cx, renderer).await
}

fn render(value: Value, name: &str, renderer: &dyn Renderer) -> Result<Value> {
    Ok(match value {
        Value::String(text) => renderer.render(name, &text)?,
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| render(item, name, renderer)).collect::<Result<_>>()?)
        }
        Value::Map(items) => Value::Map(
            items
                .into_iter()
                .map(|(key, item)| Ok((key, render(item, name, renderer)?)))
                .collect::<Result<_>>()?,
        ),
        value => value,
    })
}
