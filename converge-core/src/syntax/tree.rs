//! The tree of a module: what is written, and where.

use std::ops::Range;
use std::sync::Arc;

/// A range of byte offsets in the file.
pub type ByteRange = Range<u32>;

/// Offsets fit because sources are limited to 16 MiB.
pub(super) fn byte_range(range: &Range<usize>) -> ByteRange {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}

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
    /// Where it is written, quotes and brackets included, but not parentheses around it: these are nowhere in
    /// the tree.
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
    /// Something that is computed.
    Computed(Box<Computed>),
}

/// A computed expression: what HCL writes without quotes, and the original rejects.
///
/// The tree is at most 64 levels deep, with the blocks around it, so that it may be walked recursively.
#[derive(Clone, Debug, PartialEq)]
pub enum Computed {
    /// `null`.
    Null,
    /// A name on its own, which is the root of a traversal (`param`, `task`) or a variable of `for`.
    Name(Arc<str>),
    /// `base.name`.
    Attribute {
        /// What the name is looked up in.
        base: Expression,
        /// The name.
        name: Name,
    },
    /// `base[index]`.
    Index {
        /// What the index is looked up in.
        base: Expression,
        /// The index.
        index: Expression,
    },
    /// `base[*].a.b`, or `base.*.a.b`: the steps are taken from each item.
    Splat {
        /// The list.
        base: Expression,
        /// What is taken from each item.
        steps: Vec<SplatStep>,
    },
    /// `name(a, b)`.
    Call {
        /// The function.
        function: Name,
        /// The arguments.
        arguments: Vec<Expression>,
        /// Where `...` is written after the last argument, whose items are then the last arguments.
        spread: Option<ByteRange>,
    },
    /// `-a`, `!a`.
    Unary {
        /// What is done.
        operator: UnaryOperator,
        /// To what.
        operand: Expression,
    },
    /// `a + b`.
    Binary {
        /// What is done.
        operator: BinaryOperator,
        /// Where the operator is written.
        at: ByteRange,
        /// The left side.
        left: Expression,
        /// The right side.
        right: Expression,
    },
    /// `condition ? yes : no`.
    Conditional {
        /// What decides.
        condition: Expression,
        /// The value when it is true.
        yes: Expression,
        /// The value when it is false.
        no: Expression,
    },
    /// `[for x in list : value]`, `{for k, v in map : key => value}`.
    For(For),
    /// `{ (key) = value }`: a map of which at least one name is computed or a number. Its other names are
    /// strings.
    Map(Vec<(Expression, Expression)>),
}

/// A step after a splat.
#[derive(Clone, Debug, PartialEq)]
pub enum SplatStep {
    /// `.name`.
    Attribute(Name),
    /// `[index]`.
    Index(Expression),
    /// `[*]` or `.*`: the steps that follow are taken from each item of what is reached here.
    Splat,
}

/// A `for` expression.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The variable for keys or positions.
    pub key: Option<Name>,
    /// The variable for values.
    pub value: Name,
    /// What is gone through.
    pub over: Expression,
    /// The key of each entry, when the result is a map.
    pub result_key: Option<Expression>,
    /// The value of each entry.
    pub result: Expression,
    /// Whether `...` follows, which collects the values of equal keys in lists.
    pub grouped: bool,
    /// Which entries are taken.
    pub condition: Option<Expression>,
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// Operators between their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}
