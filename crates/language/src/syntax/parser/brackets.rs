//! The open brackets of an invalid value.

/// The closing brackets of all open ones, innermost last.
pub(super) struct OpenBrackets {
    closing: Vec<char>,
    /// The numbers of open braces, brackets and parentheses, so that `contains` needs no search.
    counts: [usize; 3],
}

impl OpenBrackets {
    pub(super) fn new(closing: &[char]) -> Self {
        let mut open = Self { closing: Vec::new(), counts: [0; 3] };
        for close in closing {
            open.push(*close);
        }
        open
    }

    fn count(&mut self, close: char) -> &mut usize {
        &mut self.counts[Self::place(close)]
    }

    fn place(close: char) -> usize {
        match close {
            '}' => 0,
            ']' => 1,
            _ => 2,
        }
    }

    pub(super) fn push(&mut self, close: char) {
        *self.count(close) += 1;
        self.closing.push(close);
    }

    pub(super) fn contains(&self, close: char) -> bool {
        self.counts[Self::place(close)] > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.closing.is_empty()
    }

    /// Closes the innermost bracket of its kind, and all brackets inside it.
    pub(super) fn close(&mut self, close: char) {
        while let Some(last) = self.closing.pop() {
            *self.count(last) -= 1;
            if last == close {
                return;
            }
        }
    }
}
