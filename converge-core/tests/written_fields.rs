//! Tests that the rules between fields treat null in the same way wherever a value comes from.
#![cfg(feature = "testing")]
#![expect(clippy::expect_used, reason = "a test")]

use std::path::Path;
use std::sync::Arc;

use converge_core::Registry;
use converge_core::engine::Engine;
use converge_core::load::{Loader, Memory, Sources};
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, WriteFile};

/// Values that are known only after an apply.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.source", task = Self, register = false)]
struct Source {
    /// A text, after an apply.
    #[hcl(skip)]
    #[export(computed)]
    text: Option<String>,
    /// Null, also after an apply.
    #[hcl(skip)]
    #[export(computed)]
    nothing: Option<String>,
}

impl Task for Source {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let is_made = cx.system().files().read(Path::new("/made")).await?.is_some();
        self.text = is_made.then(|| "x".to_owned());
        let mut status = Status::new();
        status.add_difference("made", is_made.to_string(), "true");
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(Path::new("/made"), WriteFile::new(b"")).await?;
        Ok(Status::new())
    }
}

/// Pairs of fields, each with a rule.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.pairs", task = Self, register = false)]
struct Pairs {
    /// Excludes the next field.
    #[hcl(mutually_exclusive = "one,other")]
    #[export]
    one: Option<String>,
    /// Excludes the field before.
    #[hcl(mutually_exclusive = "one,other")]
    #[export]
    other: Option<String>,
    /// Conflicts with the next field.
    #[hcl(conflicts_with = "peace")]
    #[export]
    conflict: Option<String>,
    /// Conflicts with the field before.
    #[export]
    peace: Option<String>,
    /// Belongs to the next field.
    #[hcl(required_together = "left,right")]
    #[export]
    left: Option<String>,
    /// Belongs to the field before.
    #[hcl(required_together = "left,right")]
    #[export]
    right: Option<String>,
    /// Needs the next field.
    #[hcl(requires = "base")]
    #[export]
    top: Option<String>,
    /// Is needed by the field before, and needs the next field.
    #[export]
    base: Option<String>,
    /// Is required if the next field has its value.
    #[hcl(required_if = "state=x")]
    #[export]
    content: Option<String>,
    /// Decides about the field before.
    #[export]
    state: Option<String>,
}

/// Two fields of which one is required.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.some", task = Self, register = false)]
struct AtLeastOne {
    /// The first field.
    #[hcl(required_one_of = "one,other")]
    #[export]
    one: Option<String>,
    /// The second field.
    #[hcl(required_one_of = "one,other")]
    #[export]
    other: Option<String>,
}

/// A required field, and one that is required unless another has its value.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.required", task = Self, register = false)]
struct Required {
    /// The required field.
    #[hcl(required)]
    #[export]
    needed: String,
    /// The field that is required without the last one.
    #[hcl(required_unless = "excuse=x")]
    #[export]
    content: Option<String>,
    /// The excuse.
    #[export]
    excuse: Option<String>,
}

macro_rules! nothing_to_do {
    ($($task:ty)*) => {$(
        impl Task for $task {
            async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
                Ok(Status::new())
            }

            async fn apply(&mut self, _cx: &Context) -> Result<Status> {
                Ok(Status::new())
            }
        }
    )*};
}

nothing_to_do!(Pairs AtLeastOne Required);

/// The ways to give a field a value, and whether the field is written then.
const VALUES: [(Option<&str>, bool); 7] = [
    (None, false),
    (Some("null"), false),
    (Some("\"x\""), true),
    (Some("param.nothing"), false),
    (Some("param.text"), true),
    (Some("test.source.s.nothing"), false),
    (Some("test.source.s.text"), true),
];

/// Loads and applies a module.
///
/// Returns whether it was refused at load, or else whether it failed in the run.
async fn run(module: &str) -> Result<bool, String> {
    let registry = Registry::new().with::<Source>().and_then(Registry::with::<Pairs>);
    let registry = registry.and_then(Registry::with::<AtLeastOne>).and_then(Registry::with::<Required>);
    let registry = registry.expect("new types");
    let memory = Memory::new().with("main.hcl", module);
    let loaded = Loader::new(&registry).with_sources(Sources::only(memory)).load("main.hcl");
    if let [first, ..] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] {
        assert_eq!(loaded.diagnostics.len(), 1, "{module}\n{:#?}", loaded.diagnostics);
        return Err(first.message.clone());
    }
    let graph = loaded.into_graph().expect("a graph");
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    assert_eq!(engine.plan(&graph).await.expect("a plan").failed, 0, "{module}");
    Ok(engine.apply(&graph).await.expect("a run").failed > 0)
}

/// Tries all values of two fields.
///
/// `is_broken` tells whether the rule is broken from which fields are written.
async fn check(kind: &str, always: &str, fields: [&str; 2], is_broken: fn(bool, bool) -> bool) {
    for (first, first_is_written) in VALUES {
        for (second, second_is_written) in VALUES {
            let field = |name: &str, value: Option<&str>| {
                value.map_or_else(String::new, |value| format!("  {name} = {value}\n"))
            };
            let [one, other] = [field(fields[0], first), field(fields[1], second)];
            let module = format!(
                "param \"nothing\" {{ default = null }}\nparam \"text\" {{ default = \"x\" }}\n\
                 test.source \"s\" {{}}\n{kind} \"p\" {{\n{always}{one}{other}}}\n"
            );
            let is_broken = is_broken(first_is_written, second_is_written);
            let result = run(&module).await;
            assert_eq!(result.clone().unwrap_or(true), is_broken, "{module}\n{result:?}");
            // What is known at load is refused there.
            if ![first, second].into_iter().flatten().any(|value| value.contains("source")) {
                assert_eq!(result.is_err(), is_broken, "{module}\n{result:?}");
            }
        }
    }
}

#[tokio::test]
async fn fields_that_exclude_each_other() {
    check("test.pairs", "", ["one", "other"], |one, other| one && other).await;
    check("test.pairs", "", ["conflict", "peace"], |one, other| one && other).await;
}

#[tokio::test]
async fn fields_that_need_each_other() {
    check("test.pairs", "", ["left", "right"], |left, right| left != right).await;
    check("test.pairs", "", ["top", "base"], |top, base| top && !base).await;
}

#[tokio::test]
async fn fields_that_are_required() {
    check("test.some", "", ["one", "other"], |one, other| !one && !other).await;
    check("test.pairs", "", ["content", "state"], |content, state| state && !content).await;
    let needed = "  needed = \"y\"\n";
    check("test.required", needed, ["content", "excuse"], |content, excuse| !content && !excuse).await;
    check("test.required", "  excuse = \"x\"\n", ["needed", "content"], |needed, _| !needed).await;
}
