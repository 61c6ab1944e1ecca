//! Completion of declared names and their exports.

use std::ops::Range;
use std::sync::Arc;

use super::{Completion, CompletionKind, Question};
use crate::assist::index::{
    CASE, DEFAULT, LOCAL, MODULE, ModuleIndex, OUTPUT, PARAM, PARAMS, PLUGIN, SWITCH,
};
use crate::assist::resolve::Found;
use crate::assist::workspace::{Workspace, declared_in};
use crate::load::Source;
use crate::types::schema::{ExportField, Shape};

impl Question<'_> {
    /// Adds the parameters of this module.
    pub(super) fn params(&mut self, written: &str, range: &Range<usize>) {
        let indexes = self.workspace.indexes_of(self.source);
        let all = declared_in(&indexes);
        for (index, param) in all.filter(|(_, one)| &*one.kind.text == PARAM) {
            let Some(name) = &param.name else { continue };
            let about = Workspace::about_param(index, param);
            let completion = Completion::new(&*name.text, CompletionKind::Param, range.clone())
                .detail(about.summary())
                .doc(about.description);
            self.add(written, completion);
        }
    }

    /// Adds the values of this module's `locals`.
    pub(super) fn locals(&mut self, written: &str, range: &Range<usize>) {
        let indexes = self.workspace.indexes_of(self.source);
        let all = declared_in(&indexes).map(|(_, one)| one);
        for name in all.filter(|one| &*one.kind.text == LOCAL).filter_map(|one| one.name.as_ref()) {
            self.add(written, Completion::new(&*name.text, CompletionKind::Value, range.clone()));
        }
    }

    /// Adds the quoted names that a `depends` list can contain.
    pub(super) fn quoted_names(&mut self, written: &str, range: &Range<usize>) {
        let before = self.items.len();
        self.paths(written, range, false);
        for completion in self.items.iter_mut().skip(before) {
            completion.text = format!("\"{}\"", completion.text);
        }
    }

    /// Adds the paths that begin with the typed text: resources, modules, switches and cases.
    ///
    /// With `with_exports`, the exports of these are added too.
    pub(super) fn paths(&mut self, written: &str, range: &Range<usize>, with_exports: bool) {
        self.visible(written, range, with_exports);
        let Some(end) = written.rfind(['.', '/']) else { return };
        let (Some(before), Some(last)) = (written.get(..end), written.get(end + 1..)) else { return };
        let after = self.offset - last.len()..range.end;
        let container = self.container();
        let here = Workspace::alone(self.source);
        let Some(way) = self.workspace.way(&here, &container, before) else { return };
        let targets = way.steps.last().map(|step| step.found.clone()).unwrap_or_default();
        let Some(target) = targets.into_iter().next() else { return };
        let Some(declared) = target.declared() else { return };
        match (&*declared.kind.text, way.field.as_slice()) {
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
                for one in target.index.declared.iter().filter(|one| one.container() == declared.id) {
                    self.add(last, Completion::new(one.short(), CompletionKind::Name, after.clone()));
                }
            }
            (kind, field) if with_exports => {
                let Some(known) = self.workspace.types.get(kind).cloned() else { return };
                for export in exports_at(&known.schema().exports, field) {
                    let when = if export.computed { "known after apply" } else { "" };
                    let completion = Completion::new(export.name, CompletionKind::Export, after.clone())
                        .detail(when)
                        .doc(export.doc);
                    self.add(last, completion);
                }
            }
            _ => {}
        }
    }

    /// Adds the declarations of this module and its cases, which need no prefix here.
    fn visible(&mut self, written: &str, range: &Range<usize>, with_exports: bool) {
        let own = self.owner();
        // This file comes first, then the other files of its module.
        let beside =
            self.workspace.indexes_of(self.source).into_iter().filter(|(part, _)| part != self.source);
        let others: Vec<Arc<ModuleIndex>> = beside.map(|(_, index)| index).collect();
        let index = Arc::clone(&self.index);
        let here = index.declared.iter().enumerate().map(|(at, one)| (Some(at), one));
        let there = others.iter().flat_map(|index| &index.declared).map(|one| (None, one));
        for (at, one) in here.chain(there) {
            let kind = &*one.kind.text;
            let is_param = kind == PARAM;
            // Expressions name a parameter as `param.NAME`, and a `switch` or a `case` has no value.
            let is_named = match kind {
                PARAM | SWITCH => !with_exports,
                CASE | DEFAULT | PLUGIN => false,
                _ => true,
            };
            if !is_named || (at.is_some() && own == at) {
                continue;
            }
            let label = one.short();
            let what = if is_param { CompletionKind::Param } else { CompletionKind::Name };
            let doc = self.workspace.types.get(kind).map_or("", |known| known.schema().doc);
            let doc = doc.split("\n\n").next().unwrap_or_default();
            self.add(written, Completion::new(label, what, range.clone()).doc(doc));
        }
    }

    /// Returns the files of the called module, with their indexes.
    fn called_by(&self, call: &Found) -> Vec<(Source, Arc<ModuleIndex>)> {
        let written = call.declared().and_then(|declared| declared.source.as_ref());
        let called = written.and_then(|written| self.workspace.called(&call.source, &written.text));
        called.map(|called| self.workspace.indexes_of(&called)).unwrap_or_default()
    }

    /// Adds the parameters or the outputs of the called module.
    fn values_of_module(&mut self, call: &Found, kind: &str, (written, range): (&str, &Range<usize>)) {
        let completion = if kind == PARAM { CompletionKind::Param } else { CompletionKind::Value };
        let indexes = self.called_by(call);
        let all = declared_in(&indexes);
        for (index, one) in all.filter(|(_, one)| &*one.kind.text == kind) {
            let Some(name) = &one.name else { continue };
            let about = Workspace::about_param(index, one);
            let item = Completion::new(&*name.text, completion, range.clone()).doc(about.description);
            self.add(written, item);
        }
    }

    /// Adds the declarations of the called module.
    fn inside_module(&mut self, call: &Found, written: &str, range: &Range<usize>) {
        let indexes = self.called_by(call);
        let all = declared_in(&indexes).map(|(_, one)| one);
        let is_named = |kind: &str| !matches!(kind, PARAM | CASE | DEFAULT | PLUGIN);
        for one in all.filter(|one| is_named(&one.kind.text)) {
            self.add(written, Completion::new(one.short(), CompletionKind::Name, range.clone()));
        }
    }
}

/// Returns the exports below a path of field names.
pub(in crate::assist) fn exports_at<'e>(exports: &'e [ExportField], field: &[String]) -> &'e [ExportField] {
    let Some((first, rest)) = field.split_first() else { return exports };
    let found = exports.iter().find(|export| export.name.eq_ignore_ascii_case(first));
    match found.map(|export| &export.shape) {
        Some(Shape::Struct(inner)) => exports_at(inner, rest),
        _ => &[],
    }
}
