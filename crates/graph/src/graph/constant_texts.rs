//! Template results that a load has already determined.

use std::sync::Arc;

use super::dependency_graph::Graph;
use super::index::NodeIndex;
use super::input::InputKind;

/// The text that a template gives in every run.
#[derive(Debug)]
#[doc(hidden)]
pub struct KnownText {
    #[doc(hidden)]
    pub node: NodeIndex,
    /// The index of the field with the template.
    #[doc(hidden)]
    pub field: usize,
    #[doc(hidden)]
    pub text: Arc<str>,
}

impl Graph {
    /// Replaces the syntax trees of templates by their constant texts, which saves memory.
    ///
    /// Shared attributes are left unchanged, because the nodes may evaluate them differently.
    #[doc(hidden)]
    pub fn keep_known(&mut self, texts: Vec<KnownText>) {
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
