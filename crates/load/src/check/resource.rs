//! Checks of resources and parameters: types, field names, and every value that is already known.

use std::sync::Arc;

use super::checker::Checker;
use super::names::EnclosingBlock;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::errors;
use crate::errors::hints::foreign_word;
use crate::graph::OUTPUT;
use crate::graph::{Attribute, Node, Role};
use crate::model::blueprint::{ResourceArguments, ResourceBlueprint};
use crate::model::declaration::{BlockArguments, Completeness, Constant, ResourceDeclaration, WrittenField};
use crate::model::names::is_name;
use crate::model::references;
use crate::sdk::registry::ResourceType;
use crate::sdk::resource::Preparer as _;
use crate::types::local::LOCAL;
use crate::types::meta_arguments::MetaArgument;
use crate::types::misspellings::drop_misspelt;
use crate::types::param;
use converge_value::types::check;
use converge_value::types::value::{FieldError, FieldErrorKind};

impl Checker<'_> {
    /// Checks a declaration and creates its blueprint.
    ///
    /// Returns `None` only if the type or the name makes a node impossible.
    pub(super) fn resource(&mut self, declaration: ResourceDeclaration) -> Option<ResourceBlueprint> {
        let resource = self.resource_type(&declaration)?;
        Some(self.check_resource(resource, declaration))
    }

    /// Checks a value of `locals` and creates its blueprint.
    pub(crate) fn local(&mut self, declaration: ResourceDeclaration) -> ResourceBlueprint {
        self.check_resource(Arc::clone(&self.types.local), declaration)
    }

    fn check_resource(
        &mut self,
        resource: Arc<ResourceType>,
        declaration: ResourceDeclaration,
    ) -> ResourceBlueprint {
        let span = declaration.span();
        let diagnostics = &mut self.problems.diagnostics;
        let mut node = Node {
            id: self.scope.container.resource(&declaration.kind.text, &declaration.name.text),
            role: param::role_of(&resource),
            resource,
            attributes: Arc::new(Vec::with_capacity(declaration.fields.len())),
            scope: Arc::clone(self.scope),
            meta: None,
            group: None,
            span,
            declared: 0,
        };
        let mut unknown = Vec::new();
        for field in declaration.fields {
            let name = Arc::clone(&field.name.text);
            if attribute(&mut node, field, diagnostics).is_none() {
                unknown.push(name);
            }
        }
        if declaration.completeness == Completeness::Partial {
            param::assume_value(&mut node);
        }
        let rules = (node.resource.name() == param::Param::NAME || node.role == Role::Output)
            .then(|| param::take_rules(&mut node, self.types.functions(), self.sources, diagnostics))
            .flatten();
        check_values(&mut node, declaration.completeness, &unknown, diagnostics);
        // The parts of a list or a map with a declared type are still to be checked, each at its own
        // position.
        if rules.as_ref().is_none_or(|rules| !rules.kind.has_parts()) {
            fold(&mut node);
        }
        self.check_arguments(&node, &declaration.arguments);
        let BlockArguments { group, dependencies, lifecycle, .. } = declaration.arguments;
        let fields = node.attributes.iter().map(|attribute| (&attribute.input, Some(attribute.field)));
        let inputs = fields.chain(lifecycle.when.as_deref().into_iter().map(|condition| (condition, None)));
        let references = references::collect(inputs, self.sources);
        // Authors do not see the value of a local or an output as a field, so `self` does not apply.
        let block = match node.resource.name() {
            LOCAL | OUTPUT => EnclosingBlock::Structure,
            _ => EnclosingBlock::Resource(&node.resource),
        };
        self.check_names(&references, &lifecycle, block);
        let arguments = ResourceArguments {
            group: group.map(|group| group.text),
            rules,
            lifecycle,
            dependencies: dependencies.shared(),
        };
        ResourceBlueprint {
            id: node.id,
            role: node.role,
            resource: node.resource,
            attributes: node.attributes,
            references: references.into(),
            arguments: arguments.shared(),
            span,
        }
    }

    fn resource_type(&mut self, declaration: &ResourceDeclaration) -> Option<Arc<ResourceType>> {
        let (kind, name) = (&declaration.kind, &declaration.name);
        self.problems.report(match self.types.get(&kind.text) {
            Some(resource) if self.types.is_structure(resource) => {
                errors::block::structure_in_code(&kind.text)
            }
            Some(resource) if is_name(&name.text) => return Some(Arc::clone(resource)),
            Some(_) => errors::block::bad_name(&kind.text, name),
            None => errors::block::no_such_type(self.types, &kind.text, kind.span),
        });
        self.problems.unresolved.add(&kind.text, &name.text);
        None
    }

    fn check_arguments(&mut self, node: &Node, arguments: &BlockArguments) {
        let BlockArguments { dependencies, lifecycle, .. } = arguments;
        let span = |argument| arguments.name_span(argument).or(node.span);
        if node.role != Role::Resource {
            // A parameter or an output is only a value: nothing is done that could be repeated or skipped.
            let present_arguments = [
                (MetaArgument::When, lifecycle.when.is_some()),
                (MetaArgument::ForEach, lifecycle.for_each.is_some()),
                (
                    MetaArgument::Timeout,
                    lifecycle.timeout.as_ref().and_then(Constant::as_expression).is_some(),
                ),
                (MetaArgument::Retry, lifecycle.retry.as_ref().and_then(Constant::as_expression).is_some()),
                (
                    MetaArgument::Optional,
                    lifecycle.optional.as_ref().and_then(Constant::as_expression).is_some(),
                ),
                (
                    MetaArgument::Environment,
                    lifecycle.environment.as_ref().and_then(Constant::as_expression).is_some(),
                ),
                (MetaArgument::EvenAfter, !dependencies.even_after.is_empty()),
                (MetaArgument::Tags, lifecycle.tags.is_some()),
                (MetaArgument::OnChangeOf, !dependencies.on_change_of.is_empty()),
            ];
            for (argument, _) in present_arguments.into_iter().filter(|(_, is_here)| *is_here) {
                self.problems.report(errors::meta::on_value(argument, node.role, span(argument)));
            }
        } else if !dependencies.on_change_of.is_empty() && !node.resource.refreshes() {
            let types =
                self.types.iter().filter(|resource_type| resource_type.refreshes()).map(|known| known.name());
            let (types, span) = (types.collect::<Vec<_>>(), span(MetaArgument::OnChangeOf));
            self.problems.report(errors::meta::no_refresh(node.resource.name(), &types, span));
        }
    }
}

/// Adds an attribute to a node; returns `None` if the type has no field of that name.
fn attribute(node: &mut Node, assignment: WrittenField, diagnostics: &mut Diagnostics) -> Option<()> {
    let (name, name_span) = (&*assignment.name.text, assignment.name.span);
    let resource = Arc::clone(&node.resource);
    let Some((index, field)) = resource.schema().field(name) else {
        let names_known: Vec<String> =
            resource.schema().fields.iter().map(|field| field.name.to_owned()).collect();
        let names = names_known.join(", ");
        let error = FieldError::new(
            name,
            FieldErrorKind::UnknownField { field: name.to_owned(), known: names_known },
        );
        let place: Option<(Span, &str)> = name_span.or(node.span).map(|span| (span, "no such field"));
        let mut diagnostic = node.diagnose_at(&error, place.as_slice());
        let fields = || match names.as_str() {
            "" => format!("{} has no fields", resource.name()),
            names => format!("the fields of {} are {names}", resource.name()),
        };
        let is_export = resource.schema().exports.iter().any(|export| export.name == name);
        let export = || {
            format!(
                "`{name}` is an export of {0} and cannot be set: read it as `{0}.NAME.{name}`",
                resource.name()
            )
        };
        let export = is_export.then(export);
        diagnostic.help = foreign_word(name).or(export).or(diagnostic.help).or_else(|| Some(fields()));
        diagnostics.push(diagnostic);
        return None;
    };
    if let Some(before) = node.attributes.iter().find(|attribute| attribute.field == index) {
        diagnostics.push(errors::block::written_twice(field.name, before.name_span, name_span));
        return Some(());
    }
    if let Some(instead) = field.deprecated {
        let message = format!("`{}` of {} is deprecated: {instead}", field.name, resource.name());
        diagnostics.push(Diagnostic::warning("deprecated-field", message).label(name_span, ""));
    }
    if let Some(attributes) = Arc::get_mut(&mut node.attributes) {
        attributes.push(Attribute { field: index, input: assignment.input, name_span });
    }
    Some(())
}

/// Checks the fields against the schema: first their presence, then each known value.
fn check_values(
    node: &mut Node,
    completeness: Completeness,
    unknown: &[Arc<str>],
    diagnostics: &mut Diagnostics,
) {
    let schema = node.resource.schema();
    let mut errors = node.shape_errors(&|attribute, _| attribute.input.known_part());
    for attribute in node.attributes.iter() {
        let field = &schema.fields[attribute.field];
        if let Some(value) = attribute.input.known_value()
            && value.find_unknown().is_none()
            && let Err(error) =
                check::check(field, &if field.sensitive { value.into_secret() } else { value })
        {
            errors.extend(error);
        }
    }
    if completeness == Completeness::Partial {
        // A value that seems to be missing may be in the part that could not be parsed, even in a nested
        // block.
        errors.retain(|error| !error.kind.is_about_absence());
    }
    drop_misspelt(&mut errors, unknown);
    diagnostics.extend(errors.iter().map(|error| node.diagnose(error)));
}

/// Converts inputs with known values to plain values.
///
/// If the type has validation rules that still run, lists and maps keep the positions of their parts.
fn fold(node: &mut Node) {
    let fields = &node.resource.schema().fields;
    let keeps_parts = node.resource.validates();
    // The attributes are not shared yet, so they can be changed in place.
    for attribute in Arc::get_mut(&mut node.attributes).into_iter().flatten() {
        if !keeps_parts {
            attribute.input.fold();
        }
        if fields[attribute.field].sensitive {
            attribute.input.mark_secret();
        }
    }
}
