//! A renderer that works without an engine.

use converge_graph::ValueRenderer;

/// A renderer of templates with parameters and lookups that the test sets.
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
pub type FakeRenderer = ValueRenderer;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sdk::resource::Renderer;
    use crate::types::value::Value;

    fn check(template: &str, expect: &str) {
        let renderer = FakeRenderer::new()
            .with_param("name", "world")
            .with_lookup("task.query.host.status.stdout", "box")
            .with_lookup("task.query.later.status.stdout", Value::unknown("task.query.later"))
            .with_env("HOME", "/root");
        let actual = renderer
            .render("text", template)
            .map_or_else(|error| error.to_string(), |value| value.to_string());
        assert_eq!(actual, expect, "{template}");
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
