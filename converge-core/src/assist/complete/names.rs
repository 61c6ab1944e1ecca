//! Names of what is declared, and of what it exports.

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
    /// The parameters of this module.
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

    /// The values of `locals` of this module.
    pub(super) fn locals(&mut self, written: &str, range: &Range<usize>) {
        let indexes = self.workspace.indexes_of(self.source);
        let all = declared_in(&indexes).map(|(_, one)| one);
        for name in all.filter(|one| &*one.kind.text == LOCAL).filter_map(|one| one.name.as_ref()) {
            self.add(written, Completion::new(&*name.text, CompletionKind::Value, range.clone()));
        }
    }

    /// Names that can be waited for, in quotes.
    pub(super) fn quoted_names(&mut self, written: &str, range: &Range<usize>) {
        let before = self.items.len();
        self.paths(written, range, false);
        for completion in self.items.iter_mut().skip(before) {
            completion.text = format!("\"{}\"", completion.text);
        }
    }

    /// Paths that begin with what is written: of resources, modules and the like, and, with exports, of what these have.
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
            // Its name is that of its value.
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

    /// What is named from here by its own name: what is next to it, and what is in cases.
    fn visible(&mut self, written: &str, range: &Range<usize>, with_exports: bool) {
        let own = self.owner();
        // The file at hand first, and then those beside it in its module.
        let beside =
            self.workspace.indexes_of(self.source).into_iter().filter(|(part, _)| part != self.source);
        let others: Vec<Arc<ModuleIndex>> = beside.map(|(_, index)| index).collect();
        let index = Arc::clone(&self.index);
        let here = index.declared.iter().enumerate().map(|(at, one)| (Some(at), one));
        let there = others.iter().flat_map(|index| &index.declared).map(|one| (None, one));
        for (at, one) in here.chain(there) {
            let kind = &*one.kind.text;
            let is_param = kind == PARAM;
            // A parameter has a value under a name of its own, and a switch or a case has none.
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

    /// What the files of a module declare that is called.
    fn called_by(&self, call: &Found) -> Vec<(Source, Arc<ModuleIndex>)> {
        let written = call.declared().and_then(|declared| declared.source.as_ref());
        let called = written.and_then(|written| self.workspace.called(&call.source, &written.text));
        called.map(|called| self.workspace.indexes_of(&called)).unwrap_or_default()
    }

    /// The parameters or the outputs of the module that is called.
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

    /// What the module declares that is called.
    fn inside_module(&mut self, call: &Found, written: &str, range: &Range<usize>) {
        let indexes = self.called_by(call);
        let all = declared_in(&indexes).map(|(_, one)| one);
        let is_named = |kind: &str| !matches!(kind, PARAM | CASE | DEFAULT | PLUGIN);
        for one in all.filter(|one| is_named(&one.kind.text)) {
            self.add(written, Completion::new(one.short(), CompletionKind::Name, range.clone()));
        }
    }
}

/// The exports that a path of names leads to.
pub(in crate::assist) fn exports_at<'e>(exports: &'e [ExportField], field: &[String]) -> &'e [ExportField] {
    let Some((first, rest)) = field.split_first() else { return exports };
    let found = exports.iter().find(|export| export.name.eq_ignore_ascii_case(first));
    match found.map(|export| &export.shape) {
        Some(Shape::Struct(inner)) => exports_at(inner, rest),
        _ => &[],
    }
}
