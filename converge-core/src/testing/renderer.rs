//! A renderer without an engine.

use std::collections::BTreeMap;

use crate::language::template::{Scope, ScopeError, Template};
use crate::sdk::error::{Error, Result};
use crate::sdk::resource::Renderer;
use crate::types::id::NodeId;
use crate::types::platform::Platform;
use crate::types::value::Value;

/// Renders templates with parameters and lookups that the test gives.
///
/// ```
/// use converge_core::Renderer;
/// use converge_core::value::Value;
/// use converge_core::testing::FakeRenderer;
///
/// let renderer = FakeRenderer::new().with_param("name", "world");
/// assert_eq!(renderer.render("text", "hello {{param \"name\"}}")?, Value::from("hello world"));
/// # Ok::<(), converge_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FakeRenderer {
    id: NodeId,
    params: BTreeMap<String, Value>,
    lookups: BTreeMap<String, Value>,
    env: BTreeMap<String, String>,
    platform: Platform,
}

impl FakeRenderer {
    /// A renderer for the resource `root/test.it` on Linux, with no values.
    pub fn new() -> Self {
        Self {
            id: NodeId::root().child("test.it"),
            params: BTreeMap::new(),
            lookups: BTreeMap::new(),
            env: BTreeMap::new(),
            platform: Platform::new("linux"),
        }
    }

    /// With a parameter.
    pub fn with_param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// With an exported value of another resource: `file.content.index.destination`.
    pub fn with_lookup(mut self, path: impl Into<String>, value: impl Into<Value>) -> Self {
        self.lookups.insert(path.into(), value.into());
        self
    }

    /// With an environment variable.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With another platform.
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }
}

impl Default for FakeRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl Renderer for FakeRenderer {
    fn id(&self) -> &NodeId {
        &self.id
    }

    fn render(&self, name: &str, template: &str) -> Result<Value> {
        if Template::is_literal(template) {
            return Ok(Value::string(template));
        }
        let rendered = Template::parse(template).and_then(|template| template.render(self));
        rendered.map_err(|error| Error::from(error).context(name))
    }
}

fn find(given: &BTreeMap<String, Value>, what: &'static str, name: &str) -> Result<Value, ScopeError> {
    let found = given.get(name).cloned();
    found.ok_or_else(|| ScopeError::not_found(what, name, given.keys().map(String::as_str)))
}

impl Scope for FakeRenderer {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        find(&self.params, "parameter", name)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        find(&self.lookups, "resource", path)
    }

    fn env(&self, name: &str) -> String {
        self.env.get(name).cloned().unwrap_or_default()
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expect: &str) {
        let renderer = FakeRenderer::new()
            .with_param("name", "world")
            .with_lookup("task.query.host.status.stdout", "box")
            .with_lookup("task.query.later.status.stdout", Value::unknown("task.query.later"))
            .with_env("HOME", "/root");
        let shown =
            renderer.render("text", template).map_or_else(|error| error.to_string(), |it| it.to_string());
        assert_eq!(shown, expect, "{template}");
    }

    #[test]
    fn renders_with_what_the_test_gives() {
        check("plain", "\"plain\"");
        check("hello {{param \"name\"}}", "\"hello world\"");
        check("{{lookup \"task.query.host.status.stdout\"}} {{env \"HOME\"}}", "\"box /root\"");
        check("{{platform.OS}}", "\"linux\"");
        check("{{lookup \"task.query.later.status.stdout\"}}", "(known after apply)");
        check("{{param \"nmae\"}}", "text: param: there is no parameter `nmae`; did you mean `name`?");
    }
}
