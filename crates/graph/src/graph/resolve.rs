//! Resolution of names in a module to nodes.

use super::dependency_graph::Graph;
use super::index::NodeIndex;
use crate::types::id::{NodeId, outside_keys};

/// The target of a path such as `file.content.motd.destination`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath<'g, 'a> {
    /// The resource.
    pub targets: Targets<'g>,
    /// The rest of the path, which names an export; empty if the path ends at the resource.
    pub field: Vec<&'a str>,
}

/// The nodes that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets<'g> {
    /// One node.
    One(NodeIndex),
    /// One node in each of several cases of a `switch`; the name refers to the one whose case is taken.
    Cases(&'g [NodeIndex]),
}

impl Targets<'_> {
    /// Returns the nodes, in the order of their ids.
    pub fn as_slice(&self) -> &[NodeIndex] {
        match self {
            Self::One(index) => std::slice::from_ref(index),
            Self::Cases(nodes) => nodes,
        }
    }
}

impl Graph {
    /// Returns the nodes that an id refers to.
    ///
    /// If no node has the id, these are the nodes in cases that would have it if they were next to their
    /// `switch`.
    #[doc(hidden)]
    pub fn targets(&self, id: &str) -> Option<Targets<'_>> {
        let node_target = self.find(id).map(Targets::One);
        node_target.or_else(|| match &self.grown {
            None => self.in_cases.get(id).map(|nodes| Targets::Cases(nodes)),
            Some(grown) => grown.in_cases(id),
        })
    }

    /// Resolves `path` in the module or case `container`, then in each enclosing container.
    ///
    /// The longest matching name wins. Names may contain dots, so `task.a.b.status` is first tried as the
    /// resource `task.a.b.status`, then as `task.a.b`, then as `task.a`. A path may lead into modules and
    /// cases, with `/` or with dots: `module.web/file.content.page.destination`. A resource in a case of a
    /// switch is also found by its own name alone, if nothing else has that name.
    pub fn resolve<'g, 'a>(&'g self, container: &NodeId, path: &'a str) -> Option<ResolvedPath<'g, 'a>> {
        resolve(container, path, |id| self.targets(id))
            .map(|(targets, field)| ResolvedPath { targets, field })
    }
}

/// Like [`Graph::resolve`], over any set of ids.
#[doc(hidden)]
pub fn resolve<'a, T>(
    container: &NodeId,
    path: &'a str,
    find: impl Fn(&str) -> Option<T>,
) -> Option<(T, Vec<&'a str>)> {
    let mut id = String::with_capacity(container.as_str().len() + 1 + path.len());
    let mut container = Some(container.clone());
    while let Some(current) = container {
        id.clear();
        id.push_str(current.as_str());
        if let Some(target) = within(&mut id, path, &find) {
            return Some(target);
        }
        container = current.parent();
    }
    None
}

/// Resolves a path directly in a container, or in containers inside it.
fn within<'a, T>(
    id: &mut String,
    path: &'a str,
    find: &impl Fn(&str) -> Option<T>,
) -> Option<(T, Vec<&'a str>)> {
    let container = id.len();
    id.push('/');
    id.push_str(path);
    let mut end = path.len();
    loop {
        id.truncate(container + 1 + end);
        if let Some(target) = find(id) {
            let rest = path.get(end..).unwrap_or_default();
            // Only modules, switches and cases have contents, so this usually ends at once.
            let inner = rest.strip_prefix('.').and_then(|rest| within(id, rest, find));
            let inner = inner.or_else(|| output_by_key(id, rest, find));
            id.truncate(container);
            return inner.or_else(|| Some((target, fields(rest))));
        }
        match last_part_start(path.get(..end).unwrap_or_default()) {
            Some(shorter) => end = shorter,
            None => break,
        }
    }
    id.truncate(container);
    None
}

/// Resolves an output of a module by a key: `.output["NAME"]` or `["output"]["NAME"]`.
fn output_by_key<'a, T>(
    id: &mut String,
    rest: &'a str,
    find: &impl Fn(&str) -> Option<T>,
) -> Option<(T, Vec<&'a str>)> {
    let name = rest.strip_prefix(".output").or_else(|| rest.strip_prefix("[\"output\"]"))?;
    let next = outside_keys(name).skip(1).find(|(_, byte)| matches!(byte, b'.' | b'['));
    let (name, behind) = name.split_at_checked(next.map_or(name.len(), |(at, _)| at))?;
    let key = name.strip_prefix("[\"").and_then(|name| name.strip_suffix("\"]"));
    let module = id.len();
    id.push_str("/output.");
    id.push_str(key.or_else(|| name.strip_prefix('.'))?);
    let target = find(id);
    id.truncate(module);
    Some((target?, fields(behind)))
}

/// Returns the offset of the last name or key of a path.
fn last_part_start(path: &str) -> Option<usize> {
    if !path.contains("[\"") {
        return path.rfind('.');
    }
    outside_keys(path).filter(|(_, byte)| matches!(byte, b'.' | b'[')).last().map(|(at, _)| at)
}

/// Splits `.status.stdout` or `["a"].b` into names; a key is the text between its quotes.
fn fields(rest: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let mut rest = rest;
    while !rest.is_empty() {
        let end = outside_keys(rest)
            .skip(1)
            .find(|(_, byte)| matches!(byte, b'.' | b'['))
            .map_or(rest.len(), |(at, _)| at);
        let (field, next) = rest.split_at(end);
        let key = field.strip_prefix("[\"").and_then(|key| key.strip_suffix("\"]"));
        fields.push(key.unwrap_or_else(|| field.strip_prefix('.').unwrap_or(field)));
        rest = next;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_in_the_nearest_module_wins() {
        let ids = [
            "root/task.query.host",
            "root/task.a",
            "root/task.a.b",
            "root/module.web/task.a",
            "root/module.web/file.content.x",
            "root/module.web",
            "root/module.web/output.a-b",
            "root/file.content.page",
            "root/file.content.page[\"a.b/c\"]",
            "root/switch.s",
            "root/switch.s/case.a",
            "root/switch.s/case.a/task.t",
        ];
        let check = |from: &str, path: &str, expect: Option<(&str, &[&str])>| {
            let from = from.split('/').skip(1).fold(NodeId::root(), |id, part| id.child(part));
            let container = from.parent().unwrap();
            let actual = resolve(&container, path, |id| ids.iter().copied().find(|have| *have == id));
            assert_eq!(actual, expect.map(|(id, field)| (id, field.to_vec())), "{path} from {from}");
        };
        check(
            "root/x.y",
            "task.query.host.status.stdout",
            Some(("root/task.query.host", &["status", "stdout"])),
        );
        check("root/x.y", "task.a.status", Some(("root/task.a", &["status"])));
        check("root/x.y", "task.a.b.status", Some(("root/task.a.b", &["status"])));
        check("root/x.y", "task.a", Some(("root/task.a", &[])));
        check("root/x.y", "file.content.x.content", None);
        check("root/module.web/x.y", "task.a.status", Some(("root/module.web/task.a", &["status"])));
        check("root/module.web/x.y", "task.a.b.status", Some(("root/module.web/task.a", &["b", "status"])));
        check("root/module.web/x.y", "task.query.host.task", Some(("root/task.query.host", &["task"])));
        check(
            "root/x.y",
            "module.web/file.content.x.content",
            Some(("root/module.web/file.content.x", &["content"])),
        );
        check(
            "root/x.y",
            "module.web.file.content.x.content",
            Some(("root/module.web/file.content.x", &["content"])),
        );
        check("root/x.y", "module.web.params.port", Some(("root/module.web", &["params", "port"])));
        check("root/x.y", "module.web.output.a-b.c", Some(("root/module.web/output.a-b", &["c"])));
        check("root/x.y", "module.web.output[\"a-b\"].c", Some(("root/module.web/output.a-b", &["c"])));
        check("root/x.y", "module.web[\"output\"].a-b", Some(("root/module.web/output.a-b", &[])));
        check("root/x.y", "module.web.output[\"c\"]", Some(("root/module.web", &["output", "c"])));
        check("root/x.y", "switch.s.case.a.task.t.dir", Some(("root/switch.s/case.a/task.t", &["dir"])));
        check(
            "root/switch.s/case.b/x.y",
            "switch.s/case.a/task.t",
            Some(("root/switch.s/case.a/task.t", &[])),
        );
        check(
            "root/x.y",
            "file.content.page[\"a.b/c\"].mode",
            Some(("root/file.content.page[\"a.b/c\"]", &["mode"])),
        );
        check("root/x.y", "file.content.page[\"d\"].mode", Some(("root/file.content.page", &["d", "mode"])));
        check("root/x.y", "", None);
        check("root/x.y", "...", None);
    }
}
