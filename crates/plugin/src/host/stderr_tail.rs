//! The last lines that a plugin wrote to its standard error.

use std::collections::VecDeque;

const KEPT: usize = 2048;

#[derive(Default)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    left_out: bool,
}

impl Tail {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(KEPT);
        self.left_out |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// Returns the last lines as the end of a message, or an empty string if there are none.
    pub(super) fn message(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // A truncated first line is left out.
        let text = match text.split_once('\n') {
            Some((_, rest)) if self.left_out => rest,
            _ => &text,
        };
        let text = text.trim();
        if text.is_empty() { String::new() } else { format!(", and wrote at last:\n{text}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_told() {
        let check = |pieces: &[&str], expect: &str| {
            let mut tail = Tail::default();
            for piece in pieces {
                tail.add(piece.as_bytes());
            }
            assert_eq!(tail.message(), expect);
        };
        check(&[], "");
        check(&[" \n"], "");
        check(&["one\ntw", "o\n"], ", and wrote at last:\none\ntwo");
        let many = "x".repeat(KEPT);
        check(&[&many, "\nlast\n"], ", and wrote at last:\nlast");
    }
}
