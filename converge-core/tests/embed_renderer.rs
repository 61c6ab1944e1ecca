//! Tests of templates and expressions outside a run.
#![expect(clippy::unwrap_used, reason = "a test")]

use converge_core::graph::NodeId;
use converge_core::language::{ValueRenderer, WorkLimits};
use converge_core::prelude::*;
use converge_core::system::{LocalSystem, System};
use converge_core::value::ModuleFunction;
use converge_core::{Registry, Renderer};

fn renderer() -> ValueRenderer {
    let port = ModuleFunction::pure("port", "The port of a service.", |base: u16| base + 80);
    let registry = Registry::new().with_function(port).unwrap();
    ValueRenderer::new()
        .with_param("name", "web")
        .with_param("password", Value::from("hunter2-hunter2").into_secret())
        .with_lookup("task.query.host.status.stdout", Value::unknown("task.query.host"))
        .with_env("HOME", "/srv")
        .with_functions(registry.functions())
}

fn shown(result: Result<Value>) -> String {
    result.map_or_else(|error| error.to_string(), |value| value.to_string())
}

#[test]
fn a_program_renders_and_evaluates_on_its_own() {
    let check = |template: &str, expression: &str, expect: &str| {
        assert_eq!(shown(renderer().render("it", template)), expect, "{template}");
        assert_eq!(shown(renderer().evaluate("it", expression)), expect, "{expression}");
    };
    check("{{param `name`}}:{{port 8000}}", r#"format("%s:%d", param.name, port(8000))"#, r#""web:8080""#);
    check("{{env `HOME`}}", "env.HOME", r#""/srv""#);
    check("<{{param `password`}}>", r#"format("<%s>", param.password)"#, "(sensitive)");
    let path = "task.query.host.status.stdout";
    check(&format!("{{{{lookup `{path}`}}}}"), path, "(known after apply)");
    check("{{port 70000}}", "port(70000)", "it: port: 70000 is out of range: at least 0 and at most 65535");
    check("{{prot 1}}", "prot(1)", "it: there is no function `prot`; did you mean `port`?");
}

#[test]
fn what_is_no_single_expression_is_refused() {
    for text in ["", "1\nother = 2", "1 }", "a b"] {
        let error = renderer().evaluate("it", text).unwrap_err().to_string();
        assert!(error.starts_with("it: "), "{text}: {error}");
    }
}

#[test]
fn limits_hold_for_all_texts_together() {
    let renderer = renderer().with_limits(WorkLimits { steps: 2000, ..WorkLimits::default() });
    let work = || renderer.evaluate("it", r#"length([for a in range(100) : upper("x")])"#);
    assert_eq!(shown(work()), "100");
    let error = (0..50).find_map(|_| work().err());
    assert!(error.unwrap().to_string().contains("take more than 2000 steps"));
}

#[test]
fn the_platform_and_the_id_are_those_that_are_given() {
    let system = LocalSystem::new();
    let id = NodeId::root().child("task.mine");
    let renderer = renderer().with_platform(system.platform().clone()).with_id(id.clone());
    assert_eq!(renderer.evaluate("it", "platform.os").unwrap(), Value::from(&*system.platform().os));
    assert_eq!(Renderer::id(&renderer), &id);
}
