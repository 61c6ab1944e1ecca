//! Rules for imports: layers only import downwards, and there are no cycles.

use std::collections::BTreeSet;
use std::path::Path;

use converge_layers::{drawing, rules};
use converge_tests::root;

use crate::workspace::none;

#[test]
fn imports_lead_down_and_never_round() {
    let broken: BTreeSet<String> =
        rules::check(root(), Path::new("")).expect("the sources can be read").into_iter().collect();
    none(
        &broken,
        "what two entries of a folder share is in a third one below both, and a layer imports from those below it: \
         `cargo xtask layers` lists these",
    );
}

#[test]
fn every_layer_is_a_folder_or_a_file() {
    let entries = |layered: &'static rules::Layered| {
        layered.layers.iter().map(|layer| Path::new(layered.folder).join(layer))
    };
    let missing = rules::LAYERED.iter().flat_map(entries);
    let missing = missing
        .filter(|entry| !root().join(entry).is_dir() && !root().join(entry).with_extension("rs").is_file());
    let missing = missing.map(|entry| entry.display().to_string()).collect();
    none(
        &missing,
        "the list of layers, `converge_layers::rules::LAYERED`, names folders and files that are there",
    );
}

#[test]
fn the_drawing_is_current() {
    let (text, current) = drawing::document(root()).expect("there is a drawing");
    assert!(text == current, "{} is not current: run `cargo xtask docs`", drawing::DOCUMENT);
}
