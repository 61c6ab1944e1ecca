//! Cached results of the actions that many templates begin with.

use std::cell::RefCell;
use std::sync::Arc;

use crate::graph::LexicalScope;
use crate::language::template::{KnownTree, Template};
use converge_value::types::scope::Scope;
use converge_value::types::value::Value;

/// The rendered beginnings of templates in one scope.
///
/// Nodes are visited in the order of their IDs, so nodes of one scope are adjacent.
#[derive(Debug, Default)]
pub(super) struct KnownTrees {
    in_scope: RefCell<InScope>,
}

#[derive(Debug, Default)]
struct InScope {
    scope: Option<Arc<LexicalScope>>,
    trees: Vec<KnownTree>,
}

/// The maximum number of cached trees.
///
/// This covers the templates of resources of one type.
const MAX_TREES: usize = 8;

impl KnownTrees {
    /// Returns the result of a template whose tree is shared and renders to known text.
    ///
    /// The result costs as many steps as an evaluation.
    pub(super) fn render(
        &self,
        template: &Template,
        lexical: &Arc<LexicalScope>,
        scope: &dyn Scope,
    ) -> Option<Value> {
        let mut in_scope = self.in_scope.borrow_mut();
        if !in_scope.scope.as_ref().is_some_and(|cached_scope| Arc::ptr_eq(cached_scope, lexical)) {
            *in_scope = InScope { scope: Some(Arc::clone(lexical)), trees: Vec::new() };
        }
        let trees = &mut in_scope.trees;
        let prefix = trees.iter().find_map(|tree| tree.render(template));
        let (text, steps) = prefix.or_else(|| {
            let tree = KnownTree::from_template(template, scope)?;
            if trees.len() >= MAX_TREES {
                trees.clear();
            }
            trees.push(tree);
            trees.last()?.render(template)
        })?;
        let (steps, budget) = (steps as u64, scope.budget()?);
        // If too few steps are left, the template is evaluated to report the exceeded limit.
        budget.has_left(steps).then(|| {
            budget.spend(steps);
            Value::String(text)
        })
    }
}
