//! Hashes of secrets, and the search for them in text in linear time.
//!
//! A short secret is found by the hash of all of it, with one table for each length. A long secret is stored
//! as the hashes of windows: consecutive ones, and one at its end, so that together they cover it.
//!
//! The [`Grams`] tell where a secret may begin. In these places, a rolling hash needs one table lookup for
//! each byte and length. There are at most as many lengths as a window has bytes. Nothing is rebuilt when a
//! secret is added, and no secret is stored. A collision of 64-bit hashes, which is extremely rare, hides
//! other text. A secret is never missed.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::{ControlFlow, Range};

use super::ngrams::Grams;

/// The length of a window in bytes.
pub(super) const WINDOW: usize = 16;

/// The minimum number of different bytes in a window.
///
/// A window with fewer is a ruler or an indentation, and occurs in unrelated text.
const MIN_DISTINCT_BYTES: usize = 3;

#[derive(Debug)]
pub(super) struct Fingerprints {
    /// The base of the hash, which is random in each process so that no one can prepare collisions.
    base: u64,
    /// The filter that tells where to look.
    grams: Grams,
    /// The hashes by length; the last table contains windows.
    tables: [Table; WINDOW + 1],
    /// The hashes of the complete secrets that were added.
    added: Table,
}

impl Default for Fingerprints {
    fn default() -> Self {
        let base = RandomState::new().hash_one(WINDOW) | 1;
        Self { base, grams: Grams::default(), tables: Default::default(), added: Table::default() }
    }
}

impl Fingerprints {
    /// Returns whether a secret was added before.
    pub(super) fn knows(&self, secret: &[u8]) -> bool {
        self.added.contains(self.hash(secret))
    }

    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Records that all pieces of a secret were added.
    pub(super) fn add_secret(&mut self, secret: &[u8]) {
        let hash = self.hash(secret);
        self.added.insert(hash);
    }

    pub(super) fn add(&mut self, pieces: &[Piece]) {
        for Piece { bytes, len, hash } in pieces {
            self.tables[*len].insert(*hash);
            self.grams.add(&bytes[..*len], self.base);
        }
    }

    /// Returns the ranges of added pieces in a text, sorted, with adjacent ones merged.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        self.visit(text, |range| {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
            ControlFlow::Continue(())
        });
        ranges
    }

    /// Returns whether a text contains an added piece.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let mut is_in = false;
        self.visit(text, |_| {
            is_in = true;
            ControlFlow::Break(())
        });
        is_in
    }

    /// Calls `visit` with the range of each added piece, by start, until it returns `Break`.
    fn visit(&self, text: &[u8], mut visit: impl FnMut(Range<usize>) -> ControlFlow<()>) {
        // For each byte of a part, the length of the longest piece that starts there.
        let mut reach: Vec<u8> = Vec::new();
        self.grams.candidates(text, self.base, |part| {
            reach.clear();
            reach.resize(part.len(), 0);
            for (len, table) in (0..=WINDOW).zip(&self.tables).filter(|(_, table)| !table.is_empty()) {
                let end = (part.end - 1 + len).min(text.len());
                self.roll(&text[part.start..end], len, |start, hash| {
                    if table.contains(hash) {
                        // Lengths are visited in ascending order, so a later one is longer.
                        reach[start] = u8::try_from(len).unwrap_or(u8::MAX);
                    }
                });
            }
            let mut matches = (part.start..).zip(&reach).filter(|(_, reach)| **reach > 0);
            matches.try_for_each(|(start, reach)| visit(start..start + usize::from(*reach)))
        });
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        hash(bytes, self.base)
    }

    /// Calls `visit` with the offset and hash of every part of length `len`.
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

/// A byte sequence that is searched for as a whole.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    bytes: [u8; WINDOW],
    len: usize,
    hash: u64,
}

/// Calls `visit` with the pieces of a form.
///
/// Computing their hashes is most of the work.
pub(super) fn pieces(form: &[u8], base: u64, mut visit: impl FnMut(Piece)) {
    let mut piece = |part: &[u8]| {
        let mut bytes = [0; WINDOW];
        bytes[..part.len()].copy_from_slice(part);
        visit(Piece { bytes, len: part.len(), hash: hash(part, base) });
    };
    if form.len() < WINDOW {
        return piece(form);
    }
    let windows = form.chunks_exact(WINDOW).chain([&form[form.len() - WINDOW..]]);
    let all_dull = windows.clone().all(is_repetitive);
    windows.filter(|window| all_dull || !is_repetitive(window)).for_each(piece);
}

fn hash(bytes: &[u8], base: u64) -> u64 {
    bytes.iter().fold(0, |hash: u64, byte| hash.wrapping_mul(base).wrapping_add(worth(*byte)))
}

/// Returns the value of a byte in the hash; the offset makes zero bytes count.
fn worth(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn is_repetitive(window: &[u8]) -> bool {
    let mut different = [0; MIN_DISTINCT_BYTES - 1];
    let mut count = 0;
    for byte in window {
        if !different[..count].contains(byte) {
            let Some(place) = different.get_mut(count) else { return false };
            *place = *byte;
            count += 1;
        }
    }
    true
}

/// A set of hashes.
///
/// The standard set would hash the hashes again, for every byte of the output.
#[derive(Debug, Default)]
struct Table {
    /// The slots; the length is a power of two or zero, and a zero slot is free.
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
            for slot_hash in std::mem::replace(&mut self.slots, larger).into_iter().filter(|kept| *kept != 0)
            {
                let place = self.place(slot_hash);
                self.slots[place] = slot_hash;
            }
        }
        let place = self.place(hash);
        if self.slots[place] == 0 {
            self.slots[place] = hash.max(1);
            self.len += 1;
        }
    }

    /// Returns the slot of a hash, or the free slot where it belongs.
    fn place(&self, hash: u64) -> usize {
        let (hash, mask) = (hash.max(1), self.slots.len() - 1);
        let spread = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut slot = usize::try_from(spread).unwrap_or(0) & mask;
        while self.slots[slot] != 0 && self.slots[slot] != hash {
            slot = (slot + 1) & mask;
        }
        slot
    }
}
