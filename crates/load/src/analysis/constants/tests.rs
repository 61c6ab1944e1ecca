use crate::language::{WorkBudget, WorkLimits};
use std::path::PathBuf;
use std::sync::Arc;

use super::evaluation::Constants;
use crate::Loader;
use crate::graph::{EachIs, LexicalScope, Module, NodeId};
use crate::model::purpose::Purpose;
use crate::sdk::registry::Registry;
use converge_value::types::schema::Kind;
use converge_value::types::scope::Each;
use converge_value::types::value::Value;

/// Asserts the value of the parameter `out`, which may use the other parameters.
fn check_for(purpose: Purpose, text: &str, expect: &str) {
    let loaded = Loader::new(&Registry::new()).load_text("m.hcl", text);
    let mut constants = Constants::new(purpose, Arc::new(WorkBudget::new(WorkLimits::default())));
    let (mut out, mut pending_names) = (None, Vec::new());
    for (_, node) in loaded.partial_graph().nodes() {
        match node.id.name() {
            "param.out" => out = node.param_value(),
            _ => constants.declare(node),
        }
    }
    let scope = LexicalScope {
        container: NodeId::root(),
        module: Arc::new(Module {
            id: NodeId::root(),
            source: "m.hcl".into(),
            directory: Some(PathBuf::from("/nowhere")),
            root: None,
            call: None,
            tags: Arc::default(),
            environment: Arc::default(),
            optional: false,
            files: None,
            visible: Arc::default(),
            paths: Arc::default(),
        }),
        each: EachIs::Known(Each { key: "k".into(), value: Value::Int(7) }),
    };
    match constants.evaluate(out.unwrap(), &Kind::Any, &scope, &loaded.sources) {
        Ok(value) => pending_names.push(format!("{value:?}")),
        Err(diagnostics) => pending_names.extend(diagnostics.iter().map(|diagnostic| {
            format!("{} {}", loaded.sources.text(diagnostic.span().unwrap()), diagnostic.message)
        })),
    }
    assert_eq!(pending_names.join("\n"), expect, "{text}");
}

fn check(text: &str, expect: &str) {
    check_for(Purpose::Run, text, expect);
}

#[test]
fn parameters_are_known_in_any_order() {
    check("param \"out\" { default = 1 }", "1");
    check("param \"a\" { default = 1 }\nparam \"out\" { default = \"{{param `a`}}\" }", "1");
    check(
        "param \"out\" { default = \"{{param `a`}}!\" }\n\
         param \"a\" { default = \"{{param `b`}}\" }\n\
         param \"b\" { default = 2 }",
        "\"2!\"",
    );
    check(
        "param \"a\" { default = [1, 2] }\nparam \"out\" { default = { x = \"{{paramList `a`}}\" } }",
        "{x = [1, 2]}",
    );
    check(
        "param \"a\" { default = \"b\" }\n\
         param \"b\" { default = \"{{param `c`}}\" }\n\
         param \"c\" { default = 3 }\n\
         param \"out\" { default = \"{{param (param `a`)}}\" }",
        "3",
    );
}

#[test]
fn what_a_run_knows_is_unknown() {
    check("param \"out\" { default = \"{{env `HOME`}}\" }", "Unknown(the machine)");
    check("param \"out\" { default = \"{{platform.OS}}\" }", "Unknown(the machine)");
    check(
        "param \"a\" { default = \"{{env `HOME`}}\" }\nparam \"out\" { default = [\"{{param `a`}}\", 1] }",
        "[(known after apply), 1]",
    );
    check("param \"out\" { default = \"{{lookup `task.a.b`}}\" }", "Unknown(task.a.b)");
}

#[test]
fn a_mistake_is_told_where_it_is() {
    check(
        "param \"name\" { default = 1 }\nparam \"out\" { default = \"{{param `nam`}}\" }",
        "param `nam` param: there is no parameter `nam`; did you mean `name`?",
    );
    check(
        "param \"a\" { default = 1 }\nparam \"out\" { default = \"{{index (paramList `a`) 1}}\" }",
        "paramList `a` paramList: the parameter is an integer, not a list",
    );
    // An invalid, missing or cyclic parameter is reported elsewhere.
    check("param \"a\" { default = \"{{param `no`}}\" }\nparam \"out\" { default = \"{{param `a`}}\" }", "");
    check("param \"a\" { default = \"{{index 1 2}}\" }\nparam \"out\" { default = \"{{param `a`}}\" }", "");
    check("param \"a\" {}\nparam \"out\" { default = \"{{param `a`}}\" }", "");
    check(
        "param \"a\" { default = \"{{param `b`}}\" }\n\
         param \"b\" { default = \"{{param `a`}}\" }\n\
         param \"out\" { default = \"{{param `a`}}\" }",
        "",
    );
    check(
        "param \"a\" { default = \"{{param (printf `%s` `a`)}}\" }\nparam \"out\" { default = \"{{param `a`}}\" }",
        "",
    );
}

#[test]
fn a_module_is_looked_at_without_values() {
    let check = |text: &str, expect: &str| check_for(Purpose::Inspect, text, expect);
    check(
        "param \"a\" {}\nparam \"out\" { default = \"x{{param `a`}}\" }",
        "Unknown(a value that is given when it runs)",
    );
}

#[test]
fn chains_have_no_limit() {
    use std::fmt::Write as _;

    let mut text =
        "param \"p0\" { default = \"end\" }\nparam \"out\" { default = \"{{param `p9999`}}\" }\n".to_owned();
    for index in 1..10_000 {
        writeln!(text, "param \"p{index}\" {{ default = \"{{{{param `p{}`}}}}\" }}", index - 1).unwrap();
    }
    check(&text, "\"end\"");
}
