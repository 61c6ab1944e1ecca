//! `for_each`: one of something for each item of a list, or each entry of a map.
//!
//! In a list of keys numbers count as their text. Secrets are refused: keys become names, and names are shown.

use std::sync::Arc;

use super::expander::{Expander, NodeContainer};
use crate::diagnostic::Span;
use crate::graph::{Input, LexicalScope, Role};
use crate::load::errors;
use crate::load::meta_arguments::MetaArgument;
use crate::sdk::registry::ResourceType;
use crate::types::hash::NameSet;
use crate::types::id::NodeId;
use crate::types::scope::Each;
use crate::types::value::{PathSegment, Value};

impl Expander<'_> {
    /// What stands for all instances of something.
    pub(super) fn end_of_instances(
        &mut self,
        id: &NodeId,
        resource: &Arc<ResourceType>,
        span: Option<Span>,
        container: &NodeContainer,
    ) {
        if self.reserve(span).is_some() {
            let node = container.structure(id, (Role::ForEach, resource), span);
            self.push(node, container.links());
        }
    }

    /// The items of a `for_each`; `None` after an error, and where they are given when it runs.
    pub(super) fn items(&mut self, input: &Input, scope: &LexicalScope) -> Option<Vec<Each>> {
        let value = self.known(input, MetaArgument::ForEach, scope)?;
        if value.contains_secret() && !matches!(&value, Value::Map(_)) {
            self.report(errors::meta::secret_keys(input.span));
            return None;
        }
        let items = match value {
            Value::Map(entries) => {
                let entry = |(key, value): (String, Value)| Each { key: key.into(), value };
                return Some(entries.into_iter().map(entry).collect());
            }
            Value::List(items) => items,
            other => {
                let (expected, found) = ("a list of texts, or a map", other.kind().to_string());
                self.report(errors::meta::wrong_value("for_each", expected, &found, input.span));
                return None;
            }
        };
        let texts = items.into_iter().enumerate().filter_map(|(at, value)| {
            let key = match &value {
                Value::String(text) => Arc::clone(text),
                Value::Int(number) => number.to_string().into(),
                other => {
                    let (span, found) = (input.span_at(&[PathSegment::Index(at)]), other.kind().to_string());
                    self.report(errors::meta::wrong_value("for_each", "made of texts", &found, span));
                    return None;
                }
            };
            Some(Each { key, value })
        });
        let texts: Vec<Each> = texts.collect();
        // As `toset` gives them: each once.
        if texts.is_sorted_by(|before, each| before.key < each.key) {
            return Some(texts);
        }
        let mut seen = NameSet::default();
        let mut distinct = Vec::with_capacity(texts.len());
        for (at, each) in texts.into_iter().enumerate() {
            if seen.insert(Arc::clone(&each.key)) {
                distinct.push(each);
            } else {
                let span = input.span_at(&[PathSegment::Index(at)]);
                self.report(errors::meta::duplicate_key(&each.key, span));
            }
        }
        Some(distinct)
    }
}
