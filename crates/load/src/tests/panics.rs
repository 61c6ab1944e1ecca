//! Tests of resource types whose code panics, which must only affect that resource.

use std::str::FromStr;

use super::*;

/// A resource whose validation and conversion panic on demand.
#[derive(Debug, Preparer)]
#[preparer(name = "a.panic", task = Nothing, validate, register = false)]
struct PanicPreparer {
    /// The function that panics, such as `validate`.
    at: Option<String>,
    /// A value whose conversion panics if the text is `boom`.
    text: Option<Fragile>,
}

#[derive(Debug, HclText)]
struct Fragile(String);

impl std::fmt::Display for Fragile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Fragile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        assert!(text != "boom", "{text} went off");
        Ok(Self(text.to_owned()))
    }
}

impl Validate for PanicPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        assert!(self.at.as_deref() != Some("validate"), "the rules broke");
        Ok(())
    }
}

impl Drop for PanicPreparer {
    fn drop(&mut self) {
        assert!(self.at.as_deref() != Some("drop"), "it cannot be dropped");
    }
}

/// Empty exports.
#[derive(Debug, Export)]
struct Nothing {}

impl Resource for PanicPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Nothing> {
        let _ = &self.text;
        Ok(Nothing {})
    }
}

impl Task for Nothing {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

#[test]
fn a_panic_is_a_mistake_of_its_resource() {
    let registry = Registry::new().with::<PanicPreparer>().unwrap();
    let check = |body: &str, expect: &[&str]| {
        let text = format!(
            "a.panic \"ok\" {{}}\na.panic \"x\" {{\n  {body}\n}}\nparam \"boom\" {{ default = \"boom\" }}"
        );
        let loaded = Loader::new(&registry).load_text("m.hcl", text);
        let place = |span| {
            let position = loaded.sources.position(span);
            format!("{}:{}", position.line, position.column)
        };
        assert_eq!(lines(&loaded, place), expect, "{body}");
    };
    check("text = \"fine\"", &[]);
    check(
        "text = \"boom\"",
        &["3:10 invalid-value: a.panic.text: the code of this type panicked: boom went off"],
    );
    check(
        "text = param.boom",
        &["3:10 5:26 invalid-value: a.panic.text: the code of this type panicked: boom went off"],
    );
    check(
        "at = \"validate\"",
        &["2:1 invalid-value: a.panic: the code of this type panicked: the rules broke"],
    );
    check(
        "at = \"drop\"",
        &["2:1 invalid-value: a.panic: the code of this type panicked: it cannot be dropped"],
    );
}
