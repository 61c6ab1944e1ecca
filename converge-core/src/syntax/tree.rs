//! The tree of a module: what is written, and where.

use std::ops::Range;
use std::sync::Arc;

/// A range of byte offsets in the file.
pub type ByteRange = Range<u32>;

/// The items of a file or of a block, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The items.
    pub items: Vec<Item>,
}

/// An item of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `name = value`.
    Attribute(Attribute),
    /// `type "label" { .. }`.
    Block(Block),
}

/// `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expression,
}

/// `type "label" { .. }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The type with its dots: `file.owner`.
    pub kind: Name,
    /// The labels.
    pub labels: Vec<Name>,
    /// What is between the braces.
    pub body: Body,
    /// From the first byte of the type to the closing brace.
    pub range: ByteRange,
}

/// A name, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The text, without quotes and with its escapes decoded.
    pub text: Arc<str>,
    /// Where it is written, quotes included.
    pub range: ByteRange,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it is written, quotes and brackets included.
    pub range: ByteRange,
}

/// The forms of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, with the base in which it is written: 8, 10 or 16.
    Int {
        /// The number.
        value: i64,
        /// Its base.
        base: u8,
    },
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A quoted string or a heredoc, decoded. It may hold a template.
    String(Arc<str>),
    /// `[ .. ]`.
    List(Vec<Expression>),
    /// `{ .. }`. Names may hold templates.
    Map(Vec<(Name, Expression)>),
}
