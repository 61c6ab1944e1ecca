//! From the names that a module writes to nodes.

use super::{Graph, NodeId, NodeIndex};

/// What a path such as `file.content.motd.destination` leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<'a> {
    /// The resource.
    pub node: NodeIndex,
    /// The rest of the path, which names one of its exports; empty when the path ends at the resource.
    pub field: Vec<&'a str>,
}

impl Graph {
    /// Finds what `path` means at the node `from`: a resource of the same module, then of the module
    /// around it, and so on, with the longest name that fits.
    ///
    /// Names may hold dots, so `task.a.b.status` is first tried as the resource `task.a.b.status`, then
    /// as `task.a.b`, then as `task.a`.
    pub fn resolve<'a>(&self, from: &NodeId, path: &'a str) -> Option<Resolved<'a>> {
        resolve(from, path, |id| self.find(id)).map(|(node, field)| Resolved { node, field })
    }
}

/// [`Graph::resolve`] over any set of ids.
pub(crate) fn resolve<'a, T>(
    from: &NodeId,
    path: &'a str,
    find: impl Fn(&str) -> Option<T>,
) -> Option<(T, Vec<&'a str>)> {
    let mut scope = from.parent();
    let mut id = String::new();
    while let Some(at) = scope {
        id.clear();
        id.push_str(at.as_str());
        id.push('/');
        let prefix = id.len();
        id.push_str(path);
        loop {
            if let Some(found) = find(&id) {
                let rest = &path[id.len() - prefix..];
                let field = rest.strip_prefix('.').map(|rest| rest.split('.').collect()).unwrap_or_default();
                return Some((found, field));
            }
            match id[prefix..].rfind('.') {
                Some(dot) => id.truncate(prefix + dot),
                None => break,
            }
        }
        scope = at.parent();
    }
    None
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
        ];
        let check = |from: &str, path: &str, expect: Option<(&str, &[&str])>| {
            let from = from.split('/').skip(1).fold(NodeId::root(), |id, part| id.child(part));
            let found = resolve(&from, path, |id| ids.iter().copied().find(|have| *have == id));
            assert_eq!(found, expect.map(|(id, field)| (id, field.to_vec())), "{path} from {from}");
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
        check("root/x.y", "", None);
        check("root/x.y", "...", None);
    }
}
