//! The characters of passwords.

use std::collections::BTreeSet;

/// Special characters that mean nothing to most of those who read passwords.
pub(super) const SPECIAL: &str = "!#$%&*()-_=+[]{}<>:?";

/// The kinds of characters that are allowed, each with how many there are at least.
#[derive(Debug, Default)]
pub(super) struct Kinds(Vec<(Vec<char>, usize)>);

impl Kinds {
    /// Allows characters; one that is there twice is no likelier than others.
    pub(super) fn add(&mut self, characters: &str, min: usize) {
        let characters: BTreeSet<char> = characters.chars().collect();
        self.0.push((characters.into_iter().collect(), min));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many characters there are at least.
    pub(super) fn least(&self) -> usize {
        self.0.iter().fold(0, |sum, (_, min)| sum.saturating_add(*min))
    }

    /// Each kind, with how many of it there are at least.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[char], usize)> {
        self.0.iter().map(|(characters, min)| (&**characters, *min))
    }

    /// Every character.
    pub(super) fn all(&self) -> Vec<char> {
        self.0.iter().flat_map(|(characters, _)| characters).copied().collect()
    }

    /// Why a text is not made of these; `None` when it is. Nothing of the text is said.
    pub(super) fn misfit(&self, text: &str) -> Option<String> {
        let is_allowed = |char: char| self.0.iter().any(|(characters, _)| characters.contains(&char));
        if !text.chars().all(is_allowed) {
            return Some("it has a character that is not allowed any more".to_owned());
        }
        let is_short = |(characters, min): &(Vec<char>, usize)| {
            text.chars().filter(|char| characters.contains(char)).count() < *min
        };
        self.0.iter().any(is_short).then(|| "it has too few characters of one kind".to_owned())
    }
}
