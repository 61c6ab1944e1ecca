//! The tree of an expression, small and with every name resolved: very many expressions are alive at once.

use std::ops::Range;
use std::sync::Arc;

use crate::syntax::{BinaryOperator, UnaryOperator};
use crate::template::Template;
use crate::value::Value;

use super::functions::Function;

/// An expression and its place in the file.
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
    /// The place of a [`Name`] in the expression's list of them.
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

/// What the scope is asked for, once in each evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Param(Arc<str>),
    Platform(PlatformField),
    Env(Arc<str>),
    This(Arc<str>),
    EachKey,
    EachValue,
    /// A name with dots: `task.query.host.status.stdout`.
    Traverse(Arc<str>),
    /// `lookup` with a literal.
    Lookup(Arc<str>),
}

/// A field of `platform`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PlatformField {
    Os,
    Name,
    PrettyName,
    Version,
    Build,
    LinuxDistribution,
    LinuxLsbLike,
}

impl PlatformField {
    /// Every field, by its name.
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("os", Self::Os),
        ("name", Self::Name),
        ("pretty_name", Self::PrettyName),
        ("version", Self::Version),
        ("build", Self::Build),
        ("linux_distribution", Self::LinuxDistribution),
        ("linux_lsb_like", Self::LinuxLsbLike),
    ];

    /// The field of a name. Templates write `PrettyName`, which is accepted too.
    pub(super) fn find(name: &str) -> Option<Self> {
        let same = |field: &str| {
            let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
            plain(field) == plain(name)
        };
        Self::ALL.into_iter().find_map(|(field, which)| same(field).then_some(which))
    }
}

/// A string with a template in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) template: Template,
    /// The literal as it is written, for the places of errors.
    pub(super) raw: Box<str>,
}

/// The place of a variable among those of the loops around it, outermost first.
pub(super) type Slot = u16;

/// `base.a[b]`, and as a splat `base[*].a[b]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub(super) base: Expr,
    pub(super) steps: Box<[Step]>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Attribute {
        name: Arc<str>,
        start: u32,
        end: u32,
    },
    Index(Expr),
    /// The steps that follow are taken from each item.
    Splat,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: &'static Function,
    pub(super) name: Range<u32>,
    pub(super) args: Box<[Expr]>,
    /// Whether the items of the last argument are the last arguments.
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

/// The variables of a loop are in the next free slots: the key, if it has a name, and the value.
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
    /// `...`: the values of equal keys in a list.
    Grouped(Expr),
}
