//! Expansion of module calls: an optional gate, the module's content, and an end node.
//!
//! The end node waits for the content. A call has a gate only with `depends` or `when`. Without one, the
//! module's content starts as soon as its own dependencies allow, possibly before resources next to the call.

use std::rc::Rc;
use std::sync::Arc;

use super::expander::{Caller, Expander, NodeContainer, ParamSource};
use super::for_each::Items;
use crate::diagnostic::{Diagnostic, Span};
use crate::errors;
use crate::files::module_file::ModuleFile;
use crate::graph::{EachIs, EdgeReason, LexicalScope, Meta, Module, Role, Tag};
use crate::model::blueprint::CallBlueprint;
use crate::model::draft::{StructureLinks, UnresolvedLinks};
use converge_source::SourceError;
use converge_value::types::id::NodeId;

/// The maximum depth of nested module calls.
const MAX_LEVELS: usize = 64;

/// Combines the tags of a call with those of the enclosing modules.
fn inherited(own_tags: Option<&Arc<[Tag]>>, outer_tags: &Arc<[Tag]>) -> Arc<[Tag]> {
    match own_tags {
        None => Arc::clone(outer_tags),
        Some(own_tags) => {
            own_tags.iter().chain(outer_tags.iter().filter(|tag| !own_tags.contains(tag))).cloned().collect()
        }
    }
}

impl Expander<'_> {
    pub(super) fn call(&mut self, call: &CallBlueprint, container: &NodeContainer) {
        let Some(file) = self.called(call) else {
            self.problems.unresolved.add_path(&call.name);
            return;
        };
        for (name, argument) in &call.params {
            let is_known = file.has_param(name);
            if !is_known && !self.problems.unresolved.explains(&format!("param.{name}")) {
                let (module, names) = (file.origin.name(), file.param_names());
                self.report(errors::param::unexpected(name, module, names, argument.name.span));
            }
        }
        self.chain.push(Caller::new(&file, call.source.span));
        let id = container.scope.container.child(&call.name);
        match &call.lifecycle.for_each {
            None => self.expand_use(call, &file, id, container),
            Some(for_each) => match self.items(for_each, &container.scope) {
                Items::None => self.problems.unresolved.add_path(&call.name),
                Items::KnownInRun => {
                    let pattern = container.pattern(&id);
                    let optional = self.optional(&call.lifecycle, &pattern.scope);
                    let meta = Meta { optional, tags: call.lifecycle.tags.clone(), ..Meta::default() };
                    let resource = Arc::clone(&self.types.module);
                    self.end_of_deferred((&id, &resource, Some(call.span)), for_each, meta, container);
                    self.expand_use(call, &file, id.pattern(), &pattern);
                }
                Items::Known(items) => {
                    let resource = Arc::clone(&self.types.module);
                    self.end_of_instances(&id, &resource, Some(call.span), container);
                    for item in items {
                        let id_of_each = id.instance(&item.key);
                        self.expand_use(call, &file, id_of_each, &container.instance(&id, item));
                    }
                }
            },
        }
        self.chain.pop();
    }

    fn called(&mut self, call: &CallBlueprint) -> Option<Rc<ModuleFile>> {
        let caller = self.chain.last()?;
        if let Some(file) = caller.called.get(&call.source.text) {
            return Some(Rc::clone(file));
        }
        let caller = Rc::clone(&caller.origin);
        let unloadable =
            |error: SourceError| errors::module::unloadable(error, caller.name(), call.source.span);
        let source = self.files.resolve(caller.source(), &call.source.text);
        let source = source.map_err(|error| self.unloadable(unloadable(error))).ok()?;
        if let Some(position) = self.chain.iter().position(|entry| entry.origin.source() == Some(&source)) {
            self.report(self.include_cycle(position, call));
            return None;
        }
        if self.chain.len() > MAX_LEVELS {
            self.report(errors::module::too_deep(MAX_LEVELS, call.span));
            return None;
        }
        match self.files.open(&source, self.problems) {
            Ok(file) => {
                if let Some(caller) = self.chain.last_mut() {
                    caller.called.insert(Arc::clone(&call.source.text), Rc::clone(&file));
                }
                Some(file)
            }
            Err(error) => {
                self.unloadable(unloadable(error));
                None
            }
        }
    }

    /// Reports a module that could not be read; an exceeded limit is reported only once.
    fn unloadable(&mut self, diagnostic: Diagnostic) {
        let diagnostics = &self.problems.diagnostics;
        let is_told = |limit| diagnostics.iter().any(|before| before.limit == Some(limit));
        if !diagnostic.limit.is_some_and(is_told) {
            self.report(diagnostic);
        }
    }

    /// Builds the diagnostic for a cycle from the module at index `at` back to it through `call`.
    fn include_cycle(&self, position: usize, call: &CallBlueprint) -> Diagnostic {
        let cycle = self.chain.get(position..).unwrap_or_default();
        let names: Vec<&str> =
            cycle.iter().chain(cycle.first()).map(|caller| &**caller.origin.name()).collect();
        let spans = cycle.iter().skip(1).filter_map(|caller| caller.span).chain(call.source.span);
        let steps = names.iter().zip(names.iter().skip(1));
        let texts = steps.map(|(from, to)| format!("{from} calls {to}"));
        let mut calls: Vec<(Span, String)> = spans.zip(texts).collect();
        // The call that closes the cycle comes first, because it is the one to fix.
        calls.rotate_right(1);
        errors::module::include_cycle(&names, calls)
    }

    /// Expands one use of a module.
    fn expand_use(&mut self, call: &CallBlueprint, file: &ModuleFile, id: NodeId, container: &NodeContainer) {
        let span = Some(call.span);
        if self.reserve(span).is_none() {
            return;
        }
        let resource = Arc::clone(&self.types.module);
        let outer_module = Arc::clone(&container.scope.module);
        let optional = outer_module.optional || self.optional(&call.lifecycle, &container.scope);
        let own_environment = self.environment(&call.lifecycle, &container.scope);
        let environment = own_environment.unwrap_or_else(|| Arc::clone(&outer_module.environment));
        let mut gate = container.gate();
        if call.lifecycle.when.is_some() || call.dependencies.is_some() {
            let begin = id.child("begin");
            let mut node = container.structure(&begin, (Role::Begin, &resource), span);
            let condition = call.lifecycle.when.as_deref().cloned();
            node.meta = Meta { when: condition, optional, ..Meta::default() }.into_box();
            let links = UnresolvedLinks {
                structure: StructureLinks { gate: gate.replace(begin), ..StructureLinks::default() }.shared(),
                dependencies: call.dependencies.clone(),
                references: Some(Arc::clone(&call.references)),
            };
            self.push(node, links);
        }
        let node = container.structure(&id, (Role::Module, &resource), span);
        let part_of = container.structure.as_ref().and_then(|structure| structure.part_of.clone());
        let structure = StructureLinks { gate: gate.clone(), part_of, after: None }.shared();
        self.push(node, UnresolvedLinks { structure, ..UnresolvedLinks::default() });
        let module = Module {
            id: id.clone(),
            source: Arc::clone(file.origin.name()),
            directory: file.origin.directory(),
            root: container.scope.module.root.clone(),
            call: span,
            environment,
            optional,
            tags: inherited(call.lifecycle.tags.as_ref(), &container.scope.module.tags),
            files: self.files.sources.files_of(file.origin.source()),
            visible: Arc::clone(&container.scope.module.visible),
            paths: Arc::clone(&container.scope.module.paths),
        };
        let scope = LexicalScope { container: id.clone(), module: Arc::new(module), each: EachIs::Nothing };
        let inner_links = StructureLinks { gate, part_of: Some((id, EdgeReason::Module)), after: None };
        let inner = NodeContainer { scope: Arc::new(scope), structure: inner_links.shared() };
        self.module(file, &inner, &ParamSource::Call(call, &container.scope));
    }
}
