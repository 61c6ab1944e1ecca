//! Tests of loading inside another program with the public API.
#![expect(clippy::disallowed_methods, reason = "tests make the files that must not be reached")]

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use converge_core::engine::Engine;
use converge_core::graph::Graph;
use converge_core::load::{
    GraphBuilder, LoadError, Loader, Memory, ModuleSource, ModulesBelow, Reading, SourceError, Sources,
};
use converge_core::plan::{ApplyPlanError, Mismatch};
use converge_core::system::ModelSystem;
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
    // `main` and `unwrap` show the `Debug` form, which must be as readable.
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
    // Removing the diagnostics does not turn a failed load into a graph.
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
    let error = GraphBuilder::new(&registry).resource("parm", "b", |resource| resource).build().unwrap_err();
    assert_eq!(error.diagnostics[0].code, "unknown-type");
}

/// Errors appear in logs and terminals, so text of a module must stay within its line.
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

/// The text of the error contains no secret that the diagnostics do not contain.
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

/// A module that a tenant must not reach by any means of a load.
const SECRET: &str = "param \"stolen\" { default = \"the neighbour's\" }";

fn from(sources: Sources, text: &str) -> Result<Arc<Graph>, LoadError> {
    Loader::new(&Registry::new()).with_sources(sources).load_text("tenant.hcl", text).into_graph()
}

fn codes(error: &LoadError) -> Vec<&str> {
    error.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// A table of modules by tenant and name that changes while the program runs.
#[derive(Debug, Default)]
struct Table {
    rows: RwLock<HashMap<(u32, String), String>>,
    reads: AtomicUsize,
}

#[derive(Debug)]
struct TenantRows {
    table: Arc<Table>,
    tenant: u32,
}

impl ModuleSource for TenantRows {
    fn read(&self, name: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
        self.table.reads.fetch_add(1, Ordering::Relaxed);
        let missing =
            |reason: &str| SourceError::Unreadable { name: name.to_owned(), reason: reason.to_owned() };
        let rows = self.table.rows.read().map_err(|error| missing(&error.to_string()))?;
        let key = (self.tenant, name.to_owned());
        rows.get(&key).map(|row| row.as_str().into()).ok_or_else(|| missing("there is no such row"))
    }
}

#[test]
fn modules_come_from_a_database() {
    let table = Arc::new(Table::default());
    let add = |tenant, name: &str, text: &str| {
        table.rows.write().unwrap().insert((tenant, name.to_owned()), text.to_owned());
    };
    add(1, "web/main.hcl", "module \"../port.hcl\" \"a\" {}\nmodule \"./../port.hcl\" \"b\" {}");
    add(1, "port.hcl", "param \"port\" { default = 80 }");
    add(2, "secret.hcl", SECRET);
    let rows = |tenant| Sources::only(TenantRows { table: Arc::clone(&table), tenant });

    let graph = from(rows(1), "module \"web/main.hcl\" \"web\" {}").unwrap();
    assert!(graph.find("root/module.web/module.b/param.port").is_some());
    // Both spellings name the same module, which is read once.
    assert_eq!(table.reads.load(Ordering::Relaxed), 2);

    let error =
        from(rows(1), "module \"web/main.hcl\" \"web\" {}\nmodule \"secret.hcl\" \"s\" {}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "tenant.hcl:2:8: error[unreadable-file]: cannot read secret.hcl: there is no such row; it is called in tenant.hcl"
    );
    // The next load sees the change.
    add(1, "port.hcl", "parm \"port\" {}");
    let error = from(rows(1), "module \"web/main.hcl\" \"web\" {}").unwrap_err();
    assert!(error.to_string().starts_with("port.hcl:1:1: error[unknown-type]"), "{error}");
}

#[test]
fn a_cycle_of_modules_in_memory_is_told() {
    let modules =
        Memory::new().with("a.hcl", "module \"b.hcl\" \"b\" {}").with("b.hcl", "module \"./a.hcl\" \"a\" {}");
    let error = from(Sources::only(modules), "module \"a.hcl\" \"a\" {}").unwrap_err();
    assert_eq!(codes(&error), ["include-cycle"]);
}

/// The test tries every way to name a file of this machine, in a text and in a module of the tenant.
#[test]
fn a_tenant_reaches_no_file_of_the_machine() {
    let place = tempfile::tempdir().unwrap();
    let (site, outside) = (place.path().join("site"), place.path().join("outside.hcl"));
    std::fs::create_dir(&site).unwrap();
    std::fs::write(&outside, SECRET).unwrap();
    std::fs::write(site.join("web.hcl"), "param \"port\" { default = 80 }").unwrap();
    std::os::unix::fs::symlink(&outside, site.join("absolute.hcl")).unwrap();
    std::os::unix::fs::symlink("../outside.hcl", site.join("relative.hcl")).unwrap();
    std::os::unix::fs::symlink("web.hcl", site.join("inside.hcl")).unwrap();
    let path = outside.display();
    let sources = || {
        let modules = Memory::new().with("web.hcl", "param \"port\" { default = 80 }");
        [Sources::only(modules), Sources::only(ModulesBelow::open(&site).unwrap())]
    };
    for sources in sources() {
        let error = |text: &str| from(sources.clone(), text).unwrap_err();
        assert!(from(sources.clone(), "module \"web.hcl\" \"web\" {}").is_ok());
        for reference in [
            format!("{path}"),
            format!("file://{path}"),
            "../outside.hcl".to_owned(),
            "web.hcl/../../outside.hcl".to_owned(),
            "https://127.0.0.1:1/a.hcl".to_owned(),
        ] {
            assert_eq!(
                codes(&error(&format!("module \"{reference}\" \"m\" {{}}"))),
                ["outside-source"],
                "{reference}"
            );
        }
        for link in ["absolute.hcl", "relative.hcl"] {
            let result_error = error(&format!("module \"{link}\" \"m\" {{}}"));
            assert!(
                matches!(*codes(&result_error), ["outside-source" | "unreadable-file"]),
                "{result_error}"
            );
        }
        for text in [
            format!("file(\"{path}\")"),
            format!("templatefile(\"{path}\", {{}})"),
            "file(\"web.hcl\")".to_owned(),
        ] {
            let result_error = error(&format!("param \"p\" {{ default = {text} }}"));
            assert!(result_error.to_string().contains("cannot be read here"), "{result_error}");
        }
        // The application cannot reach the file either when it uses a name from a tenant.
        let registry = Registry::new();
        let loader = Loader::new(&registry).with_sources(sources.clone());
        for loaded in [loader.load_file(&outside), loader.load(&path.to_string())] {
            assert_eq!(codes(&loaded.into_graph().unwrap_err()), ["outside-source"]);
        }
    }
    let sources_below = Sources::only(ModulesBelow::open(&site).unwrap());
    assert!(from(sources_below.clone(), "module \"inside.hcl\" \"web\" {}").is_ok());
    let message = from(sources_below, "module \"relative.hcl\" \"m\" {}").unwrap_err();
    assert_eq!(codes(&message), ["outside-source"], "{message}");
}

/// A module from one loader is not a file for another one.
#[test]
fn a_name_of_one_source_is_no_path() {
    let source = Sources::only(Memory::new().with("a.hcl", "")).resolve(None, "a.hcl").unwrap();
    let files = Sources::new();
    assert_eq!(files.read(&source).unwrap_err().code(), "outside-source");
    assert_eq!(files.resolve(Some(&source), "/etc/passwd").unwrap_err().code(), "outside-source");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let place = tempfile::tempdir().unwrap();
    let make = |name: &str, kind| {
        let path = place.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, rustix::fs::Mode::RUSR, 0).unwrap();
    };
    make("pipe.hcl", rustix::fs::FileType::Fifo);
    make("socket.hcl", rustix::fs::FileType::Socket);
    std::fs::create_dir(place.path().join("folder.hcl")).unwrap();
    std::fs::write(place.path().join("bytes.hcl"), b"\xff").unwrap();
    let check = |name: &str, expect: &str| {
        let sources = Sources::only(ModulesBelow::open(place.path()).unwrap());
        let error = from(sources, &format!("module \"{name}\" \"m\" {{}}")).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    };
    check("pipe.hcl", "cannot read pipe.hcl: it is a named pipe, not a regular file");
    check("socket.hcl", "cannot read socket.hcl: it is a socket, not a regular file");
    check("folder.hcl", "cannot read folder.hcl: it is a directory");
    check("none.hcl", "cannot read none.hcl: there is no such file");
    check("bytes.hcl", "bytes.hcl is not UTF-8");
    assert!(ModulesBelow::open(place.path().join("bytes.hcl")).is_err());
    assert!(ModulesBelow::open(Path::new("/no/such/folder")).is_err());
}

#[test]
fn no_source_gives_more_than_a_module_may_have() {
    let long = Memory::new().with("long.hcl", " ".repeat((16 << 20) + 1));
    let error = from(Sources::only(long), "module \"long.hcl\" \"m\" {}").unwrap_err();
    assert_eq!(codes(&error), ["file-too-large"]);
}

/// The set of files determines the graph, and a stored plan belongs to that graph.
#[tokio::test]
async fn a_stored_plan_notices_a_file_that_came() {
    let registry = Registry::new();
    let main = "module \"leaf.hcl\" \"leaf\" { for_each = fileset(\"conf.d\", \"*.conf\") }";
    let load = |files: Memory| {
        let modules = Memory::new().with("main.hcl", main).with("leaf.hcl", "param \"p\" { default = 1 }");
        let sources = Sources::only(modules).with_files(files);
        Loader::new(&registry).with_sources(sources).load("main.hcl").into_graph().unwrap()
    };
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    let files = Memory::new().with("conf.d/a.conf", "");
    let plan = engine.make_plan(&load(files.clone())).await.unwrap();
    assert!(engine.apply_plan(&load(files.clone()), &plan).await.is_ok());
    let larger = load(files.with("conf.d/b.conf", ""));
    let error = engine.apply_plan(&larger, &plan).await.unwrap_err();
    assert_eq!(error, ApplyPlanError::Differs { mismatches: vec![Mismatch::Graph] });
}
