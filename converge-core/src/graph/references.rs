//! What an input refers to.

use super::{Input, InputKind};
use crate::template::Reference;

impl Input {
    /// The references of this one input; what is inside of a list or a map has its own.
    pub(crate) fn own_references(&self) -> &[Reference] {
        match &self.kind {
            InputKind::Template(template) => template.references(),
            InputKind::Expression(expression) => expression.references(),
            InputKind::Predicate(predicate) => predicate.references(),
            InputKind::Value(_) | InputKind::List(_) | InputKind::Map(_) | InputKind::Lookup(_) => &[],
        }
    }

    /// Goes through every input that has parts of its own nowhere, in the order of the text.
    pub(crate) fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match &self.kind {
            InputKind::List(items) => items.iter().for_each(|item| item.for_each_leaf(visit)),
            InputKind::Map(entries) => {
                for (name, item) in entries {
                    name.for_each_leaf(visit);
                    item.for_each_leaf(visit);
                }
            }
            InputKind::Value(_)
            | InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => visit(self),
        }
    }
}
