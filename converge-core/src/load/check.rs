//! From a declaration to a node: types, names of fields, and every value that is known already.

use std::sync::Arc;

use super::declaration::{Checked, Declaration, State, WrittenField};
use super::error::LoadError;
use super::lost::Lost;
use super::param;
use crate::graph::{Attribute, Node, Role};
use crate::registry::{Registry, ResourceType};
use crate::report::{Diagnostic, Diagnostics, SourceMap, close_names};
use crate::schema;
use crate::value::{FieldError, FieldErrorKind};

/// Makes the node of a declaration, and reports everything that is wrong with it. `None` only when its
/// type or name make a node impossible.
pub(super) fn node(
    declaration: Declaration,
    registry: &Registry,
    sources: &SourceMap,
    lost: &mut Lost,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let span = declaration.span();
    let Some(resource) = registry.get(&declaration.kind.text) else {
        let known = registry.iter().map(|resource| resource.name().to_owned()).collect();
        let name = declaration.kind.text.to_string();
        diagnostics.push(LoadError::UnknownType { name, known, span: declaration.kind.span }.into());
        lost.add(&declaration.kind.text, &declaration.name.text);
        return None;
    };
    if !is_name(&declaration.name.text) {
        let error = LoadError::BadName {
            kind: declaration.kind.text.to_string(),
            name: declaration.name.text.to_string(),
            span: declaration.name.span,
        };
        diagnostics.push(error.into());
        lost.add(&declaration.kind.text, &declaration.name.text);
        return None;
    }
    let mut node = Node {
        id: declaration.id,
        resource: Arc::clone(resource),
        role: Role::Resource,
        attributes: Arc::new(Vec::with_capacity(declaration.fields.len())),
        site: declaration.site,
        meta: declaration.meta.into_box(),
        group: declaration.group.map(|group| group.text),
        span,
    };
    let mut unknown = Vec::new();
    for field in declaration.fields {
        let name = Arc::clone(&field.name.text);
        if attribute(&mut node, resource, field, diagnostics) == Known::No {
            unknown.push(name);
        }
    }
    if declaration.state == State::Damaged {
        param::assume_value(&mut node);
    }
    if param::is_param(&node)
        && let Some(rules) = param::take_rules(&mut node, sources, diagnostics)
    {
        node.meta.get_or_insert_default().param.rules = Some(rules);
    }
    check_values(&mut node, declaration.state, &unknown, diagnostics);
    Some(Checked { node, depends: declaration.depends, on_change_of: declaration.on_change_of })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && !name.contains("{{") && !name.contains(char::is_control)
}

/// Whether there is a field of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Yes,
    No,
}

fn attribute(
    node: &mut Node,
    resource: &ResourceType,
    written: WrittenField,
    diagnostics: &mut Diagnostics,
) -> Known {
    let name_span = written.name.span;
    let Some((index, field)) = resource.schema().field(&written.name.text) else {
        let known = resource.schema().fields.iter().map(|field| field.name.to_owned()).collect();
        let kind = FieldErrorKind::UnknownField { field: written.name.text.to_string(), known };
        let place = name_span.or(node.span).map(|span| (span, "no such field"));
        let diagnostic = node.diagnose_at(&FieldError::new(&*written.name.text, kind), place.as_slice());
        diagnostics.push(match diagnostic.help {
            Some(_) => diagnostic,
            None => {
                diagnostic.help(format!("the fields of {} are {}", resource.name(), field_names(resource)))
            }
        });
        return Known::No;
    };
    if let Some(before) = node.attributes.iter().find(|attribute| attribute.field == index) {
        let field = field.name.to_owned();
        diagnostics
            .push(LoadError::FieldWrittenTwice { field, first: before.name_span, second: name_span }.into());
        return Known::Yes;
    }
    if let Some(instead) = field.deprecated {
        let message = format!("`{}` of {} is deprecated: {instead}", field.name, resource.name());
        let mut diagnostic = Diagnostic::warning("deprecated-field", message);
        if let Some(span) = name_span {
            diagnostic = diagnostic.label(span, "");
        }
        diagnostics.push(diagnostic);
    }
    if let Some(attributes) = Arc::get_mut(&mut node.attributes) {
        attributes.push(Attribute { field: index, input: written.input, name_span });
    }
    Known::Yes
}

fn field_names(resource: &ResourceType) -> String {
    let names: Vec<&str> = resource.schema().fields.iter().map(|field| field.name).collect();
    names.join(", ")
}

/// Checks what is written against the schema: first which fields there are, then each value that is
/// known before anything runs.
fn check_values(node: &mut Node, state: State, unknown: &[Arc<str>], diagnostics: &mut Diagnostics) {
    let schema = node.resource.schema();
    let is_written = |index| node.attributes.iter().any(|attribute| attribute.field == index);
    let mut errors = schema::shape_errors(&schema.fields, &schema.rules, &is_written);
    for attribute in node.attributes.iter() {
        let field = &schema.fields[attribute.field];
        if let Some(value) = attribute.input.known_value()
            && value.find_unknown().is_none()
            && let Err(found) =
                schema::check(field, &if field.sensitive { value.into_secret() } else { value })
        {
            errors.extend(found);
        }
    }
    if state == State::Damaged {
        // What seems to be missing may be what could not be read, in a nested block too.
        errors.retain(|error| !error.kind.is_about_absence());
    }
    // A field that is missing because its name is misspelt has been reported as that.
    let misspelt =
        |field: &String| unknown.iter().any(|name| !close_names(name, [field.as_str()]).is_empty());
    errors.retain(|error| match &error.kind {
        FieldErrorKind::Missing { field } => error.path.0.len() > 1 || !misspelt(field),
        FieldErrorKind::RequiredOneOf { fields } => error.path.0.len() > 1 || !fields.iter().any(misspelt),
        _ => true,
    });
    diagnostics.extend(errors.iter().map(|error| node.diagnose(error)));
    // The parts of a list or a map are still to be checked, each at its place.
    if node.param_rules().is_some_and(|rules| rules.kind.is_json()) {
        return;
    }
    // Nothing shares them yet.
    for attribute in Arc::get_mut(&mut node.attributes).into_iter().flatten() {
        attribute.input.fold();
        if schema.fields[attribute.field].sensitive {
            attribute.input.mark_secret();
        }
    }
}
