//! The parts of a literal, of which its text is put together.

use std::ops::Range;

/// A part of a literal: some bytes as written, and the bytes they stand for.
pub(super) struct Piece {
    pub(super) raw: Range<usize>,
    /// The bytes they stand for, when these are not the same.
    pub(super) decoded: Option<([u8; 4], usize)>,
}

impl Piece {
    pub(super) fn byte(raw: Range<usize>, byte: u8) -> Self {
        Self { raw, decoded: Some(([byte, 0, 0, 0], 1)) }
    }

    pub(super) fn char(raw: Range<usize>, c: char) -> Self {
        let mut bytes = [0; 4];
        let length = c.encode_utf8(&mut bytes).len();
        Self { raw, decoded: Some((bytes, length)) }
    }

    pub(super) fn text<'a>(&'a self, raw: &'a str) -> &'a [u8] {
        match &self.decoded {
            Some((bytes, length)) => &bytes[..*length],
            None => &raw.as_bytes()[self.raw.clone()],
        }
    }
}

/// Gives a range that stands for itself, except that CRLF is LF, as everywhere in HCL 1.
pub(super) fn verbatim(raw: &str, range: Range<usize>, emit: &mut impl FnMut(Piece)) {
    let mut from = range.start;
    // One byte is found faster than two, and is nearly never there.
    let crlf = |from| {
        let rest = &raw[from..range.end];
        if rest.as_bytes().contains(&b'\r') { rest.find("\r\n") } else { None }
    };
    while let Some(found) = crlf(from) {
        if found > 0 {
            emit(Piece { raw: from..from + found, decoded: None });
        }
        emit(Piece::byte(from + found..from + found + 2, b'\n'));
        from += found + 2;
    }
    if from < range.end {
        emit(Piece { raw: from..range.end, decoded: None });
    }
}
