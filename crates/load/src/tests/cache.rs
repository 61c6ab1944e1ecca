//! Tests that a module cache changes the cost of a load and nothing else.

use std::fmt::Write as _;
use std::sync::Arc;

use super::registry;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::record;
use crate::language::WorkLimits;
use crate::redact::Redactor;
use crate::sdk::registry::Registry;
use crate::{CacheStats, Loaded, Loader, ModuleCache};
use converge_source::{Memory, Sources};

/// Formats the whole result of a load, with files numbered in order of appearance.
fn told(loaded: &Loaded) -> String {
    let sources = &loaded.sources;
    let mut text = format!("{:#?}\n{:#?}\n", loaded.partial_graph(), loaded.diagnostics);
    for (index, _) in loaded.partial_graph().nodes() {
        let _ = writeln!(text, "{:?}", loaded.partial_graph().dependencies(index));
    }
    for file in sources.files() {
        let hidden = sources.hidden_in(file, 0..file.text().len());
        let _ = writeln!(text, "{}: {:?} without {hidden:?}", file.name(), file.text());
    }
    for diagnostic in &loaded.diagnostics {
        let _ =
            writeln!(text, "{}", serde_json::to_string(&record::diagnostic(diagnostic, sources)).unwrap());
    }
    let (mut numbered, mut ids): (String, Vec<&str>) = (String::new(), Vec::new());
    for piece in text.split_inclusive("FileId(") {
        let digits = piece.find(|c: char| !c.is_ascii_digit() && !c.is_whitespace()).unwrap_or(0);
        let (id, rest) = piece.split_at(digits);
        if !numbered.is_empty() {
            let number = ids.iter().position(|candidate| *candidate == id).unwrap_or_else(|| {
                ids.push(id);
                ids.len() - 1
            });
            numbered.push_str(&number.to_string());
        }
        numbered.push_str(rest);
    }
    numbered
}

/// Checks that loads with an empty cache, and with the same cache again, equal one without a cache.
pub(super) fn check_same(registry: &Registry, uncached_load: &Loaded, load: impl Fn(Loader<'_>) -> Loaded) {
    let cache = ModuleCache::new();
    // An earlier load has taken some file IDs.
    Loader::new(registry).with_cache(&cache).load_text("before.hcl", "param \"before\" { default = 1 }");
    let expect = told(uncached_load);
    for time in ["first", "second"] {
        let loaded = load(Loader::new(registry).with_cache(&cache));
        assert_eq!(told(&loaded), expect, "the {time} time");
    }
}

/// Loads the first module, and checks that a load without a cache gives the same result.
fn load(cache: &ModuleCache, registry: &Registry, modules: &[(&str, &str)]) -> Loaded {
    let memory =
        modules.iter().fold(Memory::new(), |memory, (name, text)| memory.with(*name, (*text).to_owned()));
    let fresh = || Loader::new(registry).with_sources(Sources::only(memory.clone()));
    let loaded = fresh().with_cache(cache).load(modules[0].0);
    assert_eq!(told(&loaded), told(&fresh().load(modules[0].0)), "{modules:?}");
    loaded
}

fn params(count: usize, default: impl Fn(usize) -> String) -> String {
    let lines = (0..count).map(|index| format!("param \"p{index}\" {{ default = {} }}\n", default(index)));
    lines.collect::<Vec<_>>().concat()
}

fn counts(cache: &ModuleCache) -> (u64, u64, u64) {
    let CacheStats { hits, misses, evicted, .. } = cache.stats();
    (hits, misses, evicted)
}

const SITE: &str = "module \"a.hcl\" \"a\" {}\nmodule \"b.hcl\" \"b\" {}\nmodule \"a.hcl\" \"c\" {}\n";

#[test]
fn only_what_has_changed_is_read_again() {
    let (registry, cache) = (registry(), ModuleCache::new());
    let site = |a: &str, b: &str| {
        let _ = load(&cache, &registry, &[("site.hcl", SITE), ("a.hcl", a), ("b.hcl", b)]);
    };
    let [one, two] = ["param \"n\" { default = 1 }", "param \"n\" { default = 2 }"];
    site(one, one);
    assert_eq!(counts(&cache), (0, 3, 0), "one text under two names is two files");
    site(one, one);
    assert_eq!(counts(&cache), (3, 3, 0));
    site(one, two);
    assert_eq!(counts(&cache), (5, 4, 0));
    // The first version is loaded again.
    site(one, one);
    assert_eq!(counts(&cache), (8, 4, 0));
    cache.clear();
    assert_eq!((cache.stats().files, cache.stats().bytes), (0, 0));
    site(one, one);
    assert_eq!(counts(&cache), (8, 7, 0));
}

#[test]
fn mistakes_are_found_each_time_and_warnings_are_kept() {
    let (registry, cache) = (registry(), ModuleCache::new());
    let check = |text: &str, expect: (u64, u64, u64), code: &str| {
        for _ in 0..2 {
            let loaded = load(&cache, &registry, &[("site.hcl", SITE), ("a.hcl", ""), ("b.hcl", text)]);
            let codes: Vec<_> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
            assert_eq!(codes, [code], "{text}");
        }
        assert_eq!(counts(&cache), expect, "{text}");
    };
    check("a.thing \"t\" { path = \"p\" place = \"x\" }", (3, 3, 0), "deprecated-field");
    check("a.thing \"t\" { path = \"${param.x}\" }", (8, 4, 0), "literal-interpolation");
    check("a.thing \"t\" { pth = \"p\" }", (12, 6, 0), "unknown-field");
    check("a.thing \"t\" { path = }", (16, 8, 0), "missing-value");
}

/// Secrets are hidden by value and by position in a load from the cache, too.
#[test]
fn secrets_are_hidden_in_each_load() {
    let (registry, cache) = (registry(), ModuleCache::new());
    let text = "param \"pin\" { default = \"48151623\" sensitive = true }\n\
                a.thing \"t\" { path = \"p\" password = \"hunter\" }\n";
    for time in 0..3 {
        let redactor = Redactor::new();
        let configured = Loader::new(&registry).with_cache(&cache).with_redactor(redactor.clone());
        let loaded = configured.load_text("m.hcl", text);
        assert_eq!(redactor.redact("48151623, hunter"), "(sensitive), (sensitive)", "{time}");
        let file = loaded.sources.files().next().unwrap();
        let hidden = loaded.sources.hidden_in(file, 0..text.len());
        assert_eq!(hidden.len(), 2, "{hidden:?} in load {time}");
        assert!(!format!("{cache:?}{loaded:?}").contains("hunter"), "{time}");
    }
    assert_eq!(counts(&cache), (2, 1, 0));
    // A call makes its argument sensitive, which is not a property of the file.
    let module = "param \"pin\" { sensitive = true }";
    let site = "module \"a.hcl\" \"a\" { params { pin = \"48151623\" } }";
    for _ in 0..2 {
        let loaded = load(&cache, &registry, &[("site.hcl", site), ("a.hcl", module)]);
        assert_eq!(loaded.sources.redactor().redact("48151623"), "(sensitive)");
    }
}

#[test]
fn a_registry_that_differs_has_files_of_its_own() {
    let cache = ModuleCache::new();
    let text = "a.thing \"t\" { path = \"p\" }";
    let codes = |registry: &Registry| -> Vec<&'static str> {
        let loaded = load(&cache, registry, &[("m.hcl", text)]);
        loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    };
    let registry_of_types = registry();
    assert_eq!(codes(&registry_of_types), [""; 0]);
    assert_eq!(codes(&Registry::new()), ["unknown-type"]);
    assert_eq!(codes(&registry_of_types.clone()), [""; 0]);
    assert_eq!(counts(&cache), (1, 2, 0));
    // A registry to which something was added is another registry.
    assert_eq!(codes(&registry_of_types.with_absent("b.thing", "more")), [""; 0]);
    assert_eq!(counts(&cache), (1, 3, 0));
}

/// The work on constants counts in each load, so a cache does not change what is refused.
#[test]
fn limits_are_those_of_the_load() {
    let (registry, cache) = (registry(), ModuleCache::new());
    let text: Arc<str> = params(20, |index| format!("length(range({index}00))")).into();
    let mut refused = 0;
    for steps in (1_000..60_000).step_by(3_001) {
        let limits = WorkLimits { steps, ..WorkLimits::default() };
        let fresh = || Loader::new(&registry).with_limits(limits.into());
        let uncached_load = fresh().load_text("m.hcl", Arc::clone(&text));
        refused += u32::from(uncached_load.diagnostics.has_errors());
        for _ in 0..2 {
            let cached_load = fresh().with_cache(&cache).load_text("m.hcl", Arc::clone(&text));
            assert_eq!(told(&cached_load), told(&uncached_load), "{steps} steps");
        }
    }
    assert!((1..19).contains(&refused), "{refused}");
    assert!(cache.stats().hits > 5, "{cache:?}");
}

#[test]
fn what_was_not_used_for_the_longest_time_is_forgotten() {
    let registry = registry();
    let size = {
        let cache = ModuleCache::new();
        let _ = load(&cache, &registry, &[("0.hcl", "param \"p\" { default = 1 }")]);
        cache.stats().bytes
    };
    assert!((50..5_000).contains(&size), "{size}");
    let cache = ModuleCache::with_bytes(size * 3);
    let mut expect: (u64, u64, u64) = (0, 0, 0);
    let mut use_file = |name: &str, is_there: bool| {
        let loaded = load(&cache, &registry, &[(name, "param \"p\" { default = 1 }")]);
        assert!(loaded.diagnostics.is_empty());
        if is_there {
            expect.0 += 1;
        } else {
            expect.1 += 1;
            expect.2 = expect.1.saturating_sub(3);
        }
        assert_eq!(counts(&cache), expect, "{name}");
        assert!(cache.stats().files <= 3 && cache.stats().bytes <= size * 3, "{cache:?}");
    };
    for (name, is_there) in [
        ("0.hcl", false),
        ("1.hcl", false),
        ("2.hcl", false),
        ("0.hcl", true),
        ("3.hcl", false),
        ("0.hcl", true),
        ("2.hcl", true),
        ("1.hcl", false),
        ("3.hcl", false),
    ] {
        use_file(name, is_there);
    }
    // A file that is larger than the cache evicts nothing.
    let large = format!("param \"p\" {{ default = {:?} }}", "x".repeat(5_000));
    let _ = load(&cache, &registry, &[("large.hcl", &large)]);
    assert_eq!(cache.stats().files, 3);
}

/// The estimated memory of a file grows with its content, and is at least the length of its text.
#[test]
fn the_memory_of_a_file_is_estimated() {
    let registry = registry();
    let bytes = |text: String| {
        let cache = ModuleCache::new();
        let loaded = Loader::new(&registry).with_cache(&cache).load_text("m.hcl", text.as_str());
        assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics.first());
        (cache.stats().bytes, text.len() as u64)
    };
    let check = |text: &dyn Fn(usize) -> String, least: u64| {
        let ((few, _), (many, length)) = (bytes(text(10)), bytes(text(1_000)));
        assert!(many > few * 20, "{few} {many}");
        assert!(many > length * least, "{many} of {length}");
    };
    check(&|n| "# words\n".repeat(n), 1);
    check(&|n| format!("param \"p\" {{ default = [{}] }}", "1, ".repeat(n)), 5);
    check(&|n| format!("param \"p\" {{ default = \"{}\" }}", "{{env `A`}}".repeat(n)), 10);
    check(&|n| params(n, |_| "1".to_owned()), 3);
    // The value of the constant is longer than its text.
    let repeat = |n: usize| format!("param \"p\" {{ default = [{}] }}", "format(\"%5000d\", 1), ".repeat(n));
    check(&repeat, 100);
}

/// Several threads may load with one cache.
#[test]
fn threads_share_a_cache() {
    let registry = registry();
    // The cache has room for some of the files only.
    let cache = ModuleCache::with_bytes(3_000);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (registry, cache) = (&registry, &cache);
            scope.spawn(move || {
                for round in 0..50 {
                    let [a, b] = [(round + thread) % 5, round % 7].map(|n| {
                        format!(
                            "param \"n\" {{ default = {n} }}\na.thing \"t\" {{ path = \"${{param.x}}\" }}"
                        )
                    });
                    let _ = load(cache, registry, &[("site.hcl", SITE), ("a.hcl", &a), ("b.hcl", &b)]);
                }
            });
        }
    });
    let stats = cache.stats();
    assert_eq!(stats.hits + stats.misses, 4 * 50 * 3);
    assert!(stats.hits > 0 && stats.evicted > 0 && stats.bytes <= 3_000, "{stats:?}");
}

/// A cancelled load caches nothing that it has not read completely.
#[test]
fn a_load_that_is_given_up_keeps_nothing() {
    let (registry, cache) = (registry(), ModuleCache::new());
    let token = tokio_util::sync::CancellationToken::new();
    token.cancel();
    let configured = Loader::new(&registry).with_cache(&cache).cancel_on(token);
    let loaded = configured.load_text("m.hcl", "param \"p\" { default = 1 }");
    assert_eq!(
        loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
        ["load-cancelled"]
    );
    assert_eq!(cache.stats().files, 0);
    let loaded = load(&cache, &registry, &[("m.hcl", "param \"p\" { default = 1 }")]);
    assert_eq!(loaded.diagnostics.first().map(|found: &Diagnostic| found.code), None);
}

/// A module is cached by its text, but questions about files beside it are asked in each load.
#[test]
fn files_beside_a_module_are_looked_for_in_each_load() {
    let cache = ModuleCache::new();
    let registry = registry();
    let main = "module \"leaf.hcl\" \"leaf\" { for_each = fileset(\"conf.d\", \"*.conf\") }\n\
                module \"leaf.hcl\" \"more\" { for_each = fileexists(\"more\") ? [\"yes\"] : [\"no\"] }";
    let modules = Memory::new().with("main.hcl", main).with("leaf.hcl", "param \"p\" { default = 1 }");
    let load = |files: &Memory| {
        let sources = Sources::only(modules.clone()).with_files(files.clone());
        let loader = Loader::new(&registry).with_sources(sources).with_cache(&cache);
        loader.load("main.hcl").into_graph().unwrap()
    };
    let files = Memory::new().with("conf.d/a.conf", "").with("conf.d/b.txt", "").with("conf.d/.c.conf", "");
    let instances = |graph: &crate::graph::Graph| -> Vec<String> {
        let ids = graph.nodes().map(|(_, node)| node.id.to_string());
        ids.filter(|id| id.ends_with(']')).collect()
    };
    let graph = load(&files);
    let expect =
        ["root/module.leaf[\".c.conf\"]", "root/module.leaf[\"a.conf\"]", "root/module.more[\"no\"]"];
    assert_eq!(instances(&graph), expect);
    let graph = load(&files.with("conf.d/z.conf", "").with("more", ""));
    let expect = [expect[0], expect[1], "root/module.leaf[\"z.conf\"]", "root/module.more[\"yes\"]"];
    assert_eq!(instances(&graph), expect);
}
