//! Of the module that shows a resource.

use super::super::runner::{Breach, Tried, Verdict};
use crate::diagnostic::Severity;
use crate::load::Loader;
use crate::sdk::registry::Registry;
use crate::sdk::resource::Resource;

/// What an example may use of others is not known to the test of one type.
const OF_OTHERS: [&str; 4] = ["unknown-type", "unknown-resource", "source", "unknown-module"];

pub(super) fn are_right<R: Resource>() -> Verdict {
    if R::EXAMPLE.is_empty() {
        return Ok(Tried::No("there is no example".to_owned()));
    }
    let name = R::NAME;
    let registry = Registry::new().with::<R>().map_err(|error| Breach(error.to_string()))?;
    let loaded = Loader::new(&registry).load_text("example.hcl", R::EXAMPLE);
    let is_of_others = |code: &str| OF_OTHERS.contains(&code);
    let wrong = loaded
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error && !is_of_others(diagnostic.code));
    if let Some(wrong) = wrong {
        return Err(Breach(format!("the example cannot be loaded: {}", wrong.message)));
    }
    let shows = loaded.partial_graph().resources().any(|(_, node)| node.resource.name() == name);
    if shows {
        Ok(Tried::Yes)
    } else {
        Err(Breach(format!("there is no `{name}` in the example of `{name}`")))
    }
}
