//! Tests of the references of an expression.

use super::{TestScope, file, lower};
use crate::language::template::{NameStep, ReferenceTarget};

/// Formats the references of an expression, each with the text that it covers.
fn references(text: &str) -> String {
    let expression = lower(text).unwrap();
    let file = file(text);
    let references = expression.references().iter().map(|reference| {
        let range = reference.range.start as usize..reference.range.end as usize;
        let target = match &reference.target {
            ReferenceTarget::Picked(name) => {
                let steps = name.steps.iter().map(|step| match step {
                    NameStep::Name(name) => format!(".{name}"),
                    NameStep::Key(key) => {
                        format!("[{}]", key.in_scope(&TestScope::new()).as_deref().unwrap_or("?"))
                    }
                });
                format!("Picked {}{}", name.base, steps.collect::<String>())
            }
            ReferenceTarget::TemplateFile(path) => {
                format!("TemplateFile {}", path.in_scope(&TestScope::new()).as_deref().unwrap_or("?"))
            }
            other => format!("{other:?}"),
        };
        format!("{target} at {}", &file[range])
    });
    references.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    assert_eq!(references(text), expect.join("\n"), "{text}");
}

#[test]
fn names() {
    check("param.a + param.b.c[0]", &[r#"Param("a") at param.a"#, r#"Param("b") at param.b"#]);
    check(r#"param["a-b"]"#, &[r#"Param("a-b") at param["a-b"]"#]);
    check("task.query.host", &[r#"Traversal("task.query.host") at task.query.host"#]);
    check(
        r#"file.content.page["a\"b"].destination[0].x"#,
        &[r#"Picked file.content.page["a\"b"].destination[0].x at file.content.page["a\"b"].destination"#],
    );
    check(
        "file.content.page[each.key].destination",
        &["Picked file.content.page[web].destination at file.content.page", "Each at each.key"],
    );
    check(
        "file.content.page[param.x].destination",
        &["Picked file.content.page[?].destination at file.content.page", r#"Param("x") at param.x"#],
    );
    check(
        r#"templatefile("a") + templatefile(param.s, null) + templatefile("c", {})"#,
        &["TemplateFile a at templatefile", "TemplateFile text at templatefile", r#"Param("s") at param.s"#],
    );
    check("task.list[*].status", &[r#"Traversal("task.list") at task.list"#]);
    check(
        "module.web.params.port + 1",
        &[r#"Traversal("module.web.params.port") at module.web.params.port"#],
    );
    check("self.mode == each.value.mode", &[r#"This("mode") at self.mode"#, "Each at each.value"]);
    check("env.HOME == platform.os", &[]);
}

#[test]
fn lookups() {
    check(r#"lookup("task.a.x")"#, &[r#"Lookup("task.a.x") at "task.a.x""#]);
    check("lookup(param.path)", &[r#"Param("path") at param.path"#, "Computed at param.path"]);
    check("lookup({a = 1}, param.key)", &[r#"Param("key") at param.key"#]);
}

#[test]
fn every_branch_counts() {
    check(
        "true ? task.a.x : task.b.x",
        &[r#"Traversal("task.a.x") at task.a.x"#, r#"Traversal("task.b.x") at task.b.x"#],
    );
    check(
        "{for k, v in param.m : k => task.a[v] if v != param.no}",
        &[r#"Param("m") at param.m"#, "Picked task.a[?] at task.a", r#"Param("no") at param.no"#],
    );
    check(
        "try(task.a.x, can(task.b.x))",
        &[r#"Traversal("task.a.x") at task.a.x"#, r#"Traversal("task.b.x") at task.b.x"#],
    );
}

#[test]
fn variables_hide_names() {
    check("[for param in [1] : param.x]", &[]);
    check("[for task in task.list.all : task.a]", &[r#"Traversal("task.list.all") at task.list.all"#]);
    check("[for x in param.a : [for x in x : x.y]]", &[r#"Param("a") at param.a"#]);
}

#[test]
fn templates_in_strings() {
    check(
        r#"["é\t{{param `a`}}", "\"{{lookup `task.b.x`}}"]"#,
        &[r#"Param("a") at `a`"#, r#"Lookup("task.b.x") at `task.b.x`"#],
    );
    check("{\"{{param `a`}}\" = param.b, c = 1}", &[r#"Param("a") at `a`"#, r#"Param("b") at param.b"#]);
}
