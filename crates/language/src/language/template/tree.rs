//! The tree of a template.
//!
//! It is small because very many templates are in memory at once. Offsets are `u32`, lists are boxed slices,
//! and pipelines are stored as nested calls.

use std::fmt;
use std::sync::Arc;

use super::references::Reference;
use crate::language::functions::FunctionRef;

/// A parsed template.
///
/// Offsets in [`Reference`]s and in a [`LanguageError`](crate::language::LanguageError) are bytes of the text
/// that was given to [`parse`](Template::parse).
#[derive(Clone, PartialEq)]
pub struct Template {
    pub(super) tree: Arc<Tree>,
    pub(super) content: Content,
    /// The length of the text in bytes.
    pub(super) length: u32,
}

/// The part of a template up to the end of its last action.
///
/// Most paths in a large module differ only in the text that follows, so templates that agree up to there
/// share their tree.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) body: Body,
    /// The templates defined with `define` and `block`.
    pub(super) defined: Box<[Body]>,
    pub(super) references: Box<[Reference]>,
    /// The length of the text that the tree covers, in bytes.
    pub(super) length: u32,
}

/// The content of a template in addition to its tree.
#[derive(Clone, PartialEq)]
pub(super) enum Content {
    /// The complete source text.
    Text(Arc<str>),
    /// The rendered text, if it is known at load.
    Known(Arc<str>),
}

/// Shows the references and the length, but neither the text nor the result.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("references", &self.tree.references)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl Template {
    /// Returns whether a text renders to itself: it has no `{{`, so there is nothing to parse.
    pub fn is_literal(text: &str) -> bool {
        // Most texts are short, and setting up a substring search takes longer.
        !text.as_bytes().windows(2).any(|window| window == b"{{")
    }

    /// Returns every use of `param` and `lookup`, in source order.
    ///
    /// Branches that are not taken and templates that are not called are included.
    pub fn references(&self) -> &[Reference] {
        &self.tree.references
    }

    /// Returns the text after the last action; empty if the whole result is known.
    pub(super) fn ending(&self) -> &str {
        match &self.content {
            Content::Text(text) => text.get(self.tree.length as usize..).unwrap_or_default(),
            Content::Known(_) => "",
        }
    }

    /// Returns the action if it is the whole text.
    pub(super) fn only_action(&self) -> Option<&Expr> {
        match &*self.tree.body {
            [Node::Action(expression)] if self.tree.length == self.length => Some(expression),
            _ => None,
        }
    }

    #[doc(hidden)]
    pub fn length(&self) -> usize {
        self.length as usize
    }
}

/// A sequence of nodes in source order.
pub(super) type Body = Box<[Node]>;

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(Box<str>),
    /// An action that prints: `{{pipeline}}`
    Action(Expr),
    /// A declaration or assignment that prints nothing: `{{$x := pipeline}}`
    Set(Expr),
    If(Box<If>),
    Range(Box<Range>),
    With(Box<With>),
    /// A call of a defined template: `{{template "name" pipeline}}`
    Template(Box<Invoke>),
    Break,
    Continue,
}

/// An `if` with all of its `else if` branches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct If {
    pub(super) arms: Box<[(Expr, Body)]>,
    pub(super) otherwise: Body,
}

/// A `range` loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) index: Option<Slot>,
    pub(super) item: Option<Slot>,
    pub(super) over: Expr,
    pub(super) body: Body,
    pub(super) otherwise: Body,
}

/// A `with` block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct With {
    pub(super) value: Expr,
    pub(super) body: Body,
    pub(super) otherwise: Body,
}

/// A `template` action: the index of the defined template, and its dot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invoke {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) template: u32,
    pub(super) dot: Option<Expr>,
}

/// The index of a variable in its template's frame; slot 0 is `$`.
pub(super) type Slot = u16;

/// An expression node with its range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expr {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: ExprKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprKind {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    Variable(Slot),
    /// A chain of fields: `base.a.b`
    Chain(Box<Chain>),
    Call(Box<Call>),
    /// A declaration or assignment: `$x := value` or `$x = value`.
    ///
    /// It is an expression because parentheses may contain it.
    Bind(Box<Bind>),
}

/// A chain of fields of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    pub(super) base: Expr,
    pub(super) fields: Box<[Field]>,
}

/// One `.name` of a chain; its range includes the dot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name: Box<str>,
}

/// A function call; a piped value is its last argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: FunctionRef,
    /// The end of the function's name, which begins where the expression begins.
    pub(super) name_end: u32,
    /// The index of the piped argument, which is evaluated first, as in Go.
    pub(super) piped: Option<u32>,
    pub(super) args: Box<[Expr]>,
}

impl Call {
    /// Returns the argument indexes in the order of evaluation: a piped argument comes first.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> {
        let piped = self.piped.map(|index| index as usize);
        piped.into_iter().chain((0..self.args.len()).filter(move |index| Some(*index) != piped))
    }

    /// Returns the range of an argument of this call, or of the whole call; `expr` is the call.
    pub(super) fn place(&self, expr: &Expr, argument: Option<usize>) -> std::ops::Range<u32> {
        let piped = argument.is_some() && argument == self.piped.map(|index| index as usize);
        match argument.and_then(|index| self.args.get(index)) {
            // A piped argument is written in front of the call.
            Some(_) if piped => expr.start..self.name_end,
            Some(arg) => arg.range(),
            None => expr.range(),
        }
    }
}

/// A declaration or an assignment of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bind {
    pub(super) slot: Slot,
    pub(super) value: Expr,
}

impl Expr {
    pub(super) fn range(&self) -> std::ops::Range<u32> {
        self.start..self.end
    }
}
