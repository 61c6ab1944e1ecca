//! Reading of meta-arguments, which control how a block is handled.

use std::sync::Arc;

use super::reader::DeclarationReader;
use crate::diagnostic::Span;
use crate::errors;
use crate::graph::{Input, InputKind, Tag};
use crate::language::template::Template;
use crate::model::declaration::{BlockArguments, Constant, RetryExpressions};
use crate::model::spanned_text::Spanned;
use crate::syntax::{Attribute, Block, Expression, ExpressionKind, Item, Name};
use crate::types::meta_arguments::MetaArgument;
use converge_value::types::id::PATTERN_KEY;
use converge_value::types::value::Value;

impl DeclarationReader<'_> {
    /// Reads a meta-argument; returns any other attribute unchanged.
    ///
    /// A field of the same name takes precedence over a meta-argument.
    pub(super) fn argument(
        &mut self,
        attribute: Attribute,
        own: &impl Fn(&str) -> bool,
        arguments: &mut BlockArguments,
    ) -> Option<Attribute> {
        let Some((argument, _)) = self.meta_argument(&attribute.name, own, arguments) else {
            return Some(attribute);
        };
        let value = attribute.value;
        match argument {
            MetaArgument::Depends => arguments.dependencies.depends = self.names(value, argument),
            MetaArgument::OnChangeOf => arguments.dependencies.on_change_of = self.names(value, argument),
            MetaArgument::EvenAfter => arguments.dependencies.even_after = self.names(value, argument),
            MetaArgument::Optional => {
                arguments.lifecycle.optional = Some(Constant::expression(self.input(value)));
            }
            MetaArgument::Environment => {
                arguments.lifecycle.environment = Some(Constant::expression(self.input(value)));
            }
            MetaArgument::Group => {
                arguments.group = self.literal(value, argument).filter(|group| !group.text.is_empty());
            }
            MetaArgument::When => arguments.lifecycle.when = self.condition(value).map(Box::new),
            MetaArgument::ForEach => arguments.lifecycle.for_each = Some(Box::new(self.input(value))),
            MetaArgument::Timeout => {
                arguments.lifecycle.timeout = Some(Constant::expression(self.input(value)));
            }
            MetaArgument::Retry => arguments.lifecycle.retry = self.retry(value).map(Constant::expression),
            MetaArgument::Tags => arguments.lifecycle.tags = self.tags(value),
        }
        None
    }

    /// Like [`argument`](Self::argument), for a block; only `retry` and `environment` can be blocks.
    pub(super) fn argument_block(
        &mut self,
        block: Block,
        own: &impl Fn(&str) -> bool,
        arguments: &mut BlockArguments,
    ) -> Option<Block> {
        let Some((argument, span)) = self.meta_argument(&block.kind, own, arguments) else {
            return Some(block);
        };
        if argument == MetaArgument::Environment && block.labels.is_empty() {
            arguments.lifecycle.environment = Some(Constant::expression(self.nested(block)));
            return None;
        }
        if argument != MetaArgument::Retry || !block.labels.is_empty() {
            self.report(errors::meta::malformed(argument, Some(span)));
            return None;
        }
        let mut entries = Vec::with_capacity(block.body.items.len());
        for item in block.body.items {
            entries.push(match item {
                Item::Attribute(attribute) => {
                    (self.spanned(&attribute.name), Some(self.input(attribute.value)))
                }
                Item::Block(block) => (self.spanned(&block.kind), None),
            });
        }
        arguments.lifecycle.retry = self.retry_entries(entries, Some(span)).map(Constant::expression);
        None
    }

    /// Returns the meta-argument of a name and records its position; reports a repeated one.
    fn meta_argument(
        &mut self,
        name: &Name,
        own: &impl Fn(&str) -> bool,
        arguments: &mut BlockArguments,
    ) -> Option<(MetaArgument, Span)> {
        let argument = MetaArgument::from_name(&name.text)
            .filter(|argument| *argument == MetaArgument::Depends || !own(&name.text))?;
        let span = self.span(&name.range);
        if let Some(first) = arguments.name_span(argument) {
            self.report(errors::block::written_twice(&name.text, Some(first), Some(span)));
        }
        arguments.names.push((argument, span));
        Some((argument, span))
    }

    /// Reads the names in `depends` and similar arguments.
    ///
    /// They must be literal because they shape the graph.
    fn names(&mut self, value: Expression, argument: MetaArgument) -> Vec<Spanned> {
        let ExpressionKind::List(items) = value.kind else {
            self.report(errors::meta::malformed(argument, Some(self.span(&value.range))));
            return Vec::new();
        };
        items.into_iter().filter_map(|item| self.literal(item, argument)).collect()
    }

    /// Reads `tags` without duplicates.
    fn tags(&mut self, value: Expression) -> Option<Arc<[Tag]>> {
        let mut tags = Vec::new();
        for word in self.names(value, MetaArgument::Tags) {
            match word.text.parse::<Tag>() {
                Ok(tag) if tags.contains(&tag) => {}
                Ok(tag) => tags.push(tag),
                Err(error) => self.report(errors::meta::no_tag(&error, word.span)),
            }
        }
        (!tags.is_empty()).then(|| tags.into())
    }

    /// Reads a string without a template.
    fn literal(&mut self, expression: Expression, argument: MetaArgument) -> Option<Spanned> {
        let span = self.span(&expression.range);
        match expression.kind {
            ExpressionKind::String(text) if Template::is_literal(&text) => {
                return Some(Spanned { text, span: Some(span) });
            }
            ExpressionKind::String(_) | ExpressionKind::Computed(_) => {
                let range = expression.range.start as usize..expression.range.end as usize;
                let is_path_like = |text: &&str| {
                    let name = text.replace(PATTERN_KEY, "");
                    name.contains('.') && !name.contains(|c: char| "\"{}()[]? ".contains(c))
                };
                let name = self.lowering.text.get(range).filter(is_path_like);
                self.report(errors::meta::computed_name(argument, name, span));
            }
            _ => self.report(errors::meta::malformed(argument, Some(span))),
        }
        None
    }

    /// Reads a condition: a bool, an expression, or a string like the predicate of a `case`.
    fn condition(&mut self, value: Expression) -> Option<Input> {
        let span = self.span(&value.range);
        match value.kind {
            ExpressionKind::Bool(_) | ExpressionKind::Computed(_) => Some(self.input(value)),
            ExpressionKind::String(text) => {
                Some(self.lowering.predicate(&text, span, &mut self.problems.diagnostics))
            }
            ExpressionKind::Int { .. }
            | ExpressionKind::Float(_)
            | ExpressionKind::List(_)
            | ExpressionKind::Map(_) => {
                self.report(errors::meta::malformed(MetaArgument::When, Some(span)));
                None
            }
        }
    }

    /// Reads `retry = { .. }`.
    fn retry(&mut self, value: Expression) -> Option<RetryExpressions> {
        let input = self.input(value);
        let InputKind::Map(entries) = input.kind else {
            self.report(errors::meta::malformed(MetaArgument::Retry, input.span));
            return None;
        };
        let spanned_name = |name: &Input| {
            let text = name.known().and_then(Value::as_str).unwrap_or_default();
            Spanned { text: text.into(), span: name.span }
        };
        let entries = entries.into_iter().map(|(name, value)| (spanned_name(&name), Some(value)));
        self.retry_entries(entries.collect(), input.span)
    }

    /// Reads the entries of `retry`.
    ///
    /// Returns `None` after an unknown entry, so that a misspelt entry is not also reported as missing.
    fn retry_entries(
        &mut self,
        entries: Vec<(Spanned, Option<Input>)>,
        span: Option<Span>,
    ) -> Option<RetryExpressions> {
        let mut retry = RetryExpressions { attempts: None, delay: None, backoff: None, span };
        let mut is_known = true;
        for (name, value) in entries {
            match (&*name.text, value) {
                ("attempts", value @ Some(_)) => retry.attempts = value,
                ("delay", value @ Some(_)) => retry.delay = value,
                ("backoff", value @ Some(_)) => retry.backoff = value,
                _ => {
                    self.report(errors::meta::unknown_retry(&name));
                    is_known = false;
                }
            }
        }
        is_known.then_some(retry)
    }
}
