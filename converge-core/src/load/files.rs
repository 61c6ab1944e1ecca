//! The files of a load: each is read, parsed and checked once, however often it is called.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::blueprint::{Blueprint, ModuleFile};
use super::check::Checker;
use super::hcl::DeclarationReader;
use super::lower::InputLowering;
use super::origin::ModuleOrigin;
use super::problems::Problems;
use super::secrets;
use super::source::{Reading, Source, SourceError, Sources};
use super::type_table::TypeTable;
use crate::diagnostic::{Diagnostic, SourceMap};
use crate::graph::{LexicalScope, Role};
use crate::language::WorkBudget;
use crate::redact::Redactor;
use crate::syntax;

pub(super) struct ModuleFiles<'a> {
    types: &'a TypeTable<'a>,
    pub(super) sources: &'a Sources,
    pub(super) map: SourceMap,
    budget: Arc<WorkBudget>,
    /// Also what could not be read, so that it is not tried again.
    loaded: HashMap<Source, Result<Rc<ModuleFile>, SourceError>>,
}

impl<'a> ModuleFiles<'a> {
    /// No files yet; what is evaluated while they are read is counted against `budget`.
    pub(super) fn new(
        types: &'a TypeTable<'a>,
        sources: &'a Sources,
        redactor: &Redactor,
        budget: Arc<WorkBudget>,
    ) -> Self {
        let map = SourceMap::with_redactor(redactor.clone());
        Self { types, sources, map, budget, loaded: HashMap::new() }
    }

    pub(super) fn open(
        &mut self,
        source: &Source,
        problems: &mut Problems,
    ) -> Result<Rc<ModuleFile>, SourceError> {
        if let Some(file) = self.loaded.get(source) {
            return file.clone();
        }
        let text = self.sources.read_within(source, &Reading::within(&self.budget));
        self.budget.count_text(text.as_ref().map_or(0, |text| text.len()));
        let file = text.map(|text| self.text(ModuleOrigin::Source(source.clone()), &text, problems));
        self.loaded.insert(source.clone(), file.clone());
        file
    }

    /// A text that the program gives, which counts like one that is read.
    pub(super) fn given(
        &mut self,
        name: Arc<str>,
        text: &Arc<str>,
        problems: &mut Problems,
    ) -> Result<Rc<ModuleFile>, SourceError> {
        match Reading::within(&self.budget).check(&name, text.len() as u64) {
            // The parser says that it is too long, with its place.
            Ok(()) | Err(SourceError::TooLarge { .. }) => {}
            Err(error) => return Err(error),
        }
        self.budget.count_text(text.len());
        Ok(self.text(ModuleOrigin::Text(name), text, problems))
    }

    fn text(&mut self, origin: ModuleOrigin, text: &Arc<str>, problems: &mut Problems) -> Rc<ModuleFile> {
        let file = self.map.add(&**origin.name(), Arc::clone(text));
        let (body, errors) = syntax::parse_while(file, text, &|| problems.stopped().is_none());
        if !errors.is_empty() {
            problems.unresolved.add_text(text);
        }
        // The parser reports in the order of the text.
        let broken: Vec<u32> = errors.iter().filter_map(Diagnostic::span).map(|span| span.start).collect();
        problems.diagnostics.extend(errors);
        let (types, sources, scope) = (self.types, &self.map, LexicalScope::root());
        let lowering =
            InputLowering { file, text, sources, budget: &self.budget, functions: types.functions() };
        let mut items = Vec::with_capacity(body.items.len());
        // One after the other: of what is read of a large module, little is in memory before it is checked.
        for item in body.items {
            if problems.stopped().is_some() {
                break;
            }
            let declaration =
                DeclarationReader { types, lowering, broken: &broken, problems }.declaration(item);
            if let Some(declaration) = declaration {
                items.extend(Checker { types, sources, scope: &scope, problems }.declaration(declaration));
            }
        }
        let items = Checker { types, sources, scope: &scope, problems }.unique(items);
        secrets::hide_written(&items, &mut self.map);
        secrets::hide_broken(file, &problems.diagnostics, &mut self.map);
        secrets::hide_broken_fields(file, types, &broken, &mut self.map);
        let params = items.iter().enumerate().filter_map(|(at, item)| match item {
            Blueprint::Resource(blueprint) if blueprint.role == Role::Param => {
                let name = blueprint.name.split_once('.').map_or("", |(_, name)| name);
                Some((name.to_owned(), at))
            }
            _ => None,
        });
        Rc::new(ModuleFile { origin, params: params.collect(), items })
    }
}
