//! Where in a text a secret may begin, without a look at every byte.
//!
//! No form of a secret is shorter than the shortest, so of every form that is in a text a group of four bytes lies at one of the
//! places that are as far from each other as the shortest form allows. Whether a group is one of a secret is a bit that it
//! shares with 65,536 others: this finds where to look, and says nothing of what is there.

use std::ops::{ControlFlow, Range};

/// How many bytes are looked at together. No form has fewer.
const GRAM: usize = 4;

/// There are two to the power of this many bits.
const BITS: u32 = 16;

#[derive(Debug, Default)]
pub(super) struct Grams {
    /// The length of the shortest form; zero while there is none.
    shortest: usize,
    /// None, while there is no form.
    bits: Vec<u64>,
}

impl Grams {
    /// Adds what is found as a whole. The key makes the bits others in each process.
    pub(super) fn add(&mut self, form: &[u8], key: u64) {
        if form.len() < GRAM {
            return;
        }
        if self.shortest == 0 {
            self.bits = vec![0; 1 << (BITS - u64::BITS.trailing_zeros())];
            self.shortest = form.len();
        }
        // It never grows, so what was added before has all the groups that are asked for.
        self.shortest = self.shortest.min(form.len());
        for gram in form.windows(GRAM).take(self.step()).filter_map(|gram| gram.first_chunk()) {
            let (word, bit) = place(*gram, key);
            self.bits[word] |= bit;
        }
    }

    /// Gives the parts of a text in which all that is hidden begins, in order, none touching another, until it is told that this is
    /// enough.
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
        let mut at = step - 1;
        while let Some(gram) = text.get(at..).and_then(|rest| rest.first_chunk()) {
            let (word, bit) = place(*gram, key);
            if self.bits[word] & bit != 0 {
                // So far before it something may have begun.
                let (start, end) = (at + 1 - step, at + 1);
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
            at += step;
        }
        if let Some(part) = open {
            // It is the last one.
            let _ = visit(part);
        }
    }

    /// How far the places at which it looks are from each other.
    fn step(&self) -> usize {
        self.shortest + 1 - GRAM
    }
}

/// Where the bit of a group is.
fn place(gram: [u8; GRAM], key: u64) -> (usize, u64) {
    let hash = u64::from(u32::from_le_bytes(gram)).wrapping_mul(key) >> (u64::BITS - BITS);
    let word = usize::try_from(hash / u64::from(u64::BITS)).unwrap_or(0);
    (word, 1 << (hash % u64::from(u64::BITS)))
}
