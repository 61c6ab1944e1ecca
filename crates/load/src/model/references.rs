//! The references of inputs, with their positions.

use crate::diagnostic::{SourceMap, Span};
use crate::evaluate::input_spans;
use crate::graph::{Input, InputKind};
use crate::language::template::ReferenceTarget;

#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub(crate) target: ReferenceTarget,
    pub(crate) span: Option<Span>,
    /// The index of the field that contains the name; `None` in a meta-argument.
    pub(crate) field: Option<usize>,
}

/// Collects every use of a name in inputs, each with its field.
///
/// This is done once per file, however often the file is called.
pub(crate) fn collect<'a>(
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
