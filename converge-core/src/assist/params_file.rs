//! Files of parameters among modules: which module one is for, and where it names a parameter.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::index::{ModuleIndex, PARAM};
use super::workspace::Workspace;
use crate::load::Source;
use crate::syntax::{Item, Name};

impl ModuleIndex {
    /// The names that it gives values, when it is a file of parameters: it has values, and no blocks.
    pub(super) fn given(&self) -> Option<Vec<&Name>> {
        let names = self.body.items.iter().map(|item| match item {
            Item::Attribute(attribute) => Some(&attribute.name),
            Item::Block(_) => None,
        });
        names.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
    }

    fn params(&self) -> BTreeSet<&str> {
        let params = self.declared.iter().filter(|one| &*one.kind.text == PARAM);
        params.filter_map(|one| one.name.as_ref().map(|name| &*name.text)).collect()
    }
}

impl Workspace<'_> {
    /// Whether a file of parameters is one for this module: it is the only one of the files that there are that takes all that is given.
    /// Nothing in the file says which module it is for.
    pub(super) fn is_given_to(&self, given: &ModuleIndex, module: &Source) -> bool {
        let Some(names) = given.given() else { return false };
        let takes_all = |index: &Arc<ModuleIndex>| {
            let params = index.params();
            names.iter().all(|name| params.contains(&*name.text))
        };
        let mut takers = self.all_files(module).into_iter().filter(|source| {
            let text = self.text(source);
            // Most files have no parameter of the name.
            let may_take = text.is_some_and(|text| names.iter().all(|name| text.contains(&*name.text)));
            may_take && self.index(source).is_some_and(|index| takes_all(&index))
        });
        takers.next().is_some_and(|first| first == *module) && takers.next().is_none()
    }
}
