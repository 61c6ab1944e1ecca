//! Edits of the files that list generated locales and set the default locale.

use crate::file::edit::lines;
use crate::system::setting_lines;

use super::name::LocaleName;

/// Returns the line of a locale with its character set, from a list of supported locales.
pub(super) fn find_supported<'t>(list: &'t str, name: &LocaleName) -> Option<&'t str> {
    list.lines().map(|line| line.trim_start_matches(['#', ' ', '\t']).trim_end()).find(|line| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|first| name.matches(first))
            && words.next().is_some()
            && words.next().is_none()
    })
}

/// Whether a line of `/etc/locale.gen` generates the locale.
pub(super) fn makes(line: &str, name: &LocaleName) -> bool {
    !line.trim_start().starts_with('#') && find_supported(line, name).is_some()
}

/// Whether the text generates the locale.
pub(super) fn is_made(text: &str, name: &LocaleName) -> bool {
    text.lines().any(|line| makes(line, name))
}

/// Adds the locale to the generated ones: uncomments its line, or adds one at the end.
pub(super) fn make(text: &str, name: &LocaleName, known_as: &str) -> String {
    if is_made(text, name) {
        return text.to_owned();
    }
    let mut all_lines = lines::lines(text);
    if let Some(place) = all_lines.iter_mut().find(|line| find_supported(line.body, name).is_some()) {
        place.body = known_as;
    } else {
        let (end, ending) = (all_lines.len(), lines::ending(&all_lines));
        lines::insert(&mut all_lines, end, [known_as], ending);
    }
    lines::text(all_lines)
}

/// Comments out the lines that generate the locale.
pub(super) fn comment_out(text: &str, name: &LocaleName) -> String {
    let mut left = String::with_capacity(text.len() + 2);
    for line in text.split_inclusive('\n') {
        if makes(line, name) {
            left.push_str("# ");
        }
        left.push_str(line);
    }
    left
}

/// Parses a line of a settings file into the variable and its value without quotes.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    Some((name.trim(), value.trim().trim_matches(['"', '\''])))
}

fn sets(line: &str, variable: &str) -> bool {
    setting(line).is_some_and(|(name, _)| name == variable)
}

pub(super) fn value<'t>(text: &'t str, variable: &str) -> Option<&'t str> {
    setting(setting_lines::last(text, |line| sets(line, variable))?).map(|(_, value)| value)
}

/// Sets a variable to a value.
pub(super) fn assign(text: &str, variable: &str, name: &LocaleName) -> String {
    let target = format!("{variable}={name}");
    let has_value = |line: &str| setting(line).is_some_and(|(_, value)| value == name.to_string());
    setting_lines::put(text, Some(&target), |line| sets(line, variable), has_value)
}
