//! The files of a load: each is read, parsed and checked once, however often it is called.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::blueprint::{ModuleFile, Planned};
use super::check::Checker;
use super::error::FileError;
use super::hcl;
use super::lost::Lost;
use super::lower::Lower;
use super::param;
use super::source::{Source, Sources};
use crate::registry::Registry;
use crate::report::{Diagnostics, SourceMap};
use crate::syntax;

/// What has been read so far.
pub(super) struct Files<'a> {
    registry: &'a Registry,
    pub(super) sources: Sources,
    pub(super) map: SourceMap,
    loaded: HashMap<Source, Rc<ModuleFile>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(registry: &'a Registry) -> Self {
        Self { registry, sources: Sources, map: SourceMap::new(), loaded: HashMap::new() }
    }

    /// The module of a source.
    pub(super) fn open(
        &mut self,
        source: &Source,
        lost: &mut Lost,
        diagnostics: &mut Diagnostics,
    ) -> Result<Rc<ModuleFile>, FileError> {
        if let Some(file) = self.loaded.get(source) {
            return Ok(Rc::clone(file));
        }
        let text = self.sources.read(source)?;
        Ok(self.text(source, &text, lost, diagnostics))
    }

    /// The module of a source with this text.
    pub(super) fn text(
        &mut self,
        source: &Source,
        text: &Arc<str>,
        lost: &mut Lost,
        diagnostics: &mut Diagnostics,
    ) -> Rc<ModuleFile> {
        let file = self.map.add(&**source.name(), Arc::clone(text));
        let (body, mut found) = syntax::parse(file, text);
        if !found.is_empty() {
            lost.add_text(text);
        }
        let lower = Lower { file, text, sources: &self.map };
        let items = hcl::items(body, self.registry, lower, lost, &mut found);
        let items = Checker::new(self.registry, &self.map, lost, &mut found).items(items);
        diagnostics.extend(found);
        let params = items.iter().enumerate().filter_map(|(at, item)| match item {
            Planned::Resource(blueprint) if blueprint.resource.name() == param::NAME => {
                let name = blueprint.name.split_once('.').map_or("", |(_, name)| name);
                Some((name.to_owned(), at))
            }
            _ => None,
        });
        let module = ModuleFile { source: source.clone(), params: params.collect(), items };
        let module = Rc::new(module);
        self.loaded.insert(source.clone(), Rc::clone(&module));
        module
    }
}
