//! Reading of `switch "NAME" { case "PREDICATE" "NAME" { .. } default { .. } }`.

use super::reader::{CASE, DEFAULT, DeclarationReader, MODULE, SWITCH};
use crate::diagnostic::Span;
use crate::errors;
use crate::graph::OUTPUT;
use crate::model::declaration::{CaseDeclaration, Completeness, ResourceDeclaration, SwitchDeclaration};
use crate::model::names::unique;
use crate::model::plugin_blocks::PLUGIN;
use crate::model::spanned_text::Spanned;
use crate::syntax::{Block, Item};

impl DeclarationReader<'_> {
    pub(super) fn switch(&mut self, block: Block) -> Option<SwitchDeclaration> {
        let span = self.head(&block);
        let [label] = block.labels.as_slice() else {
            self.report(errors::block::wrong_labels(SWITCH, block.labels.len(), span));
            return self.skip(&block);
        };
        let name = self.spanned(label);
        if self.check_name(SWITCH, &name).is_none() {
            return self.skip(&block);
        }
        let mut cases: Vec<CaseDeclaration> = Vec::new();
        let is_empty = block.body.items.is_empty();
        let mut first_default: Option<Span> = None;
        for item in block.body.items {
            let case = match item {
                Item::Block(block) if &*block.kind.text == CASE => self.case(block),
                Item::Block(block) if &*block.kind.text == DEFAULT => Some(self.default_case(block)),
                Item::Block(block) => {
                    self.report(errors::switch::no_case(&block.kind.text, self.span(&block.kind.range)));
                    self.skip_block(&block)
                }
                Item::Attribute(attribute) => {
                    let span = self.span(&attribute.name.range);
                    self.report(errors::switch::no_case(&attribute.name.text, span));
                    None
                }
            };
            let Some(case) = case else { continue };
            match (&case.predicate, first_default) {
                (None, Some(first)) => {
                    self.report(errors::switch::two_defaults(first, case.span));
                    continue;
                }
                (None, None) => first_default = Some(case.span),
                (Some(_), Some(default)) => {
                    self.report(errors::switch::after_default(&case.name.text, default, case.span));
                }
                (Some(_), None) => {}
            }
            cases.push(case);
        }
        if is_empty && self.completeness(&block.range) == Completeness::Complete {
            self.report(errors::switch::no_cases(&name.text, span));
        }
        let cases = unique(
            cases,
            |case| (&*case.name.text, Some(case.span)),
            |name, first, second| self.report(errors::switch::duplicate_case(name, first, second)),
        );
        Some(SwitchDeclaration { name, cases, span })
    }

    fn case(&mut self, block: Block) -> Option<CaseDeclaration> {
        let span = self.head(&block);
        let [predicate, label] = block.labels.as_slice() else {
            let span = self.span(&block.kind.range);
            self.report(errors::switch::case_labels(block.labels.len(), span));
            return self.skip(&block);
        };
        let name = self.spanned(label);
        if &*name.text == DEFAULT {
            self.report(errors::switch::case_named_default(name.span));
            return self.skip(&block);
        }
        if self.check_name(CASE, &name).is_none() {
            return self.skip(&block);
        }
        let place = self.span(&predicate.range);
        let predicate = self.lowering.predicate(&predicate.text, place, &mut self.problems.diagnostics);
        let resources = self.in_case(block);
        Some(CaseDeclaration { name, predicate: Some(predicate), resources, span })
    }

    fn default_case(&mut self, block: Block) -> CaseDeclaration {
        let span = self.head(&block);
        if !block.labels.is_empty() {
            self.report(errors::switch::default_labels(span));
        }
        let name = Spanned { text: DEFAULT.into(), span: Some(span) };
        let resources = self.in_case(block);
        CaseDeclaration { name, predicate: None, resources, span }
    }

    fn in_case(&mut self, block: Block) -> Vec<ResourceDeclaration> {
        let items = block.body.items.into_iter().filter_map(|item| match item {
            Item::Attribute(attribute) => {
                let span = self.span(&attribute.name.range);
                let help = "a case holds only resources: TYPE \"NAME\" { .. }";
                self.report(errors::block::stray_attribute(&attribute.name.text, span, help));
                None
            }
            Item::Block(block) => match &*block.kind.text {
                kind @ (MODULE | SWITCH | CASE | DEFAULT | PLUGIN | OUTPUT | "param") => {
                    self.report(errors::switch::not_in_case(kind, self.span(&block.kind.range)));
                    self.skip_block(&block)
                }
                _ => self.resource(block),
            },
        });
        items.collect()
    }

    /// Skips an unusable block, and records its declarations as unresolved.
    fn skip<T>(&mut self, block: &Block) -> Option<T> {
        for item in &block.body.items {
            if let Item::Block(block) = item {
                self.skip_block::<T>(block);
            }
        }
        None
    }

    fn skip_block<T>(&mut self, block: &Block) -> Option<T> {
        if let Some(name) = block.labels.last() {
            self.problems.unresolved.add(&block.kind.text, &name.text);
        }
        self.skip(block)
    }
}
