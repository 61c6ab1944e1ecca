//! Meta-arguments: what a block says about how it is handled, rather than about what it is.

use super::Reader;
use crate::graph::{Input, InputKind};
use crate::load::declaration::{Arguments, Early, Retry, Word};
use crate::load::error::{BlockError, MetaError};
use crate::report::Span;
use crate::syntax::{Attribute, Block, Expression, ExpressionKind, Item};
use crate::value::Value;

/// A meta-argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::load) enum Argument {
    Depends,
    OnChangeOf,
    Group,
    When,
    ForEach,
    Timeout,
    Retry,
}

impl Argument {
    pub(in crate::load) const ALL: [Self; 7] =
        [Self::Depends, Self::OnChangeOf, Self::Group, Self::When, Self::ForEach, Self::Timeout, Self::Retry];

    pub(in crate::load) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|argument| argument.name() == name)
    }

    pub(in crate::load) fn name(self) -> &'static str {
        match self {
            Self::Depends => "depends",
            Self::OnChangeOf => "on_change_of",
            Self::Group => "group",
            Self::When => "when",
            Self::ForEach => "for_each",
            Self::Timeout => "timeout",
            Self::Retry => "retry",
        }
    }
}

impl Reader<'_> {
    /// Takes a meta-argument; what is none, as a field of that name wins, is given back.
    pub(super) fn argument(
        &mut self,
        attribute: Attribute,
        own: &impl Fn(&str) -> bool,
        arguments: &mut Arguments,
    ) -> Option<Attribute> {
        let name = &*attribute.name.text;
        let Some(argument) = Argument::named(name) else { return Some(attribute) };
        if argument != Argument::Depends && own(name) {
            return Some(attribute);
        }
        let span = self.lower.span(&attribute.name.range);
        self.once(argument, span, arguments);
        let value = attribute.value;
        match argument {
            Argument::Depends => arguments.depends = self.names(value, argument),
            Argument::OnChangeOf => arguments.on_change_of = self.names(value, argument),
            Argument::Group => {
                arguments.group = self.literal(value, argument).filter(|group| !group.text.is_empty());
            }
            Argument::When => arguments.when = self.condition(value),
            Argument::ForEach => {
                arguments.for_each = Some(Box::new(self.lower.expression(value, self.diagnostics)));
            }
            Argument::Timeout => {
                let input = self.lower.expression(value, self.diagnostics);
                arguments.timeout = Some(Early::written_as(input));
            }
            Argument::Retry => arguments.retry = self.retry(value).map(Early::written_as),
        }
        None
    }

    /// As [`argument`](Self::argument), of a block. Only `retry` can be one, and `for_each` with a map.
    pub(super) fn argument_block(
        &mut self,
        block: Block,
        own: &impl Fn(&str) -> bool,
        arguments: &mut Arguments,
    ) -> Option<Block> {
        let name = &*block.kind.text;
        let Some(argument) = Argument::named(name) else { return Some(block) };
        if argument != Argument::Depends && own(name) {
            return Some(block);
        }
        let span = self.lower.span(&block.kind.range);
        self.once(argument, span, arguments);
        match argument {
            Argument::Retry if block.labels.is_empty() => {
                let mut retry = Retry { attempts: None, delay: None, backoff: None, span: Some(span) };
                let mut wrong = Vec::new();
                for item in block.body.items {
                    match item {
                        Item::Attribute(attribute) => {
                            let name = self.lower.word(&attribute.name);
                            let value = self.lower.expression(attribute.value, self.diagnostics);
                            wrong.extend(retry_entry(&mut retry, &name, value).err());
                        }
                        Item::Block(block) => {
                            let name = self.lower.word(&block.kind);
                            let (name, span) = (name.text.to_string(), name.span);
                            wrong.push(MetaError::UnknownRetry { name, span });
                        }
                    }
                }
                arguments.retry = self.understood(retry, wrong).map(Early::written_as);
            }
            _ => self.report(MetaError::Malformed { argument, span }),
        }
        None
    }

    /// Notes where an argument is named, and reports one that was named before.
    fn once(&mut self, argument: Argument, span: Span, arguments: &mut Arguments) {
        if let Some(first) = arguments.name_span(argument) {
            let (field, first, second) = (argument.name().to_owned(), Some(first), Some(span));
            self.report(BlockError::FieldWrittenTwice { field, first, second });
        }
        arguments.names.push((argument, span));
    }

    /// `depends` and the like: names that are known at load, as they shape the graph.
    pub(super) fn names(&mut self, value: Expression, argument: Argument) -> Vec<Word> {
        let ExpressionKind::List(items) = value.kind else {
            let span = self.lower.span(&value.range);
            self.report(MetaError::Malformed { argument, span });
            return Vec::new();
        };
        items.into_iter().filter_map(|item| self.literal(item, argument)).collect()
    }

    /// A string with no template in it.
    fn literal(&mut self, expression: Expression, argument: Argument) -> Option<Word> {
        let span = self.lower.span(&expression.range);
        match expression.kind {
            ExpressionKind::String(text) if !text.contains("{{") => Some(Word { text, span: Some(span) }),
            ExpressionKind::String(_) | ExpressionKind::Native(_) => {
                let written =
                    self.lower.text.get(expression.range.start as usize..expression.range.end as usize);
                let plain =
                    |text: &&str| text.contains('.') && !text.contains(|c: char| "\"{}()[]? ".contains(c));
                let name = written.filter(plain).map(str::to_owned);
                self.report(MetaError::ComputedName { argument, name, span });
                None
            }
            _ => {
                self.report(MetaError::Malformed { argument, span });
                None
            }
        }
    }

    /// What is true or false: a bool, an expression, or a string like that of a `case`.
    pub(super) fn condition(&mut self, value: Expression) -> Option<Input> {
        let span = self.lower.span(&value.range);
        match value.kind {
            ExpressionKind::Bool(_) | ExpressionKind::Native(_) => {
                Some(self.lower.expression(value, self.diagnostics))
            }
            ExpressionKind::String(text) => Some(self.lower.predicate(&text, span, self.diagnostics)),
            ExpressionKind::Int { .. }
            | ExpressionKind::Float(_)
            | ExpressionKind::List(_)
            | ExpressionKind::Map(_) => {
                self.report(MetaError::Malformed { argument: Argument::When, span });
                None
            }
        }
    }

    /// `retry = { .. }`.
    fn retry(&mut self, value: Expression) -> Option<Retry> {
        let input = self.lower.expression(value, self.diagnostics);
        let InputKind::Map(entries) = input.kind else {
            if let Some(span) = input.span {
                self.report(MetaError::Malformed { argument: Argument::Retry, span });
            }
            return None;
        };
        let mut retry = Retry { attempts: None, delay: None, backoff: None, span: input.span };
        let mut wrong = Vec::new();
        for (name, value) in entries {
            let text = name.known().and_then(Value::as_str).unwrap_or_default();
            let name = Word { text: text.into(), span: name.span };
            wrong.extend(retry_entry(&mut retry, &name, value).err());
        }
        self.understood(retry, wrong)
    }

    /// What nothing is wrong with: a misspelt entry is not missing as well.
    fn understood(&mut self, retry: Retry, wrong: Vec<MetaError>) -> Option<Retry> {
        let understood = wrong.is_empty().then_some(retry);
        for error in wrong {
            self.report(error);
        }
        understood
    }
}

fn retry_entry(retry: &mut Retry, name: &Word, value: Input) -> Result<(), MetaError> {
    let slot = match &*name.text {
        "attempts" => &mut retry.attempts,
        "delay" => &mut retry.delay,
        "backoff" => &mut retry.backoff,
        _ => return Err(MetaError::UnknownRetry { name: name.text.to_string(), span: name.span }),
    };
    *slot = Some(value);
    Ok(())
}
