//! Declarations: what a module or a Rust program asks for, before names mean anything.

use std::sync::Arc;
use std::time::Duration;

use super::meta_arguments::MetaArgument;
use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Environment, Input, Retry, Tag};

/// What stands at the top of a module.
#[derive(Debug)]
pub(super) enum Declaration {
    /// A resource, or a parameter.
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

/// `module "SOURCE" "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct CallDeclaration {
    pub(super) source: Spanned,
    pub(super) name: Spanned,
    pub(super) params: Vec<(Spanned, Input)>,
    pub(super) arguments: BlockArguments,
    /// The type and the labels of the block.
    pub(super) span: Span,
    pub(super) completeness: Completeness,
}

/// `switch "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct SwitchDeclaration {
    pub(super) name: Spanned,
    pub(super) cases: Vec<CaseDeclaration>,
    pub(super) span: Span,
}

/// `case "PREDICATE" "NAME" { .. }`, or `default { .. }`.
#[derive(Debug)]
pub(super) struct CaseDeclaration {
    /// `default` for the default.
    pub(super) name: Spanned,
    /// `None` for the default.
    pub(super) predicate: Option<Input>,
    pub(super) resources: Vec<ResourceDeclaration>,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
pub(super) struct BlockArguments {
    /// Where the name of each argument is written.
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

/// The names that something waits for.
#[derive(Debug, Default)]
pub(super) struct DeclaredDependencies {
    pub(super) depends: Vec<Spanned>,
    pub(super) on_change_of: Vec<Spanned>,
    pub(super) even_after: Vec<Spanned>,
}

impl DeclaredDependencies {
    /// `None` when there are no names.
    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let waits =
            [&self.depends, &self.on_change_of, &self.even_after].into_iter().any(|names| !names.is_empty());
        waits.then(|| Arc::new(self))
    }
}

/// Whether, how often and how something is handled. Nearly all resources leave all of it out, so it is small.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    pub(super) when: Option<Box<Input>>,
    pub(super) for_each: Option<Box<Input>>,
    pub(super) timeout: Option<Constant<Duration, Input>>,
    pub(super) retry: Option<Constant<Box<Retry>, RetryExpressions>>,
    pub(super) optional: Option<Constant<bool, Input>>,
    pub(super) environment: Option<Constant<Box<Environment>, Input>>,
    /// Without those of the modules around.
    pub(super) tags: Option<Arc<[Tag]>>,
}

impl Lifecycle {
    /// Whether there is any of it.
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

/// Something that has to be known at load. Few resources have any, so expressions take no room in the others.
#[derive(Debug)]
pub(super) enum Constant<V, E> {
    /// Given in Rust.
    Value(V),
    /// Still to be evaluated.
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

/// `retry` as it is written.
#[derive(Debug)]
pub(super) struct RetryExpressions {
    pub(super) attempts: Option<Input>,
    pub(super) delay: Option<Input>,
    pub(super) backoff: Option<Input>,
    pub(super) span: Option<Span>,
}

/// Whether all that was written is in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    Complete,
    /// A part could not be read, and that has been reported: what is missing may be written there.
    Partial,
}

/// A field with what was written for it.
#[derive(Debug)]
pub(super) struct WrittenField {
    pub(super) name: Spanned,
    pub(super) input: Input,
    /// Whether it is written as a block, which may be repeated.
    pub(super) is_block: bool,
}
