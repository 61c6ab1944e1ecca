//! An interner for names that a file repeats: block types, fields, functions, parameters.

use std::collections::HashMap;
use std::sync::Arc;

use super::literal;

#[derive(Default)]
pub(super) struct CommonNames<'a> {
    /// All names, by their text in the source.
    all: HashMap<&'a str, Arc<str>>,
    /// Recently used names.
    ///
    /// Comparing one is cheaper than hashing it.
    recent: [Option<(&'a str, Arc<str>)>; RECENT],
}

const RECENT: usize = 32;

impl<'a> CommonNames<'a> {
    /// Returns the shared text of a bare word or a string that is likely to occur again.
    pub(super) fn field(&mut self, raw: &'a str) -> Arc<str> {
        let slot = &mut self.recent[slot(raw)];
        if let Some((known, text)) = slot
            && *known == raw
        {
            return Arc::clone(text);
        }
        let decoded = || if raw.starts_with('"') { literal::decode(raw).into() } else { raw.into() };
        let text = Arc::clone(self.all.entry(raw).or_insert_with(decoded));
        *slot = Some((raw, Arc::clone(&text)));
        text
    }

    /// Returns the text of a bare name in an expression.
    ///
    /// Only recent names are shared, because there may be very many.
    pub(super) fn word(&mut self, word: &'a str) -> Arc<str> {
        let slot = &mut self.recent[slot(word)];
        if let Some((known, text)) = slot
            && *known == word
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = word.into();
        *slot = Some((word, Arc::clone(&text)));
        text
    }
}

fn slot(raw: &str) -> usize {
    let first = raw.bytes().next().map_or(0, usize::from);
    (first + raw.len() * 5) % RECENT
}
