//! From declarations to blueprints: types, names of fields, and every value that is known already. Done once for
//! a file, however often it is called.

mod calls;
mod names;

use std::sync::Arc;

use super::blueprint::{Blueprint, Handling, Planned, PlannedCase, PlannedSwitch, Waits};
use super::declaration::{Case, Declaration, Early, Item, State, Switch, WrittenField};
use super::error::{BlockError, MetaError};
use super::hcl::{Argument, is_name, unique};
use super::lost::Lost;
use super::param;
use super::references::{self, Found};
use crate::graph::{Attribute, Node, Role, Site};
use crate::registry::{Registry, ResourceType};
use crate::report::{Diagnostic, Diagnostics, SourceMap, close_names};
use crate::schema;
use crate::value::{FieldError, FieldErrorKind, PathSegment, ValuePath};

use self::names::Around;

/// Checks the declarations of one file.
pub(super) struct Checker<'a> {
    registry: &'a Registry,
    sources: &'a SourceMap,
    lost: &'a mut Lost,
    diagnostics: &'a mut Diagnostics,
    /// Where the nodes are thought to be while they are checked.
    site: Arc<Site>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        registry: &'a Registry,
        sources: &'a SourceMap,
        site: &Arc<Site>,
        lost: &'a mut Lost,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self { registry, sources, lost, diagnostics, site: Arc::clone(site) }
    }

    fn report(&mut self, error: impl Into<Diagnostic>) {
        self.diagnostics.push(error.into());
    }

    /// Checks one item of what stands at the top of a file.
    pub(super) fn item(&mut self, item: Item) -> Option<Planned> {
        match item {
            Item::Resource(declaration) => self.resource(declaration).map(Planned::Resource),
            Item::Module(call) => Some(Planned::Module(self.call(call))),
            Item::Switch(switch) => Some(Planned::Switch(self.switch(switch))),
        }
    }

    /// Of several items of a file with one name the first is kept.
    pub(super) fn unique(&mut self, planned: Vec<Planned>) -> Vec<Planned> {
        let name = |planned: &Planned| match planned {
            Planned::Resource(blueprint) => blueprint.name.clone(),
            Planned::Module(call) => call.name.clone(),
            Planned::Switch(switch) => switch.name.clone(),
        };
        let span = |planned: &Planned| match planned {
            Planned::Resource(blueprint) => blueprint.span,
            Planned::Module(call) => Some(call.span),
            Planned::Switch(switch) => Some(switch.span),
        };
        unique(planned, name, span, |name, first, second| {
            self.diagnostics.push(BlockError::Duplicate { name, first, second }.into());
        })
    }

    /// Makes the blueprint of a declaration, and reports everything that is wrong with it. `None` only when
    /// its type or name make a node impossible.
    pub(super) fn resource(&mut self, declaration: Declaration) -> Option<Blueprint> {
        let resource = self.resource_type(&declaration)?;
        let span = declaration.span();
        let name = format!("{}.{}", declaration.kind.text, declaration.name.text);
        let mut node = Node {
            id: self.site.container.child(&name),
            resource,
            role: Role::Resource,
            attributes: Arc::new(Vec::with_capacity(declaration.fields.len())),
            site: Arc::clone(&self.site),
            meta: None,
            group: None,
            span,
        };
        let mut unknown = Vec::new();
        for field in declaration.fields {
            let name = Arc::clone(&field.name.text);
            if attribute(&mut node, field, self.diagnostics) == Known::No {
                unknown.push(name);
            }
        }
        if declaration.state == State::Damaged {
            param::assume_value(&mut node);
        }
        let rules = if param::is_param(&node) {
            param::take_rules(&mut node, self.sources, self.diagnostics)
        } else {
            None
        };
        check_values(&mut node, declaration.state, &unknown, self.diagnostics);
        // The parts of a list or a map of a type are still to be checked, each at its place.
        if rules.as_ref().is_none_or(|rules| !rules.kind.has_parts()) {
            fold(&mut node);
        }
        let arguments = declaration.arguments;
        if param::is_param(&node) {
            self.no_handling_of_params(&arguments, span);
        } else if !arguments.on_change_of.is_empty() && !node.resource.refreshes() {
            let types = self.registry.iter().filter(|known| known.refreshes()).map(|known| known.name());
            let (resource, types) = (node.resource.name(), types.collect());
            self.report(MetaError::NoRefresh {
                resource,
                types,
                span: arguments.name_span(Argument::OnChangeOf).or(span),
            });
        }
        let handling = Handling {
            when: arguments.when,
            for_each: arguments.for_each,
            timeout: arguments.timeout,
            retry: arguments.retry,
        };
        let mut found = Vec::new();
        for attribute in node.attributes.iter() {
            references::collect(&attribute.input, Some(attribute.field), self.sources, &mut found);
        }
        if let Some(when) = &handling.when {
            references::collect(when, None, self.sources, &mut found);
        }
        self.check_names(&found, &handling, Around::Resource(&node.resource));
        Some(Blueprint {
            name,
            resource: node.resource,
            attributes: node.attributes,
            rules,
            group: arguments.group.map(|group| group.text),
            handling,
            waits: Waits { depends: arguments.depends, on_change_of: arguments.on_change_of }.shared(),
            references: found.into(),
            span,
        })
    }

    fn resource_type(&mut self, declaration: &Declaration) -> Option<Arc<ResourceType>> {
        let (kind, name) = (&declaration.kind, &declaration.name);
        let error: Diagnostic = match self.registry.get(&kind.text) {
            Some(resource) if self.registry.is_structure(resource) => {
                BlockError::StructureInCode { kind: kind.text.to_string() }.into()
            }
            Some(resource) if is_name(&name.text) => return Some(Arc::clone(resource)),
            Some(_) => {
                let (kind, span) = (kind.text.to_string(), name.span);
                BlockError::BadName { kind, name: name.text.to_string(), span }.into()
            }
            None => BlockError::no_such_type(self.registry, &kind.text, kind.span).into(),
        };
        self.report(error);
        self.lost.add(&kind.text, &name.text);
        None
    }

    fn switch(&mut self, switch: Switch) -> PlannedSwitch {
        let name = format!("switch.{}", switch.name.text);
        let cases = switch.cases.into_iter().map(|case| self.case(case)).collect();
        PlannedSwitch { name, cases, span: switch.span }
    }

    fn case(&mut self, case: Case) -> PlannedCase {
        let mut found: Vec<Found> = Vec::new();
        if let Some(predicate) = &case.predicate {
            references::collect(predicate, None, self.sources, &mut found);
        }
        self.check_names(&found, &Handling::default(), Around::Structure);
        let resources = case.resources.into_iter().filter_map(|resource| self.resource(resource)).collect();
        let name = |blueprint: &Blueprint| blueprint.name.clone();
        let resources = unique(
            resources,
            name,
            |blueprint| blueprint.span,
            |name, first, second| {
                self.diagnostics.push(BlockError::Duplicate { name, first, second }.into());
            },
        );
        PlannedCase {
            name: format!("case.{}", case.name.text),
            predicate: case.predicate,
            references: found.into(),
            resources,
            span: case.span,
        }
    }

    /// A parameter is a value: nothing is done about it that could be repeated or left out.
    fn no_handling_of_params(
        &mut self,
        arguments: &super::declaration::Arguments,
        block: Option<crate::report::Span>,
    ) {
        let here = [
            (Argument::When, arguments.when.is_some()),
            (Argument::ForEach, arguments.for_each.is_some()),
            (Argument::Timeout, arguments.timeout.as_ref().and_then(Early::written).is_some()),
            (Argument::Retry, arguments.retry.as_ref().and_then(Early::written).is_some()),
            (Argument::OnChangeOf, !arguments.on_change_of.is_empty()),
        ];
        for (argument, _) in here.into_iter().filter(|(_, is_here)| *is_here) {
            self.report(MetaError::OnParam { argument, span: arguments.name_span(argument).or(block) });
        }
    }
}

/// Whether there is a field of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Yes,
    No,
}

fn attribute(node: &mut Node, written: WrittenField, diagnostics: &mut Diagnostics) -> Known {
    let name_span = written.name.span;
    let resource = Arc::clone(&node.resource);
    let Some((index, field)) = resource.schema().field(&written.name.text) else {
        let known = resource.schema().fields.iter().map(|field| field.name.to_owned()).collect();
        let kind = FieldErrorKind::UnknownField { field: written.name.text.to_string(), known };
        let place = name_span.or(node.span).map(|span| (span, "no such field"));
        let diagnostic = node.diagnose_at(&FieldError::new(&*written.name.text, kind), place.as_slice());
        diagnostics.push(match (super::error::instead(&written.name.text), &diagnostic.help) {
            (Some(help), _) => diagnostic.help(help),
            (None, Some(_)) => diagnostic,
            (None, None) => {
                diagnostic.help(format!("the fields of {} are {}", resource.name(), field_names(&resource)))
            }
        });
        return Known::No;
    };
    if let Some(before) = node.attributes.iter().find(|attribute| attribute.field == index) {
        let field = field.name.to_owned();
        diagnostics
            .push(BlockError::FieldWrittenTwice { field, first: before.name_span, second: name_span }.into());
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
    drop_misspelt(&mut errors, unknown);
    diagnostics.extend(errors.iter().map(|error| node.diagnose(error)));
}

/// Leaves out what is missing because its name is misspelt, which is reported as that. `unknown` are the names that
/// are no fields, of those outside of blocks.
pub(in crate::load) fn drop_misspelt(errors: &mut Vec<FieldError>, unknown: &[Arc<str>]) {
    let nested: Vec<ValuePath> = errors
        .iter()
        .filter(|error| matches!(error.kind, FieldErrorKind::UnknownField { .. }))
        .map(|error| error.path.clone())
        .collect();
    let misspelt = |path: &ValuePath, field: &String| {
        let is_close = |name: &str| !close_names(name, [field.as_str()]).is_empty();
        let around = |path: &ValuePath| path.0.split_last().map(|(_, around)| around.to_vec());
        match path.0.len() {
            0 | 1 => unknown.iter().any(|name| is_close(name)),
            _ => nested.iter().filter(|other| around(other) == around(path)).any(|other| {
                match other.0.last() {
                    Some(PathSegment::Name(name)) => is_close(name),
                    _ => false,
                }
            }),
        }
    };
    errors.retain(|error| match &error.kind {
        FieldErrorKind::Missing { field } => !misspelt(&error.path, field),
        FieldErrorKind::RequiredOneOf { fields } => !fields.iter().any(|field| misspelt(&error.path, field)),
        _ => true,
    });
}

/// Makes plain values of what is known. Where rules of the type itself are still to be applied, lists and maps keep the
/// places of their parts.
fn fold(node: &mut Node) {
    let fields = &node.resource.schema().fields;
    let keeps_parts = node.resource.validates();
    // Nothing shares them yet.
    for attribute in Arc::get_mut(&mut node.attributes).into_iter().flatten() {
        if !keeps_parts {
            attribute.input.fold();
        }
        if fields[attribute.field].sensitive {
            attribute.input.mark_secret();
        }
    }
}
