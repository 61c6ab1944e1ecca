//! Hashes of secrets, and finding them in text in linear time.
//!
//! A short text is found by the hash of all of it, one table for each length. Of a long one there are the hashes of windows: one
//! after the other, and one at its end, so that together they cover it. Where one of them may be the [`Grams`] say, and there a
//! hash that rolls over the text finds each with one look into a table for each byte and length; there are at most as many
//! lengths as a window has bytes. Nothing has to be built anew when a secret is added, and no secret is kept. Two texts with one
//! hash of 64 bits hide a word too many, once in longer than anybody will wait; a secret is never missed.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use super::grams::Grams;

/// The length of a window, in bytes.
pub(super) const WINDOW: usize = 16;

/// A window with fewer different bytes is a ruler or an indentation, and found in text that has nothing to do with the secret.
const DULL: usize = 3;

#[derive(Debug)]
pub(super) struct Fingerprints {
    /// Of the hash: different in each process, so that nobody can look for what collides.
    base: u64,
    /// Where to look.
    grams: Grams,
    /// By length; the last one is of windows.
    tables: [Table; WINDOW + 1],
    /// The hashes of secrets that were added.
    added: Table,
}

impl Default for Fingerprints {
    fn default() -> Self {
        let base = RandomState::new().hash_one(WINDOW) | 1;
        Self { base, grams: Grams::default(), tables: Default::default(), added: Table::default() }
    }
}

impl Fingerprints {
    /// Whether a secret was added before.
    pub(super) fn knows(&self, secret: &[u8]) -> bool {
        self.added.contains(self.hash(secret))
    }

    /// Adds a secret that takes these forms.
    pub(super) fn add(&mut self, secret: &[u8], forms: &[String]) {
        let hash = self.hash(secret);
        self.added.insert(hash);
        for form in forms {
            self.add_form(form.as_bytes());
        }
    }

    fn add_form(&mut self, form: &[u8]) {
        if form.len() < WINDOW {
            self.add_whole(form);
            return;
        }
        let windows = form.chunks_exact(WINDOW).chain([&form[form.len() - WINDOW..]]);
        let all_dull = windows.clone().all(is_dull);
        for window in windows.filter(|window| all_dull || !is_dull(window)) {
            self.add_whole(window);
        }
    }

    fn add_whole(&mut self, bytes: &[u8]) {
        let hash = self.hash(bytes);
        self.tables[bytes.len()].insert(hash);
        self.grams.add(bytes, self.base);
    }

    /// Where something that was added is: in order, none touching another.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        // How far what begins at a byte of a part reaches.
        let mut reach: Vec<u8> = Vec::new();
        self.grams.candidates(text, self.base, |part| {
            reach.clear();
            reach.resize(part.len(), 0);
            for (len, table) in (0..=WINDOW).zip(&self.tables).filter(|(_, table)| !table.is_empty()) {
                let end = (part.end - 1 + len).min(text.len());
                self.roll(&text[part.start..end], len, |start, hash| {
                    if table.contains(hash) {
                        // Lengths are looked for in order, so a later one is longer.
                        reach[start] = u8::try_from(len).unwrap_or(u8::MAX);
                    }
                });
            }
            for (start, reach) in (part.start..).zip(&reach).filter(|(_, reach)| **reach > 0) {
                let end = start + usize::from(*reach);
                match ranges.last_mut() {
                    Some(last) if start <= last.end => last.end = last.end.max(end),
                    _ => ranges.push(start..end),
                }
            }
        });
        ranges
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |hash: u64, byte| hash.wrapping_mul(self.base).wrapping_add(worth(*byte)))
    }

    /// Gives the hash of every part of this length, with its place.
    fn roll(&self, text: &[u8], len: usize, mut visit: impl FnMut(usize, u64)) {
        if text.len() < len {
            return;
        }
        let leaves = (0..len).fold(1_u64, |power, _| power.wrapping_mul(self.base));
        let mut hash = self.hash(&text[..len]);
        visit(0, hash);
        for (start, (leaving, entering)) in (1..).zip(text.iter().zip(&text[len..])) {
            hash = hash.wrapping_mul(self.base).wrapping_add(worth(*entering));
            hash = hash.wrapping_sub(worth(*leaving).wrapping_mul(leaves));
            visit(start, hash);
        }
    }
}

/// Zero bytes count, too.
fn worth(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn is_dull(window: &[u8]) -> bool {
    let mut different: Vec<u8> = Vec::with_capacity(DULL);
    for byte in window {
        if !different.contains(byte) {
            different.push(*byte);
        }
        if different.len() == DULL {
            return false;
        }
    }
    true
}

/// A set of hashes. They are spread already, so the set of the standard library would hash once more for nothing, and that for
/// every byte of the output.
#[derive(Debug, Default)]
struct Table {
    /// Its length is a power of two, or zero; zero is a free place.
    slots: Vec<u64>,
    len: usize,
}

impl Table {
    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn contains(&self, hash: u64) -> bool {
        !self.slots.is_empty() && self.slots[self.place(hash)] != 0
    }

    fn insert(&mut self, hash: u64) {
        if self.len * 4 >= self.slots.len() {
            let larger = vec![0; (self.slots.len() * 2).max(64)];
            for kept in std::mem::replace(&mut self.slots, larger).into_iter().filter(|kept| *kept != 0) {
                let place = self.place(kept);
                self.slots[place] = kept;
            }
        }
        let place = self.place(hash);
        if self.slots[place] == 0 {
            self.slots[place] = hash.max(1);
            self.len += 1;
        }
    }

    /// Where a hash is, or would be.
    fn place(&self, hash: u64) -> usize {
        let (hash, mask) = (hash.max(1), self.slots.len() - 1);
        let spread = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut at = usize::try_from(spread).unwrap_or(0) & mask;
        while self.slots[at] != 0 && self.slots[at] != hash {
            at = (at + 1) & mask;
        }
        at
    }
}
