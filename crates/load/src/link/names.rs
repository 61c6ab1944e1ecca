//! Resolution of resource names in `depends`, `on_change_of` and similar arguments, and in lookups.

use std::borrow::Cow;

use super::exports::check;
use super::linker::{Linker, Referrer};
use crate::diagnostic::Span;
use crate::errors;
use crate::graph::OUTPUT;
use crate::graph::{EachIs, EdgeReason, Node, NodeIndex, Role, Targets, resolve_path};
use crate::model::spanned_text::Spanned;
use converge_value::types::id::{NodeId, PATTERN_KEY, quoted_key};
use converge_value::types::schema::ExportField;
use converge_value::types::scope::Whole;

impl<'a> Linker<'a> {
    pub(super) fn resolve<'p>(
        &self,
        from: Referrer<'_>,
        path: &'p str,
    ) -> Option<(Targets<'a>, Vec<&'p str>)> {
        let graph = self.graph;
        resolve_path(from.container, path, |id| {
            let targets = graph.targets(id).or_else(|| graph.targets(&graph.in_pattern(id)?));
            targets.filter(|targets| match targets {
                Targets::One(index) => graph.node(*index).role.can_be_named(),
                Targets::Cases(_) => true,
            })
        })
    }

    /// Links a name in `depends`, `on_change_of` or a similar argument.
    pub(super) fn named(&mut self, from: Referrer<'_>, name: &Spanned, reason: EdgeReason) {
        let (written, span) = (&*name.text, name.span.or(from.place));
        let Some(text) = self.with_known_key(from, written) else {
            return self.report(errors::link::no_each(written, span));
        };
        let text = &*text;
        let path = &*without_macros(text);
        match self.resolve(from, path) {
            Some((Targets::One(index), field))
                if field.is_empty() && self.graph.node(index).role == Role::Case =>
            {
                let switch = self.graph.node(index).id.parent();
                match switch.and_then(|switch| self.graph.find(switch.as_str())) {
                    // The original Converge allows waiting for a case. Waiting for the whole switch includes
                    // that.
                    Some(switch) if path != text => self.edge(from.node, switch, reason, name.span),
                    _ => self.report(errors::link::names_case(reason, path, span)),
                }
            }
            Some((targets, field)) if field.is_empty() => {
                if self.is_clear(targets, path, span) {
                    self.edges_to(from.node, targets, reason, name.span);
                }
            }
            Some((Targets::One(index), field))
                if self.graph.node(index).role == Role::ForEach
                    && !(self.graph.node(index).deferred().is_some() && path.contains("[\""))
                    && !self.problems.unresolved.explains(path) =>
            {
                self.unknown_instance(index, &field, span);
            }
            _ => self.unknown(from, (path, text), reason, span),
        }
    }

    /// Replaces `[each.key]` by the key of this instance; returns `None` outside of a `for_each`.
    ///
    /// If only a run knows the key, the name stands for the instances of a `for_each` of that kind, or for
    /// all instances.
    fn with_known_key<'t>(&self, from: Referrer<'_>, text: &'t str) -> Option<Cow<'t, str>> {
        if !text.contains(PATTERN_KEY) {
            return Some(Cow::Borrowed(text));
        }
        match &self.graph.node(from.node).scope.each {
            EachIs::Nothing => None,
            EachIs::Known(each) => Some(Cow::Owned(text.replace(PATTERN_KEY, &quoted_key(&each.key)))),
            EachIs::KnownInRun => {
                let is_found = self.resolve(from, text).is_some_and(|(_, field)| field.is_empty());
                Some(if is_found { Cow::Borrowed(text) } else { Cow::Owned(text.replace(PATTERN_KEY, "")) })
            }
        }
    }

    pub(super) fn lookup(
        &mut self,
        from: Referrer<'_>,
        path: &str,
        name_span: Option<Span>,
        completeness: Whole,
    ) {
        let span = name_span.or(from.place);
        let Some((targets, field)) = self.resolve(from, path) else {
            return self.unknown(from, (path, path), EdgeReason::Lookup, span);
        };
        if !self.is_clear(targets, path, span) {
            return;
        }
        self.edges_to(from.node, targets, EdgeReason::Lookup, name_span);
        if !field.is_empty() || completeness == Whole::Refused {
            for index in targets.as_slice() {
                self.check_exports(*index, path, &field, span);
            }
        }
    }

    /// Reports names that match nodes of several switches; only cases of one switch exclude each other.
    fn is_clear(&mut self, targets: Targets<'_>, path: &str, span: Option<Span>) -> bool {
        let Targets::Cases(nodes) = targets else { return true };
        let switch_of =
            |index: &NodeIndex| self.graph.node(*index).id.parent().and_then(|case| case.parent());
        let mut switches: Vec<_> = nodes.iter().filter_map(switch_of).collect();
        switches.dedup();
        if switches.len() < 2 {
            return true;
        }
        let switches: Vec<&str> = switches.iter().map(NodeId::name).collect();
        self.report(errors::link::ambiguous(path, &switches, span));
        false
    }

    fn check_exports(&mut self, index: NodeIndex, path: &str, field: &[&str], span: Option<Span>) {
        let target: &Node = self.graph.node(index);
        if target.deferred().is_some()
            && !self.is_of_modules(target)
            && let Some((_, of_instance)) = field.split_first()
            && !begins_with_export(target, field)
        {
            let exports = &target.resource.schema().exports;
            if let Err((wrong, candidates)) = check(exports, of_instance)
                && !of_instance.is_empty()
            {
                let names: Vec<String> = candidates.iter().map(|export| export.name.to_owned()).collect();
                self.report(errors::link::unknown_export(
                    target.id.name(),
                    of_instance,
                    (wrong, &names),
                    span,
                ));
            }
            return;
        }
        if target.role == Role::ForEach {
            if !self.problems.unresolved.explains(path) {
                self.unknown_instance(index, field, span);
            }
            return;
        }
        match (target.role, field) {
            // An output is the value itself, whose parts are only known with the value.
            (Role::Output, _) => return,
            (Role::Module, [output, name, ..]) if *output == OUTPUT => {
                return self.unknown_output(&target.id, name, span);
            }
            _ => {}
        }
        let (resource, exports) = (without_key(target.id.name()), &target.resource.schema().exports);
        let names = |exports: &[ExportField]| -> Vec<String> {
            exports.iter().map(|export| export.name.to_owned()).collect()
        };
        if field.is_empty() {
            self.report(errors::link::missing_export(resource, &names(exports), span));
        } else if let Err((wrong, candidates)) = check(exports, field) {
            // The module may contain the name in a part that could not be parsed.
            if target.role.is_structure() && self.problems.unresolved.explains(path) {
                return;
            }
            let holds_names = matches!(target.role, Role::Module | Role::Switch | Role::Case);
            let hint = holds_names.then(|| self.suggestions.within(&target.id, field)).flatten();
            let hint = hint.or_else(|| self.suggestions.output(target, field));
            self.report(match hint {
                Some(help) => {
                    let help = Some(with_any_key(help));
                    errors::link::unknown_resource(path, EdgeReason::Lookup, help, span)
                }
                None => errors::link::unknown_export(resource, field, (wrong, &names(candidates)), span),
            });
        }
    }

    /// Returns whether the deferred instances of a `for_each` are modules.
    fn is_of_modules(&self, end: &Node) -> bool {
        let pattern = self.graph.find(end.id.pattern().as_str());
        pattern.is_some_and(|pattern| self.graph.node(pattern).role == Role::Module)
    }

    fn unknown_output(&mut self, module: &NodeId, output: &str, span: Option<Span>) {
        if !self.problems.unresolved.explains(&format!("{OUTPUT}.{output}")) {
            let outputs = self.suggestions.outputs(module);
            self.report(errors::link::unknown_output(without_key(module.name()), output, &outputs, span));
        }
    }

    fn unknown_instance(&mut self, index: NodeIndex, field: &[&str], span: Option<Span>) {
        let target = self.graph.node(index);
        if target.deferred().is_some() {
            return self.report(errors::link::names_no_instance(target.id.name(), span));
        }
        let keys = self.suggestions.keys(index);
        // The name of an export means that the key was forgotten.
        let key = field.first().copied().filter(|_| !begins_with_export(target, field));
        self.report(errors::link::unknown_instance(target.id.name(), key, keys.as_deref(), span));
    }

    /// Reports a path that does not exist.
    ///
    /// `written` is the path as written, possibly with prefixes of the original Converge.
    fn unknown(
        &mut self,
        from: Referrer<'_>,
        (path, written): (&str, &str),
        reason: EdgeReason,
        span: Option<Span>,
    ) {
        if !self.problems.unresolved.explains(path) {
            let prefix = format!("{}/", from.container);
            let patterned = self.graph.in_pattern(&format!("{prefix}{path}"));
            let relative = patterned.as_deref().and_then(|known| known.strip_prefix(&prefix)).unwrap_or(path);
            let help = self.suggestions.path(from.container, from.node, relative, reason).map(with_any_key);
            self.report(errors::link::unknown_resource(written, reason, help, span));
        }
    }
}

/// Returns whether a path into a `for_each` begins with an export rather than a key.
fn begins_with_export(target: &Node, field: &[&str]) -> bool {
    let mut exports = target.resource.schema().exports.iter();
    field.first().is_some_and(|name| exports.any(|export| export.name.eq_ignore_ascii_case(name)))
}

/// Replaces the pattern key in a help text by a placeholder for any key.
fn with_any_key(help: String) -> String {
    if help.contains(PATTERN_KEY) { help.replace(PATTERN_KEY, "[\"KEY\"]") } else { help }
}

/// Removes the pattern key from a name, because all instances have the same exports.
fn without_key(name: &str) -> &str {
    name.strip_suffix(PATTERN_KEY).unwrap_or(name)
}

/// Removes the prefix `macro.`, which the original Converge puts in front of switches and cases.
fn without_macros(path: &str) -> Cow<'_, str> {
    const MACRO: &str = "macro.";
    if !path.contains(MACRO) {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while !rest.is_empty() {
        let stripped = rest.strip_prefix(MACRO);
        rest = stripped
            .filter(|stripped| ["switch.", "case."].iter().any(|kind| stripped.starts_with(kind)))
            .unwrap_or(rest);
        let end = rest.find(['.', '/']).map_or(rest.len(), |offset| offset + 1);
        let (segment, after) = rest.split_at(end);
        out.push_str(segment);
        rest = after;
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::without_macros;

    #[test]
    fn names_of_the_original_are_ours() {
        let check = |path: &str, expect: &str| assert_eq!(without_macros(path), expect, "{path}");
        check("task.a", "task.a");
        check("macro.switch.s", "switch.s");
        check("macro.switch.s/macro.case.a/task.t", "switch.s/case.a/task.t");
        check("module.m.macro.switch.s.macro.case.a", "module.m.switch.s.case.a");
        check("task.macro.x", "task.macro.x");
        check("macro.", "macro.");
    }
}
