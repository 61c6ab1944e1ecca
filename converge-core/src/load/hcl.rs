//! From the tree of a file to declarations.

use std::sync::Arc;

use super::declaration::{Declaration, Form, State, Word, WrittenField};
use super::error::LoadError;
use super::lost::Lost;
use super::lower::Lower;
use crate::graph::{Input, InputKind, Meta, Site};
use crate::registry::Registry;
use crate::report::{Diagnostic, Diagnostics};
use crate::schema::Field;
use crate::syntax::{Attribute, Block, Body, Expression, ExpressionKind, Item, Name};
use crate::value::FieldErrorKind;

/// The argument that names what a resource waits for.
const DEPENDS: &str = "depends";
/// The argument that names the lock of a resource.
const GROUP: &str = "group";
/// Blocks of the language that have no meaning here yet.
const NOT_YET: [&str; 2] = ["module", "switch"];

const LIST_OF_NAMES: &str = "a list of names";
const A_NAME: &str = "a name";

/// Reads the declarations of a module.
pub(super) fn declarations(
    body: Body,
    site: &Arc<Site>,
    registry: &Registry,
    lower: &Lower,
    lost: &mut Lost,
    diagnostics: &mut Diagnostics,
) -> Vec<Declaration> {
    // Sorted, as the parser reports in the order of the text.
    let broken = diagnostics.iter().filter_map(Diagnostic::span).map(|span| span.start).collect();
    let mut reader = Reader { site, registry, lower, broken, lost, diagnostics };
    body.items.into_iter().filter_map(|item| reader.item(item)).collect()
}

struct Reader<'a> {
    site: &'a Arc<Site>,
    registry: &'a Registry,
    lower: &'a Lower,
    /// Where the text could not be read.
    broken: Vec<u32>,
    lost: &'a mut Lost,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, error: LoadError) {
        self.diagnostics.push(error.into());
    }

    fn word(&self, name: &Name) -> Word {
        Word { text: Arc::clone(&name.text), span: Some(self.lower.span(&name.range)) }
    }

    fn item(&mut self, item: Item) -> Option<Declaration> {
        match item {
            Item::Attribute(attribute) => {
                self.report(LoadError::StrayAttribute {
                    name: attribute.name.text.to_string(),
                    span: self.lower.span(&attribute.name.range),
                });
                None
            }
            Item::Block(block) => self.block(block),
        }
    }

    fn block(&mut self, block: Block) -> Option<Declaration> {
        let kind = self.word(&block.kind);
        if NOT_YET.contains(&&*kind.text) && self.registry.get(&kind.text).is_none() {
            let span = self.lower.span(&block.kind.range);
            self.report(LoadError::NotYet { kind: kind.text.to_string(), span });
            if let Some(name) = block.labels.last() {
                self.lost.add(&kind.text, &name.text);
            }
            // What is declared inside is lost too.
            self.lost.add_text(self.lower.text());
            return None;
        }
        let [label] = block.labels.as_slice() else {
            // Without a type there is nothing to say about its labels.
            if self.registry.get(&kind.text).is_none() {
                self.unknown_type(&kind);
            } else {
                let span = block.labels.last().map_or(&block.kind.range, |label| &label.range);
                let span = self.lower.span(&(block.kind.range.start..span.end));
                let labels = block.labels.len();
                self.report(LoadError::WrongLabels { kind: kind.text.to_string(), labels, span });
            }
            for name in &block.labels {
                self.lost.add(&kind.text, &name.text);
            }
            return None;
        };
        let name = self.word(label);
        let id = self.site.container.child(&format!("{}.{}", kind.text, name.text));
        // A type that is not known is reported when the declaration is checked; its fields are read
        // all the same, for what is wrong with them whatever the type.
        let resource = self.registry.get(&kind.text).cloned();
        let own =
            |name: &str| resource.as_ref().is_some_and(|resource| resource.schema().field(name).is_some());
        let next = self.broken.partition_point(|at| *at < block.range.start);
        let state = match self.broken.get(next) {
            Some(at) if *at < block.range.end => State::Damaged,
            _ => State::Whole,
        };
        let mut declaration = Declaration {
            id,
            site: Arc::clone(self.site),
            kind,
            name,
            fields: Vec::new(),
            depends: Vec::new(),
            on_change_of: Vec::new(),
            group: None,
            meta: Meta::default(),
            state,
        };
        for item in block.body.items {
            match item {
                Item::Attribute(attribute) if &*attribute.name.text == DEPENDS => {
                    declaration.depends = self.depends(attribute);
                }
                // `file.owner` has a field of this name, and a field wins over the argument.
                Item::Attribute(attribute) if &*attribute.name.text == GROUP && !own(GROUP) => {
                    declaration.group = self.group(attribute);
                }
                Item::Attribute(mut attribute) => {
                    if let Some(resource) = &resource
                        && let Some((_, field)) = resource.schema().field(&attribute.name.text)
                    {
                        self.check_base(resource.name(), field, &mut attribute.value);
                    }
                    let field = WrittenField {
                        name: self.word(&attribute.name),
                        input: self.lower.expression(attribute.value, self.diagnostics),
                        form: Form::Attribute,
                    };
                    declaration.fields.push(field);
                }
                Item::Block(block) if &*block.kind.text == DEPENDS => {
                    let span = self.lower.span(&block.kind.range);
                    self.report(LoadError::BadMeta { name: DEPENDS, expected: LIST_OF_NAMES, span });
                }
                Item::Block(block) if &*block.kind.text == GROUP && !own(GROUP) => {
                    let span = self.lower.span(&block.kind.range);
                    self.report(LoadError::BadMeta { name: GROUP, expected: A_NAME, span });
                }
                Item::Block(block) => self.field_block(block, &mut declaration.fields),
            }
        }
        Some(declaration)
    }

    /// A plain `777` where the field counts in base 8 is a mistake, and only the way it is written
    /// tells it from `0777`.
    fn check_base(&mut self, resource: &str, field: &Field, value: &mut Expression) {
        let (Some(base), &ExpressionKind::Int { value: number, base: 10 }) = (field.base, &value.kind) else {
            return;
        };
        if base == 10 || number.unsigned_abs() < u64::from(base) {
            return;
        }
        let kind = FieldErrorKind::DecimalInBase { shown: number.to_string(), base };
        let mut diagnostic = Diagnostic::error(kind.code(), format!("{resource}.{}: {kind}", field.name))
            .label(self.lower.span(&value.range), "");
        diagnostic.help = kind.help();
        self.diagnostics.push(diagnostic);
        // What was meant stands for it, so that the number is not judged again.
        if let Ok(meant) = i64::from_str_radix(&number.to_string(), base) {
            value.kind = ExpressionKind::Int { value: meant, base: 10 };
        }
    }

    fn unknown_type(&mut self, kind: &Word) {
        let known = self.registry.iter().map(|resource| resource.name().to_owned()).collect();
        self.report(LoadError::UnknownType { name: kind.text.to_string(), known, span: kind.span });
    }

    /// A nested block. Repeating one makes a list.
    fn field_block(&mut self, block: Block, fields: &mut Vec<WrittenField>) {
        let name = self.word(&block.kind);
        if let Some(label) = block.labels.first() {
            let span = self.lower.span(&label.range);
            self.report(LoadError::LabelledField { field: name.text.to_string(), span });
        }
        let input = self.nested(block);
        let before =
            fields.iter_mut().find(|field| field.name.text == name.text && field.form == Form::Block);
        match before {
            None => fields.push(WrittenField { name, input, form: Form::Block }),
            Some(field) => match &mut field.input.kind {
                InputKind::List(items) => items.push(input),
                kind => {
                    let first = std::mem::replace(kind, InputKind::List(Vec::new()));
                    let first = Input { kind: first, span: field.input.span };
                    *kind = InputKind::List(vec![first, input]);
                }
            },
        }
    }

    fn nested(&mut self, block: Block) -> Input {
        let span = Some(self.lower.span(&block.range));
        let mut fields: Vec<WrittenField> = Vec::new();
        for item in block.body.items {
            match item {
                Item::Attribute(attribute) => {
                    let input = self.lower.expression(attribute.value, self.diagnostics);
                    let name = self.word(&attribute.name);
                    fields.push(WrittenField { name, input, form: Form::Attribute });
                }
                Item::Block(block) => self.field_block(block, &mut fields),
            }
        }
        let entries = fields.into_iter().map(|field| {
            let key = self.lower.string(field.name.text, field.name.span, self.diagnostics);
            (key, field.input)
        });
        Input { kind: InputKind::Map(entries.collect()), span }
    }

    fn depends(&mut self, attribute: Attribute) -> Vec<Word> {
        let Attribute { value, .. } = attribute;
        let ExpressionKind::List(items) = value.kind else {
            let span = self.lower.span(&value.range);
            self.report(LoadError::BadMeta { name: DEPENDS, expected: LIST_OF_NAMES, span });
            return Vec::new();
        };
        items.into_iter().filter_map(|item| self.literal(item, DEPENDS, LIST_OF_NAMES)).collect()
    }

    fn group(&mut self, attribute: Attribute) -> Option<Word> {
        self.literal(attribute.value, GROUP, A_NAME).filter(|group| !group.text.is_empty())
    }

    /// A string with no template in it: these arguments shape the graph, so they are known at load.
    fn literal(
        &mut self,
        expression: Expression,
        name: &'static str,
        expected: &'static str,
    ) -> Option<Word> {
        let span = self.lower.span(&expression.range);
        match expression.kind {
            ExpressionKind::String(text) if !text.contains("{{") => Some(Word { text, span: Some(span) }),
            _ => {
                self.report(LoadError::BadMeta { name, expected, span });
                None
            }
        }
    }
}
