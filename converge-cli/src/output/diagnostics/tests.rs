use converge_core::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use converge_core::graph::ParamOrigin;
use converge_core::load::{GivenParam, Loader};
use converge_core::view::render;
use insta::assert_snapshot;

use super::{files_beside, human};
use crate::console::Paint;

#[test]
fn the_last_line_counts() {
    let error = || Diagnostic::error("code", "message");
    let warning = || Diagnostic::warning("code", "message");
    let check = |items: Vec<Diagnostic>, expect: Option<&str>| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(items);
        let text = human("load", "web.hcl", &diagnostics, &SourceMap::new(), Paint { color: false });
        assert_eq!(text.lines().last(), expect);
    };
    check(vec![], None);
    check(vec![error()], Some("error: could not load web.hcl: 1 error"));
    check(vec![error(), warning(), error()], Some("error: could not load web.hcl: 2 errors, 1 warning"));
    check(vec![warning(), warning()], Some("warning: web.hcl: 2 warnings"));
}

/// Tests the note for a file of a module folder that is loaded alone.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes the files")]
fn files_that_are_one_module() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let check = |name: &str, expect: bool| {
        let folder = expect.then_some(dir.path());
        assert_eq!(files_beside(&path(name)), folder, "{name}");
    };
    std::fs::write(path("module.hcl"), "").unwrap();
    std::fs::write(path("values.json"), "{}").unwrap();
    check("module.hcl", false);
    std::fs::write(path("other.hcl"), "").unwrap();
    check("module.hcl", true);
    check("other.hcl", true);
    check("values.json", false);
    std::fs::remove_file(path("module.hcl")).unwrap();
    check("other.hcl", false);
}

/// Returns all diagnostics of a module, with given values for `mode`.
fn load(text: &str, params: &[(&str, ParamOrigin)]) -> String {
    let registry = converge_resources::registry().unwrap();
    let loader = params.iter().fold(Loader::new(&registry), |loader, (value, origin)| {
        loader.with_given(GivenParam::new("mode", *value, origin.clone()))
    });
    let module = loader.load_text("web.hcl", text);
    module
        .diagnostics
        .iter()
        .map(|diagnostic| render::diagnostic(diagnostic, &module.sources, false))
        .collect()
}

#[test]
fn a_wrong_value_is_followed_to_where_it_was_given() {
    assert_snapshot!(load(
        r#"param "mode" {
  default = "rw"
}

param "prefix" {
  default = "{{param `mode`}}!"
}

file.mode "a" {
  destination = "/tmp/a"
  mode        = "0{{param `prefix`}}"
}

file.content "b" {
  destination = "/tmp/b"
  content     = <<EOF
first \t line
port {{index (split `,` (param `mode`)) 3}}
EOF
}

task.query "c" {
  query   = "true"
  timeout = "\t{{ param `mode` }}"
}
"#,
        &[],
    ));
}

#[test]
fn a_wrong_value_from_outside_names_its_origin() {
    let text = "param \"mode\" { default = 1 }\n\nfile.mode \"a\" {\n  destination = \"/tmp/a\"\n  mode = \"{{param `mode`}}\"\n}\n";
    let file = ParamOrigin::File { file: "site.hcl".into(), line: Some(2) };
    assert_snapshot!(load(text, &[("rw", ParamOrigin::CommandLine)]));
    assert_snapshot!(load(text, &[("rw", file)]));
}

#[test]
fn a_secret_is_not_shown_at_its_origin() {
    let text = "param \"mode\" {\n  sensitive = true\n  default = \"canary\"\n}\n\nfile.mode \"a\" {\n  destination = \"/tmp/a\"\n  mode = \"{{param `mode`}}\"\n}\n";
    let output = load(text, &[]);
    assert!(!output.contains("canary"), "{output}");
    assert_snapshot!(output);
}
