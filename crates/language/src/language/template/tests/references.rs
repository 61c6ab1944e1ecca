//! Tests of the references of templates.

use super::{Template, TestScope};
use crate::language::template::ReferenceTarget;

/// Formats the references as `name@start`, in order.
fn references(text: &str) -> String {
    let template = Template::parse(text).unwrap();
    let names = template.references().iter().map(|reference| {
        let place = &text[reference.range.start as usize..reference.range.end as usize];
        match &reference.target {
            ReferenceTarget::Param(name) => format!("param {name} at {place}"),
            ReferenceTarget::Lookup(path) => format!("lookup {path} at {place}"),
            ReferenceTarget::Each => format!("each at {place}"),
            ReferenceTarget::TemplateFile(path) => {
                let path = path.in_scope(&TestScope::new());
                format!("file {} at {place}", path.as_deref().unwrap_or("?"))
            }
            ReferenceTarget::Traversal(_) | ReferenceTarget::Picked(_) | ReferenceTarget::This(_) => {
                "not of templates".to_owned()
            }
            ReferenceTarget::Computed => format!("computed at {place}"),
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_branch_is_read() {
    let check = |text: &str, expect: &str| assert_eq!(references(text), expect, "{text}");
    check("no actions", "");
    check(
        "{{param `a`}}{{paramList \"b\"}}{{paramMap 'cc'}}",
        "param a at `a`, param b at \"b\", param cc at 'cc'",
    );
    check("{{templatefile `a`}}{{templatefile `b` nil}}", "file a at `a`, file b at `b`");
    check("{{templatefile (printf `a`)}}{{dict | templatefile `c`}}", "file ? at printf `a`");
    check("{{each.key}} {{each.value.port | print}}", "each at each, each at each");
    check("{{lookup `task.a.x`}}", "lookup task.a.x at `task.a.x`");
    check(
        "{{task.a.x}} {{file.content.b.c | join `,`}}",
        "lookup task.a.x at task.a.x, lookup file.content.b.c at file.content.b.c",
    );
    check(
        "{{if eq task.a.x `1`}}{{end}}{{print (module.m.output.x)}}",
        "lookup task.a.x at task.a.x, lookup module.m.output.x at module.m.output.x",
    );
    check(
        "{{if false}}{{param `a`}}{{else if param `b`}}{{else}}{{lookup `c`}}{{end}}",
        "param a at `a`, param b at `b`, lookup c at `c`",
    );
    check(
        "{{range paramList `a`}}{{param `b`}}{{else}}{{param `c`}}{{end}}",
        "param a at `a`, param b at `b`, param c at `c`",
    );
    check(
        "{{with param `a`}}{{param `b`}}{{else}}{{param `c`}}{{end}}",
        "param a at `a`, param b at `b`, param c at `c`",
    );
    check(
        "{{define `t`}}{{param `a`}}{{end}}{{block `b` (param `b`)}}{{param `c`}}{{end}}",
        "param a at `a`, param b at `b`, param c at `c`",
    );
    check("{{and false (eq (param `a`) (lookup `b`))}}", "param a at `a`, lookup b at `b`");
    check("{{`a` | param}} {{(`b`) | lookup}}", "param a at `a`, lookup b at `b`");
    check("{{(paramMap `m`).a}}{{$x := param `n`}}", "param m at `m`, param n at `n`");
    check("{{template `t` (param `a`)}}{{define `t`}}{{end}}", "param a at `a`");
    check("{{param (param `inner`)}}", "computed at param `inner`, param inner at `inner`");
    check("{{lookup (printf `task.%s` `a`)}}", "computed at printf `task.%s` `a`");
    check("{{$n := `a`}}{{param $n}}", "computed at $n");
}
