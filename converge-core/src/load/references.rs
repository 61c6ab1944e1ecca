//! What inputs refer to, with the places where the names are written.

use crate::diagnostic::{SourceMap, Span};
use crate::evaluate::input_spans;
use crate::graph::{Input, InputKind};
use crate::language::template::ReferenceTarget;

#[derive(Clone, Debug)]
pub(super) struct NameUse {
    pub(super) target: ReferenceTarget,
    pub(super) span: Option<Span>,
    /// The field in which it is used, by its index in the schema; `None` in a meta-argument.
    pub(super) field: Option<usize>,
}

/// Every use of a name in some inputs, each with its field. They are found once for a file, however often it is
/// called.
pub(super) fn collect<'a>(
    inputs: impl IntoIterator<Item = (&'a Input, Option<usize>)>,
    sources: &SourceMap,
) -> Vec<NameUse> {
    let mut uses = Vec::new();
    for (input, field) in inputs {
        input.for_each_leaf(&mut |leaf| {
            if let InputKind::Lookup(path) = &leaf.kind {
                uses.push(NameUse { target: ReferenceTarget::Lookup(path.clone()), span: leaf.span, field });
            }
            let references = leaf.own_references();
            if references.is_empty() {
                return;
            }
            let ranges = references.iter().map(|reference| &reference.range);
            let mut spans = leaf.span.map(|place| input_spans(&leaf.kind, ranges, place, sources));
            uses.reserve_exact(references.len());
            uses.extend(references.iter().map(|reference| NameUse {
                target: reference.target.clone(),
                span: spans.as_mut().and_then(Iterator::next),
                field,
            }));
        });
    }
    uses
}
