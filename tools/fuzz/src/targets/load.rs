//! A target that loads any bytes as a module.
//!
//! The result is a graph or diagnostics, whose spans must be within the text.

use std::sync::LazyLock;

use converge_core::Registry;
use converge_core::load::Loader;

use crate::source_ranges;

pub(crate) fn run(bytes: &[u8]) {
    check(&String::from_utf8_lossy(bytes));
}

pub(crate) fn check(text: &str) {
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| converge_resources::registry().unwrap_or_default());
    let load = || Loader::new(&REGISTRY).load_text("fuzz.hcl", text);
    let loaded = load();
    for diagnostic in &loaded.diagnostics {
        for label in &diagnostic.labels {
            // A called module may exist in the fuzzer's working directory; its text is a different one.
            let Some(file) = loaded.sources.file(label.span.file) else { continue };
            source_ranges::range(file.text(), &(label.span.start..label.span.end));
        }
    }
    if !loaded.diagnostics.has_errors() {
        assert_eq!(
            loaded.partial_graph().to_dot().to_string(),
            load().partial_graph().to_dot().to_string(),
            "{text:?}"
        );
    }
}
