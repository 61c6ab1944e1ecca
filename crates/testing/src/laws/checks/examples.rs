//! The law that the example module of a resource is correct.

use super::super::runner::{Breach, Tried, Verdict};
use crate::diagnostic::{Diagnostic, FileId, Severity};
use crate::sdk::registry::Registry;
use crate::sdk::resource::Resource;
use crate::syntax::{self, ByteRange, Item};
use converge_load::Loader;

/// The diagnostic codes about other types, which the test of one type does not know.
const CODES_OF_OTHER_TYPES: [&str; 4] = ["unknown-type", "unknown-resource", "source", "unknown-module"];

/// The blocks that belong to the language and are not resource types.
const LANGUAGE_BLOCKS: [&str; 3] = ["module", "plugin", "switch"];

pub(super) fn are_right<R: Resource>() -> Verdict {
    if R::EXAMPLE.is_empty() {
        return Ok(Tried::No("there is no example".to_owned()));
    }
    let name = R::NAME;
    let registry = Registry::new().with::<R>().map_err(|error| Breach(error.to_string()))?;
    let loaded = Loader::new(&registry).load_text("example.hcl", R::EXAMPLE);
    let unknown = blocks_of_others(R::EXAMPLE, &registry);
    let is_of_others = |diagnostic: &Diagnostic| {
        let place = diagnostic.labels.first().map(|label| label.span.start);
        CODES_OF_OTHER_TYPES.contains(&diagnostic.code)
            || place.is_some_and(|place| unknown.iter().any(|block| block.contains(&place)))
    };
    let error = loaded
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error && !is_of_others(diagnostic));
    if let Some(error) = error {
        return Err(Breach(format!("the example cannot be loaded: {}", error.message)));
    }
    let has_resource = loaded.partial_graph().resources().any(|(_, node)| node.resource.name() == name);
    if has_resource {
        Ok(Tried::Yes)
    } else {
        Err(Breach(format!("there is no `{name}` in the example of `{name}`")))
    }
}

/// Returns the ranges of blocks of other types, whose fields cannot be checked without their schema.
fn blocks_of_others(example: &str, registry: &Registry) -> Vec<ByteRange> {
    let is_known = |kind: &str| LANGUAGE_BLOCKS.contains(&kind) || registry.get(kind).is_some();
    let (body, _) = syntax::parse(FileId::FIRST, example);
    let blocks = body.items.iter().filter_map(|item| match item {
        Item::Block(block) if !is_known(&block.kind.text) => Some(block.range.clone()),
        _ => None,
    });
    blocks.collect()
}
