//! What a template refers to, read off its tree.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{Expr, ExprKind};

/// A use of `param` or `lookup`, read off the tree in every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What is referred to.
    pub target: ReferenceTarget,
    /// Where the name is, in bytes of the template's text. A literal is covered with its quotes.
    pub range: Range<u32>,
}

/// What a template refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceTarget {
    /// `param`, `paramList` or `paramMap` with a literal name.
    Param(Arc<str>),
    /// `lookup` with a literal path.
    Lookup(Arc<str>),
    /// `param` or `lookup` of a name that is computed when the template runs.
    Computed,
}

/// How a function uses its argument as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Nothing,
    Param,
    Lookup,
}

/// The reference that a call with this argument makes.
pub(super) fn of_call(names: Names, argument: &Expr) -> Option<Reference> {
    let target = match (names, &argument.kind) {
        (Names::Nothing, _) => return None,
        (Names::Param, ExprKind::Text(name)) => ReferenceTarget::Param(name.clone()),
        (Names::Lookup, ExprKind::Text(path)) => ReferenceTarget::Lookup(path.clone()),
        (Names::Param | Names::Lookup, _) => ReferenceTarget::Computed,
    };
    Some(Reference { target, range: argument.range() })
}
