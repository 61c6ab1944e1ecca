//! Tests that an editor resolves names exactly as a load links them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::assist::Workspace;
use converge_core::graph::EdgeReason;
use converge_core::load::{Loader, Source, Sources};

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/modules");
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join("main.hcl"));
    let mut files: Vec<PathBuf> = folders.filter(|file| file.exists()).collect();
    files.sort();
    files
}

#[test]
fn definitions_are_what_edges_lead_to() {
    let registry = converge_cli::built_in().unwrap();
    let mut compared = 0;
    for main in samples() {
        let loaded = Loader::new(&registry).for_inspection().load_file(&main);
        let (graph, files) = (loaded.partial_graph(), Arc::clone(&loaded.sources));
        let workspace = Workspace::new(&registry, Sources::new());
        let edges = graph.nodes().flat_map(|(index, _)| graph.dependencies(index));
        for edge in edges {
            let reasons = [EdgeReason::Param, EdgeReason::Lookup, EdgeReason::Depends, EdgeReason::OnChange];
            let Some(span) = edge.span.filter(|_| reasons.contains(&edge.reason)) else { continue };
            let file = files.file(span.file).unwrap();
            // A called module is also seen from its caller, which an editor knows only if the caller is open.
            if Path::new(file.name()) != main {
                continue;
            }
            let target = graph.node(edge.on);
            let Some(place) = target.span else { continue };
            let Some(target_file) = files.file(place.file) else { continue };
            // The name is at the end of the span; exports may follow it.
            let source = Source::file(file.name());
            let definitions = (span.range().start..=span.range().end)
                .flat_map(|offset| workspace.definition(&source, offset));
            let is_there = definitions.into_iter().any(|definition| {
                definition.source == Source::file(target_file.name())
                    && place.range().start <= definition.range.start
                    && definition.range.start <= place.range().end + 1
            });
            assert!(is_there, "{}: {} at {}", main.display(), target.id.as_str(), files.location(span));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
