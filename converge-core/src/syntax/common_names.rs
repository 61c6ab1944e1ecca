//! Names that a file writes again and again, each stored once: types of blocks, fields, functions, parameters.

use std::collections::HashMap;
use std::sync::Arc;

use super::literal;

#[derive(Default)]
pub(super) struct CommonNames<'a> {
    /// By how they are written.
    all: HashMap<&'a str, Arc<str>>,
    /// Some of those that were used last: to compare one is cheaper than to hash it.
    recent: [Option<(&'a str, Arc<str>)>; RECENT],
}

const RECENT: usize = 32;

impl<'a> CommonNames<'a> {
    /// The name that a bare word or a string stands for, which is likely to be in the file again.
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

    /// A bare name in an expression. It is only looked for among those that were used last: there may be very many.
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
