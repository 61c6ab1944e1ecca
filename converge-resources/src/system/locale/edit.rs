//! Files about locales: which are made, and which is used.

use crate::file::edit::lines;
use crate::system::setting_lines;

use super::name::LocaleName;

/// The line of a locale with its character set in a list of those that can be made.
pub(super) fn known<'t>(list: &'t str, name: &LocaleName) -> Option<&'t str> {
    list.lines().map(|line| line.trim_start_matches(['#', ' ', '\t']).trim_end()).find(|line| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|first| name.is(first)) && words.next().is_some() && words.next().is_none()
    })
}

/// Whether a line of `/etc/locale.gen` has the locale made.
pub(super) fn makes(line: &str, name: &LocaleName) -> bool {
    !line.trim_start().starts_with('#') && known(line, name).is_some()
}

/// Whether the locale is made.
pub(super) fn is_made(text: &str, name: &LocaleName) -> bool {
    text.lines().any(|line| makes(line, name))
}

/// Has the locale made: by the line that is there as a comment, or one at the end.
pub(super) fn make(text: &str, name: &LocaleName, known_as: &str) -> String {
    if is_made(text, name) {
        return text.to_owned();
    }
    let mut all = lines::lines(text);
    if let Some(place) = all.iter_mut().find(|line| known(line.body, name).is_some()) {
        place.body = known_as;
    } else {
        let (end, ending) = (all.len(), lines::ending(&all));
        lines::insert(&mut all, end, [known_as], ending);
    }
    lines::text(all)
}

/// Makes comments of the lines that have the locale made.
pub(super) fn leave(text: &str, name: &LocaleName) -> String {
    let mut left = String::with_capacity(text.len() + 2);
    for line in text.split_inclusive('\n') {
        if makes(line, name) {
            left.push_str("# ");
        }
        left.push_str(line);
    }
    left
}

/// The variable that a line of a file of settings sets, and the value without quotes.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    Some((name.trim(), value.trim().trim_matches(['"', '\''])))
}

fn sets(line: &str, variable: &str) -> bool {
    setting(line).is_some_and(|(name, _)| name == variable)
}

/// The value of a variable.
pub(super) fn value<'t>(text: &'t str, variable: &str) -> Option<&'t str> {
    setting(setting_lines::last(text, |line| sets(line, variable))?).map(|(_, value)| value)
}

/// Gives a variable a value.
pub(super) fn assign(text: &str, variable: &str, name: &LocaleName) -> String {
    let wanted = format!("{variable}={name}");
    let has = |line: &str| setting(line).is_some_and(|(_, value)| value == name.to_string());
    setting_lines::put(text, Some(&wanted), |line| sets(line, variable), has)
}
