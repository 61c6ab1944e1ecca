//! Uses of `each` and `self`, which mean something only in some places.

use std::collections::BTreeMap;

use super::checker::Checker;
use crate::diagnostic::{Diagnostic, Span};
use crate::language::template::ReferenceTarget;
use crate::load::declaration::{Constant, Lifecycle};
use crate::load::errors;
use crate::load::references::{self, NameUse};
use crate::sdk::registry::ResourceType;

/// The block that an input is written in.
#[derive(Clone, Copy)]
pub(super) enum EnclosingBlock<'a> {
    Resource(&'a ResourceType),
    /// A call or a case, which has no fields.
    Structure,
}

/// Which field uses which by `self`, by their indices, with the places.
type FieldUses = BTreeMap<usize, Vec<(usize, Option<Span>)>>;

impl Checker<'_> {
    /// Reports uses of `each` with no `for_each`, and of `self` that mean no field or lead in a cycle. `uses` are
    /// those in the fields and in `when`.
    pub(super) fn check_names(&mut self, uses: &[NameUse], lifecycle: &Lifecycle, block: EnclosingBlock<'_>) {
        let mut fields = FieldUses::new();
        for name in uses {
            self.check_name(name, lifecycle, block, &mut fields);
        }
        // These are known at load, when the fields of the resource are not.
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
        // There is no `each` before there are instances, which its evaluation says.
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

    /// Reports each cycle of fields once, at the field of it that comes first.
    fn check_cycles(&mut self, resource: &ResourceType, uses: &FieldUses) {
        let fields = &resource.schema().fields;
        let name = |field: usize| fields.get(field).map_or("", |field| field.name);
        let mut done = Vec::new();
        for &start in uses.keys() {
            // The way so far: a field, and where it uses the next.
            let mut way: Vec<(usize, usize)> = vec![(start, 0)];
            while let Some((at, next)) = way.last_mut() {
                let step = uses.get(at).and_then(|uses| uses.get(*next));
                *next += 1;
                let Some(&(target, _)) = step else {
                    done.extend(way.pop().map(|(at, _)| at));
                    continue;
                };
                if done.contains(&target) {
                    continue;
                }
                let Some(from) = way.iter().position(|(field, _)| *field == target) else {
                    way.push((target, 0));
                    continue;
                };
                let cycle = way.get(from..).unwrap_or_default();
                let chain: Vec<&str> =
                    cycle.iter().map(|(field, _)| *field).chain([target]).map(name).collect();
                let message =
                    format!("{}: a field is made from itself: {}", resource.name(), chain.join(" -> "));
                let mut diagnostic =
                    Diagnostic::error("field-cycle", message).help("remove one of these uses");
                for (field, next) in cycle {
                    let step = uses.get(field).and_then(|uses| uses.get(next.checked_sub(1)?));
                    if let Some((target, span)) = step {
                        let text = format!("`{}` is made from `{}`", name(*field), name(*target));
                        diagnostic = diagnostic.label(*span, text);
                    }
                }
                self.problems.report(diagnostic);
            }
        }
    }
}
