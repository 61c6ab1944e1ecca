//! What inputs refer to, with the places where the names are written.

use super::lower::input_spans;
use crate::graph::{Input, InputKind};
use crate::report::{SourceMap, Span};
use crate::template::ReferenceTarget;

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
    input.for_each_leaf(&mut |leaf| {
        if let InputKind::Lookup(path) = &leaf.kind {
            found.push(Found { target: ReferenceTarget::Lookup(path.clone()), span: leaf.span, field });
        }
        let references = leaf.own_references();
        let ranges = references.iter().map(|reference| &reference.range);
        let mut spans = leaf.span.map(|place| input_spans(&leaf.kind, ranges, place, sources));
        found.extend(references.iter().map(|reference| Found {
            target: reference.target.clone(),
            span: spans.as_mut().and_then(Iterator::next),
            field,
        }));
    });
}
