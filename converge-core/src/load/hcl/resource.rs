//! Blocks of resources and parameters, and the blocks in them.

use super::Reader;
use crate::graph::{Input, InputKind};
use crate::load::declaration::{Arguments, Declaration, Form, Word, WrittenField};
use crate::load::error::BlockError;
use crate::load::param;
use crate::report::Diagnostic;
use crate::schema::Field;
use crate::syntax::{Block, Body, Expression, ExpressionKind, Item};
use crate::value::FieldErrorKind;

impl Reader<'_> {
    pub(super) fn resource(&mut self, block: Block) -> Option<Declaration> {
        let kind = self.lower.word(&block.kind);
        let [label] = block.labels.as_slice() else {
            // Without a type there is nothing to say about its labels.
            if self.registry.get(&kind.text).is_none() {
                self.unknown_type(&kind);
            } else {
                let (labels, span) = (block.labels.len(), self.head(&block));
                self.report(BlockError::WrongLabels { kind: kind.text.to_string(), labels, span });
            }
            for name in &block.labels {
                self.lost.add(&kind.text, &name.text);
            }
            return None;
        };
        let name = self.lower.word(label);
        // A type that is not known is reported when the declaration is checked; its fields are read
        // all the same, for what is wrong with them whatever the type.
        let resource = self.registry.get(&kind.text).cloned();
        // `file.owner` has a field `group`, and a field wins over the argument.
        let own =
            |name: &str| resource.as_ref().is_some_and(|resource| resource.schema().field(name).is_some());
        let state = self.state(&block.range);
        let mut fields = Vec::new();
        let mut arguments = Arguments::default();
        for item in block.body.items {
            match item {
                Item::Attribute(attribute) => {
                    let Some(mut attribute) = self.argument(attribute, &own, &mut arguments) else {
                        continue;
                    };
                    if let Some(resource) = &resource
                        && let Some((_, field)) = resource.schema().field(&attribute.name.text)
                    {
                        self.check_base(resource.name(), field, &mut attribute.value);
                        if resource.name() == param::NAME && field.name == "type" {
                            param::read_bare_type(&mut attribute.value, self.lower.text);
                        }
                    }
                    fields.push(WrittenField {
                        name: self.lower.word(&attribute.name),
                        input: self.lower.expression(attribute.value, self.diagnostics),
                        form: Form::Attribute,
                    });
                }
                Item::Block(block) => {
                    if let Some(block) = self.argument_block(block, &own, &mut arguments) {
                        self.field_block(block, &mut fields);
                    }
                }
            }
        }
        Some(Declaration { kind, name, fields, arguments, state })
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
        self.report(BlockError::no_such_type(self.registry, &kind.text, kind.span));
    }

    /// A nested block. Repeating one makes a list.
    fn field_block(&mut self, block: Block, fields: &mut Vec<WrittenField>) {
        let name = self.lower.word(&block.kind);
        if let Some(label) = block.labels.first() {
            let span = self.lower.span(&label.range);
            self.report(BlockError::LabelledField { field: name.text.to_string(), span });
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
        let entries = self.fields(block.body).into_iter().map(|field| {
            let key = self.lower.string(field.name.text, field.name.span, self.diagnostics);
            (key, field.input)
        });
        Input { kind: InputKind::Map(entries.collect()), span }
    }

    /// What is written in a block that is a value.
    pub(super) fn fields(&mut self, body: Body) -> Vec<WrittenField> {
        let mut fields: Vec<WrittenField> = Vec::new();
        for item in body.items {
            match item {
                Item::Attribute(attribute) => {
                    let input = self.lower.expression(attribute.value, self.diagnostics);
                    let name = self.lower.word(&attribute.name);
                    fields.push(WrittenField { name, input, form: Form::Attribute });
                }
                Item::Block(block) => self.field_block(block, &mut fields),
            }
        }
        fields
    }
}
