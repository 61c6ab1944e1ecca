//! `for_each`: one of something for each item of a list, or each entry of a map.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Expander, Place};
use crate::graph::{Input, NodeId, Role, Site};
use crate::load::error::MetaError;
use crate::load::hcl::Argument;
use crate::load::placed::Placed;
use crate::registry::ResourceType;
use crate::report::Span;
use crate::scope::Each;
use crate::value::{PathSegment, Value};

impl Expander<'_> {
    /// What stands for all instances of something.
    pub(super) fn end_of_instances(
        &mut self,
        id: NodeId,
        resource: &Arc<ResourceType>,
        span: Option<Span>,
        place: &Place,
    ) {
        if self.room_for_one(span).is_some() {
            let node = place.structure(id, Role::ForEach, resource, span);
            self.placed.push(Placed { node, wiring: place.wiring() });
        }
    }

    /// The items of a `for_each`; `None` after an error.
    pub(super) fn items(&mut self, input: &Input, site: &Site) -> Option<Vec<Each>> {
        const NAME: &str = "for_each";
        let value = self.known(input, Argument::ForEach, site)?;
        if value.contains_secret() && !matches!(&value, Value::Map(_)) {
            self.report(MetaError::SecretKeys { span: input.span });
            return None;
        }
        let items: Vec<Each> = match value {
            Value::Map(entries) => {
                let entry = |(key, value): (String, Value)| Each { key: key.into(), value };
                return Some(entries.into_iter().map(entry).collect());
            }
            Value::List(items) => {
                let each = items.into_iter().enumerate().filter_map(|(at, item)| {
                    let key = match &item {
                        Value::String(text) => Arc::clone(text),
                        Value::Int(number) => number.to_string().into(),
                        other => {
                            let span = input.span_at(&[PathSegment::Index(at)]);
                            let (found, expected) = (other.kind().to_string(), "made of texts");
                            self.report(MetaError::WrongValue { name: NAME, expected, found, span });
                            return None;
                        }
                    };
                    Some(Each { key, value: item })
                });
                each.collect()
            }
            other => {
                let (found, expected) = (other.kind().to_string(), "a list of texts, or a map");
                self.report(MetaError::WrongValue { name: NAME, expected, found, span: input.span });
                return None;
            }
        };
        let mut seen = HashSet::new();
        let mut distinct = Vec::with_capacity(items.len());
        for (at, each) in items.into_iter().enumerate() {
            if seen.insert(Arc::clone(&each.key)) {
                distinct.push(each);
            } else {
                let span = input.span_at(&[PathSegment::Index(at)]);
                self.report(MetaError::DuplicateKey { key: each.key.to_string(), span });
            }
        }
        Some(distinct)
    }
}
