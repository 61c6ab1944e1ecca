//! The masked copy: each item of a module in a form that an HCL 2 parser reads, byte for byte as long but
//! for line ends that had no room.
//!
//! Names and literals become plain names, comments become spaces, and one byte of the space between two
//! items becomes a line end. Where braces touch the items in them there is no space, so the line end is
//! put in and its place is kept (`inserts`). A map becomes a list in which names and values alternate,
//! because the parser compares every key of a map with every other. What an item means is read from the
//! original text, so nothing of it has to survive but its shape. A native expression is read here, by our
//! own parser, and becomes one name (`native`).
//!
//! What is wrong is found here, where the exact place is known. A wrong item is blanked out, so that the
//! others are still read.

mod items;
mod names;
mod native;
mod recover;
mod values;

use std::ops::Range;

use self::items::Container;
use self::names::Names;
pub(super) use self::native::Natives;
use self::recover::Suspect;
use super::error::{SyntaxError, SyntaxErrorKind as Kind};
use super::lexer::{Lexer, Token, TokenKind};

/// When more problems than this are known, what follows is not read: nobody reads more, and each takes memory.
pub(super) const MAX_ERRORS: usize = 1000;

/// An item could not be read; the problem is noted.
#[derive(Debug)]
struct Bad;

/// The masked copy of one item.
pub(super) struct Masked<'m> {
    /// What the parser reads.
    pub(super) text: &'m [u8],
    /// From its offsets to those of the file.
    pub(super) places: Places<'m>,
    /// The expressions in it, for each of which a name stands in the copy.
    pub(super) natives: Natives,
}

/// The way from offsets in a masked copy to offsets in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'m> {
    /// Where the item begins in the file.
    base: usize,
    /// Where in the copy a byte was put in, in order.
    inserted: &'m [usize],
}

impl Places<'_> {
    /// The offset in the file.
    pub(super) fn in_file(&self, at: usize) -> usize {
        self.base + at - self.inserted.partition_point(|inserted| *inserted < at)
    }
}

/// Masks one item of the file after the other.
pub(super) struct Masker<'a> {
    lexer: Lexer<'a>,
    /// The masked copy of the item at hand.
    out: Vec<u8>,
    /// Where that begins in the file.
    base: usize,
    /// Before which bytes of the file a line end is missing; in the finished copy, where they are.
    inserts: Vec<usize>,
    /// The expressions of the item at hand.
    natives: Natives,
    /// Set when the map at hand has to be read as an expression.
    native_map: bool,
    /// The end of the last token that was used.
    end: usize,
    /// How many brackets are open.
    depth: usize,
    /// Set when nothing more can be said about the item at hand.
    stopped: bool,
    suspect: Option<Suspect>,
    restarts: usize,
    /// The names of the attributes of the file.
    top: Names<'a>,
}

impl<'a> Masker<'a> {
    /// Begins at byte `at` of `text`.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self {
            lexer: Lexer::new(text, at),
            out: Vec::new(),
            base: at,
            inserts: Vec::new(),
            natives: Natives::default(),
            native_map: false,
            end: at,
            depth: 0,
            stopped: false,
            suspect: None,
            restarts: 0,
            top: Names::default(),
        }
    }

    /// The next item that can be read.
    pub(super) fn next_item(&mut self) -> Option<Masked<'_>> {
        loop {
            if self.too_many_errors() {
                return None;
            }
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => return None,
                TokenKind::Symbol('{') if self.end == self.base && self.out.is_empty() => {
                    self.error(token.range, Kind::Json);
                    return None;
                }
                TokenKind::Symbol(close @ ('}' | ']' | ')')) => {
                    self.bump();
                    self.error(token.range, Kind::UnmatchedClose(close));
                }
                TokenKind::Symbol(',') if !self.out.is_empty() => {
                    self.bump();
                }
                _ => {
                    self.base = token.range.start;
                    self.out.clear();
                    self.inserts.clear();
                    self.natives = Natives::default();
                    self.stopped = false;
                    self.suspect = None;
                    self.depth = 0;
                    let mut top = std::mem::take(&mut self.top);
                    let item = self.item(Container::Body, &mut top);
                    self.top = top;
                    if item.is_ok() {
                        break;
                    }
                }
            }
        }
        self.insert_line_ends();
        let places = Places { base: self.base, inserted: &self.inserts };
        Some(Masked { text: &self.out, places, natives: std::mem::take(&mut self.natives) })
    }

    /// Puts in the line ends that had no room.
    fn insert_line_ends(&mut self) {
        if self.inserts.is_empty() {
            return;
        }
        // A block is done after the ones in it, but begins before them.
        self.inserts.sort_unstable();
        let mut out = Vec::with_capacity(self.out.len() + self.inserts.len());
        let mut from = 0;
        for insert in &mut self.inserts {
            let at = *insert - self.base;
            out.extend_from_slice(&self.out[from..at]);
            *insert = out.len();
            out.push(b'\n');
            from = at;
        }
        out.extend_from_slice(&self.out[from..]);
        self.out = out;
    }

    /// The problems found.
    pub(super) fn into_errors(mut self) -> Vec<SyntaxError> {
        // The end of the file may have a problem too.
        self.lexer.next();
        self.lexer.errors
    }

    fn error(&mut self, at: Range<usize>, kind: Kind) {
        self.lexer.errors.push(SyntaxError::new(at, kind));
    }

    fn too_many_errors(&self) -> bool {
        self.lexer.errors.len() > MAX_ERRORS
    }

    fn bump(&mut self) -> Token {
        let token = self.lexer.next();
        self.end = token.range.end;
        token
    }

    /// Writes a byte of the copy; `at` is an offset in the file.
    fn put(&mut self, at: usize, byte: u8) {
        self.fill(&(at..at + 1), byte);
    }

    fn fill(&mut self, range: &Range<usize>, byte: u8) {
        let (start, end) = (range.start - self.base, range.end - self.base);
        if self.out.len() < end {
            self.out.resize(end, b' ');
        }
        self.out[start..end].fill(byte);
    }

    /// Goes back to the beginning of a value, of which `errors` problems were known.
    fn take_back(&mut self, start: usize, errors: usize) {
        self.lexer.rewind(start);
        self.lexer.errors.truncate(errors);
        self.blank_from(start);
    }

    /// Takes back what was written for an item that turned out to be wrong.
    fn blank_from(&mut self, start: usize) {
        self.out.truncate(start - self.base);
        // What was noted since then lies in the item.
        while self.inserts.pop_if(|at| *at >= start).is_some() {}
        self.natives.forget_from(start);
    }
}
