//! Tests of functions that a program offers to its modules, in templates and expressions.
#![cfg(feature = "testing")]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test, and one of what panics")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use converge_core::load::{Memory, Sources};
use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::ModelSystem;
use converge_core::value::{ModuleFunction, Purity, Secret};
use converge_core::{RegistryBuilder, RegistryError, RunId};

/// Shows a text that it is given, and one that it renders itself.
#[derive(Debug, Preparer)]
#[preparer(name = "show", task = Show, register = false)]
struct ShowPreparer {
    /// The text.
    text: Value,
    /// The predicate that determines whether the text is shown.
    template: Option<String>,
}

#[derive(Debug, Export)]
struct Show {
    /// The text.
    #[export]
    text: String,
}

impl Resource for ShowPreparer {
    async fn prepare(self, _: &Context, renderer: &dyn Renderer) -> Result<Show> {
        let suffix = self.template.map(|template| renderer.render("template", &template.replace('<', "{{")));
        let suffix = suffix.transpose()?.map(|own| format!(" {own}")).unwrap_or_default();
        Ok(Show { text: format!("{}{suffix}", self.text) })
    }
}

impl Task for Show {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.add_message(self.text.clone());
        Ok(status)
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

/// Returns a registry with functions of every number of arguments, and the number of calls of `now`.
fn registry() -> (Registry, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let address = |name: String| match name.as_str() {
        "a" => Ok("10.0.0.1".to_owned()),
        _ => Err(Error::msg(format!("there is no host {name}"))),
    };
    let functions = [
        ModuleFunction::pure("fleet_ip", "The address of a host.", address),
        ModuleFunction::pure("sites", "All sites.", || vec!["north".to_owned(), "south".to_owned()]),
        ModuleFunction::pure("port", "The port of a service.", |base: u16, at: u8| base + u16::from(at)),
        ModuleFunction::pure("all", "All of three.", |a: bool, b: bool, c: bool| a && b && c),
        ModuleFunction::pure("four", "Four values.", |a: Value, b: i64, c: f64, d: Vec<String>| {
            format!("{a} {b} {c} {}", d.join("+"))
        }),
        ModuleFunction::pure("token", "A token.", || Secret::new("hunter2-hunter2".to_owned())),
        ModuleFunction::pure("broken", "Panics.", |_: Value| -> i64 { panic!("no luck") }),
        ModuleFunction::in_run("now", "How often it was called.", move || {
            i64::try_from(counter.fetch_add(1, Ordering::SeqCst)).unwrap_or_default()
        }),
    ];
    let builder = functions.into_iter().fold(Registry::builder(), RegistryBuilder::with_function);
    (builder.with::<ShowPreparer>().build().unwrap(), calls)
}

fn mistakes(module: &str) -> Vec<String> {
    let (registry, _) = registry();
    let loaded = Loader::new(&registry).load_text("m.hcl", module);
    loaded.diagnostics.iter().map(|mistake| mistake.one_line(&loaded.sources)).collect()
}

/// Returns the message of each resource in a run, or its error.
async fn shown(registry: &Registry, module: &str) -> Vec<String> {
    shown_with(registry, Memory::new(), module).await
}

/// Like `shown`, with files for `templatefile`.
async fn shown_with(registry: &Registry, files: Memory, module: &str) -> Vec<String> {
    let sources = Sources::new().with_files(files);
    let loaded = Loader::new(registry).with_sources(sources).load_text("m.hcl", module);
    let sources = Arc::clone(&loaded.sources);
    let graph = loaded.into_graph().unwrap();
    let mut texts = Vec::new();
    let mut sink = |event: Event| {
        let EventKind::ResourceFinished(report) = event.kind else { return };
        texts.extend(report.messages);
        let failure = report.failure.into_iter().flat_map(|failure| failure.diagnostics);
        texts.extend(failure.map(|mistake| mistake.one_line(&sources)));
        texts.extend(
            report
                .differences
                .iter()
                .map(|difference| format!("{}: {:?}", difference.name, difference.after)),
        );
    };
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    engine.plan(&graph).id(RunId::new("run")).sink(&mut sink).await.unwrap();
    texts
}

async fn check(text: &str, expect: &str) {
    let (registry, _) = registry();
    let module = format!("show \"it\" {{ text = {text} }}");
    assert_eq!(shown(&registry, &module).await, [expect], "{text}");
}

#[tokio::test]
async fn functions_have_up_to_four_typed_arguments() {
    check(r#"fleet_ip("a")"#, r#""10.0.0.1""#).await;
    check(r#""http://{{fleet_ip `a`}}/""#, r#""http://10.0.0.1/""#).await;
    check(r#""{{`a` | fleet_ip}}""#, r#""10.0.0.1""#).await;
    check("sites()", r#"["north", "south"]"#).await;
    check("[for site in sites() : upper(site)]", r#"["NORTH", "SOUTH"]"#).await;
    check(r#""{{range sites}}<{{.}}>{{end}}""#, r#""<north><south>""#).await;
    check(r#"port("8000", 80)"#, "8080").await;
    check(r#""{{port 8000 80}}""#, "8080").await;
    check(r#"all(true, "true", 1 == 1)"#, "true").await;
    check(r#"four({a = 1}, 2, 3, ["x", "y"])"#, r#""{a = 1} 2 3 x+y""#).await;
    check(r#"four(null, [2, 3, ["x"]]...)"#, r#""null 2 3 x""#).await;
}

/// Functions work in template files as in the module, and each call belongs to the run.
#[tokio::test]
async fn files_of_templates_call_them_too() {
    let (registry, calls) = registry();
    let files = Memory::new()
        .with("host.tmpl", "{{fleet_ip .name}} {{range sites}}<{{.}}>{{end}}")
        .with("now.tmpl", "{{.name}} {{now}}")
        .with("wrong.tmpl", "\n{{fleet_ip .name}}");
    let check = async |file: &str, name: &str, expect: &str| {
        let module = format!("show \"it\" {{ text = templatefile(\"{file}\", {{name = {name}}}) }}");
        assert_eq!(shown_with(&registry, files.clone(), &module).await, [expect], "{file}");
    };
    check("host.tmpl", "\"a\"", "\"10.0.0.1 <north><south>\"").await;
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    check("now.tmpl", "\"a\"", "\"a 0\"").await;
    check("now.tmpl", "\"a\"", "\"a 1\"").await;
    let expect = "m.hcl:1:20: error[expression]: templatefile: wrong.tmpl:2: fleet_ip: there is no host b";
    check("wrong.tmpl", "format(\"b%s\", env.NONE)", expect).await;
}

#[test]
fn wrong_calls_are_told_at_their_place() {
    let check = |text: &str, expect: &str| {
        assert_eq!(
            mistakes(&format!("param \"x\" {{ default = {text} }}")),
            [format!("m.hcl:1:{expect}")],
            "{text}"
        );
    };
    check("fleet_ip()", "23: error[expression]: `fleet_ip` takes 1 argument, but got 0");
    check("\"{{fleet_ip}}\"", "26: error[template]: `fleet_ip` takes 1 argument, but got 0");
    check(
        "fleet_ib(\"a\")",
        "23: error[expression]: there is no function `fleet_ib`; did you mean `fleet_ip`?",
    );
    check(
        "\"{{fleet_ib `a`}}\"",
        "26: error[template]: there is no function `fleet_ib`; did you mean `fleet_ip`?",
    );
    check("fleet_ip([\"a\"])", "32: error[expression]: fleet_ip: expected a string, found a list");
    check("port(1, 300)", "31: error[expression]: port: 300 is out of range: at least 0 and at most 255");
    check("\"{{port 1 300}}\"", "33: error[template]: port: 300 is out of range: at least 0 and at most 255");
    check("fleet_ip(\"b\")", "23: error[expression]: fleet_ip: there is no host b");
    check("\"{{fleet_ip `b`}}\"", "26: error[template]: fleet_ip: there is no host b");
    check("broken(1)", "23: error[expression]: broken: the function panicked: no luck");
    check("\"{{broken 1}}\"", "26: error[template]: broken: the function panicked: no luck");
}

#[tokio::test]
async fn a_panic_in_a_run_is_a_mistake_of_the_resource() {
    let (registry, _) = registry();
    let module = "show \"it\" { text = broken(now()) }";
    let panicked = "m.hcl:1:20: error[expression]: broken: the function panicked: no luck";
    assert_eq!(shown(&registry, module).await, [panicked]);
}

#[tokio::test]
async fn what_is_not_pure_waits_for_the_run() {
    let (registry, calls) = registry();
    let module = "show \"it\" { text = now() + 10 }\nshow \"other\" { text = \"{{now}}\" }";
    let loaded = Loader::new(&registry).load_text("m.hcl", module);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    let mut texts = shown(&registry, module).await;
    texts.sort();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert!([["0", "11"], ["1", "10"]].iter().any(|expect| texts == *expect), "{texts:?}");

    // A function is not called with an unknown argument, which is no error before the run.
    let module = "show \"it\" { text = fleet_ip(now()) }\nshow \"other\" { text = \"{{fleet_ip now}}\" }";
    let texts = shown(&registry, module).await;
    assert!(
        texts.len() == 2 && texts.iter().all(|text| text.contains("fleet_ip: there is no host ")),
        "{texts:?}"
    );

    // The load does not determine the instances of a resource from it either.
    let module = "show \"it\" {\n  for_each = [\"{{now}}\"]\n  text = each.key\n}";
    let loaded = Loader::new(&registry).load_text("m.hcl", module);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    assert_eq!(shown(&registry, module).await, ["\"4\""]);
}

#[tokio::test]
async fn unknown_values_and_secrets_spread() {
    let (registry, _) = registry();
    let module = r#"
param "secret" {
  default   = "a-secret-name"
  sensitive = true
}
show "made" { text = token() }
show "of_one" { text = try(fleet_ip(param.secret), "none at all") }
show "refused" { text = "{{if eq platform.OS `linux`}}{{fleet_ip (param `secret`)}}{{end}}" }
"#;
    let texts = shown(&registry, module).await;
    assert!(
        texts.iter().all(|text| !text.contains("hunter2") && !text.contains("a-secret-name")),
        "{texts:?}"
    );
    assert!(texts.contains(&"(sensitive)".to_owned()), "{texts:?}");
    let hidden = "fleet_ip: failed; the reason is not shown, because an argument is secret";
    assert!(texts.iter().any(|text| text.contains(hidden)), "{texts:?}");
}

#[tokio::test]
async fn templates_of_a_run_and_graphs_in_rust_have_them_too() {
    let (registry, _) = registry();
    let module = "show \"it\" {\n  text = 1\n  template = \"<fleet_ip `a`}}\"\n}";
    assert_eq!(shown(&registry, module).await, ["1 \"10.0.0.1\""]);
    let graph = GraphBuilder::new(&registry)
        .resource("show", "it", |builder| builder.template("text", "{{fleet_ip `a`}}"))
        .build();
    assert!(graph.is_ok(), "{graph:?}");
}

#[tokio::test]
async fn predicates_and_validations_call_them() {
    let (registry, _) = registry();
    let module = r#"
param "port" {
  default = 8080
  validation {
    condition = "eq (param `port`) (port 8000 80)"
    message   = "no"
  }
}
show "it" {
  when = "eq (fleet_ip `a`) `10.0.0.1`"
  text = "on"
}
"#;
    assert_eq!(shown(&registry, module).await, ["\"on\""]);
}

#[test]
fn a_registry_refuses_what_cannot_be_a_function() {
    let refused = |function: ModuleFunction| {
        let registry = Registry::new().with_function(ModuleFunction::pure("mine", "One.", || 1)).unwrap();
        registry.with_function(function).unwrap_err().to_string()
    };
    let check = |name: &'static str, doc: &'static str, expect: &str| {
        let expect = format!("the function `{name}` cannot be added: {expect}");
        assert_eq!(refused(ModuleFunction::pure(name, doc, || 1)), expect);
    };
    check("mine", "Again.", "it is there already");
    for reserved_name in ["upper", "jsonify", "lookup", "if", "for"] {
        check(reserved_name, "One.", "the module language has that name for itself");
    }
    check("fleet ip", "One.", "a name is made of a-z, A-Z, 0-9 and _, and begins with a letter");
    check("2nd", "One.", "a name is made of a-z, A-Z, 0-9 and _, and begins with a letter");
    check("other", " ", "say in one sentence what it gives");

    let twice = || ModuleFunction::pure("twice", "One.", || 1);
    let error = Registry::builder().with_function(twice()).with_function(twice()).build().unwrap_err();
    assert_eq!(error, RegistryError::Function { name: "twice", problem: "it is there already".to_owned() });
}

#[test]
fn a_registry_says_what_its_functions_are() {
    let (registry, _) = registry();
    let functions: Vec<_> =
        registry.functions().iter().map(|function| (function.signature(), function.purity())).collect();
    assert!(functions.contains(&("port(integer, integer)".to_owned(), Purity::Pure)), "{functions:?}");
    assert!(functions.contains(&("now()".to_owned(), Purity::InRun)), "{functions:?}");
    assert_eq!(
        registry.functions().get("fleet_ip").map(|function| function.doc()),
        Some("The address of a host.")
    );
}
