//! Reading of resource and parameter blocks, and the blocks inside them.

use super::reader::DeclarationReader;
use crate::diagnostic::Diagnostic;
use crate::errors;
use crate::graph::{Input, InputKind, Role};
use crate::model::declaration::{BlockArguments, ResourceDeclaration, WrittenField};
use crate::syntax::{Block, Body, Expression, ExpressionKind, Item};
use crate::types::param;
use converge_value::types::schema::Field;
use converge_value::types::value::FieldErrorKind;

impl DeclarationReader<'_> {
    pub(super) fn resource(&mut self, block: Block) -> Option<ResourceDeclaration> {
        let kind = self.spanned(&block.kind);
        // An unknown type is reported when the declaration is checked. Its fields are read anyway, to find
        // errors that do not depend on the type.
        let resource = self.types.get(&kind.text).cloned();
        let [label] = block.labels.as_slice() else {
            // Labels can only be judged if the type is known.
            self.report(match resource {
                None => errors::block::no_such_type(self.types, &kind.text, kind.span),
                Some(_) => errors::block::wrong_labels(&kind.text, block.labels.len(), self.head(&block)),
            });
            for name in &block.labels {
                self.problems.unresolved.add(&kind.text, &name.text);
            }
            return None;
        };
        let name = self.spanned(label);
        // A field takes precedence over a meta-argument: `file.owner` has a field `group`.
        let is_own_field =
            |name: &str| resource.as_ref().is_some_and(|resource| resource.schema().field(name).is_some());
        let completeness = self.completeness(&block.range);
        let mut fields = Vec::new();
        let mut arguments = BlockArguments::default();
        for item in block.body.items {
            match item {
                Item::Attribute(attribute) => {
                    let Some(mut attribute) = self.argument(attribute, &is_own_field, &mut arguments) else {
                        continue;
                    };
                    if let Some(resource) = &resource
                        && let Some((_, field)) = resource.schema().field(&attribute.name.text)
                    {
                        self.check_base(resource.name(), field, &mut attribute.value);
                        if param::role_of(resource) == Role::Param && field.name == "type" {
                            param::read_bare_type(&mut attribute.value, self.lowering.text);
                        }
                    }
                    fields.push(WrittenField {
                        name: self.spanned(&attribute.name),
                        input: self.input(attribute.value),
                        is_block: false,
                    });
                }
                Item::Block(block) => {
                    if let Some(block) = self.argument_block(block, &is_own_field, &mut arguments) {
                        self.field_block(block, &mut fields);
                    }
                }
            }
        }
        Some(ResourceDeclaration { kind, name, fields, arguments, completeness })
    }

    /// Reports a decimal number such as `777` in a field with base 8.
    ///
    /// Only its notation distinguishes it from `0777`.
    fn check_base(&mut self, resource: &str, field: &Field, value: &mut Expression) {
        let (Some(base), &ExpressionKind::Int { value: number, base: 10 }) = (field.base, &value.kind) else {
            return;
        };
        if base == 10 || number.unsigned_abs() < u64::from(base) {
            return;
        }
        let kind = FieldErrorKind::DecimalInBase { shown: number.to_string(), base };
        let mut diagnostic = Diagnostic::error(kind.code(), format!("{resource}.{}: {kind}", field.name))
            .label(self.span(&value.range), "");
        diagnostic.help = kind.help();
        self.report(diagnostic);
        // The intended number replaces it, so that no further error is reported.
        if let Ok(number_value) = i64::from_str_radix(&number.to_string(), base) {
            value.kind = ExpressionKind::Int { value: number_value, base: 10 };
        }
    }

    /// Reads a nested block; repeated blocks form a list.
    fn field_block(&mut self, block: Block, fields: &mut Vec<WrittenField>) {
        let name = self.spanned(&block.kind);
        if let Some(label) = block.labels.first() {
            self.report(errors::block::labelled_field(&name.text, self.span(&label.range)));
        }
        let input = self.nested(block);
        let before = fields.iter_mut().find(|field| field.name.text == name.text && field.is_block);
        match before {
            None => fields.push(WrittenField { name, input, is_block: true }),
            Some(field) => match &mut field.input.kind {
                InputKind::List(items) => items.push(input),
                kind => {
                    let first = std::mem::replace(kind, InputKind::List(Box::default()));
                    let first = Input { kind: first, span: field.input.span };
                    *kind = InputKind::List(Box::new(vec![first, input]));
                }
            },
        }
    }

    pub(super) fn nested(&mut self, block: Block) -> Input {
        let span = Some(self.span(&block.range));
        let entries = self.fields(block.body).into_iter().map(|field| {
            let (name, diagnostics) = (field.name, &mut self.problems.diagnostics);
            (self.lowering.string(name.text, name.span, diagnostics), field.input)
        });
        Input { kind: InputKind::Map(Box::new(entries.collect())), span }
    }

    /// Reads the fields of a block that is a value.
    pub(super) fn fields(&mut self, body: Body) -> Vec<WrittenField> {
        let mut fields: Vec<WrittenField> = Vec::new();
        for item in body.items {
            match item {
                Item::Attribute(attribute) => {
                    let (name, input) = (self.spanned(&attribute.name), self.input(attribute.value));
                    fields.push(WrittenField { name, input, is_block: false });
                }
                Item::Block(block) => self.field_block(block, &mut fields),
            }
        }
        fields
    }
}
