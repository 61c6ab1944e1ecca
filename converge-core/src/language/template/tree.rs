//! The tree of a template. It is small, because very many templates are alive at once: offsets are
//! `u32`, lists are boxed slices, and pipelines are kept as the nested calls that they mean.

use std::fmt;
use std::sync::Arc;

use super::builtins::builtin::FunctionRef;
use super::references::Reference;

/// A parsed template.
///
/// Offsets in [`Reference`]s and [`TemplateError`](super::TemplateError)s are bytes of the text that was given to
/// [`parse`](Template::parse).
#[derive(Clone, PartialEq)]
pub struct Template {
    pub(super) tree: Arc<Tree>,
    pub(super) content: Content,
    /// Of the text, in bytes.
    pub(super) length: u32,
}

/// All of a template but the text after its last action. In that alone most paths of a large module differ, and templates that do
/// share their tree.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) body: Body,
    /// What `define` and `block` defined.
    pub(super) defined: Box<[Body]>,
    pub(super) references: Box<[Reference]>,
    /// Of its part of the text, in bytes.
    pub(super) length: u32,
}

/// What a template has beside its tree.
#[derive(Clone, PartialEq)]
pub(super) enum Content {
    /// All of its text.
    Text(Arc<str>),
    /// What it gives, where that is known at load.
    Known(Arc<str>),
}

/// Shows what it refers to, and neither its text nor what it gives.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("references", &self.tree.references)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl Template {
    /// Whether a text is its own result: it has no `{{`, so there is nothing to parse.
    pub fn is_literal(text: &str) -> bool {
        // Nearly all texts are short: to set up a search takes longer.
        !text.as_bytes().windows(2).any(|at| at == b"{{")
    }

    /// Every use of `param` and `lookup`, in the order of the text: in branches that are not taken and in
    /// templates that are not called too.
    pub fn references(&self) -> &[Reference] {
        &self.tree.references
    }

    /// The text after the last action. There is none where it is known what all of it gives.
    pub(super) fn ending(&self) -> &str {
        match &self.content {
            Content::Text(text) => text.get(self.tree.length as usize..).unwrap_or_default(),
            Content::Known(_) => "",
        }
    }

    /// The action that is all of the text.
    pub(super) fn only_action(&self) -> Option<&Expr> {
        match &*self.tree.body {
            [Node::Action(expression)] if self.tree.length == self.length => Some(expression),
            _ => None,
        }
    }

    /// The length of its text, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.length as usize
    }
}

/// Nodes in the order of the text.
pub(super) type Body = Box<[Node]>;

/// One piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(Box<str>),
    /// `{{pipeline}}`
    Action(Expr),
    /// `{{$x := pipeline}}`, which prints nothing.
    Set(Expr),
    If(Box<If>),
    Range(Box<Range>),
    With(Box<With>),
    /// `{{template "name" pipeline}}`
    Template(Box<Invoke>),
    Break,
    Continue,
}

/// `if`, with all of its `else if`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct If {
    pub(super) arms: Box<[(Expr, Body)]>,
    pub(super) otherwise: Body,
}

/// `range`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) index: Option<Slot>,
    pub(super) item: Option<Slot>,
    pub(super) over: Expr,
    pub(super) body: Body,
    pub(super) otherwise: Body,
}

/// `with`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct With {
    pub(super) value: Expr,
    pub(super) body: Body,
    pub(super) otherwise: Body,
}

/// `template`: which of the defined templates, and its dot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invoke {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) template: u32,
    pub(super) dot: Option<Expr>,
}

/// The place of a variable in its template's frame; slot 0 is `$`.
pub(super) type Slot = u16;

/// An expression and its place.
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
    /// `base.a.b`
    Chain(Box<Chain>),
    Call(Box<Call>),
    /// `$x := value` or `$x = value`: an expression, because parentheses may hold it.
    Bind(Box<Bind>),
}

/// Fields of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    pub(super) base: Expr,
    pub(super) fields: Box<[Field]>,
}

/// One `.name` of a chain. The place covers the dot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name: Box<str>,
}

/// A call. What was piped into it is its last argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: FunctionRef,
    /// The end of the function's name; it begins where the expression does.
    pub(super) name_end: u32,
    /// Which argument was piped in: it is then evaluated first, as Go does.
    pub(super) piped: Option<u32>,
    pub(super) args: Box<[Expr]>,
}

impl Call {
    /// The arguments in the order of evaluation: what was piped in comes first.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> {
        let piped = self.piped.map(|index| index as usize);
        piped.into_iter().chain((0..self.args.len()).filter(move |index| Some(*index) != piped))
    }

    /// The place of an argument of this call, which is `expr`, or of all of it.
    pub(super) fn place(&self, expr: &Expr, argument: Option<usize>) -> std::ops::Range<u32> {
        let piped = argument.is_some() && argument == self.piped.map(|index| index as usize);
        match argument.and_then(|index| self.args.get(index)) {
            // It stands in front of the call.
            Some(_) if piped => expr.start..self.name_end,
            Some(arg) => arg.range(),
            None => expr.range(),
        }
    }
}

/// A declaration or an assignment.
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
