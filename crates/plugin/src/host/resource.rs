//! The resources and tasks of a plugin, as the engine uses them.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use super::super::protocol::{CallResult, Method, WireValue};
use super::call::{Link, PrepareArgs};
use super::supervisor::Inner;
use crate::sdk::context::Context;
use crate::sdk::error::{Error, Result};
use crate::sdk::export::Exports;
use crate::sdk::registry::{AnyResource, AnyTask, MakeResource};
use crate::sdk::resource::Renderer;
use crate::sdk::status::Status;
use crate::types::schema::ExportField;
use crate::types::value::Value;

pub(super) struct PluginType {
    pub(super) plugin: Arc<Inner>,
    pub(super) name: &'static str,
    pub(super) exports: Arc<[ExportField]>,
    pub(super) refreshes: bool,
}

/// Makes the resources of a type.
pub(super) struct PluginMaker(pub(super) Arc<PluginType>);

impl MakeResource for PluginMaker {
    fn make(&self, values: Vec<(&'static str, Value)>) -> Box<dyn AnyResource> {
        Box::new(PluginResource { of: Arc::clone(&self.0), values })
    }
}

/// The fields of a resource that has not been sent to the plugin yet.
struct PluginResource {
    of: Arc<PluginType>,
    values: Vec<(&'static str, Value)>,
}

#[async_trait]
impl AnyResource for PluginResource {
    async fn prepare_any(self: Box<Self>, cx: &Context, renderer: &dyn Renderer) -> Result<Box<dyn AnyTask>> {
        let Self { of, values } = *self;
        let link = Inner::link(&of.plugin, renderer.id().to_string()).await?;
        let fields = values.into_iter().map(|(name, value)| (name.to_owned(), WireValue(value)));
        let target = PrepareArgs { resource: of.name, fields: fields.collect() };
        let reply = link.call(Method::Prepare, cx, Some(renderer), Some(target)).await?;
        if reply != CallResult::default() {
            return Err(Error::msg(format!(
                "{} returned a status in prepare, which has none",
                of.plugin.shown
            )));
        }
        Ok(Box::new(PluginTask { of, link, exports: Exports::new() }))
    }
}

struct PluginTask {
    of: Arc<PluginType>,
    link: Link,
    exports: Exports,
}

impl PluginTask {
    async fn call(
        &mut self,
        method: Method,
        cx: &Context,
        renderer: Option<&dyn Renderer>,
    ) -> Result<Status> {
        let reply = self.link.call(method, cx, renderer, None).await?;
        let lacks = |what: &str| {
            Error::msg(format!("{} returned no {what} in {}", self.of.plugin.shown, method.as_str()))
        };
        let status = reply.status.ok_or_else(|| lacks("status"))?;
        let wire_exports = reply.exports.ok_or_else(|| lacks("exports"))?;
        let export_error = |name: &str, problem: &str| {
            Error::msg(format!("{} {problem} the export `{name}` of {}", self.of.plugin.shown, self.of.name))
        };
        let mut exports = Exports::new();
        for (name, WireValue(value)) in wire_exports {
            if !self.of.exports.iter().any(|export| export.name == name) {
                return Err(export_error(&name, "returned a value for the undescribed export"));
            }
            exports.insert(name, value);
        }
        if let Some(missing) = self.of.exports.iter().find(|export| exports.get(&[export.name]).is_none()) {
            return Err(export_error(missing.name, "gave no value for"));
        }
        self.exports = exports;
        Ok(status.into())
    }
}

#[async_trait]
impl AnyTask for PluginTask {
    async fn check_any(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        self.call(Method::Check, cx, Some(renderer)).await
    }

    async fn apply_any(&mut self, cx: &Context) -> Result<Status> {
        self.call(Method::Apply, cx, None).await
    }

    async fn refresh_any(&mut self, cx: &Context) -> Option<Result<Status>> {
        if !self.of.refreshes {
            return None;
        }
        Some(self.call(Method::Refresh, cx, None).await)
    }

    fn exports_any(&self) -> Exports {
        self.exports.clone()
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
