//! Reading of `locals { NAME = VALUE .. }`.

use std::sync::Arc;

use super::reader::DeclarationReader;
use crate::errors;
use crate::model::declaration::{BlockArguments, ResourceDeclaration, WrittenField};
use crate::model::spanned_text::Spanned;
use crate::syntax::Block;
use crate::types::local::{LOCAL, VALUE};

impl DeclarationReader<'_> {
    /// Returns a declaration for each value.
    pub(crate) fn locals(&mut self, block: Block) -> Vec<ResourceDeclaration> {
        if let Some(label) = block.labels.first() {
            let span = self.span(&label.range);
            self.report(errors::block::labelled_field("locals", span));
        }
        let completeness = self.completeness(&block.range);
        let kind: Arc<str> = LOCAL.into();
        let mut values = Vec::with_capacity(block.body.items.len());
        for WrittenField { name, input, is_block } in self.fields(block.body) {
            if self.check_name(LOCAL, &name).is_none() {
                continue;
            }
            let field =
                WrittenField { name: Spanned { text: VALUE.into(), span: name.span }, input, is_block };
            values.push(ResourceDeclaration {
                kind: Spanned { text: Arc::clone(&kind), span: name.span },
                name,
                fields: vec![field],
                arguments: BlockArguments::default(),
                completeness,
            });
        }
        values
    }
}
