//! Tests that a load with a module cache equals a load without it, for every module in this repository.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::graph::Graph;
use converge_core::load::{Loaded, ModuleCache};
use converge_core::prelude::embed::*;
use converge_core::system::ModelSystem;
use converge_core::view::{json, render};
use converge_tests::root;
use serde_json::Value as Json;

/// Collects all modules below a folder.
fn modules(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modules(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "hcl") {
            paths.push(path);
        }
    }
}

/// Replaces file ids by numbers in order of appearance.
fn number_files(text: &str) -> String {
    let mut parts = text.split("FileId(");
    let (mut numbered, mut ids) = (parts.next().unwrap_or_default().to_owned(), Vec::new());
    for piece in parts {
        let (id, rest) = piece.split_once(')').unwrap_or((piece, ""));
        let number = ids.iter().position(|candidate| *candidate == id).unwrap_or(ids.len());
        if number == ids.len() {
            ids.push(id);
        }
        let _ = write!(numbered, "FileId({number}){rest}");
    }
    numbered
}

/// Returns the result of a load in the forms for people and programs.
fn told(loaded: &Loaded) -> String {
    let graph = loaded.partial_graph();
    let mut text = format!("{graph:?}\n{:?}\n{:?}\n", loaded.diagnostics, loaded.sources);
    let _ = writeln!(text, "{}", serde_json::to_string_pretty(&json::graph(graph, &loaded.sources)).unwrap());
    for diagnostic in &loaded.diagnostics {
        let record = json::diagnostic(diagnostic, &loaded.sources);
        let _ = writeln!(text, "{}", serde_json::to_string(&record).unwrap());
    }
    let report_text = render::diagnostics(&loaded.diagnostics, &loaded.sources, false);
    number_files(&format!("{text}{report_text}"))
}

/// Creates an empty model host on which waits time out immediately.
fn model() -> Arc<ModelSystem> {
    Arc::new(ModelSystem::new().with_flowing_time())
}

/// Plans on an empty model host.
///
/// Returns the plan and its document without times and keyed digests, which differ between runs.
async fn plan(graph: &Arc<Graph>) -> (Plan, Json) {
    let plan = Engine::new(model()).make_plan(graph).await.unwrap();
    let mut document = serde_json::to_value(&plan).unwrap();
    forget(&mut document, &["basis", "digest", "elapsed_seconds"]);
    (plan, document)
}

fn forget(value: &mut Json, names: &[&str]) {
    match value {
        Json::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|value| forget(value, names));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| forget(item, names)),
        _ => {}
    }
}

#[tokio::test]
async fn a_load_from_a_cache_is_the_same_load() {
    let mut paths = Vec::new();
    for folder in ["examples", "tests/modules", "tests/mistakes", "converge-resources/src"] {
        modules(&root().join(folder), &mut paths);
    }
    paths.sort();
    let registry = converge_resources::registry().unwrap();
    let (cache, mut planned) = (ModuleCache::new(), 0);
    for purpose in ["run", "inspection"] {
        let load = |path: &Path, cache: Option<&ModuleCache>| {
            let mut loader = Loader::new(&registry);
            if let Some(cache) = cache {
                loader = loader.with_cache(cache);
            }
            let loader = if purpose == "run" { loader } else { loader.for_inspection() };
            loader.load_file(path)
        };
        for path in &paths {
            let uncached_load = load(path, None);
            let expect = told(&uncached_load);
            let mut graphs = vec![uncached_load.into_graph().ok()];
            for time in 0..2 {
                let cached_load = load(path, Some(&cache));
                assert_eq!(told(&cached_load), expect, "{} for {purpose}, load {time}", path.display());
                graphs.push(cached_load.into_graph().ok());
            }
            if let (Some(without), Some(with)) = (&graphs[0], &graphs[2])
                && purpose == "run"
            {
                let ((first, expect), (_, document)) = (plan(without).await, plan(with).await);
                assert_eq!(document, expect, "{}", path.display());
                // For a stored plan, the module, its parameters and its types are the same.
                let applied = Engine::new(model()).apply_plan(with, &first).await;
                assert!(applied.is_ok(), "{}: {applied:?}", path.display());
                planned += 1;
            }
        }
    }
    assert!(paths.len() > 150 && planned > 50, "{} modules, {planned} planned", paths.len());
    let stats = cache.stats();
    assert!(stats.hits > stats.misses && stats.evicted == 0, "{stats:?}");
}
