//! What a load found out of the values of nodes.

use std::sync::Arc;

use super::dependency_graph::Graph;
use super::index::NodeIndex;
use super::input::InputKind;

/// What a template of a node gives in every run.
#[derive(Debug)]
pub(crate) struct KnownText {
    pub(crate) node: NodeIndex,
    /// Index of the field whose value it is.
    pub(crate) field: usize,
    pub(crate) text: Arc<str>,
}

impl Graph {
    /// Keeps what templates give in the place of their trees, which no run needs then, and no memory. What nodes share is left as
    /// it is: each may make something else of it.
    pub(crate) fn keep_known(&mut self, texts: Vec<KnownText>) {
        for KnownText { node, field, text } in texts {
            let node = self.nodes.get_mut(node.as_usize());
            let Some(attributes) = node.and_then(|node| Arc::get_mut(&mut node.attributes)) else { continue };
            let attribute = attributes.iter_mut().find(|attribute| attribute.field == field);
            if let Some(InputKind::Template(template)) = attribute.map(|attribute| &mut attribute.input.kind)
            {
                template.keep_known(text);
            }
        }
    }
}
