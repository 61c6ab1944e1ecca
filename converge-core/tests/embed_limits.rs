//! Tests of the limits of loads, runs and systems, exactly at each limit and one above.
#![expect(clippy::disallowed_methods, reason = "tests make the files that are read")]
#![expect(clippy::unwrap_used, reason = "what is tried in several tests is a function here")]

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use converge_core::diagnostic::{Limit, ReachedLimit};
use converge_core::engine::{Engine, Event, EventKind};
use converge_core::graph::Graph;
use converge_core::load::{LoadError, Loader, Memory, ModuleSource, Reading, SourceError, Sources};
use converge_core::system::{Command, LocalSystem, System, WriteFile};
use converge_core::view::json;
use converge_core::{Limits, Registry};

fn load(limit: Limit, maximum: u64, sources: &Sources, text: &str) -> Result<Arc<Graph>, LoadError> {
    let limits = Limits::default().with(limit, maximum);
    let registry = Registry::new();
    Loader::new(&registry)
        .with_limits(limits)
        .with_sources(sources.clone())
        .load_text("site.hcl", text)
        .into_graph()
}

/// Checks that the module loads with this limit, and is refused once for this limit with one less.
#[track_caller]
fn just_fits(limit: Limit, maximum: u64, sources: &Sources, text: &str) -> LoadError {
    load(limit, maximum, sources, text).unwrap();
    let error = load(limit, maximum - 1, sources, text).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    let diagnostic = &error.diagnostics[0];
    assert_eq!(diagnostic.limit, Some(ReachedLimit { limit, most: maximum - 1 }), "{error}");
    let help = diagnostic.help.as_deref().unwrap_or_default();
    assert!(
        help.contains(&format!("the limit `{limit}` is {}: `--limit {limit}=N` sets it", maximum - 1)),
        "{help}"
    );
    let record = serde_json::to_value(json::diagnostic(diagnostic, &error.sources)).unwrap();
    assert_eq!(record["limit"], serde_json::json!({ "limit": limit.name(), "most": maximum - 1 }));
    error
}

#[test]
fn resources_are_counted() {
    let params = |count: usize| {
        (0..count)
            .map(|index| format!("param \"p{index}\" {{ default = {index} }}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let error = just_fits(Limit::Resources, 10, &Sources::new(), &params(10));
    assert!(
        error.to_string().starts_with("site.hcl:10:1: error[too-many-resources]: more than 9 resources"),
        "{error}"
    );

    // Each use of a module has its own nodes: the module and its content. A `for_each` has one additional
    // node.
    let sources = Sources::only(Memory::new().with("web.hcl", "param \"port\" { default = 80 }"));
    just_fits(Limit::Resources, 4, &sources, "module \"web.hcl\" \"a\" {}\nmodule \"web.hcl\" \"b\" {}");
    just_fits(Limit::Resources, 1 + 5 * 2, &sources, "module \"web.hcl\" \"a\" { for_each = range(5) }");
}

/// A few lines would create an astronomical number of nodes.
#[test]
fn what_grows_without_end_is_refused_when_it_is_too_large() {
    let twice = |next: usize| {
        ["a", "b"]
            .map(|name| format!("module \"{next}.hcl\" \"{name}\" {{ for_each = range(100) }}\n"))
            .concat()
    };
    let modules = (0..60).fold(Memory::new(), |modules, at| modules.with(format!("{at}.hcl"), twice(at + 1)));
    let sources = Sources::only(modules.with("60.hcl", ""));
    let error = load(Limit::Resources, 5000, &sources, &twice(0)).unwrap_err();
    assert_eq!(error.diagnostics[0].limit, Some(ReachedLimit { limit: Limit::Resources, most: 5000 }));
}

#[test]
fn all_text_of_a_load_is_counted() {
    let web = "param \"port\" { default = 80 }";
    let site = "module \"web.hcl\" \"a\" {}\nmodule \"./web.hcl\" \"b\" {}\n";
    let sources = Sources::only(Memory::new().with("web.hcl", web));
    // A file that is used twice is read once.
    let error = just_fits(Limit::Bytes, (site.len() + web.len()) as u64, &sources, site);
    assert_eq!(error.diagnostics[0].code, "too-much-text");
    assert!(error.to_string().contains("with web.hcl all modules together have more than"), "{error}");
    just_fits(Limit::Bytes, 10, &Sources::new(), "# 89abcdef");

    let place = tempfile::tempdir().unwrap();
    for name in ["motd", "issue"] {
        std::fs::write(place.path().join(name), "x".repeat(100)).unwrap();
    }
    let site = place.path().join("site.hcl");
    let text = "param \"a\" { default = file(\"motd\") }\nparam \"b\" { default = file(\"issue\") }\n";
    std::fs::write(&site, text).unwrap();
    let registry = Registry::new();
    let load = |maximum| {
        let limits = Limits { bytes: maximum, ..Limits::default() };
        Loader::new(&registry).with_limits(limits).load_file(&site).into_graph()
    };
    let fits = text.len() as u64 + 200;
    assert!(load(fits).is_ok());
    let error = load(fits - 1).unwrap_err();
    assert_eq!(
        error.diagnostics[0].limit,
        Some(ReachedLimit { limit: Limit::Bytes, most: fits - 1 }),
        "{error}"
    );
}

/// A module of endless length, with the number of bytes that were read.
#[derive(Debug, Default)]
struct Endless(Arc<AtomicU64>);

impl ModuleSource for Endless {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let counted = Counted(std::io::repeat(b' '), Arc::clone(&self.0));
        reading.text(name, counted).map(Arc::from)
    }
}

struct Counted<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[test]
fn no_more_is_read_than_there_may_be() {
    let text = "module \"endless.hcl\" \"a\" {}";
    for (maximum, code) in [(1000, "too-much-text"), (u64::MAX, "file-too-large")] {
        let read = Arc::new(AtomicU64::new(0));
        let sources = Sources::only(Endless(Arc::clone(&read)));
        let error = load(Limit::Bytes, maximum, &sources, text).unwrap_err();
        assert_eq!(error.diagnostics[0].code, code, "{error}");
        let expect = (maximum.min((16 << 20) + text.len() as u64) - text.len() as u64) + 1;
        assert_eq!(read.load(Ordering::Relaxed), expect);
    }
}

/// Returns the smallest limit with which a module loads.
fn least(limit: Limit, text: &str) -> u64 {
    let (mut too_little, mut sufficient) = (0, 1 << 20);
    while sufficient - too_little > 1 {
        let maximum = u64::midpoint(too_little, sufficient);
        match load(limit, maximum, &Sources::new(), text) {
            Ok(_) => sufficient = maximum,
            Err(_) => too_little = maximum,
        }
    }
    sufficient
}

#[test]
fn work_is_counted() {
    let text = "param \"a\" { default = join(\"\", [for at in range(500) : format(\"%d\", at)]) }";
    for limit in [Limit::WorkSteps, Limit::WorkMemory] {
        let minimum = least(limit, text);
        assert!(minimum > 500, "{limit} = {minimum}");
        just_fits(limit, minimum, &Sources::new(), text);
    }
}

/// Files whose names only a run knows count against the budget of the run.
#[tokio::test]
async fn what_a_run_reads_is_counted() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("motd"), "x".repeat(100)).unwrap();
    let site = place.path().join("site.hcl");
    std::fs::write(&site, "param \"a\" { default = file(format(\"motd%s\", env.NONE)) }").unwrap();
    let graph = Loader::new(&Registry::new()).load_file(&site).into_graph().unwrap();
    for (maximum, expect) in [(100, None), (99, Some(ReachedLimit { limit: Limit::Bytes, most: 99 }))] {
        let limits = Limits { bytes: maximum, ..Limits::default() };
        let system = LocalSystem::builder().clear_env().build().unwrap();
        let engine = Engine::new(Arc::new(system)).with_limits(limits);
        let mut failures = Vec::new();
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                failures.extend(report.failure.into_iter().flat_map(|failure| failure.diagnostics));
            }
        };
        engine.plan(&graph).sink(&mut sink).await.unwrap();
        assert_eq!(failures.first().map(|diagnostic| diagnostic.limit), expect.map(Some), "{failures:?}");
    }
}

#[tokio::test]
async fn output_and_files_are_limited_by_the_same_value() {
    let limits = Limits { output: 8, file: 1024, ..Limits::default() };
    let place = tempfile::tempdir().unwrap();
    let system = LocalSystem::builder().root(place.path()).limits(&limits).build().unwrap();
    let print = |text: &str| Command::new("echo").args(["-n", text]);
    assert_eq!(system.processes().run(print("12345678")).await.unwrap().stdout, b"12345678");
    let error = system.processes().run(print("123456789")).await.unwrap_err();
    assert_eq!(error.kind.limit(), Some(ReachedLimit { limit: Limit::Output, most: 8 }));

    let write = async |size: usize| {
        let content = vec![b'x'; size];
        system.files().write("/file".as_ref(), WriteFile::new(&content)).await
    };
    write(1024).await.unwrap();
    let error = write(1025).await.unwrap_err();
    assert_eq!(error.kind.limit(), Some(ReachedLimit { limit: Limit::File, most: 1024 }));
    // The limit is in the diagnostic however an author passes the error on.
    let reached = Some(ReachedLimit { limit: Limit::File, most: 1024 });
    let error = converge_core::Error::from(error).context("while it was written");
    assert_eq!(error.limit(), reached);
    assert_eq!(converge_core::Error::other(error).limit(), reached);
}
