//! What inputs refer to, with the places where the names are written.

use super::lower::template_span;
use crate::graph::{Input, InputKind};
use crate::report::{SourceMap, Span};
use crate::template::{Reference, ReferenceTarget};

/// A use of a name.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) target: ReferenceTarget,
    pub(super) span: Option<Span>,
    /// The field in which it is used, by its index in the schema; `None` in a meta-argument.
    pub(super) field: Option<usize>,
}

/// Adds every use of a name in an input. They are found once for a file, however often it is called.
pub(super) fn collect(input: &Input, field: Option<usize>, sources: &SourceMap, found: &mut Vec<Found>) {
    match &input.kind {
        InputKind::Value(_) => {}
        InputKind::List(items) => items.iter().for_each(|item| collect(item, field, sources, found)),
        InputKind::Map(entries) => {
            for (name, item) in entries {
                collect(name, field, sources, found);
                collect(item, field, sources, found);
            }
        }
        InputKind::Lookup(path) => {
            let target = ReferenceTarget::Lookup(path.clone());
            found.push(Found { target, span: input.span, field });
        }
        InputKind::Template(template) => in_text(template.references(), input, field, sources, found),
        InputKind::Predicate(predicate) => in_text(predicate.references(), input, field, sources, found),
        InputKind::Expression(expression) => {
            found.extend(expression.references().iter().map(|reference| {
                let range = reference.range.start as usize..reference.range.end as usize;
                let span = input.span.map(|span| Span::new(span.file, range.start, range.end));
                Found { target: reference.target.clone(), span, field }
            }));
        }
    }
}

/// References whose ranges are of the text of a literal.
fn in_text(
    references: &[Reference],
    input: &Input,
    field: Option<usize>,
    sources: &SourceMap,
    found: &mut Vec<Found>,
) {
    found.extend(references.iter().map(|reference| Found {
        target: reference.target.clone(),
        span: input.span.map(|literal| template_span(&reference.range, literal, sources)),
        field,
    }));
}
