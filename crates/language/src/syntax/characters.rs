//! Character classes for names, numbers, white space and comments.

/// Whether a name may begin with the character.
///
/// HCL 1: a letter or `_`.
pub(super) fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Whether a name may contain the character.
///
/// HCL 1: letters, digits, `_`, `-`, `.`.
pub(super) fn is_name_part(c: char) -> bool {
    matches!(c, '_' | '-' | '.') || c.is_alphanumeric()
}

/// A set of bytes as a lookup table.
///
/// Each byte of a module is tested, and a table is several times faster than a few comparisons.
pub(super) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(super) const fn new(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut index = 0;
        while index < bytes.len() {
            set[bytes[index] as usize] = true;
            index += 1;
        }
        Self(set)
    }

    /// Adds the ASCII letters and digits.
    const fn with_alphanumeric(mut self) -> Self {
        let mut byte = 0u8;
        while byte < 128 {
            self.0[byte as usize] |= byte.is_ascii_alphanumeric();
            byte += 1;
        }
        self
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

static NAME: ByteSet = ByteSet::new(b"_-.").with_alphanumeric();
static SIMPLE_NAME: ByteSet = ByteSet::new(b"_-").with_alphanumeric();

/// Returns the length of the name at the start of the text.
///
/// The name may contain dots and dashes.
pub(super) fn name_len(rest: &str) -> usize {
    prefix_len(rest, &NAME, is_name_part)
}

/// Returns the length of the expression name at the start of the text.
///
/// A dot ends it.
pub(super) fn simple_name_len(rest: &str) -> usize {
    prefix_len(rest, &SIMPLE_NAME, |c| c != '.' && is_name_part(c))
}

/// Returns the length of the longest prefix of allowed characters.
///
/// Nearly all characters are ASCII.
fn prefix_len(rest: &str, ascii: &ByteSet, accepts: impl Fn(char) -> bool) -> usize {
    let length = rest.bytes().position(|byte| !ascii.has(byte)).unwrap_or(rest.len());
    match rest.as_bytes().get(length) {
        Some(0x80..) => length + rest[length..].find(|c| !accepts(c)).unwrap_or(rest.len() - length),
        _ => length,
    }
}

/// Returns the length of the number at the start of the text.
///
/// Letters that follow directly belong to it, so that `12abc` is one invalid number instead of a number and a
/// name.
pub(super) fn number_len(rest: &str) -> usize {
    let mut previous = '0';
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    rest.char_indices()
        .find(|&(_, c)| {
            let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !hex;
            previous = c;
            !(sign || c == '_' || c == '.' || c.is_alphanumeric())
        })
        .map_or(rest.len(), |(at, _)| at)
}

#[derive(Clone, Copy)]
pub(super) struct Blanks {
    pub(super) length: usize,
    /// Whether the blanks contain a line end.
    pub(super) line_ended: bool,
    /// The offset of a comment that is not closed before the end of the file.
    pub(super) unclosed: Option<usize>,
}

pub(super) fn blanks(text: &str) -> Blanks {
    let bytes = text.as_bytes();
    let mut blanks = Blanks { length: 0, line_ended: false, unclosed: None };
    while let Some(byte) = bytes.get(blanks.length) {
        let rest = &bytes[blanks.length..];
        match byte {
            b' ' | b'\t' | b'\r' => blanks.length += 1,
            b'\n' => {
                blanks.line_ended = true;
                blanks.length += 1;
            }
            b'#' => blanks.length += line_length(rest),
            b'/' if rest.starts_with(b"//") => blanks.length += line_length(rest),
            b'/' if rest.starts_with(b"/*") => {
                let end = text[blanks.length + 2..].find("*/").map(|end| end + 4);
                if end.is_none() {
                    blanks.unclosed = Some(blanks.length);
                }
                let length = end.unwrap_or(rest.len());
                blanks.line_ended |= rest[..length].contains(&b'\n');
                blanks.length += length;
            }
            _ => break,
        }
    }
    blanks
}

fn line_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len())
}
