//! Names of resources: in `depends` and `on_change_of`, and in lookups.

use super::exports::check;
use super::{From, Linker, can_be_named};
use crate::graph::{EdgeReason, Node, NodeIndex, Role, Targets, resolve_path};
use crate::load::declaration::Word;
use crate::load::error::LinkError;
use crate::report::Span;
use crate::schema::ExportField;
use crate::scope::Whole;

impl<'a> Linker<'a> {
    fn resolve<'p>(&self, from: From<'_>, path: &'p str) -> Option<(Targets<'a>, Vec<&'p str>)> {
        let graph = self.graph;
        resolve_path(from.container, path, |id| {
            graph.targets(id).filter(|targets| match targets {
                Targets::One(index) => can_be_named(graph.node(*index).role),
                Targets::Cases(_) => true,
            })
        })
    }

    /// What `depends` or `on_change_of` names.
    pub(super) fn named(&mut self, from: From<'_>, name: &Word, reason: EdgeReason) {
        let span = name.span.or(from.place);
        match self.resolve(from, &name.text) {
            Some((targets, field)) if field.is_empty() => {
                if let Targets::One(index) = targets
                    && self.graph.node(index).role == Role::Case
                {
                    let path = name.text.to_string();
                    let switch = path.rsplit_once("case.").map_or("", |(switch, _)| switch);
                    let switch = match switch.trim_end_matches(['/', '.']) {
                        "" => "the switch".to_owned(),
                        switch => switch.to_owned(),
                    };
                    return self.report(LinkError::NamesCase { reason, path, switch, span }, span);
                }
                if self.is_clear(targets, &name.text, span) {
                    self.edges_to(from.node, targets, reason, name.span);
                }
            }
            Some((Targets::One(index), field))
                if self.graph.node(index).role == Role::ForEach && !self.lost.explains(&name.text) =>
            {
                self.unknown_instance(self.graph.node(index), index, &field, span);
            }
            _ => self.unknown(from, &name.text, reason, span),
        }
    }

    pub(super) fn lookup(&mut self, from: From<'_>, path: &str, written: Option<Span>, whole: Whole) {
        let span = written.or(from.place);
        let Some((targets, field)) = self.resolve(from, path) else {
            return self.unknown(from, path, EdgeReason::Lookup, span);
        };
        if !self.is_clear(targets, path, span) {
            return;
        }
        self.edges_to(from.node, targets, EdgeReason::Lookup, written);
        for index in targets.as_slice() {
            self.check_exports(*index, path, &field, span, whole);
        }
    }

    /// Whether it is clear which node is meant: cases exclude each other only within one switch.
    fn is_clear(&mut self, targets: Targets<'_>, path: &str, span: Option<Span>) -> bool {
        let Targets::Cases(nodes) = targets else { return true };
        let switch_of =
            |index: &NodeIndex| self.graph.node(*index).id.parent().and_then(|case| case.parent());
        let mut switches: Vec<_> = nodes.iter().filter_map(switch_of).collect();
        switches.dedup();
        if switches.len() < 2 {
            return true;
        }
        let switches = switches.iter().map(|switch| switch.name().to_owned()).collect();
        self.report(LinkError::Ambiguous { path: path.to_owned(), switches, span }, span);
        false
    }

    fn check_exports(
        &mut self,
        index: NodeIndex,
        path: &str,
        field: &[&str],
        span: Option<Span>,
        whole: Whole,
    ) {
        let target = self.graph.node(index);
        if field.is_empty() && whole == Whole::Allowed {
            return;
        }
        if target.role == Role::ForEach {
            if !self.lost.explains(path) {
                self.unknown_instance(target, index, field, span);
            }
            return;
        }
        let exports = &target.resource.schema().exports;
        let resource = target.id.name().to_owned();
        let names = |exports: &[ExportField]| exports.iter().map(|export| export.name.to_owned()).collect();
        if field.is_empty() {
            self.report(LinkError::MissingExport { resource, exports: names(exports), span }, span);
        } else if let Err((wrong, known)) = check(exports, field) {
            // A module may hold what is named, if it could have been read.
            if target.role.is_structure() && self.lost.explains(path) {
                return;
            }
            if matches!(target.role, Role::Module | Role::Switch | Role::Case)
                && let Some(help) = self.suggest.within(self.graph, &target.id, field)
            {
                let (path, reason) = (path.to_owned(), EdgeReason::Lookup);
                return self
                    .report(LinkError::UnknownResource { path, reason, help: Some(help), span }, span);
            }
            let error = LinkError::UnknownExport {
                resource,
                wrong: wrong.to_owned(),
                field: field.join("."),
                known: names(known),
                span,
            };
            self.report(error, span);
        }
    }

    /// A name into something with `for_each` that is none of its instances.
    fn unknown_instance(&mut self, target: &Node, index: NodeIndex, field: &[&str], span: Option<Span>) {
        let keys: Vec<String> = self.suggest.keys(self.graph, index);
        let resource = target.id.name().to_owned();
        // A name that could be an export shows that the key was forgotten.
        let exports = &target.resource.schema().exports;
        let key = field
            .first()
            .filter(|first| !exports.iter().any(|export| export.name.eq_ignore_ascii_case(first)));
        let key = key.map(|key| (*key).to_owned());
        self.report(LinkError::UnknownInstance { resource, key, keys, span }, span);
    }

    fn unknown(&mut self, from: From<'_>, path: &str, reason: EdgeReason, span: Option<Span>) {
        if self.lost.explains(path) {
            return;
        }
        let help = self.suggest.path(self.graph, from.container, from.node, path, reason);
        let path = path.to_owned();
        self.report(LinkError::UnknownResource { path, reason, help, span }, span);
    }
}
