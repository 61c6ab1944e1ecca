//! Tests of Converge's additions to Go's templates.

use std::sync::Arc;

use super::{TestScope, check, outcome};
use crate::language::template::{Template, functions};
use crate::types::base_path::BasePath;
use crate::types::platform::Platform;
use crate::types::scope::{Each, Scope, ScopeError};
use crate::types::value::{Unknown, Value};

/// A scope within an instance of a `for_each`, on a machine that may be unknown.
struct Instance {
    each: Each,
    machine: Result<(), Unknown>,
    rest: TestScope,
}

impl Scope for Instance {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        self.rest.param(name)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.rest.lookup(path)
    }

    fn env(&self, name: &str) -> String {
        self.rest.env(name)
    }

    fn platform(&self) -> &Platform {
        self.rest.platform()
    }

    fn machine(&self) -> Result<(), Unknown> {
        self.machine.clone()
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        match base.name() {
            "module" => Ok("/srv/site".into()),
            _ => Err(ScopeError::Message("it is not known here".to_owned())),
        }
    }

    fn each(&self) -> Option<&Each> {
        Some(&self.each)
    }
}

#[track_caller]
fn check_instance(value: Value, machine: Result<(), Unknown>, table: &[(&str, &str)]) {
    let scope = Instance { each: Each { key: Arc::from("web"), value }, machine, rest: TestScope::new() };
    for (template, expect) in table {
        let actual = outcome(Template::parse(template).and_then(|template| template.render(&scope)));
        assert_eq!(actual, *expect, "{template}");
    }
}

#[test]
fn each_is_a_record_of_key_and_value() {
    check_instance(
        [("port", Value::Int(80)), ("names", vec!["a", "b"].into())].into(),
        Ok(()),
        &[
            ("{{each.key}}:{{each.value.port}}", "web:80"),
            ("{{each.value.names | join `,`}}", "a,b"),
            ("{{with each.value}}{{.port | printf `%05d`}}{{end}}", "00080"),
            ("{{range $k, $v := each.value}}{{$k}} {{end}}", "names port "),
            ("{{$e := each}}{{$e.key | printf `%q`}}", "\"web\""),
            ("{{each.value.none}}", "error 12..17: there is no `none` in the map"),
            ("{{(each).key}}{{each.key | len}}", "web3"),
            ("{{param (printf `%.0s%s` each.key `s`)}}", "text"),
        ],
    );
    check_instance("web".into(), Ok(()), &[("{{each.value}} {{eq each.key each.value}}", "web true")]);
    check_instance(
        Value::from("v").into_secret(),
        Ok(()),
        &[("{{each.key}}", "web"), ("{{each.value}}", "secret: \"v\"")],
    );
    check(&[("{{each.key}}", "error 2..6: each: there is no `for_each` here")]);
}

/// Templates accept the resource paths of expressions.
///
/// No valid Go template uses this form, because no function is followed by a dot.
#[test]
fn a_path_is_looked_up() {
    check(&[
        ("{{task.query.host.status.stdout}}!", "web1!"),
        ("{{ task.a.status.exitstatus | printf `%03d` }}", "000"),
        ("{{if eq task.a.status.exitstatus 0}}yes{{end}}", "yes"),
        ("{{(task.a.status).stdout}}{{print task.query.host.status.stdout `x`}}", "outweb1x"),
        ("{{task.b.x}}", "error 2..10: lookup: `task.b` is not a dependency: add `depends = [\"task.b\"]`"),
        ("{{parm.s}}", "error 2..6: there is no function `parm`; did you mean `param`?"),
        ("{{upper.s}}", "error 2..7: `upper` takes 1 argument, but got 0"),
        ("{{param.s.t}}", "error 9..11: a string has no field `t`"),
        ("{{task.a.x `b`}}", "error 2..6: `lookup` takes 1 argument, but got 2"),
    ]);
}

#[test]
fn the_machine_is_not_known_while_a_module_is_loaded() {
    let unknown = Err(Unknown { waits_for: "the machine".into() });
    check_instance(
        "x".into(),
        unknown,
        &[
            ("{{platform.OS}}", "unknown: the machine"),
            ("{{if eq platform.OS `linux`}}a{{else}}b{{end}}", "unknown: the machine"),
            ("{{env `HOME`}}", "unknown: the machine"),
            ("{{each.key}}-{{env `HOME` | len}}", "unknown: the machine"),
            ("{{and false (env `HOME`)}}", "false"),
        ],
    );
}

/// Every example in the table of functions gives the documented output.
#[test]
fn every_example_gives_what_it_says() {
    let scope = Instance {
        each: Each { key: Arc::from("web"), value: [("port", 80)].into() },
        machine: Ok(()),
        rest: TestScope::new(),
    };
    for function in functions() {
        let (template, result) = function.example();
        let actual = outcome(Template::parse(template).and_then(|template| template.render(&scope)));
        assert_eq!(actual, result, "{template}");
        assert!(template.contains(function.name()), "{template} does not call {}", function.name());
        assert!(function.doc().ends_with('.'), "{}", function.doc());
        assert!(function.signature().starts_with(function.name()));
    }
}

#[test]
fn a_word_in_single_quotes_is_a_string() {
    check(&[
        ("{{param 'list'}} {{'ab'}} {{printf '%s-%s' 'cd' 'ef'}}", "[1 2 3] ab cd-ef"),
        ("{{lookup 'task.a.status.exitstatus' | printf '%02s'}}", "00"),
        ("{{if eq (param `s`) 'text'}}{{'it is'}}{{end}}", "it is"),
        ("{{'äö'}} {{len 'äö'}} {{'\\'\\''}}", "äö 4 ''"),
        // One character in quotes is a number, as in Go.
        ("{{'a'}} {{'ä'}}", "97 228"),
        ("{{param 's'}}", "error 8..11: `param` needs a string here, not an integer"),
        ("{{'two words'}}{{'}}'}}", "two words}}"),
    ]);
}

#[test]
fn a_computed_name_is_resolved_when_it_runs() {
    check(&[
        ("{{param (print `x`)}}", "error 2..19: param: there is no parameter `x`; did you mean `list`?"),
        ("{{param (slice `xs` 1)}} {{paramList (printf `l%s` `ist`)}}", "text [1 2 3]"),
        ("{{lookup (printf `task.%s.status.%s` `a` `exitstatus`)}}", "0"),
        (
            "{{$n := `task.b.x`}}{{lookup $n}}",
            "error 22..31: lookup: `task.b` is not a dependency: add `depends = [\"task.b\"]`",
        ),
        ("{{range split `,` `s,n`}}{{param .}};{{end}}", "text;5;"),
        ("{{param (param `unknown`)}}", "unknown: task.first"),
        ("{{lookup (param `unknown` | printf `task.%s.x`)}}", "unknown: task.first"),
    ]);
}
