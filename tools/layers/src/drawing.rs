//! The diagram of the layers in `docs/layers.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::cycles::shortest_path;
use crate::error::Error;
use crate::imports::{Folders, Imports};
use crate::rules::LAYERED;
use crate::source::{self, read};

/// The document with the diagram, relative to the root of the workspace.
pub const DOCUMENT: &str = "docs/layers.md";

/// The line before the diagram.
pub const BEGIN: &str = "<!-- layers: written by `cargo xtask docs` -->";

/// The line after the diagram.
pub const END: &str = "<!-- end of layers -->";

/// Returns the layers of the workspace at `root`, one Mermaid flow chart per folder.
///
/// An arrow leads from the importing layer to the imported one.
pub fn draw_workspace(root: &Path) -> Result<String, Error> {
    let mut imports: BTreeMap<&str, Imports> = BTreeMap::new();
    for target in source::targets(root)? {
        for (folder, edges) in Folders::read(&target)?.folders {
            if let Some(layered) = LAYERED.iter().find(|layered| folder == Path::new(layered.folder)) {
                imports.entry(layered.folder).or_default().extend(edges);
            }
        }
    }
    let mut text = String::new();
    for layered in &LAYERED {
        let imports = imports.remove(layered.folder).unwrap_or_default();
        let _ = write!(text, "In `{}`:\n\n{}\n", layered.folder, mermaid(&imports, layered.layers));
    }
    text.truncate(text.trim_end().len());
    Ok(text + "\n")
}

/// Draws the imports between `layers`, the highest first.
///
/// Imports that other arrows imply are omitted.
pub fn mermaid(imports: &Imports, layers: &[&str]) -> String {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in imports.keys() {
        if [from, to].iter().all(|name| layers.contains(&name.as_str())) {
            next.entry(from).or_default().insert(to);
        }
    }
    let mut text = String::from("```mermaid\nflowchart TD\n");
    for layer in layers.iter().rev() {
        let _ = writeln!(text, "    {layer}");
    }
    for from in layers.iter().rev() {
        let targets = next.get(from).cloned().unwrap_or_default();
        for to in layers.iter().rev().filter(|to| targets.contains(*to)) {
            let implied = targets.iter().any(|other| {
                other != to && shortest_path(&next, other, to).is_some_and(|way| !way.contains(from))
            });
            if !implied {
                let _ = writeln!(text, "    {from} --> {to}");
            }
        }
    }
    text + "```\n"
}

/// Replaces the text between the two marks with `drawing`.
///
/// Returns `None` without marks.
pub fn replace_drawing(document: &str, drawing: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{drawing}{END}{after}"))
}

/// Returns the document of the workspace at `root`, unchanged and with the current diagram.
pub fn document(root: &Path) -> Result<(String, String), Error> {
    let path = root.join(DOCUMENT);
    let text = read(&path)?;
    let current = replace_drawing(&text, &draw_workspace(root)?).ok_or(Error::NoPlace { path })?;
    Ok((text, current))
}
