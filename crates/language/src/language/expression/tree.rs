//! The resolved tree of an expression, kept small because very many are in memory at once.

use std::ops::Range;
use std::sync::Arc;

use crate::language::functions::FunctionRef;
use crate::language::template::{Reference, Template};
use crate::syntax::{BinaryOperator, UnaryOperator};
use crate::types::base_path::BasePath;
use crate::types::value::Value;

/// A computed expression whose names and functions are checked.
///
/// It does not keep its text: offsets in [`Reference`]s and in a
/// [`LanguageError`](crate::language::LanguageError) are bytes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) root: Expr,
    /// The distinct symbols that are requested from the scope.
    pub(super) symbols: Box<[ScopeSymbol]>,
    pub(super) references: Box<[Reference]>,
}

impl Expression {
    /// Returns every use of a name, in source order, including branches that are not taken.
    ///
    /// Ranges are bytes of the file.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Returns the beginning of the result, as far as it is plain text.
    #[doc(hidden)]
    pub fn known_prefix(&self) -> &str {
        match &self.root.kind {
            ExprKind::Text(text) => text.template.known_prefix(),
            _ => "",
        }
    }
}

/// An expression node with its range in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expr {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: ExprKind,
}

impl Expr {
    pub(super) fn range(&self) -> Range<u32> {
        self.start..self.end
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprKind {
    Constant(Value),
    Text(Box<Text>),
    Variable(Slot),
    /// An index into `Expression::symbols`.
    Name(u32),
    List(Box<[Expr]>),
    Map(Box<[(Expr, Expr)]>),
    Access(Box<Access>),
    Splat(Box<Access>),
    Call(Box<Call>),
    Unary(Box<Unary>),
    Binary(Box<Binary>),
    Conditional(Box<Conditional>),
    For(Box<For>),
}

/// A symbol that is requested from the scope, at most once per evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScopeSymbol {
    Param(Arc<str>),
    /// The index of the field in [`Platform::FIELDS`](crate::types::platform::Platform::FIELDS).
    Platform(usize),
    Env(Arc<str>),
    Path(BasePath),
    This(Arc<str>),
    EachKey,
    EachValue,
    /// A dotted name: `task.query.host.status.stdout`.
    Traverse(Arc<str>),
    /// `lookup` with a literal.
    Lookup(Arc<str>),
}

/// A string that contains a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) template: Template,
    /// The literal as written, to compute the ranges of errors.
    pub(super) raw: Box<str>,
}

/// The index of a variable among those of the enclosing loops, outermost first.
pub(super) type Slot = u16;

/// An access `base.a[b]`, or as a splat `base[*].a[b]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub(super) base: Expr,
    pub(super) accessors: Box<[Accessor]>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Accessor {
    Attribute {
        name: Arc<str>,
        start: u32,
        end: u32,
    },
    Index(Expr),
    /// A splat: the accessors that follow apply to each item.
    Splat,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: FunctionRef,
    pub(super) name: Range<u32>,
    pub(super) args: Box<[Expr]>,
    /// Whether the items of the last argument are passed as separate arguments.
    pub(super) spread: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unary {
    pub(super) operator: UnaryOperator,
    pub(super) operand: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binary {
    pub(super) operator: BinaryOperator,
    pub(super) at: Range<u32>,
    pub(super) left: Expr,
    pub(super) right: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conditional {
    pub(super) condition: Expr,
    pub(super) yes: Expr,
    pub(super) no: Expr,
}

/// A `for` loop. Its variables use the next free slots: the key, if it is named, then the value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct For {
    pub(super) over: Expr,
    pub(super) key: bool,
    pub(super) condition: Option<Expr>,
    pub(super) result: Expr,
    pub(super) form: ForForm,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ForForm {
    List,
    Map(Expr),
    /// A map with `...`: the values of equal keys are collected in a list.
    Grouped(Expr),
}
