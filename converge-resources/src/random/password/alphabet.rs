//! The characters of passwords.

use std::collections::BTreeSet;

/// The default special characters, which have no meaning in most files that contain passwords.
pub(super) const SPECIAL: &str = "!#$%&*()-_=+[]{}<>:?";

/// The kinds of allowed characters, each with its minimum number.
#[derive(Debug, Default)]
pub(super) struct Kinds(Vec<(Vec<char>, usize)>);

impl Kinds {
    /// Allows characters. A character that occurs twice is not more likely than others.
    pub(super) fn add(&mut self, characters: &str, min: usize) {
        let characters: BTreeSet<char> = characters.chars().collect();
        self.0.push((characters.into_iter().collect(), min));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the minimum number of characters of a password.
    pub(super) fn least(&self) -> usize {
        self.0.iter().fold(0, |sum, (_, min)| sum.saturating_add(*min))
    }

    /// Returns each kind with its minimum number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[char], usize)> {
        self.0.iter().map(|(characters, min)| (&**characters, *min))
    }

    pub(super) fn all(&self) -> Vec<char> {
        self.0.iter().flat_map(|(characters, _)| characters).copied().collect()
    }

    /// Returns the reason why a text does not fit, or `None` if it does. The reason never quotes the text.
    pub(super) fn misfit(&self, text: &str) -> Option<String> {
        let is_allowed = |char: char| self.0.iter().any(|(characters, _)| characters.contains(&char));
        if !text.chars().all(is_allowed) {
            return Some("it has a character that is no longer allowed".to_owned());
        }
        let is_short = |(characters, min): &(Vec<char>, usize)| {
            text.chars().filter(|char| characters.contains(char)).count() < *min
        };
        self.0.iter().any(is_short).then(|| "it has too few characters of one kind".to_owned())
    }
}
