//! A target that makes editor requests at any position in any text.
//!
//! Every span of an answer must be within the text, and a renamed symbol must keep its meaning.

use std::sync::{Arc, LazyLock};

use converge_core::Registry;
use converge_core::assist::Workspace;
use converge_core::load::{Source, Sources};

use crate::source_ranges;

pub(crate) fn run(bytes: &[u8]) {
    // The first two bytes select the position.
    let (place, text) = bytes.split_at(bytes.len().min(2));
    let place = place.iter().fold(0, |place, byte| place * 256 + usize::from(*byte));
    check(&String::from_utf8_lossy(text), place);
}

fn check(text: &str, place: usize) {
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| converge_resources::registry().unwrap_or_default());
    let source = Source::file("/there-is-no-such-folder/fuzz.hcl");
    let mut workspace = Workspace::new(&REGISTRY, Sources::new());
    workspace.open(source.clone(), Arc::from(text));
    let offset = if text.is_empty() { 0 } else { place % (text.len() + 1) };
    let is_place = |range: std::ops::Range<usize>| {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        source_ranges::range(text, &(narrow(range.start)..narrow(range.end)));
    };
    for completion in workspace.complete(&source, offset).items {
        is_place(completion.replaces);
    }
    if let Some(hover) = workspace.hover(&source, offset) {
        is_place(hover.range);
    }
    let places = workspace.definition(&source, offset).into_iter().filter(|place| place.source == source);
    let places = places.chain(workspace.references(&source, offset, true));
    places.for_each(|place| is_place(place.range));
    for symbol in workspace.outline(&source) {
        is_place(symbol.range);
        is_place(symbol.head);
    }
    if let Ok(edits) = workspace.rename(&source, offset, "renamed") {
        for edit in edits {
            is_place(edit.place.range);
        }
    }
}
