//! Reading of `module "SOURCE" "NAME" { .. }`.

use super::reader::{DeclarationReader, MODULE};
use crate::errors;
use crate::graph::{Input, InputKind};
use crate::model::declaration::{BlockArguments, CallDeclaration, Completeness};
use crate::model::spanned_text::Spanned;
use crate::syntax::{Attribute, Block, Item};
use crate::types::meta_arguments::MetaArgument;
use converge_value::types::value::Value;

const PARAMS: &str = "params";

const ARGUMENTS: [&str; 7] = [PARAMS, "depends", "when", "for_each", "tags", "optional", "environment"];

impl DeclarationReader<'_> {
    pub(super) fn call(&mut self, block: Block) -> Option<CallDeclaration> {
        let span = self.head(&block);
        let [source, name] = block.labels.as_slice() else {
            let span = self.span(&block.kind.range);
            self.report(errors::module::wrong_labels(block.labels.len(), span));
            for label in &block.labels {
                self.problems.unresolved.add(MODULE, &label.text);
            }
            return None;
        };
        let (source, name) = (self.spanned(source), self.spanned(name));
        self.check_name(MODULE, &name)?;
        if source.text.is_empty() || source.text.contains("{{") {
            self.report(errors::module::bad_source(&source));
            self.problems.unresolved.add(MODULE, &name.text);
            return None;
        }
        let mut completeness = self.completeness(&block.range);
        let mut arguments = BlockArguments::default();
        let mut params: Vec<(Spanned, Input)> = Vec::new();
        let mut params_name: Option<Spanned> = None;
        for item in block.body.items {
            let (word, value) = match item {
                Item::Attribute(attribute) if &*attribute.name.text == PARAMS => {
                    let word = self.spanned(&attribute.name);
                    let value = self.params_value(attribute);
                    if value.is_none() {
                        completeness = Completeness::Partial;
                    }
                    (word, value.unwrap_or_default())
                }
                Item::Block(block) if &*block.kind.text == PARAMS && block.labels.is_empty() => {
                    let word = self.spanned(&block.kind);
                    let fields = self.fields(block.body).into_iter();
                    (word, fields.map(|field| (field.name, field.input)).collect())
                }
                Item::Attribute(attribute) => {
                    self.call_argument(attribute, &mut arguments);
                    continue;
                }
                Item::Block(block) if &*block.kind.text == "environment" => {
                    let _ = self.argument_block(block, &|_| false, &mut arguments);
                    continue;
                }
                Item::Block(block) => {
                    let name = self.spanned(&block.kind);
                    self.misplaced(&name);
                    continue;
                }
            };
            if let Some(first) = &params_name {
                self.report(errors::block::written_twice(PARAMS, first.span, word.span));
                continue;
            }
            params_name = Some(word);
            params = value;
        }
        params.retain(|(name, _)| {
            let literal = !name.text.contains("{{");
            if !literal {
                self.report(errors::module::computed_param(name.span));
            }
            literal
        });
        Some(CallDeclaration { source, name, params, arguments, span, completeness })
    }

    fn call_argument(&mut self, attribute: Attribute, arguments: &mut BlockArguments) {
        if ARGUMENTS.contains(&&*attribute.name.text) {
            // A module call has no fields that could take precedence over these arguments.
            let _ = self.argument(attribute, &|_| false, arguments);
        } else {
            let name = self.spanned(&attribute.name);
            self.misplaced(&name);
        }
    }

    fn misplaced(&mut self, name: &Spanned) {
        self.report(match MetaArgument::from_name(&name.text) {
            Some(argument) if !ARGUMENTS.contains(&&*name.text) => {
                errors::module::for_resources(argument, name.span)
            }
            _ => errors::module::unknown_argument(name, &ARGUMENTS),
        });
    }

    /// Reads `params = { .. }`; returns `None` if it is not a map.
    fn params_value(&mut self, attribute: Attribute) -> Option<Vec<(Spanned, Input)>> {
        let input = self.input(attribute.value);
        let InputKind::Map(entries) = input.kind else {
            self.report(errors::module::params_no_map(input.span));
            return None;
        };
        let entries = entries.into_iter().filter_map(|(name, value)| {
            let text = name.known().and_then(Value::as_str);
            if text.is_none() {
                self.report(errors::module::computed_param(name.span));
            }
            Some((Spanned { text: text?.into(), span: name.span }, value))
        });
        Some(entries.collect())
    }
}
