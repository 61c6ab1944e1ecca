//! `switch "NAME" { case "PREDICATE" "NAME" { .. } default { .. } }`.

use super::{CASE, DEFAULT, MODULE, Reader, SWITCH};
use crate::load::declaration::{Case, Declaration, State, Switch, Word};
use crate::load::error::{BlockError, SwitchError};
use crate::syntax::{Block, Item};

impl Reader<'_> {
    pub(super) fn switch(&mut self, block: Block) -> Option<Switch> {
        let span = self.head(&block);
        let [label] = block.labels.as_slice() else {
            let labels = block.labels.len();
            self.report(BlockError::WrongLabels { kind: SWITCH.to_owned(), labels, span });
            self.lose(&block);
            return None;
        };
        let name = self.lower.word(label);
        if self.check_name(SWITCH, &name).is_err() {
            self.lose(&block);
            return None;
        }
        let mut cases: Vec<Case> = Vec::new();
        let is_empty = block.body.items.is_empty();
        // The first `default`.
        let mut default: Option<crate::report::Span> = None;
        for item in block.body.items {
            let case = match item {
                Item::Block(block) if &*block.kind.text == CASE => self.case(block),
                Item::Block(block) if &*block.kind.text == DEFAULT => Some(self.default_case(block)),
                Item::Block(block) => {
                    self.report(SwitchError::NoCase {
                        name: block.kind.text.to_string(),
                        span: self.lower.span(&block.kind.range),
                    });
                    self.lose_block(&block);
                    None
                }
                Item::Attribute(attribute) => {
                    let span = self.lower.span(&attribute.name.range);
                    self.report(SwitchError::NoCase { name: attribute.name.text.to_string(), span });
                    None
                }
            };
            let Some(case) = case else { continue };
            match (&case.predicate, default) {
                (None, Some(first)) => {
                    self.report(SwitchError::DefaultTwice { first, second: case.span });
                    continue;
                }
                (None, None) => default = Some(case.span),
                (Some(_), Some(default)) => self.report(SwitchError::AfterDefault {
                    case: case.name.text.to_string(),
                    default,
                    span: case.span,
                }),
                (Some(_), None) => {}
            }
            cases.push(case);
        }
        if is_empty && self.state(&block.range) == State::Whole {
            self.report(SwitchError::Empty { name: name.text.to_string(), span });
        }
        let cases = super::unique(
            cases,
            |case| case.name.text.to_string(),
            |case| Some(case.span),
            |name, first, second| {
                self.diagnostics.push(SwitchError::DuplicateCase { name, first, second }.into());
            },
        );
        Some(Switch { name, cases, span })
    }

    fn case(&mut self, block: Block) -> Option<Case> {
        let span = self.head(&block);
        let [predicate, label] = block.labels.as_slice() else {
            self.report(SwitchError::CaseLabels {
                labels: block.labels.len(),
                span: self.lower.span(&block.kind.range),
            });
            self.lose(&block);
            return None;
        };
        let name = self.lower.word(label);
        if &*name.text == DEFAULT {
            self.report(SwitchError::CaseNamedDefault { span: name.span });
            self.lose(&block);
            return None;
        }
        if self.check_name(CASE, &name).is_err() {
            self.lose(&block);
            return None;
        }
        let place = self.lower.span(&predicate.range);
        let predicate = Some(self.lower.predicate(&predicate.text, place, self.diagnostics));
        let resources = self.in_case(block);
        Some(Case { name, predicate, resources, span })
    }

    fn default_case(&mut self, block: Block) -> Case {
        let span = self.head(&block);
        if !block.labels.is_empty() {
            self.report(SwitchError::DefaultLabels { span });
        }
        let name = Word { text: DEFAULT.into(), span: Some(span) };
        let resources = self.in_case(block);
        Case { name, predicate: None, resources, span }
    }

    fn in_case(&mut self, block: Block) -> Vec<Declaration> {
        let items = block.body.items.into_iter().filter_map(|item| match item {
            Item::Attribute(attribute) => {
                let span = self.lower.span(&attribute.name.range);
                self.report(SwitchError::AttributeInCase { name: attribute.name.text.to_string(), span });
                None
            }
            Item::Block(block) => match &*block.kind.text {
                MODULE | SWITCH | CASE | DEFAULT | "param" => {
                    let kind = block.kind.text.to_string();
                    self.report(SwitchError::NotInCase { kind, span: self.lower.span(&block.kind.range) });
                    self.lose_block(&block);
                    None
                }
                _ => self.resource(block),
            },
        });
        items.collect()
    }

    /// What is declared in a block that cannot be used is lost.
    fn lose(&mut self, block: &Block) {
        for item in &block.body.items {
            if let Item::Block(block) = item {
                self.lose_block(block);
            }
        }
    }

    fn lose_block(&mut self, block: &Block) {
        if let Some(name) = block.labels.last() {
            self.lost.add(&block.kind.text, &name.text);
        }
        self.lose(block);
    }
}
