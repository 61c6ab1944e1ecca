//! Conversion of the syntax tree of a file to checked blueprints.

use std::sync::Arc;

use crate::check::Checker;
use crate::diagnostic::{FileId, SourceMap};
use crate::graph::LexicalScope;
use crate::language::WorkBudget;
use crate::language::template::TemplateReader;
use crate::model::blueprint::Blueprint;
use crate::model::problems::Problems;
use crate::parse::hcl::DeclarationReader;
use crate::parse::lower::InputLowering;
use crate::syntax::{Body, Item};
use crate::types::local::LOCALS;
use crate::types::type_table::TypeTable;

#[derive(Clone, Copy)]
pub(super) struct ItemReader<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) types: &'a TypeTable<'a>,
    pub(super) sources: &'a SourceMap,
    /// The scope that the nodes are assumed to be in while they are checked.
    pub(super) scope: &'a Arc<LexicalScope>,
    /// The budget that constant evaluation is counted against.
    pub(super) budget: &'a WorkBudget,
}

impl ItemReader<'_> {
    /// Reads and checks items; `broken` has the sorted offsets of parse errors.
    pub(super) fn items(&self, body: Body, broken: &[u32], problems: &mut Problems) -> Vec<Blueprint> {
        let templates = self.templates();
        let mut items = Vec::with_capacity(body.items.len());
        // Each item is checked right after it is read, so that little of a large module is in memory
        // unchecked.
        for item in body.items {
            if problems.stopped().is_some() {
                break;
            }
            self.item(item, broken, &templates, problems, &mut items);
        }
        items
    }

    /// Creates the template parser that several items share.
    pub(super) fn templates(&self) -> TemplateReader<'_> {
        TemplateReader::new(self.types.functions())
    }

    /// Reads and checks one item; a `locals` block gives several blueprints.
    pub(super) fn item(
        &self,
        item: Item,
        broken: &[u32],
        templates: &TemplateReader<'_>,
        problems: &mut Problems,
        into: &mut Vec<Blueprint>,
    ) {
        let Self { file, text, types, sources, scope, budget } = *self;
        let lowering = InputLowering { file, text, sources, budget, types, templates };
        let mut reader = DeclarationReader { types, lowering, broken, problems };
        match item {
            Item::Block(block) if &*block.kind.text == LOCALS && types.get(LOCALS).is_none() => {
                let values = reader.locals(block).into_iter();
                let mut checker = Checker { types, sources, scope, problems };
                into.extend(values.map(|value| checker.local(value)).map(Blueprint::Resource));
            }
            item => {
                let declaration = reader.declaration(item);
                let mut checker = Checker { types, sources, scope, problems };
                into.extend(declaration.and_then(|declaration| checker.declaration(declaration)));
            }
        }
    }

    /// Keeps the first of several items with the same name.
    pub(super) fn unique(&self, items: Vec<Blueprint>, problems: &mut Problems) -> Vec<Blueprint> {
        let Self { types, sources, scope, .. } = *self;
        Checker { types, sources, scope, problems }.unique(items)
    }
}
