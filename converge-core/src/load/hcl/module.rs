//! `module "SOURCE" "NAME" { .. }`.

use super::Reader;
use super::meta::Argument;
use crate::graph::{Input, InputKind};
use crate::load::declaration::{Arguments, Call, State, Word};
use crate::load::error::{BlockError, ModuleError};
use crate::syntax::{Attribute, Block, Item};
use crate::value::Value;

const PARAMS: &str = "params";

/// What a module takes.
pub(in crate::load) const ARGUMENTS: [&str; 4] = [PARAMS, "depends", "when", "for_each"];

impl Reader<'_> {
    pub(super) fn call(&mut self, block: Block) -> Option<Call> {
        let span = self.head(&block);
        let [source, name] = block.labels.as_slice() else {
            self.report(ModuleError::WrongLabels {
                labels: block.labels.len(),
                span: self.lower.span(&block.kind.range),
            });
            for label in &block.labels {
                self.lost.add(super::MODULE, &label.text);
            }
            return None;
        };
        let (source, name) = (self.lower.word(source), self.lower.word(name));
        self.check_name(super::MODULE, &name).ok()?;
        if source.text.is_empty() || source.text.contains("{{") {
            self.report(ModuleError::BadSource { source: source.text.to_string(), span: source.span });
            self.lost.add(super::MODULE, &name.text);
            return None;
        }
        let mut state = self.state(&block.range);
        let mut arguments = Arguments::default();
        let mut params: Vec<(Word, Input)> = Vec::new();
        let mut written: Option<Word> = None;
        for item in block.body.items {
            let (word, given) = match item {
                Item::Attribute(attribute) if &*attribute.name.text == PARAMS => {
                    let word = self.lower.word(&attribute.name);
                    let given = self.params_value(attribute);
                    if given.is_none() {
                        state = State::Damaged;
                    }
                    (word, given.unwrap_or_default())
                }
                Item::Block(block) if &*block.kind.text == PARAMS && block.labels.is_empty() => {
                    let word = self.lower.word(&block.kind);
                    let fields = self.fields(block.body).into_iter();
                    (word, fields.map(|field| (field.name, field.input)).collect())
                }
                Item::Attribute(attribute) => {
                    self.call_argument(attribute, &mut arguments);
                    continue;
                }
                Item::Block(block) => {
                    let name = self.lower.word(&block.kind);
                    self.misplaced(&name);
                    continue;
                }
            };
            if let Some(first) = &written {
                self.report(BlockError::FieldWrittenTwice {
                    field: PARAMS.to_owned(),
                    first: first.span,
                    second: word.span,
                });
                continue;
            }
            written = Some(word);
            params = given;
        }
        params.retain(|(name, _)| {
            let literal = !name.text.contains("{{");
            if !literal {
                self.diagnostics.push(ModuleError::ComputedParam { span: name.span }.into());
            }
            literal
        });
        Some(Call { source, name, params, arguments, span, state })
    }

    fn call_argument(&mut self, attribute: Attribute, arguments: &mut Arguments) {
        let name = self.lower.word(&attribute.name);
        if Self::is_module_argument(&name.text) {
            // A module has no fields of its own that could win over these.
            let _ = self.argument(attribute, &|_| false, arguments);
        } else {
            self.misplaced(&name);
        }
    }

    /// An argument that a module does not take.
    fn misplaced(&mut self, name: &Word) {
        match Argument::named(&name.text) {
            Some(argument) if !Self::is_module_argument(&name.text) => {
                self.report(ModuleError::ForResources { argument, span: name.span });
            }
            _ => self.unknown_argument(name),
        }
    }

    /// `params = { .. }`; `None` when it is no map.
    fn params_value(&mut self, attribute: Attribute) -> Option<Vec<(Word, Input)>> {
        let input = self.lower.expression(attribute.value, self.diagnostics);
        let InputKind::Map(entries) = input.kind else {
            self.report(ModuleError::ParamsNoMap { span: input.span });
            return None;
        };
        let entries = entries.into_iter().filter_map(|(name, value)| {
            let text = name.known().and_then(Value::as_str);
            if text.is_none() {
                self.report(ModuleError::ComputedParam { span: name.span });
            }
            Some((Word { text: text?.into(), span: name.span }, value))
        });
        Some(entries.collect())
    }
}
