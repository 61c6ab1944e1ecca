//! What templates begin with that differ only in how they end.

use std::cell::RefCell;
use std::sync::Arc;

use crate::graph::LexicalScope;
use crate::language::template::{KnownTree, Template};
use crate::types::scope::Scope;
use crate::types::value::Value;

/// What the shared trees of templates give in one scope. Nodes come in the order of their ids, so those of a scope come together.
#[derive(Debug, Default)]
pub(super) struct KnownTrees {
    in_scope: RefCell<InScope>,
}

#[derive(Debug, Default)]
struct InScope {
    scope: Option<Arc<LexicalScope>>,
    trees: Vec<KnownTree>,
}

/// How many are kept: the templates that resources of one type have, from two halves of a file.
const MOST: usize = 8;

impl KnownTrees {
    /// What a template gives, if its tree is one that many share and is known to give text. It counts as what evaluates it does.
    pub(super) fn render(
        &self,
        template: &Template,
        lexical: &Arc<LexicalScope>,
        scope: &dyn Scope,
    ) -> Option<Value> {
        let mut in_scope = self.in_scope.borrow_mut();
        if !in_scope.scope.as_ref().is_some_and(|known| Arc::ptr_eq(known, lexical)) {
            *in_scope = InScope { scope: Some(Arc::clone(lexical)), trees: Vec::new() };
        }
        let trees = &mut in_scope.trees;
        let known = trees.iter().find_map(|tree| tree.render(template));
        let (text, steps) = known.or_else(|| {
            let tree = KnownTree::of(template, scope)?;
            if trees.len() >= MOST {
                trees.clear();
            }
            trees.push(tree);
            trees.last()?.render(template)
        })?;
        let (steps, budget) = (steps as u64, scope.budget()?);
        // Where there are too few, the template is evaluated to tell of it.
        budget.has_left(steps).then(|| {
            budget.spend(steps);
            Value::String(text)
        })
    }
}
