//! HCL text to a tree with byte spans.
//!
//! Modules are written in HCL 1, which no maintained parser reads. So each item is copied, byte for byte,
//! in a form that an HCL 2 parser reads (`mask`); `hcl-edit` parses the copy; and names and literals
//! are read from the original text by their spans (`lower`). Native expressions, which HCL 1 does not have,
//! are read by our own parser (`expression`) and are one name in the copy. One item is parsed at a time, so
//! that the tree of `hcl-edit`, which is many times larger than ours, never exists for a whole file.

mod error;
mod expression;
mod format;
mod heredoc;
mod lexer;
mod literal;
mod lower;
mod mask;
mod number;
mod quoted;
mod tree;

#[cfg(test)]
mod tests;

use crate::report::{Diagnostics, FileId};

use error::{SyntaxError, SyntaxErrorKind};

pub use format::format;
pub use literal::literal_range;
pub(crate) use literal::literal_ranges;
pub use tree::{
    Attribute, BinaryOperator, Block, Body, ByteRange, Expression, ExpressionKind, For, Item, Name, Native,
    Step, UnaryOperator,
};

/// The largest source that is read, in bytes: 16 MiB.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// Parses a module. What can be read is in the tree, whatever is wrong with the rest.
///
/// An item with an error is left out of the tree: a wrong attribute from its block, a block whose head is
/// wrong or that is not closed from what is around it. Every error is reported, in the order of the text.
/// A byte order mark at the front is skipped; offsets count it.
pub fn parse(file: FileId, text: &str) -> (Body, Diagnostics) {
    let mut body = Body::default();
    let mut errors = Vec::new();
    if text.len() > MAX_SOURCE_BYTES {
        let kind = SyntaxErrorKind::TooLarge { size: text.len(), limit: MAX_SOURCE_BYTES };
        errors.push(SyntaxError::new(0..0, kind));
    } else {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut masker = mask::Masker::new(text, start);
        let mut lower = lower::Lower::new(text);
        while let Some(masked) = masker.next_item() {
            match parse_masked(masked.text) {
                Ok(items) => lower.items(masked.places, masked.natives, items, &mut body.items),
                Err((at, message)) => {
                    let at = masked.places.in_file(at);
                    errors.push(SyntaxError::new(at..at, SyntaxErrorKind::Other(message)));
                }
            }
        }
        errors.append(&mut masker.into_errors());
        body.items.shrink_to_fit();
    }
    errors.sort_by_key(|error| error.at.start);
    if errors.len() > mask::MAX_ERRORS {
        errors.truncate(mask::MAX_ERRORS);
        let at = errors.last().map_or(0, |error| error.at.end);
        errors.push(SyntaxError::new(at..at, SyntaxErrorKind::TooMany));
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors.iter().map(|error| error.diagnostic(file)));
    (body, diagnostics)
}

/// The parser's tree, or the offset and message of its error. The masker lets nothing through that the
/// parser refuses, as far as is known.
fn parse_masked(masked: &[u8]) -> Result<hcl_edit::structure::Body, (usize, String)> {
    let masked = std::str::from_utf8(masked).map_err(|error| (error.valid_up_to(), error.to_string()))?;
    hcl_edit::parser::parse_body(masked)
        .map_err(|error| (error.location().offset(), error.message().to_owned()))
}
