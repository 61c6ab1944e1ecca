//! The syntax tree of a module, with byte ranges.

use std::ops::Range;
use std::sync::Arc;

/// A range of byte offsets in the file.
pub type ByteRange = Range<u32>;

/// Converts a range.
///
/// The offsets fit because sources are limited to 16 MiB.
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
    /// An attribute: `name = value`.
    Attribute(Attribute),
    /// A block: `type "label" { .. }`.
    Block(Block),
}

/// An attribute: `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expression,
}

/// A block: `type "label" { .. }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The type, including dots: `file.owner`.
    pub kind: Name,
    /// The labels.
    pub labels: Vec<Name>,
    /// The content of the braces.
    pub body: Body,
    /// The range from the first byte of the type to the closing brace.
    pub range: ByteRange,
}

/// A decoded name.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The text, without quotes and with decoded escapes.
    pub text: Arc<str>,
    /// The range in the source, including quotes.
    pub range: ByteRange,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The form of the value.
    pub kind: ExpressionKind,
    /// The range in the source, including quotes and brackets.
    ///
    /// Enclosing parentheses are not included; the tree omits them.
    pub range: ByteRange,
}

/// The forms of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number with the base of its notation: 8, 10 or 16.
    Int {
        /// The number.
        value: i64,
        /// The base: 8, 10 or 16.
        base: u8,
    },
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A quoted string or a heredoc, decoded.
    ///
    /// It may contain a template.
    String(Arc<str>),
    /// A list: `[ .. ]`.
    List(Vec<Expression>),
    /// A map: `{ .. }`.
    ///
    /// Names may contain templates.
    Map(Vec<(Name, Expression)>),
    /// A computed expression.
    Computed(Box<Computed>),
}

/// A computed expression: HCL 2 syntax without quotes, which the original rejects.
///
/// The tree is at most 64 levels deep, including the surrounding blocks, so that it can be traversed
/// recursively.
#[derive(Clone, Debug, PartialEq)]
pub enum Computed {
    /// `null`.
    Null,
    /// A single name: the root of a traversal (`param`, `task`) or a variable of `for`.
    Name(Arc<str>),
    /// An attribute access: `base.name`.
    Attribute {
        /// The value that has the attribute.
        base: Expression,
        /// The name.
        name: Name,
    },
    /// An index access: `base[index]`.
    Index {
        /// The value that is indexed.
        base: Expression,
        /// The index.
        index: Expression,
    },
    /// A splat: `base[*].a.b` or `base.*.a.b`.
    ///
    /// The steps apply to each item.
    Splat {
        /// The list.
        base: Expression,
        /// The steps that apply to each item.
        steps: Vec<SplatStep>,
    },
    /// A function call: `name(a, b)`.
    Call {
        /// The function.
        function: Name,
        /// The arguments.
        arguments: Vec<Expression>,
        /// The range of `...` after the last argument, whose items are then passed as the last arguments.
        spread: Option<ByteRange>,
    },
    /// A unary operation: `-a`, `!a`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Expression,
    },
    /// A binary operation: `a + b`.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The range of the operator.
        at: ByteRange,
        /// The left side.
        left: Expression,
        /// The right side.
        right: Expression,
    },
    /// A conditional: `condition ? yes : no`.
    Conditional {
        /// The condition.
        condition: Expression,
        /// The value if the condition is true.
        yes: Expression,
        /// The value if the condition is false.
        no: Expression,
    },
    /// A `for` expression: `[for x in list : value]`, `{for k, v in map : key => value}`.
    For(For),
    /// A map with at least one computed or numeric key: `{ (key) = value }`.
    ///
    /// Its other keys are strings.
    Map(Vec<(Expression, Expression)>),
}

/// A step after a splat.
#[derive(Clone, Debug, PartialEq)]
pub enum SplatStep {
    /// An attribute: `.name`.
    Attribute(Name),
    /// An index: `[index]`.
    Index(Expression),
    /// A splat: `[*]` or `.*`.
    ///
    /// The following steps apply to each item of the value reached here.
    Splat,
}

/// A `for` expression.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The variable for keys or indices.
    pub key: Option<Name>,
    /// The variable for values.
    pub value: Name,
    /// The collection that is iterated.
    pub over: Expression,
    /// The key of each entry, if the result is a map.
    pub result_key: Option<Expression>,
    /// The value of each entry.
    pub result: Expression,
    /// Whether `...` follows, which collects the values of equal keys in lists.
    pub grouped: bool,
    /// The condition that selects entries.
    pub condition: Option<Expression>,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// A binary operator.
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
