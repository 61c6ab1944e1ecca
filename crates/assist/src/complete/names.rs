//! Completion of declared names and their exports.

use std::ops::Range;
use std::sync::Arc;

use super::{Completion, CompletionKind, Question};
use crate::index::{CASE, DEFAULT, LOCAL, MODULE, ModuleIndex, OUTPUT, PARAM, PARAMS, PLUGIN, SWITCH};
use crate::resolve::Found;
use crate::types::schema::{ExportField, Shape};
use crate::workspace::{Workspace, declared_in};
use converge_source::Source;

impl Question<'_> {
    /// Adds the parameters of this module.
    pub(super) fn params(&mut self, prefix: &str, range: &Range<usize>) {
        let indexes = self.workspace.indexes_of(self.source);
        let declarations = declared_in(&indexes);
        for (index, param) in declarations.filter(|(_, one)| &*one.kind.text == PARAM) {
            let Some(name) = &param.name else { continue };
            let topic = Workspace::about_param(index, param);
            let completion = Completion::new(&*name.text, CompletionKind::Param, range.clone())
                .detail(topic.summary())
                .doc(topic.description);
            self.add(prefix, completion);
        }
    }

    /// Adds the values of this module's `locals`.
    pub(super) fn locals(&mut self, prefix: &str, range: &Range<usize>) {
        let indexes = self.workspace.indexes_of(self.source);
        let declarations = declared_in(&indexes).map(|(_, one)| one);
        for name in declarations
            .filter(|declaration| &*declaration.kind.text == LOCAL)
            .filter_map(|one| one.name.as_ref())
        {
            self.add(prefix, Completion::new(&*name.text, CompletionKind::Value, range.clone()));
        }
    }

    /// Adds the quoted names that a `depends` list can contain.
    pub(super) fn quoted_names(&mut self, prefix: &str, range: &Range<usize>) {
        let before = self.items.len();
        self.paths(prefix, range, false);
        for completion in self.items.iter_mut().skip(before) {
            completion.text = format!("\"{}\"", completion.text);
        }
    }

    /// Adds the paths that begin with the typed text: resources, modules, switches and cases.
    ///
    /// With `with_exports`, the exports of these are added too.
    pub(super) fn paths(&mut self, prefix: &str, range: &Range<usize>, with_exports: bool) {
        self.visible(prefix, range, with_exports);
        let Some(end) = prefix.rfind(['.', '/']) else { return };
        let (Some(before), Some(last)) = (prefix.get(..end), prefix.get(end + 1..)) else { return };
        let after = self.offset - last.len()..range.end;
        let container = self.container();
        let context = Workspace::alone(self.source);
        let Some(resolution) = self.workspace.resolve(&context, &container, before) else { return };
        let targets = resolution.steps.last().map(|step| step.found.clone()).unwrap_or_default();
        let Some(target) = targets.into_iter().next() else { return };
        let Some(declared) = target.declared() else { return };
        match (&*declared.kind.text, resolution.field.as_slice()) {
            (MODULE, []) => {
                self.inside_module(&target, last, &after);
                if with_exports {
                    self.add(last, Completion::new(PARAMS, CompletionKind::Export, after));
                }
            }
            (MODULE, [params]) if params == PARAMS && with_exports => {
                self.values_of_module(&target, PARAM, (last, &after));
            }
            (MODULE, [output]) if output == OUTPUT => self.values_of_module(&target, OUTPUT, (last, &after)),
            // An `output` has the same name as its value, so nothing follows it.
            (OUTPUT, _) => {}
            (SWITCH | CASE | DEFAULT, []) => {
                for declaration in target.index.declared.iter().filter(|one| one.container() == declared.id) {
                    self.add(last, Completion::new(declaration.short(), CompletionKind::Name, after.clone()));
                }
            }
            (kind, field) if with_exports => {
                let Some(resource_type) = self.workspace.types.get(kind).cloned() else { return };
                for export in exports_at(&resource_type.schema().exports, field) {
                    let availability = if export.computed { "known after apply" } else { "" };
                    let completion = Completion::new(export.name, CompletionKind::Export, after.clone())
                        .detail(availability)
                        .doc(export.doc);
                    self.add(last, completion);
                }
            }
            _ => {}
        }
    }

    /// Adds the declarations of this module and its cases, which need no prefix here.
    fn visible(&mut self, prefix: &str, range: &Range<usize>, with_exports: bool) {
        let own_position = self.owner();
        // This file comes first, then the other files of its module.
        let sibling_indexes =
            self.workspace.indexes_of(self.source).into_iter().filter(|(part, _)| part != self.source);
        let others: Vec<Arc<ModuleIndex>> = sibling_indexes.map(|(_, index)| index).collect();
        let index = Arc::clone(&self.index);
        let local_declarations = index.declared.iter().enumerate().map(|(at, one)| (Some(at), one));
        let sibling_declarations =
            others.iter().flat_map(|index| &index.declared).map(|declaration| (None, declaration));
        for (position, declaration) in local_declarations.chain(sibling_declarations) {
            let kind = &*declaration.kind.text;
            let is_param = kind == PARAM;
            // Expressions name a parameter as `param.NAME`, and a `switch` or a `case` has no value.
            let is_named = match kind {
                PARAM | SWITCH => !with_exports,
                CASE | DEFAULT | PLUGIN => false,
                _ => true,
            };
            if !is_named || (position.is_some() && own_position == position) {
                continue;
            }
            let label = declaration.short();
            let completion_kind = if is_param { CompletionKind::Param } else { CompletionKind::Name };
            let doc = self.workspace.types.get(kind).map_or("", |resource_type| resource_type.schema().doc);
            let doc = doc.split("\n\n").next().unwrap_or_default();
            self.add(prefix, Completion::new(label, completion_kind, range.clone()).doc(doc));
        }
    }

    /// Returns the files of the called module, with their indexes.
    fn called_files(&self, call: &Found) -> Vec<(Source, Arc<ModuleIndex>)> {
        let call_source = call.declared().and_then(|declared| declared.source.as_ref());
        let callee = call_source.and_then(|name| self.workspace.called(&call.source, &name.text));
        callee.map(|callee| self.workspace.indexes_of(&callee)).unwrap_or_default()
    }

    /// Adds the parameters or the outputs of the called module.
    fn values_of_module(&mut self, call: &Found, kind: &str, (written, range): (&str, &Range<usize>)) {
        let completion = if kind == PARAM { CompletionKind::Param } else { CompletionKind::Value };
        let indexes = self.called_files(call);
        let declarations = declared_in(&indexes);
        for (index, one) in declarations.filter(|(_, declaration)| &*declaration.kind.text == kind) {
            let Some(name) = &one.name else { continue };
            let topic = Workspace::about_param(index, one);
            let item = Completion::new(&*name.text, completion, range.clone()).doc(topic.description);
            self.add(written, item);
        }
    }

    /// Adds the declarations of the called module.
    fn inside_module(&mut self, call: &Found, prefix: &str, range: &Range<usize>) {
        let indexes = self.called_files(call);
        let declarations = declared_in(&indexes).map(|(_, one)| one);
        let is_named = |kind: &str| !matches!(kind, PARAM | CASE | DEFAULT | PLUGIN);
        for declaration in declarations.filter(|one| is_named(&one.kind.text)) {
            self.add(prefix, Completion::new(declaration.short(), CompletionKind::Name, range.clone()));
        }
    }
}

/// Returns the exports below a path of field names.
pub(crate) fn exports_at<'e>(exports: &'e [ExportField], field: &[String]) -> &'e [ExportField] {
    let Some((first, rest)) = field.split_first() else { return exports };
    let export = exports.iter().find(|export| export.name.eq_ignore_ascii_case(first));
    match export.map(|export| &export.shape) {
        Some(Shape::Struct(inner)) => exports_at(inner, rest),
        _ => &[],
    }
}
