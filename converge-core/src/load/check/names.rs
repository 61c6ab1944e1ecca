//! Uses of `each` and `self`, which mean something only in some places.

use std::collections::BTreeMap;

use super::Checker;
use crate::load::blueprint::Handling;
use crate::load::declaration::Early;
use crate::load::error::MetaError;
use crate::load::references::{self, Found};
use crate::registry::ResourceType;
use crate::report::Span;
use crate::template::ReferenceTarget;

/// What is around an input.
#[derive(Clone, Copy)]
pub(super) enum Around<'a> {
    /// A resource of this type.
    Resource(&'a ResourceType),
    /// A call or a case, which has no fields.
    Structure,
}

/// Which field uses which by `self`, by their indices, with the places.
type Uses = BTreeMap<usize, Vec<(usize, Option<Span>)>>;

impl Checker<'_> {
    /// Reports uses of `each` with no `for_each`, and of `self` that mean no field or lead in a circle.
    /// `found` is what is used in the fields and in `when`.
    pub(super) fn check_names(&mut self, found: &[Found], handling: &Handling, around: Around<'_>) {
        let mut uses = Uses::new();
        for found in found {
            self.check_name(found, handling, around, &mut uses);
        }
        let retry = handling.retry.as_ref().and_then(Early::written);
        let retry = retry.into_iter().flat_map(|retry| [&retry.attempts, &retry.delay, &retry.backoff]);
        let timeout = handling.timeout.as_ref().and_then(Early::written);
        let mut early = Vec::new();
        for input in retry.flatten().chain(timeout) {
            references::collect(input, None, self.sources, &mut early);
        }
        if let Some(input) = &handling.for_each {
            let mut own = Vec::new();
            references::collect(input, None, self.sources, &mut own);
            // There is no `each` before there are instances, which its evaluation says.
            early.extend(own.into_iter().filter(|found| found.target != ReferenceTarget::Each));
        }
        // These are known at load, when the fields of the resource are not.
        for found in early {
            self.check_name(&found, handling, Around::Structure, &mut uses);
        }
        if let Around::Resource(resource) = around {
            self.check_circles(resource, &uses);
        }
    }

    fn check_name(&mut self, found: &Found, handling: &Handling, around: Around<'_>, uses: &mut Uses) {
        let span = found.span;
        match (&found.target, around) {
            (ReferenceTarget::Each, _) if handling.for_each.is_none() => {
                self.report(MetaError::NoEach { span });
            }
            (ReferenceTarget::This(_), Around::Structure) => self.report(MetaError::NoSelf { span }),
            (ReferenceTarget::This(name), Around::Resource(resource)) => {
                match resource.schema().field(name) {
                    Some((target, _)) => {
                        if let Some(field) = found.field {
                            uses.entry(field).or_default().push((target, span));
                        }
                    }
                    None => self.report(MetaError::UnknownSelf {
                        resource: resource.name(),
                        field: name.to_string(),
                        known: resource.schema().fields.iter().map(|field| field.name.to_owned()).collect(),
                        span,
                    }),
                }
            }
            _ => {}
        }
    }

    /// Reports each circle of fields once, at the field of it that comes first.
    fn check_circles(&mut self, resource: &ResourceType, uses: &Uses) {
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
                let circle = way.get(from..).unwrap_or_default();
                let mut chain: Vec<String> =
                    circle.iter().map(|(field, _)| name(*field).to_owned()).collect();
                chain.push(name(target).to_owned());
                let places = circle.iter().filter_map(|(field, next)| {
                    let (target, span) = uses.get(field)?.get(next.checked_sub(1)?)?;
                    Some((*span, format!("`{}` is made from `{}`", name(*field), name(*target))))
                });
                let places = places.collect();
                self.report(MetaError::SelfCircle { resource: resource.name(), chain, places });
            }
        }
    }
}
