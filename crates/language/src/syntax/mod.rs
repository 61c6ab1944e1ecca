//! The parser from HCL text to a tree with byte spans, and the canonical form.
//!
//! Modules are written in HCL 1, for which there is no maintained parser, with computed expressions, which
//! HCL 1 does not have. The parser is therefore our own (`parser`, and `expression` for computed values). It
//! reads the text once.

mod characters;
mod common_names;
mod error;
mod expression;
mod format;
mod heredoc;
mod lexer;
mod limits;
mod literal;
mod literal_piece;
mod names;
mod number;
mod parser;
mod quoted_string;
mod tree;

#[cfg(test)]
mod tests;

pub use format::format;
#[doc(hidden)]
pub use heredoc::uneven_empty_lines;
#[doc(hidden)]
pub use lexer::{Lexer, TokenKind};
pub use limits::MAX_SOURCE_BYTES;
#[doc(hidden)]
pub use literal::decode;
pub use literal::literal_range;
#[doc(hidden)]
pub use literal::literal_ranges;
pub use parser::parse;
#[doc(hidden)]
pub use parser::parse_while;
pub use tree::{
    Attribute, BinaryOperator, Block, Body, ByteRange, Computed, Expression, ExpressionKind, For, Item, Name,
    SplatStep, UnaryOperator,
};
