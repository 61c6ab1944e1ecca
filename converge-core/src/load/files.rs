//! The files of a load: each is read, parsed and checked once, however often it is called.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::blueprint::{ModuleFile, Planned};
use super::check::Checker;
use super::hcl;
use super::lost::Lost;
use super::lower::Lower;
use super::param;
use super::source::{Source, SourceError, Sources};
use crate::graph::Site;
use crate::registry::Registry;
use crate::report::{Diagnostics, SourceMap};
use crate::syntax;

/// Where the text of a module comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    Source(Source),
    /// From the program, which gives it this name.
    Text(Arc<str>),
}

impl Origin {
    /// What messages call it.
    pub(super) fn name(&self) -> &Arc<str> {
        match self {
            Self::Source(source) => source.name(),
            Self::Text(name) => name,
        }
    }

    pub(super) fn source(&self) -> Option<&Source> {
        match self {
            Self::Source(source) => Some(source),
            Self::Text(_) => None,
        }
    }

    /// The directory that files are read from.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        self.source().and_then(Source::directory).map(Path::to_owned)
    }
}

/// What has been read so far.
pub(super) struct Files<'a> {
    registry: &'a Registry,
    pub(super) sources: &'a Sources,
    pub(super) map: SourceMap,
    loaded: HashMap<Source, Rc<ModuleFile>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(registry: &'a Registry, sources: &'a Sources) -> Self {
        Self { registry, sources, map: SourceMap::new(), loaded: HashMap::new() }
    }

    /// The module of a source.
    pub(super) fn open(
        &mut self,
        source: &Source,
        lost: &mut Lost,
        diagnostics: &mut Diagnostics,
    ) -> Result<Rc<ModuleFile>, SourceError> {
        if let Some(file) = self.loaded.get(source) {
            return Ok(Rc::clone(file));
        }
        let text = self.sources.read(source)?;
        let file = self.text(Origin::Source(source.clone()), &text, lost, diagnostics);
        self.loaded.insert(source.clone(), Rc::clone(&file));
        Ok(file)
    }

    /// The module of a text.
    pub(super) fn text(
        &mut self,
        origin: Origin,
        text: &Arc<str>,
        lost: &mut Lost,
        diagnostics: &mut Diagnostics,
    ) -> Rc<ModuleFile> {
        let file = self.map.add(&**origin.name(), Arc::clone(text));
        let (body, mut found) = syntax::parse(file, text);
        if !found.is_empty() {
            lost.add_text(text);
        }
        let lower = Lower { file, text, sources: &self.map };
        let (broken, site) = (hcl::broken(&found), Site::root());
        let mut items = Vec::with_capacity(body.items.len());
        // One after the other: of what is read of a large module, little is in memory before it is checked.
        for item in body.items {
            if let Some(item) = hcl::item(item, self.registry, lower, &broken, lost, &mut found) {
                let mut checker = Checker::new(self.registry, &self.map, &site, lost, &mut found);
                items.extend(checker.item(item));
            }
        }
        let items = Checker::new(self.registry, &self.map, &site, lost, &mut found).unique(items);
        diagnostics.extend(found);
        let params = items.iter().enumerate().filter_map(|(at, item)| match item {
            Planned::Resource(blueprint) if blueprint.resource.name() == param::NAME => {
                let name = blueprint.name.split_once('.').map_or("", |(_, name)| name);
                Some((name.to_owned(), at))
            }
            _ => None,
        });
        Rc::new(ModuleFile { origin, params: params.collect(), items })
    }
}
