//! Comparison of syntax trees without spans.

use converge_core::syntax::Body;

/// Returns the tree as text without spans, so that trees that only differ in spans are equal.
pub(crate) fn without_places(body: &Body) -> String {
    let text = format!("{body:?}");
    let digit = |c: char| c.is_ascii_digit();
    let mut tree = String::with_capacity(text.len());
    let mut rest = text.as_str();
    // Only ranges contain two dots. Dots in a string lose adjacent digits too, but in both trees.
    while let Some((before, after)) = rest.split_once("..") {
        tree.push_str(before.trim_end_matches(digit));
        rest = after.trim_start_matches(digit);
    }
    tree + rest
}
