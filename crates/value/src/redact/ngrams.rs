//! A filter that tells where in a text a secret may begin, without looking at every byte.
//!
//! The filter looks at groups of four bytes at a fixed distance, which depends on the shortest form. Every
//! occurrence of a form contains one of these groups. A bitmap of 65,536 bits records the groups of all
//! forms. Because many groups share a bit, the filter only tells where to look, and reveals nothing about the
//! secrets.

use std::ops::{ControlFlow, Range};

/// The number of bytes in a group; no form has fewer.
const GRAM: usize = 4;

/// The binary logarithm of the number of bits.
const BITS: u32 = 16;

#[derive(Debug, Default)]
pub(super) struct Grams {
    /// The length of the shortest form in bytes; zero if there is none.
    shortest: usize,
    /// The bitmap; empty if there is no form.
    bits: Vec<u64>,
}

impl Grams {
    /// Adds the groups of a form; `key` makes the bits different in each process.
    pub(super) fn add(&mut self, form: &[u8], key: u64) {
        if form.len() < GRAM {
            return;
        }
        if self.shortest == 0 {
            self.bits = vec![0; 1 << (BITS - u64::BITS.trailing_zeros())];
            self.shortest = form.len();
        }
        // The minimum only decreases, so the groups of earlier forms cover the smaller distance too.
        self.shortest = self.shortest.min(form.len());
        for gram in form.windows(GRAM).take(self.step()).filter_map(|gram| gram.first_chunk()) {
            let (word, bit) = place(*gram, key);
            self.bits[word] |= bit;
        }
    }

    /// Calls `visit` with the parts of a text where secrets may begin, until it returns `Break`.
    ///
    /// The parts are sorted and do not touch each other.
    pub(super) fn candidates(
        &self,
        text: &[u8],
        key: u64,
        mut visit: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) {
        if self.shortest == 0 {
            return;
        }
        let step = self.step();
        let mut open: Option<Range<usize>> = None;
        let mut offset = step - 1;
        while let Some(gram) = text.get(offset..).and_then(|rest| rest.first_chunk()) {
            let (word, bit) = place(*gram, key);
            if self.bits[word] & bit != 0 {
                // A secret with this group may begin up to `step - 1` bytes before the group.
                let (start, end) = (offset + 1 - step, offset + 1);
                match &mut open {
                    Some(part) if part.end == start => part.end = end,
                    _ => {
                        if let Some(part) = open.replace(start..end)
                            && visit(part).is_break()
                        {
                            return;
                        }
                    }
                }
            }
            offset += step;
        }
        if let Some(part) = open {
            // This is the last part, so the result does not matter.
            let _ = visit(part);
        }
    }

    /// Returns the distance of the examined groups in bytes.
    fn step(&self) -> usize {
        self.shortest + 1 - GRAM
    }
}

/// Returns the word and the bit of a group.
fn place(gram: [u8; GRAM], key: u64) -> (usize, u64) {
    let hash = u64::from(u32::from_le_bytes(gram)).wrapping_mul(key) >> (u64::BITS - BITS);
    let word = usize::try_from(hash / u64::from(u64::BITS)).unwrap_or(0);
    (word, 1 << (hash % u64::from(u64::BITS)))
}
