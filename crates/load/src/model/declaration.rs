//! Declarations of a module or a Rust program, before names are resolved.

use std::sync::Arc;
use std::time::Duration;

use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Environment, Input, Retry, Tag};
use crate::types::meta_arguments::MetaArgument;

/// A top-level declaration of a module.
#[derive(Debug)]
pub(crate) enum Declaration {
    /// A resource or a parameter.
    Resource(ResourceDeclaration),
    Module(CallDeclaration),
    Switch(SwitchDeclaration),
}

#[derive(Debug)]
pub(crate) struct ResourceDeclaration {
    pub(crate) kind: Spanned,
    pub(crate) name: Spanned,
    pub(crate) fields: Vec<WrittenField>,
    pub(crate) arguments: BlockArguments,
    pub(crate) completeness: Completeness,
}

impl ResourceDeclaration {
    pub(crate) fn span(&self) -> Option<Span> {
        match (self.kind.span, self.name.span) {
            (Some(kind), Some(name)) => Some(kind.to(name)),
            (span, _) => span,
        }
    }
}

/// A declaration `module "SOURCE" "NAME" { .. }`.
#[derive(Debug)]
pub(crate) struct CallDeclaration {
    pub(crate) source: Spanned,
    pub(crate) name: Spanned,
    pub(crate) params: Vec<(Spanned, Input)>,
    pub(crate) arguments: BlockArguments,
    /// The range of the block's type and labels.
    pub(crate) span: Span,
    pub(crate) completeness: Completeness,
}

/// A declaration `switch "NAME" { .. }`.
#[derive(Debug)]
pub(crate) struct SwitchDeclaration {
    pub(crate) name: Spanned,
    pub(crate) cases: Vec<CaseDeclaration>,
    pub(crate) span: Span,
}

/// A declaration `case "PREDICATE" "NAME" { .. }`, or `default { .. }`.
#[derive(Debug)]
pub(crate) struct CaseDeclaration {
    /// The name; `default` for the default case.
    pub(crate) name: Spanned,
    /// The predicate; `None` for the default case.
    pub(crate) predicate: Option<Input>,
    pub(crate) resources: Vec<ResourceDeclaration>,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct BlockArguments {
    /// The positions of the argument names.
    pub(crate) names: Vec<(MetaArgument, Span)>,
    pub(crate) group: Option<Spanned>,
    pub(crate) dependencies: DeclaredDependencies,
    pub(crate) lifecycle: Lifecycle,
}

impl BlockArguments {
    pub(crate) fn name_span(&self, argument: MetaArgument) -> Option<Span> {
        self.names.iter().find(|(named, _)| *named == argument).map(|(_, span)| *span)
    }
}

/// The names of the resources that a declaration waits for.
#[derive(Debug, Default)]
pub(crate) struct DeclaredDependencies {
    pub(crate) depends: Vec<Spanned>,
    pub(crate) on_change_of: Vec<Spanned>,
    pub(crate) even_after: Vec<Spanned>,
}

impl DeclaredDependencies {
    /// Wraps the dependencies in an `Arc`; returns `None` if there are none.
    pub(crate) fn shared(self) -> Option<Arc<Self>> {
        let waits =
            [&self.depends, &self.on_change_of, &self.even_after].into_iter().any(|names| !names.is_empty());
        waits.then(|| Arc::new(self))
    }
}

/// Conditions, repetition and error handling of a declaration.
///
/// Nearly all resources set none of it, so the struct is small.
#[derive(Debug, Default)]
pub(crate) struct Lifecycle {
    pub(crate) when: Option<Box<Input>>,
    pub(crate) for_each: Option<Box<Input>>,
    pub(crate) timeout: Option<Constant<Duration, Input>>,
    pub(crate) retry: Option<Constant<Box<Retry>, RetryExpressions>>,
    pub(crate) optional: Option<Constant<bool, Input>>,
    pub(crate) environment: Option<Constant<Box<Environment>, Input>>,
    /// The declared tags, without those of enclosing modules.
    pub(crate) tags: Option<Arc<[Tag]>>,
}

impl Lifecycle {
    /// Returns whether any setting is declared.
    pub(super) fn is_written(&self) -> bool {
        self.when.is_some()
            || self.for_each.is_some()
            || self.timeout.is_some()
            || self.retry.is_some()
            || self.optional.is_some()
            || self.environment.is_some()
            || self.tags.is_some()
    }
}

/// A setting that must be known at load.
///
/// Few resources have one, so expressions are boxed to keep the others small.
#[derive(Debug)]
pub(crate) enum Constant<V, E> {
    /// A value set in Rust.
    Value(V),
    /// An expression that is evaluated later in the load.
    Expression(Box<E>),
}

impl<V, E> Constant<V, E> {
    pub(crate) fn expression(expression: E) -> Self {
        Self::Expression(Box::new(expression))
    }

    pub(crate) fn as_expression(&self) -> Option<&E> {
        match self {
            Self::Value(_) => None,
            Self::Expression(written) => Some(written),
        }
    }
}

#[derive(Debug)]
pub(crate) struct RetryExpressions {
    pub(crate) attempts: Option<Input>,
    pub(crate) delay: Option<Input>,
    pub(crate) backoff: Option<Input>,
    pub(crate) span: Option<Span>,
}

/// Whether a declaration contains everything that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    Complete,
    /// A part could not be parsed, which was reported; missing fields may be in that part.
    Partial,
}

#[derive(Debug)]
pub(crate) struct WrittenField {
    pub(crate) name: Spanned,
    pub(crate) input: Input,
    /// Whether the field is written as a block, which may be repeated.
    pub(crate) is_block: bool,
}
