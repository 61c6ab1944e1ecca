//! The names of one body or map: which are taken, and what stands for each in the masked copy.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The names seen so far.
#[derive(Default)]
pub(super) struct Names<'a> {
    seen: HashMap<Cow<'a, str>, Range<usize>>,
    /// How many names of 2, of 3, and of more bytes have got a stand-in.
    given: [usize; 3],
}

const FIRST: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const OTHER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789-";

impl<'a> Names<'a> {
    /// Takes a name; gives the place where it was taken before.
    pub(super) fn take(&mut self, name: Cow<'a, str>, at: Range<usize>) -> Option<Range<usize>> {
        match self.seen.entry(name) {
            std::collections::hash_map::Entry::Occupied(first) => Some(first.get().clone()),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(at);
                None
            }
        }
    }

    /// A name of the same length as `raw` that no other name of this body has: the parser of the masked copy
    /// refuses a second `a_b`, and both `a.b` and `a_b` would become that.
    pub(super) fn stand_in(&mut self, raw: &str) -> impl Iterator<Item = u8> + use<'a> {
        let only = raw.bytes().next().filter(|_| raw.len() == 1);
        let mut rest = match raw.len() {
            0 | 1 => 0,
            length => {
                let given = &mut self.given[length.min(4) - 2];
                *given += 1;
                *given - 1
            }
        };
        (0..raw.len()).map(move |at| {
            let letters = if at == 0 { FIRST } else { OTHER };
            let letter = letters[rest % letters.len()];
            rest /= letters.len();
            only.unwrap_or(letter)
        })
    }
}
