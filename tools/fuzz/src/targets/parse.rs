//! A target that parses any bytes as a module.
//!
//! The result is a tree or diagnostics, whose spans must be within the text.

use converge_core::diagnostic::SourceMap;
use converge_core::syntax;

use crate::source_ranges;

pub(crate) fn run(bytes: &[u8]) {
    check(&String::from_utf8_lossy(bytes));
}

pub(crate) fn check(text: &str) {
    let file = SourceMap::new().add("fuzz.hcl", text);
    let (body, diagnostics) = syntax::parse(file, text);
    source_ranges::diagnostics(text, &diagnostics);
    source_ranges::body(text, &body);
}
