//! Trees, compared without places.

use converge_core::syntax::Body;

/// The tree as text; of two that differ only in places it is the same.
pub(crate) fn without_places(body: &Body) -> String {
    let shown = format!("{body:?}");
    let digit = |c: char| c.is_ascii_digit();
    let mut tree = String::with_capacity(shown.len());
    let mut rest = shown.as_str();
    // Ranges are all that has two dots; in a string they lose the digits around them, in both trees.
    while let Some((before, after)) = rest.split_once("..") {
        tree.push_str(before.trim_end_matches(digit));
        rest = after.trim_start_matches(digit);
    }
    tree + rest
}
