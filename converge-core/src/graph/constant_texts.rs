//! Template results that a load has already determined.

use std::sync::Arc;

use super::dependency_graph::Graph;
use super::index::NodeIndex;
use super::input::InputKind;

/// The text that a template gives in every run.
#[derive(Debug)]
pub(crate) struct KnownText {
    pub(crate) node: NodeIndex,
    /// The index of the field with the template.
    pub(crate) field: usize,
    pub(crate) text: Arc<str>,
}

impl Graph {
    /// Replaces the syntax trees of templates by their constant texts, which saves memory.
    ///
    /// Shared attributes are left unchanged, because the nodes may evaluate them differently.
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
