//! The files of a load: each is read, parsed and checked once, however often it is called.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::cache::{CheckedFile, FileKey, ModuleCache};
use super::item_reader::ItemReader;
use super::module_file::ModuleFile;
use crate::analysis::secrets;
use crate::diagnostic::{Diagnostic, FileId, NamedText, SourceMap};
use crate::graph::{LexicalScope, Role};
use crate::language::WorkBudget;
use crate::language::expression::MAX_CONSTANT_STEPS;
use crate::model::blueprint::{Blueprint, ModuleContent};
use crate::model::module_origin::ModuleOrigin;
use crate::model::problems::Problems;
use crate::redact::Redactor;
use crate::syntax;
use crate::types::type_table::TypeTable;
use converge_source::{Reading, Source, SourceError, Sources};

pub(crate) struct ModuleFiles<'a> {
    types: &'a TypeTable<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) map: SourceMap,
    budget: Arc<WorkBudget>,
    cache: Option<&'a ModuleCache>,
    /// The loaded files, including failures, so that no file is tried twice.
    loaded: HashMap<Source, Result<Rc<ModuleFile>, SourceError>>,
}

impl<'a> ModuleFiles<'a> {
    /// Creates an empty set of files; constant evaluation is counted against `budget`.
    pub(crate) fn new(
        types: &'a TypeTable<'a>,
        sources: &'a Sources,
        redactor: &Redactor,
        budget: Arc<WorkBudget>,
    ) -> Self {
        let map = SourceMap::with_redactor(redactor.clone());
        Self { types, sources, map, budget, cache: None, loaded: HashMap::new() }
    }

    /// Sets the cache that files are read from and stored in.
    pub(crate) fn with_cache(self, cache: Option<&'a ModuleCache>) -> Self {
        Self { cache, ..self }
    }

    pub(crate) fn open(
        &mut self,
        source: &Source,
        problems: &mut Problems,
    ) -> Result<Rc<ModuleFile>, SourceError> {
        if let Some(file) = self.loaded.get(source) {
            return file.clone();
        }
        let file = self.open_first(source, problems).map(Rc::new);
        self.loaded.insert(source.clone(), file.clone());
        file
    }

    /// Opens the file that the load begins with.
    ///
    /// The file is not stored in `loaded`, because a module that calls it again is refused.
    pub(crate) fn open_first(
        &mut self,
        source: &Source,
        problems: &mut Problems,
    ) -> Result<ModuleFile, SourceError> {
        let origin = ModuleOrigin::Source(source.clone());
        let Some(members) = self.sources.members(source, &Reading::within(&self.budget))? else {
            return Ok(ModuleFile::of_file(origin, self.read(source, problems)?));
        };
        // All files of a folder are read, so that the errors of all are reported at once.
        let contents: Vec<_> = members.iter().map(|member| self.read(member, problems)).collect();
        let contents = contents.into_iter().collect::<Result<_, _>>()?;
        Ok(ModuleFile::of_folder(origin, contents, problems))
    }

    /// Resolves a source written in a module, and looks up whether it is a folder.
    pub(crate) fn resolve(&self, base: Option<&Source>, reference: &str) -> Result<Source, SourceError> {
        self.settle(self.sources.resolve(base, reference)?)
    }

    /// Determines whether a source is a file or a folder of files.
    pub(crate) fn settle(&self, source: Source) -> Result<Source, SourceError> {
        self.sources.settle(source, &Reading::within(&self.budget))
    }

    fn read(&mut self, source: &Source, problems: &mut Problems) -> Result<Arc<ModuleContent>, SourceError> {
        let text = self.sources.read_within(source, &Reading::within(&self.budget));
        self.budget.count_text(text.as_ref().map_or(0, |text| text.len()));
        text.map(|text| self.text(source.name(), &text, problems))
    }

    /// Checks a text given by the program; it counts like a text that is read.
    pub(crate) fn given(
        &mut self,
        name: Arc<str>,
        text: &Arc<str>,
        problems: &mut Problems,
    ) -> Result<ModuleFile, SourceError> {
        match Reading::within(&self.budget).check(&name, text.len() as u64) {
            // The parser reports a text that is too long, with its position.
            Ok(()) | Err(SourceError::TooLarge { .. }) => {}
            Err(error) => return Err(error),
        }
        self.budget.count_text(text.len());
        let content = self.text(&name, text, problems);
        Ok(ModuleFile::of_file(ModuleOrigin::Text(name), content))
    }

    fn text(&mut self, name: &Arc<str>, text: &Arc<str>, problems: &mut Problems) -> Arc<ModuleContent> {
        let content = match self.cache {
            None => {
                let named_text = Arc::new(NamedText::new(name, Arc::clone(text)));
                let id = self.map.next_id();
                self.check(id, named_text, problems)
            }
            Some(cache) => {
                let registry = self.types.identity().clone();
                let key = FileKey { registry, name: Arc::clone(name), text: Arc::clone(text) };
                self.cached(cache, key, problems)
            }
        };
        // Redaction belongs to each load, so it is also done for cached files.
        self.map.redactor().hide_credentials(text);
        secrets::hide_written(&content.items, &mut self.map);
        content
    }

    /// Returns the content of a file from the cache, or checks the file and caches it.
    fn cached(&mut self, cache: &ModuleCache, key: FileKey, problems: &mut Problems) -> Arc<ModuleContent> {
        let is_usable = |file: &CheckedFile| {
            // Two sources can have the same name and text, such as a URL with and without a pin; they are two
            // files.
            !self.map.has(file.id) && self.budget.has_left(file.steps + u64::from(MAX_CONSTANT_STEPS))
        };
        if let Some(file) = cache.find(&key, is_usable) {
            self.budget.spend(file.steps);
            problems.add(&file.warnings, &file.unread);
            self.map.insert(file.id, Arc::clone(&file.text));
            return Arc::clone(&file.content);
        }
        // File IDs wrap around, so an ID may still be in use by a file of this load.
        let mut ids = std::iter::repeat_with(|| cache.next_id());
        let id = ids.find(|id| !self.map.has(*id)).unwrap_or_else(|| self.map.next_id());
        let (before, spent) = (problems.mark(), self.budget.spent());
        let named_text = Arc::new(NamedText::new(&key.name, Arc::clone(&key.text)));
        let content = self.check(id, Arc::clone(&named_text), problems);
        // With less budget left, the constants that were evaluated depend on the remaining budget, so the
        // result is not cached.
        if let Some((warnings, unread)) = problems.warnings_since(&before)
            && self.budget.has_left(u64::from(MAX_CONSTANT_STEPS))
        {
            let steps = self.budget.spent() - spent;
            let file =
                CheckedFile::new(id, named_text, Arc::clone(&content)).with_notes(warnings, unread, steps);
            cache.keep(key, file);
        }
        content
    }

    /// Parses and checks a file, which gets the ID `file`.
    fn check(
        &mut self,
        file: FileId,
        named_text: Arc<NamedText>,
        problems: &mut Problems,
    ) -> Arc<ModuleContent> {
        let text = Arc::clone(named_text.text());
        self.map.insert(file, named_text);
        let reader = ItemReader {
            file,
            text: &text,
            types: self.types,
            sources: &self.map,
            scope: &LexicalScope::root(),
            budget: &self.budget,
        };
        let (body, errors) = syntax::parse_while(file, &text, &|| problems.stopped().is_none());
        if !errors.is_empty() {
            problems.unresolved.add_text(&text);
        }
        // The parser reports errors in source order.
        let broken: Vec<u32> = errors.iter().filter_map(Diagnostic::span).map(|span| span.start).collect();
        problems.diagnostics.extend(errors);
        let items = reader.items(body, &broken, problems);
        let items = reader.unique(items, problems);
        secrets::hide_broken(file, &problems.diagnostics, &mut self.map);
        secrets::hide_broken_fields(file, self.types, &broken, &mut self.map);
        let params = items.iter().enumerate().filter_map(|(at, item)| match item {
            Blueprint::Resource(blueprint) if blueprint.role == Role::Param => {
                let name = blueprint.name().strip_prefix("param.")?;
                Some((name.to_owned(), at))
            }
            _ => None,
        });
        Arc::new(ModuleContent { params: params.collect(), items })
    }
}
