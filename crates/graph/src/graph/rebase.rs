//! Mapping of ids from a pattern to one of its instances.

use std::collections::HashMap;
use std::sync::Arc;

use super::scope::{EachIs, LexicalScope, Module};
use crate::types::id::{NodeId, outside_keys};
use crate::types::scope::Each;

/// A mapping from the id of a pattern to that of an instance.
///
/// Both ids have the same number of parts. Several parts may differ, because the pattern may be inside
/// another instance.
#[derive(Debug)]
#[doc(hidden)]
pub struct Rebase {
    from: NodeId,
    to: NodeId,
    /// The end of each part except the root, in both ids.
    ends: Vec<(usize, usize)>,
}

impl Rebase {
    pub(crate) fn new(from: &NodeId, to: &NodeId) -> Self {
        let part_ends = |id: &NodeId| -> Vec<usize> {
            let slashes = outside_keys(id.as_str()).filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
            slashes.skip(1).chain([id.as_str().len()]).collect()
        };
        Self {
            from: from.clone(),
            to: to.clone(),
            ends: part_ends(from).into_iter().zip(part_ends(to)).collect(),
        }
    }

    /// Returns the id of the instance.
    #[doc(hidden)]
    pub fn instance(&self) -> &NodeId {
        &self.to
    }

    /// Maps an id to the instance. Ids outside of the pattern stay the same.
    #[doc(hidden)]
    pub fn id(&self, id: &NodeId) -> NodeId {
        let text = id.as_str();
        for &(from, to) in self.ends.iter().rev() {
            let (Some(before), Some(after)) = (self.from.as_str().get(..from), self.to.as_str().get(..to))
            else {
                continue;
            };
            match text.strip_prefix(before) {
                Some(_) if before == after => return id.clone(),
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    return NodeId::from_parts(after, rest);
                }
                _ => {}
            }
        }
        id.clone()
    }
}

/// Maps scopes to one instance. Nodes that share a scope share the mapped one too.
#[derive(Debug)]
pub(super) struct RebasedScopes<'a> {
    rebase: &'a Rebase,
    /// The container of the `for_each`, whose scope gets the instance as `each`.
    around: Option<NodeId>,
    each: &'a Each,
    scopes: HashMap<*const LexicalScope, Arc<LexicalScope>>,
    modules: HashMap<*const Module, Arc<Module>>,
}

impl<'a> RebasedScopes<'a> {
    pub(super) fn new(rebase: &'a Rebase, item: &'a Each) -> Self {
        let parent = rebase.from.parent();
        Self { rebase, around: parent, each: item, scopes: HashMap::new(), modules: HashMap::new() }
    }

    pub(super) fn scope(&mut self, scope: &Arc<LexicalScope>) -> Arc<LexicalScope> {
        if let Some(scope_copy) = self.scopes.get(&Arc::as_ptr(scope)) {
            return Arc::clone(scope_copy);
        }
        let LexicalScope { container, module, each } = &**scope;
        let is_here = *each == EachIs::KnownInRun && self.around.as_ref() == Some(container);
        let rebased = Arc::new(LexicalScope {
            container: self.rebase.id(container),
            module: self.module(module),
            each: if is_here { EachIs::Known(self.each.clone()) } else { each.clone() },
        });
        self.scopes.insert(Arc::as_ptr(scope), Arc::clone(&rebased));
        rebased
    }

    fn module(&mut self, module: &Arc<Module>) -> Arc<Module> {
        if let Some(module_copy) = self.modules.get(&Arc::as_ptr(module)) {
            return Arc::clone(module_copy);
        }
        let id = self.rebase.id(&module.id);
        let rebased = if id == module.id {
            Arc::clone(module)
        } else {
            Arc::new(Module { id, ..Module::clone(module) })
        };
        self.modules.insert(Arc::as_ptr(module), Arc::clone(&rebased));
        rebased
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_move_by_the_parts_that_they_share() {
        let id = |text: &str| text.parse::<NodeId>().unwrap();
        let check = |from: &str, to: &str, given: &str, expect: &str| {
            assert_eq!(Rebase::new(&id(from), &id(to)).id(&id(given)), id(expect), "{given}");
        };
        let (web, a) = ("root/module.web[each.key]", "root/module.web[\"a/b\"]");
        check(web, a, web, a);
        check(web, a, "root/module.web[each.key]/task.x", "root/module.web[\"a/b\"]/task.x");
        check(web, a, "root/module.web[each.key]s/task.x", "root/module.web[each.key]s/task.x");
        check(web, a, "root/task.x", "root/task.x");
        check(web, a, "root", "root");
        let (db, x) =
            ("root/module.web[each.key]/module.db[each.key]", "root/module.web[\"a\"]/module.db[\"x\"]");
        check(db, x, db, x);
        check(
            db,
            x,
            "root/module.web[each.key]/module.db[each.key]/task.x",
            "root/module.web[\"a\"]/module.db[\"x\"]/task.x",
        );
        check(db, x, "root/module.web[each.key]/task.x", "root/module.web[\"a\"]/task.x");
        check(db, x, "root/module.web[each.key]", "root/module.web[\"a\"]");
        check(db, x, "root/module.web", "root/module.web");
        let (inner, y) = ("root/module.m/toy.t[each.key]", "root/module.m/toy.t[\"y\"]");
        check(inner, y, "root/module.m/toy.u", "root/module.m/toy.u");
        check(inner, y, inner, y);
    }
}
