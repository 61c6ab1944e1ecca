//! The origins of the values behind an error.
//!
//! An error in a resource is often caused elsewhere: in the default of a parameter, in a module call, or on
//! the command line. Diagnostics show these places too.

use std::collections::HashSet;
use std::ops::Range;

use super::locate::input_span;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{Graph, Input, InputKind, LexicalScope, Node};
use crate::language::template::{Reference, ReferenceTarget};
use crate::types::local_path::local_name;
use crate::types::value::{FieldError, FieldErrorKind, PathSegment};

/// The maximum number of origins that a diagnostic shows.
const MAX_PLACES: usize = 6;

/// Finds the origins of the values of one node.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Provenance<'a> {
    graph: &'a Graph,
    node: &'a Node,
}

impl<'a> Provenance<'a> {
    #[doc(hidden)]
    pub fn new(graph: &'a Graph, node: &'a Node) -> Self {
        Self { graph, node }
    }

    /// Returns the diagnostic for an error in a field of the node.
    #[doc(hidden)]
    pub fn diagnose(self, error: &FieldError) -> Diagnostic {
        let Some(input) = self.input(&error.path.0).filter(|_| is_about_value(&error.kind)) else {
            return self.node.diagnose(error);
        };
        let diagnostic = match self.culprit(input) {
            Some(span) => self.node.diagnose_at(error, &[(span, "")]),
            None => self.node.diagnose(error),
        };
        self.explain(diagnostic, input, None)
    }

    /// Adds the origins of the references in a range of an input, or of all if the range has none.
    #[doc(hidden)]
    pub fn explain(
        self,
        mut diagnostic: Diagnostic,
        input: &Input,
        range: Option<&Range<u32>>,
    ) -> Diagnostic {
        let references = input.own_references();
        let inside = |reference: &&Reference| {
            range
                .is_some_and(|range| range.start <= reference.range.start && reference.range.end <= range.end)
        };
        let mut chosen: Vec<&Reference> = references.iter().filter(inside).collect();
        if chosen.is_empty() {
            chosen.extend(references);
        }
        let mut origins =
            Origins { graph: self.graph, seen: HashSet::new(), places: Vec::new(), said: Vec::new() };
        for reference in chosen {
            match &reference.target {
                ReferenceTarget::Param(name) => origins.param(&self.node.scope, name),
                ReferenceTarget::Picked(_) | ReferenceTarget::Lookup(_) | ReferenceTarget::Traversal(_) => {
                    let Some(path) = reference.target.path() else { continue };
                    let path =
                        local_name(path).map_or_else(|| path.to_string(), |name| format!("local.{name}"));
                    let text = format!("the value comes from `{path}`");
                    match (diagnostic.labels.first_mut(), references.len()) {
                        (Some(first), 1) if first.text.is_empty() => first.text = text,
                        _ if origins.is_full() => {}
                        _ => {
                            let span = input.span.map(|span| self.span(input, &reference.range, span));
                            origins.places.extend(span.map(|span| (span, text)));
                        }
                    }
                }
                ReferenceTarget::This(_)
                | ReferenceTarget::Each
                | ReferenceTarget::TemplateFile(_)
                | ReferenceTarget::Computed => {}
            }
        }
        origins.add_to(diagnostic)
    }

    /// Returns the input that provides the value at a path.
    fn input(self, path: &[PathSegment]) -> Option<&'a Input> {
        let (PathSegment::Name(field), rest) = path.split_first()? else { return None };
        let (index, _) = self.node.resource.schema().field(field)?;
        let attribute = self.node.attributes.iter().find(|attribute| attribute.field == index)?;
        Some(attribute.input.at(rest)).filter(|input| !input.own_references().is_empty())
    }

    /// Returns the span of the only template expression that provides the value of a string.
    fn culprit(self, input: &Input) -> Option<Span> {
        match &input.kind {
            InputKind::Template(template) => Some(self.span(input, &template.value_origin()?, input.span?)),
            _ => None,
        }
    }

    /// Returns the span in the file for a range of an input.
    fn span(self, input: &Input, range: &Range<u32>, place: Span) -> Span {
        input_span(&input.kind, range, place, self.graph.sources())
    }
}

/// Whether an error concerns a value rather than the set of fields that are present.
fn is_about_value(kind: &FieldErrorKind) -> bool {
    let is_about_name =
        matches!(kind, FieldErrorKind::UnknownField { .. } | FieldErrorKind::GivenTwice { .. });
    !is_about_name && !kind.is_about_absence()
}

/// The places that explain a diagnostic.
struct Origins<'a> {
    graph: &'a Graph,
    seen: HashSet<&'a str>,
    places: Vec<(Span, String)>,
    said: Vec<String>,
}

impl<'a> Origins<'a> {
    fn is_full(&self) -> bool {
        self.places.len() + self.said.len() >= MAX_PLACES
    }

    /// Adds the origin of a parameter named in a scope, and those of the parameters named there in turn.
    fn param(&mut self, scope: &'a LexicalScope, name: &str) {
        let mut open = vec![(scope, name)];
        while let Some((scope, name)) = open.pop() {
            let node = self.graph.find(&format!("{}/param.{name}", scope.module.id));
            let Some(node) = node.map(|node| self.graph.node(node)) else { continue };
            if self.is_full() || !self.seen.insert(node.id.as_str()) {
                continue;
            }
            let Some(input) = node.param_value() else { continue };
            self.add_origin(node, name, input);
            input.for_each_leaf(&mut |leaf| {
                open.extend(leaf.own_references().iter().filter_map(|reference| match &reference.target {
                    ReferenceTarget::Param(name) => Some((&*node.scope, &**name)),
                    _ => None,
                }));
            });
        }
    }

    /// Adds the origin of the value of a parameter.
    fn add_origin(&mut self, node: &Node, name: &str, input: &Input) {
        if let Some(origin) = node.given() {
            self.said.push(format!("parameter `{name}` was given {origin}"));
            return;
        }
        let Some(span) = input.span else { return };
        // Showing the source text would show the secret.
        if node.param_rules().is_some_and(|rules| rules.sensitive) {
            let place = self.graph.sources().location(span);
            self.said.push(format!("parameter `{name}`, which is sensitive, gets its value at {place}"));
            return;
        }
        let is_default = node.scope.module.id.as_str() == node.id.scope();
        let text = if is_default { "the default of" } else { "the value of" };
        self.places.push((span, format!("{text} parameter `{name}`")));
    }

    fn add_to(self, mut diagnostic: Diagnostic) -> Diagnostic {
        for (span, text) in self.places {
            diagnostic = diagnostic.label(span, text);
        }
        let help: Vec<String> = diagnostic.help.take().into_iter().chain(self.said).collect();
        if help.is_empty() { diagnostic } else { diagnostic.help(help.join("; ")) }
    }
}
