//! Loading inside somebody else's program, with the public API alone.
#![cfg(feature = "engine")]

use std::error::Error;
use std::sync::Arc;

use converge_core::graph::Graph;
use converge_core::load::{GraphBuilder, LoadError, Loader};
use converge_core::view::json;
use converge_core::{Redactor, Registry};

type AnyError = Box<dyn Error + Send + Sync + 'static>;

fn load(text: &str) -> Result<Arc<Graph>, LoadError> {
    Loader::new(&Registry::new()).load_text("site.hcl", text).into_graph()
}

#[test]
fn a_mistake_is_an_error_that_is_passed_on_and_read() {
    let program = || -> Result<usize, AnyError> {
        Ok(load("param \"a\" {\n  descriptin = \"\"\n  default = 1\n}\nparm \"b\" {}\n")?.len())
    };
    let error = program().unwrap_err();
    let text = "site.hcl:2:3: error[unknown-field]: param: unknown field `descriptin`\n  help: did you mean `description`?\n\
                site.hcl:5:1: error[unknown-type]: unknown resource type `parm`\n  help: did you mean `param`?";
    assert_eq!(error.to_string(), text);
    // `main` and `unwrap` show it in the other way, which has to be as good.
    assert_eq!(format!("{error:?}"), format!("LoadError:\n{text}"));
    assert_eq!(error.downcast_ref::<LoadError>().unwrap().diagnostics.len(), 2);
}

#[test]
fn places_are_data() {
    let error = load("param \"a\" {\n  descriptin = \"\"\n  default = 1\n}\n").unwrap_err();
    let record = json::diagnostic(&error.diagnostics[0], &error.sources);
    let place = &record.labels[0].place;
    assert_eq!((place.file, place.line, place.column), ("site.hcl", 2, 3));
    assert_eq!((place.end_line, place.end_column), (2, 13));
}

#[test]
fn warnings_stay_where_a_module_can_be_run() {
    let registry = Registry::new();
    let loaded = Loader::new(&registry).load_text("site.hcl", "param \"a\" { default = \"${param.b}\" }");
    assert_eq!(loaded.diagnostics.len(), 1);
    assert!(!loaded.diagnostics.has_errors());
    assert_eq!(loaded.into_graph().unwrap().len(), 1);
}

#[test]
fn a_module_with_a_mistake_is_looked_at_and_not_run() {
    let registry = Registry::new();
    let mut loaded =
        Loader::new(&registry).load_text("site.hcl", "param \"a\" { default = 1 }\nparm \"b\" {}\n");
    assert!(loaded.partial_graph().to_dot().to_string().contains("param.a"));
    // Not even by someone who takes the mistakes away.
    loaded.diagnostics = converge_core::diagnostic::Diagnostics::new();
    assert!(loaded.into_graph().is_err());
}

#[test]
fn what_cannot_be_found_is_the_same_error() {
    let registry = Registry::new();
    let error = Loader::new(&registry).load("no/such/file.hcl").into_graph().unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[unreadable-file]: cannot read no/such/file.hcl: there is no such file"
    );
    let error = GraphBuilder::new(&registry).resource("parm", "b", |it| it).build().unwrap_err();
    assert_eq!(error.diagnostics[0].code, "unknown-type");
}

/// It is shown in logs and terminals: what a module says stays in its line.
#[test]
fn no_module_controls_who_reads_of_its_mistakes() {
    let registry = Registry::new();
    let loaded = Loader::new(&registry).load_text("a\n\u{1b}[31mb.hcl", "parm \"b\" {}\n");
    let text = loaded.into_graph().unwrap_err().to_string();
    assert!(text.starts_with("a\\n\\u{1b}[31mb.hcl:1:1: error[unknown-type]"), "{text}");
}

#[test]
fn very_many_mistakes_are_a_short_text() {
    let error = load(&"parm \"b\" {}\n".repeat(500)).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.diagnostics.len(), 500);
    assert!(text.ends_with("\n... and 450 more"), "{text}");
    assert!(text.len() < 10_000, "{}", text.len());
}

/// The text of the error has no secret in it that the diagnostics have not.
#[test]
fn no_secret_is_in_the_text() {
    let registry = Registry::new();
    let redactor = Redactor::new();
    let loader = Loader::new(&registry).with_redactor(redactor.clone());
    let text = "param \"p\" {\n  sensitive = true\n  type = \"number\"\n  default = \"hunter2hunter2\"\n}\n";
    let error = loader.load_text("site.hcl", text).into_graph().unwrap_err();
    assert!(redactor.is_in("hunter2hunter2"));
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(text.contains("site.hcl:4") && !text.contains("hunter2"), "{text}");
    }
}
