//! Values that are drawn once, stored, and drawn again if they no longer fit the declaration.

use std::collections::BTreeMap;

use converge_sdk::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keepers;

/// The fields that all resources with a drawn value share.
#[derive(Debug)]
pub(super) struct Keeping {
    pub(super) state: Ensure,
    pub(super) keepers: BTreeMap<String, String>,
}

/// A resource with a drawn value.
#[async_trait]
pub(super) trait DrawnResource: Send + Sync {
    type Value: Serialize + DeserializeOwned + Send + Sync;

    fn keeping(&self) -> &Keeping;

    /// Returns the reason why a value could not have been drawn, or `None` if it could.
    ///
    /// Only a misfit is replaced.
    fn misfit(&self, value: &Self::Value) -> Option<String>;

    async fn draw(&self, cx: &Context) -> Result<Self::Value>;

    /// Returns the form of a value in a difference.
    fn shown(value: &Self::Value) -> DiffValue;

    fn export(&mut self, cx: &Context, value: Option<Self::Value>);
}

/// The stored form of a value.
#[derive(Serialize, Deserialize)]
struct Stored<V> {
    value: V,
    /// The mark of the keepers for which the value was drawn.
    keepers: String,
}

async fn kept<D: DrawnResource>(cx: &Context) -> Result<Option<Stored<D::Value>>> {
    let Some(text) = cx.keep().get().await? else { return Ok(None) };
    // The error of the parser may quote the secret text.
    let parsed = serde_json::from_str(text.expose());
    parsed.map(Some).map_err(|_| {
        Error::msg("the stored value is not of this type: draw a new one with `state = \"absent\"`")
    })
}

/// Returns the reason why a value has to be drawn, or `None` if the stored one stays.
fn reason<D: DrawnResource>(task: &D, record: Option<&Stored<D::Value>>) -> Option<String> {
    let record = record?;
    if !keepers::has_mark(&task.keeping().keepers, &record.keepers) {
        return Some("`keepers` have changed since the value was drawn".to_owned());
    }
    task.misfit(&record.value)
}

pub(super) async fn check<D: DrawnResource>(task: &mut D, cx: &Context) -> Result<Status> {
    let mut status = Status::new();
    if task.keeping().state == Ensure::Absent {
        if cx.keep().get().await?.is_some() {
            status.add_difference("state", Ensure::Present.as_str(), Ensure::Absent.as_str());
        }
        task.export(cx, None);
        status.raise_level_for_diffs();
        return Ok(status);
    }
    let record = kept::<D>(cx).await?;
    let mismatch = reason(task, record.as_ref());
    match (record, mismatch) {
        (Some(record), None) => task.export(cx, Some(record.value)),
        (Some(kept), Some(why)) => {
            status.add_difference("value", D::shown(&kept.value), DiffValue::Unknown);
            status.add_message(format!("another value is drawn: {why}"));
            task.export(cx, None);
        }
        (None, _) => {
            status.add_difference("value", DiffValue::Placeholder("(none)".to_owned()), DiffValue::Unknown);
            task.export(cx, None);
        }
    }
    status.raise_level_for_diffs();
    Ok(status)
}

pub(super) async fn apply<D: DrawnResource>(task: &mut D, cx: &Context) -> Result<Status> {
    if task.keeping().state == Ensure::Absent {
        cx.keep().forget().await?;
        return Ok(Status::new());
    }
    let before = kept::<D>(cx).await?;
    let stays = before.is_some() && reason(task, before.as_ref()).is_none();
    let value = match before {
        Some(record) if stays => record.value,
        _ => {
            let keepers = keepers::mark(cx, &task.keeping().keepers).await?;
            let record = Stored { value: task.draw(cx).await?, keepers };
            // The value is stored before anything sees it, so that a later run finds it even if this one is
            // killed.
            let text = serde_json::to_string(&record).map_err(|_| Error::msg("the value cannot be kept"))?;
            cx.keep().put(&Secret::new(text)).await?;
            record.value
        }
    };
    task.export(cx, Some(value));
    Ok(Status::new())
}

/// Implements `Task` for a resource with a drawn value.
macro_rules! task {
    ($type:ty) => {
        impl converge_sdk::Task for $type {
            async fn check(
                &mut self,
                cx: &converge_sdk::Context,
                _renderer: &dyn converge_sdk::Renderer,
            ) -> converge_sdk::Result<converge_sdk::Status> {
                $crate::random::drawn_value::check(self, cx).await
            }

            async fn apply(
                &mut self,
                cx: &converge_sdk::Context,
            ) -> converge_sdk::Result<converge_sdk::Status> {
                $crate::random::drawn_value::apply(self, cx).await
            }
        }
    };
}

pub(super) use task;
