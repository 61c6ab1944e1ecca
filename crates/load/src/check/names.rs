//! Checks of `each` and `self`, which are valid only in some places.

use std::collections::BTreeMap;

use super::checker::Checker;
use crate::diagnostic::{Diagnostic, Span};
use crate::errors;
use crate::language::template::ReferenceTarget;
use crate::model::declaration::{Constant, Lifecycle};
use crate::model::references::{self, NameUse};
use crate::sdk::registry::ResourceType;

/// The block that contains an input.
#[derive(Clone, Copy)]
pub(super) enum EnclosingBlock<'a> {
    Resource(&'a ResourceType),
    /// A call or a case, which has no fields.
    Structure,
}

/// The fields that each field uses through `self`, by index, with the positions of these uses.
type FieldUses = BTreeMap<usize, Vec<(usize, Option<Span>)>>;

impl Checker<'_> {
    /// Reports uses of `each` without a `for_each`, and of `self` with an unknown field or in a cycle.
    ///
    /// `uses` are those in the fields and in `when`.
    pub(super) fn check_names(&mut self, uses: &[NameUse], lifecycle: &Lifecycle, block: EnclosingBlock<'_>) {
        let mut fields = FieldUses::new();
        for name in uses {
            self.check_name(name, lifecycle, block, &mut fields);
        }
        // These inputs are evaluated at load, when the fields of the resource are not yet known.
        let retry = lifecycle.retry.as_ref().and_then(Constant::as_expression);
        let retry = retry.into_iter().flat_map(|retry| [&retry.attempts, &retry.delay, &retry.backoff]);
        let timeout = lifecycle.timeout.as_ref().and_then(Constant::as_expression);
        let optional = lifecycle.optional.as_ref().and_then(Constant::as_expression);
        let environment = lifecycle.environment.as_ref().and_then(Constant::as_expression);
        let inputs =
            retry.flatten().chain(timeout).chain(optional).chain(environment).map(|input| (input, None));
        let mut constant = references::collect(inputs, self.sources);
        let for_each = lifecycle.for_each.iter().map(|input| (&**input, None));
        let for_each = references::collect(for_each, self.sources).into_iter();
        // The evaluation of `for_each` itself reports a use of `each`, which has no value before there are
        // instances.
        constant.extend(for_each.filter(|name| name.target != ReferenceTarget::Each));
        for name in constant {
            self.check_name(&name, lifecycle, EnclosingBlock::Structure, &mut fields);
        }
        if let EnclosingBlock::Resource(resource) = block {
            self.check_cycles(resource, &fields);
        }
    }

    fn check_name(
        &mut self,
        name: &NameUse,
        lifecycle: &Lifecycle,
        block: EnclosingBlock<'_>,
        fields: &mut FieldUses,
    ) {
        let span = name.span;
        match (&name.target, block) {
            (ReferenceTarget::Each, _) if lifecycle.for_each.is_none() => {
                self.problems.report(errors::meta::no_each(span));
            }
            (ReferenceTarget::This(_), EnclosingBlock::Structure) => {
                self.problems.report(errors::meta::no_self(span));
            }
            (ReferenceTarget::This(this), EnclosingBlock::Resource(resource)) => {
                match (resource.schema().field(this), name.field) {
                    (Some((target, _)), Some(field)) => fields.entry(field).or_default().push((target, span)),
                    (Some(_), None) => {}
                    (None, _) => self.problems.report(errors::meta::unknown_self(resource, this, span)),
                }
            }
            _ => {}
        }
    }

    /// Reports each cycle of fields once, at the first field of the cycle in schema order.
    fn check_cycles(&mut self, resource: &ResourceType, uses: &FieldUses) {
        let fields = &resource.schema().fields;
        let name = |field: usize| fields.get(field).map_or("", |field| field.name);
        let mut finished_fields = Vec::new();
        for &start in uses.keys() {
            // The current path: each field, and the index of its next use to follow.
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            while let Some((at, next)) = path.last_mut() {
                let step = uses.get(at).and_then(|uses| uses.get(*next));
                *next += 1;
                let Some(&(target, _)) = step else {
                    finished_fields.extend(path.pop().map(|(at, _)| at));
                    continue;
                };
                if finished_fields.contains(&target) {
                    continue;
                }
                let Some(from) = path.iter().position(|(field, _)| *field == target) else {
                    path.push((target, 0));
                    continue;
                };
                let cycle = path.get(from..).unwrap_or_default();
                let chain: Vec<&str> =
                    cycle.iter().map(|(field, _)| *field).chain([target]).map(name).collect();
                let message =
                    format!("{}: a field depends on itself: {}", resource.name(), chain.join(" -> "));
                let mut diagnostic =
                    Diagnostic::error("field-cycle", message).help("remove one of these uses");
                for (field, next) in cycle {
                    let step = uses.get(field).and_then(|uses| uses.get(next.checked_sub(1)?));
                    if let Some((target, span)) = step {
                        let text = format!("`{}` is computed from `{}`", name(*field), name(*target));
                        diagnostic = diagnostic.label(*span, text);
                    }
                }
                self.problems.report(diagnostic);
            }
        }
    }
}
