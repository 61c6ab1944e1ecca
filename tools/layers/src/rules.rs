//! The rules for imports.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::cycles;
use crate::error::Error;
use crate::imports::{Folders, Imports, Place};
use crate::source;

/// A folder whose entries are layers.
pub struct Layered {
    /// The folder, from the root of the workspace.
    pub folder: &'static str,
    /// The layers in ascending order.
    ///
    /// Entries that are not listed, such as `lib.rs`, are above all of them.
    pub layers: &'static [&'static str],
}

/// The folders with layers.
pub const LAYERED: [Layered; 7] = [
    Layered { folder: "crates/value/src", layers: &["error_text", "redact", "diagnostic", "types"] },
    Layered { folder: "crates/language/src", layers: &["syntax", "language"] },
    Layered { folder: "crates/graph/src", layers: &["graph", "evaluate", "footprint"] },
    Layered {
        folder: "crates/load/src",
        layers: &[
            "parameters",
            "types",
            "model",
            "errors",
            "analysis",
            "parse",
            "check",
            "link",
            "files",
            "expand",
        ],
    },
    // `run` and `plan` are above, beside `lib.rs`: they hold the inherent methods of `Engine`.
    Layered {
        folder: "crates/engine/src",
        layers: &["state", "events", "persistence", "tables", "inputs", "work", "schedule"],
    },
    Layered {
        folder: "converge-controller/src",
        layers: &[
            "error_text",
            "identity",
            "clock",
            "protobuf",
            "resource",
            "storage",
            "validation",
            "authorize",
            "registry",
            "builtin_types",
            "service",
            "runtime",
            "controllers",
            "testing",
        ],
    },
    Layered {
        folder: "converge-server/src",
        layers: &[
            "private_files",
            "identity",
            "secret_seal",
            "api_types",
            "output",
            "proto",
            "metrics",
            "definitions",
            "fleet",
            "access",
            "content",
            "json",
            "openapi",
            "type_snapshot",
            "page",
            "listeners",
            "http",
            "grpc",
            "server",
            "agent",
            "top",
            "commands",
        ],
    },
];

/// Returns the violations in the workspace at `root`, in folders below `only`, one paragraph each.
pub fn check(root: &Path, scope: &Path) -> Result<Vec<String>, Error> {
    let mut broken = Vec::new();
    for target in source::targets(root)? {
        let folders = Folders::read(&target)?.folders;
        for (folder, imports) in folders.iter().filter(|(folder, _)| folder.starts_with(scope)) {
            for layered in LAYERED.iter().filter(|layered| folder == Path::new(layered.folder)) {
                broken.extend(upward(imports, layered.layers));
            }
            broken.extend(import_cycles(folder, imports));
        }
    }
    Ok(broken)
}

/// Returns the imports of a layer from a higher one.
pub fn upward(imports: &Imports, layers: &[&str]) -> Vec<String> {
    let height = |entry: &str| layers.iter().position(|layer| *layer == entry).unwrap_or(layers.len());
    let is_upward = |(from, to): &(String, String)| height(from) < height(to);
    let upward = imports.iter().filter(|(edge, _)| is_upward(edge));
    upward.map(|((from, to), places)| format!("upward: {from} -> {to}{}", lines(places))).collect()
}

/// Returns the import cycles between the entries of a folder.
pub fn import_cycles(folder: &Path, imports: &Imports) -> Vec<String> {
    let rings = cycles::shortest_cycles(imports.keys().map(|(from, to)| (from.as_str(), to.as_str())));
    let mut rings: Vec<_> = rings.into_iter().collect();
    rings.sort_by_key(Vec::len);
    // Each import is shown in one cycle only, and a cycle without a new import is omitted.
    let mut edges = BTreeSet::new();
    let describe = |ring: Vec<&str>| {
        let mut new = String::new();
        for (index, from) in ring.iter().enumerate() {
            let edge = ((*from).to_owned(), ring[(index + 1) % ring.len()].to_owned());
            if edges.insert(edge.clone()) {
                let places = imports.get(&edge).map(lines).unwrap_or_default();
                let _ = write!(new, "\n  {} -> {}{places}", edge.0, edge.1);
            }
        }
        let path = format!("{} -> {}", ring.join(" -> "), ring[0]);
        (!new.is_empty()).then(|| format!("ring in {}: {path}{new}", folder.display()))
    };
    rings.into_iter().filter_map(describe).collect()
}

fn lines(places: &BTreeSet<Place>) -> String {
    places.iter().fold(String::new(), |mut lines, place| {
        let _ = write!(lines, "\n    {place}");
        lines
    })
}
