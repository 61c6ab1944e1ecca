//! Declarations of a module or a Rust program, before names are resolved.

use std::sync::Arc;
use std::time::Duration;

use super::meta_arguments::MetaArgument;
use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Environment, Input, Retry, Tag};

/// A top-level declaration of a module.
#[derive(Debug)]
pub(super) enum Declaration {
    /// A resource or a parameter.
    Resource(ResourceDeclaration),
    Module(CallDeclaration),
    Switch(SwitchDeclaration),
}

#[derive(Debug)]
pub(super) struct ResourceDeclaration {
    pub(super) kind: Spanned,
    pub(super) name: Spanned,
    pub(super) fields: Vec<WrittenField>,
    pub(super) arguments: BlockArguments,
    pub(super) completeness: Completeness,
}

impl ResourceDeclaration {
    pub(super) fn span(&self) -> Option<Span> {
        match (self.kind.span, self.name.span) {
            (Some(kind), Some(name)) => Some(kind.to(name)),
            (span, _) => span,
        }
    }
}

/// A declaration `module "SOURCE" "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct CallDeclaration {
    pub(super) source: Spanned,
    pub(super) name: Spanned,
    pub(super) params: Vec<(Spanned, Input)>,
    pub(super) arguments: BlockArguments,
    /// The range of the block's type and labels.
    pub(super) span: Span,
    pub(super) completeness: Completeness,
}

/// A declaration `switch "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct SwitchDeclaration {
    pub(super) name: Spanned,
    pub(super) cases: Vec<CaseDeclaration>,
    pub(super) span: Span,
}

/// A declaration `case "PREDICATE" "NAME" { .. }`, or `default { .. }`.
#[derive(Debug)]
pub(super) struct CaseDeclaration {
    /// The name; `default` for the default case.
    pub(super) name: Spanned,
    /// The predicate; `None` for the default case.
    pub(super) predicate: Option<Input>,
    pub(super) resources: Vec<ResourceDeclaration>,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
pub(super) struct BlockArguments {
    /// The positions of the argument names.
    pub(super) names: Vec<(MetaArgument, Span)>,
    pub(super) group: Option<Spanned>,
    pub(super) dependencies: DeclaredDependencies,
    pub(super) lifecycle: Lifecycle,
}

impl BlockArguments {
    pub(super) fn name_span(&self, argument: MetaArgument) -> Option<Span> {
        self.names.iter().find(|(named, _)| *named == argument).map(|(_, span)| *span)
    }
}

/// The names of the resources that a declaration waits for.
#[derive(Debug, Default)]
pub(super) struct DeclaredDependencies {
    pub(super) depends: Vec<Spanned>,
    pub(super) on_change_of: Vec<Spanned>,
    pub(super) even_after: Vec<Spanned>,
}

impl DeclaredDependencies {
    /// Wraps the dependencies in an `Arc`; returns `None` if there are none.
    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let waits =
            [&self.depends, &self.on_change_of, &self.even_after].into_iter().any(|names| !names.is_empty());
        waits.then(|| Arc::new(self))
    }
}

/// Conditions, repetition and error handling of a declaration.
///
/// Nearly all resources set none of it, so the struct is small.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    pub(super) when: Option<Box<Input>>,
    pub(super) for_each: Option<Box<Input>>,
    pub(super) timeout: Option<Constant<Duration, Input>>,
    pub(super) retry: Option<Constant<Box<Retry>, RetryExpressions>>,
    pub(super) optional: Option<Constant<bool, Input>>,
    pub(super) environment: Option<Constant<Box<Environment>, Input>>,
    /// The declared tags, without those of enclosing modules.
    pub(super) tags: Option<Arc<[Tag]>>,
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
pub(super) enum Constant<V, E> {
    /// A value set in Rust.
    Value(V),
    /// An expression that is evaluated later in the load.
    Expression(Box<E>),
}

impl<V, E> Constant<V, E> {
    pub(super) fn expression(written: E) -> Self {
        Self::Expression(Box::new(written))
    }

    pub(super) fn as_expression(&self) -> Option<&E> {
        match self {
            Self::Value(_) => None,
            Self::Expression(written) => Some(written),
        }
    }
}

#[derive(Debug)]
pub(super) struct RetryExpressions {
    pub(super) attempts: Option<Input>,
    pub(super) delay: Option<Input>,
    pub(super) backoff: Option<Input>,
    pub(super) span: Option<Span>,
}

/// Whether a declaration contains everything that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    Complete,
    /// A part could not be parsed, which was reported; missing fields may be in that part.
    Partial,
}

#[derive(Debug)]
pub(super) struct WrittenField {
    pub(super) name: Spanned,
    pub(super) input: Input,
    /// Whether the field is written as a block, which may be repeated.
    pub(super) is_block: bool,
}
