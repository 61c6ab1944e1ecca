//! The rules of a parameter, extracted from its attributes.
//!
//! All uses of a module share the rules, so they are not attributes of the node. Names in a validation refer
//! to the parameter itself. The value may be written at a call, where the same name has another meaning.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::evaluate::{input_span, template_diagnostic};
use crate::graph::param::VALUE_FIELD;
use crate::graph::{Attribute, Input, InputKind, Node, ParamRules, Validation};
use crate::language::template::{Predicate, ReferenceTarget};
use crate::syntax::{Computed, Expression, ExpressionKind};
use crate::types::misspellings::drop_misspelt;
use converge_value::types::check;
use converge_value::types::convert::FromValue;
use converge_value::types::function::ModuleFunctions;
use converge_value::types::value::{Conversion, Value};

/// Converts a type written without quotes, such as `list(number)`, to a string.
pub(crate) fn read_bare_type(value: &mut Expression, text: &str) {
    if let ExpressionKind::Computed(computed) = &value.kind
        && matches!(**computed, Computed::Name(_) | Computed::Call { .. })
        && let Some(name) = text.get(value.range.start as usize..value.range.end as usize)
    {
        value.kind = ExpressionKind::String(name.into());
    }
}

/// Removes everything except the default from the attributes of a parameter, and returns it as rules.
///
/// The rules are known whatever the value is, and stay when a call gives another value. Returns `None` if
/// there are none.
pub(crate) fn take_rules(
    node: &mut Node,
    functions: &ModuleFunctions,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Arc<ParamRules>> {
    if node.attributes.iter().all(|attribute| attribute.field == VALUE_FIELD) {
        return None;
    }
    for attribute in node.attributes.iter().filter(|attribute| attribute.field != VALUE_FIELD) {
        check(node, attribute, diagnostics);
    }
    let schema = Arc::clone(&node.resource);
    let mut rules = ParamRules::default();
    let mut reader = RuleReader { name: node.id.name().to_owned(), functions, sources, diagnostics };
    // The attributes are not shared yet.
    let attributes = Arc::get_mut(&mut node.attributes)?;
    for Attribute { field, input, .. } in
        attributes.extract_if(.., |attribute| attribute.field != VALUE_FIELD)
    {
        match schema.schema().fields.get(field).map_or("", |field| field.name) {
            "type" => {
                rules.kind_span = input.span;
                rules.kind = reader.literal("type", &input).unwrap_or_default();
            }
            "description" => {
                rules.description = reader.literal::<String>("description", &input).map(Into::into);
            }
            "sensitive" => rules.sensitive = reader.literal("sensitive", &input).unwrap_or_default(),
            "validation" => match input.kind {
                InputKind::List(items) => {
                    rules.validations.extend((*items).into_iter().filter_map(|item| reader.validation(item)));
                }
                _ => rules.validations.extend(reader.validation(input)),
            },
            _ => {}
        }
    }
    if rules.sensitive {
        for attribute in attributes.iter_mut() {
            attribute.input.mark_secret();
        }
    }
    Some(Arc::new(rules))
}

/// Checks the known part of an attribute against the schema.
fn check(node: &Node, attribute: &Attribute, diagnostics: &mut Diagnostics) {
    if let Some(field) = node.resource.schema().fields.get(attribute.field) {
        let mut errors = check::check_known_part(field, &attribute.input.known_part());
        drop_misspelt(&mut errors, &[]);
        diagnostics.extend(errors.iter().map(|error| node.diagnose(error)));
    }
}

struct RuleReader<'a> {
    /// The name of the node, such as `param.port`.
    name: String,
    functions: &'a ModuleFunctions,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
}

impl RuleReader<'_> {
    fn report(&mut self, message: String, span: Option<Span>, help: &str) {
        let code = if self.name.starts_with("output.") { "bad-output" } else { "bad-param" };
        self.diagnostics.push(Diagnostic::error(code, message).label(span, "").help(help));
    }

    /// Returns the value of an argument that must be literal.
    ///
    /// A value of the wrong type was already reported.
    fn literal<T: FromValue>(&mut self, name: &str, input: &Input) -> Option<T> {
        let Some(value) = input.known_value() else {
            let subject = if self.name.starts_with("output.") { "an output" } else { "a parameter" };
            let message = format!("`{name}` of {subject} cannot be computed");
            self.report(message, input.span, "write it as it is");
            return None;
        };
        T::from_value(value, &Conversion::default()).ok()
    }

    /// Reads a validation; returns `None` if a part is missing, which was already reported.
    fn validation(&mut self, input: Input) -> Option<Validation> {
        let InputKind::Map(entries) = input.kind else { return None };
        let (mut condition, mut message) = (None, None);
        for (name, item) in *entries {
            match name.known().and_then(Value::as_str) {
                Some("condition") => condition = self.condition(item),
                Some("message") => message = Some(item),
                _ => {}
            }
        }
        let validation = Validation { condition: condition?, message: message? };
        let is_own = [&validation.condition, &validation.message].map(|input| self.uses_only_itself(input));
        is_own.into_iter().all(|is_own| is_own).then_some(validation)
    }

    /// Reads a condition, in which text is a predicate; returns `None` if it cannot be parsed.
    fn condition(&mut self, input: Input) -> Option<Input> {
        let Input { kind, span } = input;
        let kind = match kind {
            InputKind::Value(Value::String(text)) => match Predicate::parse_with(&text, self.functions) {
                Ok(predicate) => InputKind::Predicate(Box::new(predicate)),
                Err(error) => {
                    self.diagnostics.push(template_diagnostic(&error, span, self.sources));
                    return None;
                }
            },
            InputKind::Template(template) => InputKind::Predicate(Box::new(Predicate::from(*template))),
            kind => kind,
        };
        Some(Input { kind, span })
    }

    /// Returns whether an input refers only to the parameter itself; reports other references.
    fn uses_only_itself(&mut self, input: &Input) -> bool {
        let own_name = self.name.strip_prefix("param.").unwrap_or_default().to_owned();
        let mut is_own = true;
        let sources = self.sources;
        input.for_each_leaf(&mut |leaf| {
            for reference in leaf.own_references() {
                if !matches!(&reference.target, ReferenceTarget::Param(name) if **name == *own_name) {
                    is_own = false;
                    let place = leaf.span;
                    let span = place.map(|place| input_span(&leaf.kind, &reference.range, place, sources));
                    let message =
                        format!("the validation of parameter `{own_name}` can only use the parameter itself");
                    self.report(message, span, &format!("its value is `param.{own_name}`"));
                }
            }
        });
        is_own
    }
}
