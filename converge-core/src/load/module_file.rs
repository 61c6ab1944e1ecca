//! A module, read and checked: what one file declares, or all files of a folder together.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::blueprint::{Blueprint, ModuleContent, ResourceBlueprint};
use super::check::name_and_span;
use super::errors;
use super::module_origin::ModuleOrigin;
use super::names;
use super::problems::Problems;

/// A module, read and checked.
#[derive(Debug)]
pub(super) struct ModuleFile {
    pub(super) origin: Rc<ModuleOrigin>,
    /// What its files declare, in the order of their names. Nearly all modules are one file.
    contents: Vec<Arc<ModuleContent>>,
    /// What has the name of something in a file before it: the file, and the item in it. It is reported, and left out.
    again: HashSet<(usize, usize)>,
}

impl ModuleFile {
    /// A module that is one file.
    pub(super) fn of_file(origin: ModuleOrigin, content: Arc<ModuleContent>) -> Self {
        Self { origin: Rc::new(origin), contents: vec![content], again: HashSet::new() }
    }

    /// A module that is all files of a folder. What two of them declare under one name is a mistake.
    pub(super) fn of_folder(
        origin: ModuleOrigin,
        contents: Vec<Arc<ModuleContent>>,
        problems: &mut Problems,
    ) -> Self {
        let all = contents.iter().enumerate().flat_map(|(file, content)| {
            content.items.iter().enumerate().map(move |(at, item)| ((file, at), item))
        });
        let all: Vec<((usize, usize), &Blueprint)> = all.collect();
        let places: Vec<(usize, usize)> = all.iter().map(|(place, _)| *place).collect();
        let first = names::unique(
            all,
            |(_, item)| name_and_span(item),
            |name, first, second| problems.report(errors::block::duplicate(name, first, second)),
        );
        let first: HashSet<(usize, usize)> = first.into_iter().map(|(place, _)| place).collect();
        let again = places.into_iter().filter(|place| !first.contains(place)).collect();
        Self { origin: Rc::new(origin), contents, again }
    }

    /// All that it declares.
    pub(super) fn items(&self) -> impl Iterator<Item = &Blueprint> {
        self.contents.iter().enumerate().flat_map(move |(file, content)| {
            let here = content.items.iter().enumerate();
            here.filter(move |(at, _)| !self.again.contains(&(file, *at))).map(|(_, item)| item)
        })
    }

    /// How much it declares, at most.
    pub(super) fn len(&self) -> usize {
        self.contents.iter().map(|content| content.items.len()).sum()
    }

    /// Its parameters.
    pub(super) fn params(&self) -> impl Iterator<Item = &ResourceBlueprint> {
        let all = self.contents.iter().enumerate().flat_map(|(file, content)| {
            content.params.values().map(move |at| ((file, *at), content.items.get(*at)))
        });
        all.filter(|(place, _)| !self.again.contains(place)).filter_map(|(_, item)| match item {
            Some(Blueprint::Resource(param)) => Some(param),
            _ => None,
        })
    }

    pub(super) fn has_param(&self, name: &str) -> bool {
        self.contents.iter().any(|content| content.params.contains_key(name))
    }

    pub(super) fn param_names(&self) -> impl Iterator<Item = &String> {
        self.contents.iter().flat_map(|content| content.params.keys())
    }

    /// Gives all that it declares.
    pub(super) fn into_items(self, mut take: impl FnMut(ItemOf<'_>)) {
        let Self { contents, again, .. } = self;
        for (file, content) in contents.into_iter().enumerate() {
            let is_first = |at: &usize| !again.contains(&(file, *at));
            match Arc::try_unwrap(content) {
                Ok(content) => {
                    let items = content.items.into_iter().enumerate().filter(|(at, _)| is_first(at));
                    items.for_each(|(_, item)| take(ItemOf::One(item)));
                }
                Err(content) => {
                    let items = content.items.iter().enumerate().filter(|(at, _)| is_first(at));
                    items.for_each(|(_, item)| take(ItemOf::Shared(item)));
                }
            }
        }
    }
}

/// An item of a module that is not needed any more.
pub(super) enum ItemOf<'a> {
    /// Nothing else is made of it.
    One(Blueprint),
    /// A cache has it.
    Shared(&'a Blueprint),
}
