//! A checked module: the content of one file, or of all files of a folder.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::check::name_and_span;
use crate::errors;
use crate::model::blueprint::{Blueprint, ModuleContent, ResourceBlueprint};
use crate::model::module_origin::ModuleOrigin;
use crate::model::names;
use crate::model::problems::Problems;

/// A checked module.
#[derive(Debug)]
pub(crate) struct ModuleFile {
    pub(crate) origin: Rc<ModuleOrigin>,
    /// The contents of its files, in the order of their names. Nearly all modules are one file.
    contents: Vec<Arc<ModuleContent>>,
    /// The items whose name occurs in an earlier file, by file and item index.
    ///
    /// They are reported and left out.
    duplicates: HashSet<(usize, usize)>,
}

impl ModuleFile {
    pub(super) fn of_file(origin: ModuleOrigin, content: Arc<ModuleContent>) -> Self {
        Self { origin: Rc::new(origin), contents: vec![content], duplicates: HashSet::new() }
    }

    /// Creates a module from all files of a folder; a name declared in two files is an error.
    pub(super) fn of_folder(
        origin: ModuleOrigin,
        contents: Vec<Arc<ModuleContent>>,
        problems: &mut Problems,
    ) -> Self {
        let numbered_items = contents.iter().enumerate().flat_map(|(file, content)| {
            content.items.iter().enumerate().map(move |(at, item)| ((file, at), item))
        });
        let numbered_items: Vec<((usize, usize), &Blueprint)> = numbered_items.collect();
        let places: Vec<(usize, usize)> = numbered_items.iter().map(|(place, _)| *place).collect();
        let first = names::unique(
            numbered_items,
            |(_, item)| name_and_span(item),
            |name, first, second| problems.report(errors::block::duplicate(name, first, second)),
        );
        let first: HashSet<(usize, usize)> = first.into_iter().map(|(place, _)| place).collect();
        let duplicates = places.into_iter().filter(|place| !first.contains(place)).collect();
        Self { origin: Rc::new(origin), contents, duplicates }
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = &Blueprint> {
        self.contents.iter().enumerate().flat_map(move |(file, content)| {
            let items = content.items.iter().enumerate();
            items.filter(move |(at, _)| !self.duplicates.contains(&(file, *at))).map(|(_, item)| item)
        })
    }

    /// Returns an upper bound of the number of items.
    pub(crate) fn len(&self) -> usize {
        self.contents.iter().map(|content| content.items.len()).sum()
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &ResourceBlueprint> {
        let numbered_items = self.contents.iter().enumerate().flat_map(|(file, content)| {
            content.params.values().map(move |index| ((file, *index), content.items.get(*index)))
        });
        numbered_items.filter(|(place, _)| !self.duplicates.contains(place)).filter_map(
            |(_, item)| match item {
                Some(Blueprint::Resource(param)) => Some(param),
                _ => None,
            },
        )
    }

    pub(crate) fn has_param(&self, name: &str) -> bool {
        self.contents.iter().any(|content| content.params.contains_key(name))
    }

    pub(crate) fn param_names(&self) -> impl Iterator<Item = &String> {
        self.contents.iter().flat_map(|content| content.params.keys())
    }

    /// Passes all items to `take`, and consumes the module.
    pub(crate) fn into_items(self, mut consume: impl FnMut(TakenItem<'_>)) {
        let Self { contents, duplicates: again, .. } = self;
        for (file, content) in contents.into_iter().enumerate() {
            let is_first = |at: &usize| !again.contains(&(file, *at));
            match Arc::try_unwrap(content) {
                Ok(content) => {
                    let items = content.items.into_iter().enumerate().filter(|(at, _)| is_first(at));
                    items.for_each(|(_, item)| consume(TakenItem::Owned(item)));
                }
                Err(content) => {
                    let items = content.items.iter().enumerate().filter(|(at, _)| is_first(at));
                    items.for_each(|(_, item)| consume(TakenItem::Shared(item)));
                }
            }
        }
    }
}

/// An item of a consumed module.
pub(crate) enum TakenItem<'a> {
    /// An item that nothing else refers to.
    Owned(Blueprint),
    /// An item that a cache also holds.
    Shared(&'a Blueprint),
}
