//! Edits of files in which the last line about a setting counts.

use crate::file::edit::lines;

/// Puts a line in the place of the last one for which `is_mine` holds, or at the end.
///
/// Without a line, removes all such lines. A line changes only if `is_as_wanted` does not hold for it.
pub(super) fn put(
    text: &str,
    wanted: Option<&str>,
    is_mine: impl Fn(&str) -> bool,
    is_as_wanted: impl Fn(&str) -> bool,
) -> String {
    let mut all_lines = lines::lines(text);
    let ending = lines::ending(&all_lines);
    let Some(line) = wanted else {
        all_lines.retain(|line| !is_mine(line.body));
        return lines::text(all_lines);
    };
    match all_lines.iter_mut().rfind(|line| is_mine(line.body)) {
        Some(place) if is_as_wanted(place.body) => {}
        Some(place) => place.body = line,
        None => {
            let end = all_lines.len();
            lines::insert(&mut all_lines, end, [line], ending);
        }
    }
    lines::text(all_lines)
}

/// Returns the last line for which `is_mine` holds, which is the effective one.
pub(super) fn last(text: &str, is_mine: impl Fn(&str) -> bool) -> Option<&str> {
    lines::lines(text).into_iter().rev().map(|line| line.body).find(|body| is_mine(body))
}
