//! Parameter files among the modules: the module that a file belongs to, and the parameters it names.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::index::{ModuleIndex, PARAM};
use super::workspace::Workspace;
use crate::syntax::{Item, Name};
use converge_source::Source;

impl ModuleIndex {
    /// Returns the parameter names if this is a parameter file: it has values and no blocks.
    pub(super) fn given(&self) -> Option<Vec<&Name>> {
        let names = self.body.items.iter().map(|item| match item {
            Item::Attribute(attribute) => Some(&attribute.name),
            Item::Block(_) => None,
        });
        names.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
    }

    fn params(&self) -> impl Iterator<Item = &str> {
        let params = self.declared.iter().filter(|declaration| &*declaration.kind.text == PARAM);
        params.filter_map(|declaration| declaration.name.as_ref().map(|name| &*name.text))
    }
}

impl Workspace<'_> {
    /// Whether a parameter file belongs to this module.
    ///
    /// It does if this is the only known module that accepts all of its values. The parameter file itself
    /// does not name its module.
    pub(super) fn is_given_to(&self, params_index: &ModuleIndex, file: &Source) -> bool {
        let Some(names) = params_index.given() else { return false };
        let takes_all = |module: &Source| {
            let texts: Vec<Arc<str>> =
                self.parts(module).iter().filter_map(|part_source| self.text(part_source)).collect();
            // Most modules lack these names, so a text search avoids indexing them.
            let may_take = names.iter().all(|name| texts.iter().any(|text| text.contains(&*name.text)));
            if !may_take {
                return false;
            }
            let indexes = self.indexes_of(module);
            let params: BTreeSet<&str> = indexes.iter().flat_map(|(_, index)| index.params()).collect();
            names.iter().all(|name| params.contains(&*name.text))
        };
        let mut visited = HashSet::new();
        let modules = self.all_files(file).into_iter().map(|file| Self::module_of(&file));
        let mut takers = modules.filter(|module| visited.insert(module.clone())).filter(takes_all);
        takers.next().is_some_and(|first| first == Self::module_of(file)) && takers.next().is_none()
    }
}
