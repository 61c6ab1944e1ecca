//! The pieces of a literal, from which its text is decoded.

use std::ops::Range;

/// A piece of a literal: a range of the source, and the bytes that it stands for.
pub(super) struct Piece {
    pub(super) raw: Range<usize>,
    /// The decoded bytes, if they differ from the source.
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

/// Emits a range that stands for itself, with CRLF replaced by LF as everywhere in HCL 1.
pub(super) fn verbatim(raw: &str, range: Range<usize>, emit: &mut impl FnMut(Piece)) {
    let mut from = range.start;
    // Searching for one byte is faster than for two, and CR is rare.
    let crlf = |from| {
        let rest = &raw[from..range.end];
        if rest.as_bytes().contains(&b'\r') { rest.find("\r\n") } else { None }
    };
    while let Some(length) = crlf(from) {
        if length > 0 {
            emit(Piece { raw: from..from + length, decoded: None });
        }
        emit(Piece::byte(from + length..from + length + 2, b'\n'));
        from += length + 2;
    }
    if from < range.end {
        emit(Piece { raw: from..range.end, decoded: None });
    }
}
