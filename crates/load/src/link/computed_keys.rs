//! Names with computed keys: `X[each.key].field` waits for one instance, and not for all.

use super::linker::{Linker, Referrer};
use crate::diagnostic::Span;
use crate::graph::{Edge, EdgeReason, NodeIndex, OUTPUT, Role, Targets};
use crate::language::template::{NameStep, PickedName};
use converge_value::types::id::{outside_keys, quoted_key};
use converge_value::types::scope::Whole;

/// The target of a name, if its parts have names of their own.
enum Parts {
    /// The instances of a `for_each`.
    Instances(NodeIndex),
    /// The parameters and outputs of a module.
    Module,
    /// The outputs of a module.
    Outputs(NodeIndex),
}

impl Linker<'_> {
    /// Links a name to the parts that its keys pick, or to all that they may pick in a run.
    pub(super) fn picked(&mut self, from: Referrer<'_>, name: &PickedName, span: Option<Span>) {
        self.walk(from, &name.base, &name.steps, span);
    }

    fn walk(&mut self, from: Referrer<'_>, path: &str, steps: &[NameStep], span: Option<Span>) {
        let whole = |linker: &mut Self| linker.lookup(from, path, span, Whole::Allowed);
        let (Some((step, rest)), Some(parts)) = (steps.split_first(), self.parts(from, path)) else {
            return whole(self);
        };
        let key = match step {
            NameStep::Name(name) => return self.walk(from, &format!("{path}.{name}"), rest, span),
            NameStep::Key(key) => {
                let scope = &self.graph.node(from.node).scope;
                self.constants.text(key, scope, self.graph.sources())
            }
        };
        let endings: Vec<String> = match (key, parts) {
            (Some(key), Parts::Instances(end)) => {
                let ending = quoted_key(&key);
                let id = format!("{}{ending}", self.graph.node(end).id);
                // In the run this is an error, which `try` may expect.
                if self.graph.find(&id).is_none() {
                    return whole(self);
                }
                vec![ending]
            }
            (Some(key), Parts::Module | Parts::Outputs(_)) => vec![format!(".{key}")],
            (None, Parts::Instances(end)) if self.are_modules(end) => {
                return self.any_instance(from, (path, end), rest, span);
            }
            (None, Parts::Outputs(module)) => {
                let prefix = format!("{}/{OUTPUT}.", self.graph.node(module).id);
                let names = self.graph.with_prefix(&prefix).filter_map(|(_, node)| {
                    let name = node.id.as_str().strip_prefix(&prefix).filter(|name| !name.contains('/'))?;
                    Some(format!(".{name}"))
                });
                names.collect()
            }
            // All instances of a resource are the whole `for_each`.
            (None, Parts::Instances(_) | Parts::Module) => return whole(self),
        };
        if endings.is_empty() {
            return whole(self);
        }
        for ending in endings {
            self.walk(from, &format!("{path}{ending}"), rest, span);
        }
    }

    fn parts(&self, from: Referrer<'_>, path: &str) -> Option<Parts> {
        let (Targets::One(index), field) = self.resolve(from, path)? else { return None };
        match (self.graph.node(index).role, field.as_slice()) {
            (Role::ForEach, []) => Some(Parts::Instances(index)),
            (Role::Module, []) => Some(Parts::Module),
            (Role::Module, [OUTPUT]) => Some(Parts::Outputs(index)),
            _ => None,
        }
    }

    fn are_modules(&self, end: NodeIndex) -> bool {
        let prefix = format!("{}[\"", self.graph.node(end).id);
        self.graph.with_prefix(&prefix).next().is_some_and(|(_, node)| node.role == Role::Module)
    }

    /// Links a name to the part that it has in each instance of a module.
    fn any_instance(
        &mut self,
        from: Referrer<'_>,
        (path, end): (&str, NodeIndex),
        steps: &[NameStep],
        span: Option<Span>,
    ) {
        // Other keys may differ from use to use.
        let names = steps.iter().map(|step| match step {
            NameStep::Name(name) => Some(&**name),
            NameStep::Key(_) => None,
        });
        let rest = names.collect::<Option<Vec<_>>>().map(|names| names.join("."));
        if let Some(known) = rest.as_ref().and_then(|rest| self.picked.get(&(end, rest.clone()))) {
            let edges =
                known.iter().map(|on| (from.node, Edge { on: *on, reason: EdgeReason::Lookup, span }));
            return self.edges.extend(edges);
        }
        let first = self.edges.len();
        let id = self.graph.node(end).id.as_str();
        let prefix = format!("{id}[\"");
        let modules = self.graph.with_prefix(&prefix).filter(|(_, node)| node.role == Role::Module);
        // An instance may contain other modules.
        let is_instance = |ending: &&str| behind_key(ending).is_some_and(str::is_empty);
        for ending in modules.filter_map(|(_, node)| node.id.as_str().strip_prefix(id)).filter(is_instance) {
            self.walk(from, &format!("{path}{ending}"), steps, span);
        }
        if let Some(rest) = rest {
            let targets = self.edges.iter().skip(first).map(|(_, edge)| edge.on).collect();
            self.picked.insert((end, rest), targets);
        }
    }
}

/// Returns the rest of an id behind the key that it begins with.
fn behind_key(ending: &str) -> Option<&str> {
    let close = outside_keys(ending).find(|(_, byte)| *byte == b']')?.0;
    ending.get(close + 1..)
}
