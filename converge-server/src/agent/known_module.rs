//! The knowledge of a module until something changes: what was loaded, and what is as it declares.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::Id;
use converge_core::graph::{Graph, NodeId};
use converge_core::plan::Report;
use tokio::time::Instant;

use super::file_watch::Notices;
use super::outcome::{Outcome, Seen};

/// The maximum age of this knowledge.
///
/// A change may go unnoticed: through another hard link, by a new mount, in a directory service.
const MAX_AGE: Duration = Duration::from_hours(1);

/// A module that is ready to run.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) graph: Arc<Graph>,
    /// The paths that the module manages, as far as they are known.
    pub(super) paths: BTreeSet<PathBuf>,
}

#[cfg(test)]
impl Loaded {
    /// Returns a module without resources.
    pub(super) fn empty() -> Self {
        let registry = converge_core::Registry::new();
        let graph =
            converge_core::load::Loader::new(&registry).load_text("empty.hcl", "").into_graph().unwrap();
        Self { graph, paths: BTreeSet::new() }
    }
}

/// A loaded module whose paths are watched.
#[derive(Debug)]
pub(super) struct KnownModule {
    graph: Arc<Graph>,
    loaded_at: Instant,
    /// The paths that are watched.
    paths: BTreeSet<PathBuf>,
    /// The watched paths whose changes may go unnoticed.
    unnoticed: BTreeSet<PathBuf>,
    settled: Option<Settled>,
}

/// The result of a check that found nothing to do.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) seen: Seen,
    /// The resources that may differ although no watched path has changed.
    pub(super) unwatched: Vec<NodeId>,
}

impl KnownModule {
    /// Watches the paths that a module manages.
    pub(super) fn new(loaded: Loaded, loaded_at: Instant, id: &Id, notices: Option<&mut Notices>) -> Self {
        let Loaded { graph, paths } = loaded;
        let unnoticed = notices.map(|notices| notices.watch(id, &paths)).unwrap_or_default();
        Self { graph, loaded_at, paths, unnoticed, settled: None }
    }

    pub(super) fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Returns the result of the last check if it found nothing to do and can be relied on.
    pub(super) fn settled(&self) -> Option<&Settled> {
        self.settled.as_ref()
    }

    pub(super) fn is_old(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.loaded_at) >= MAX_AGE
    }

    /// Records the outcome of a check of the whole module.
    ///
    /// Paths that the check read and that were not watched are added to the watched ones. The result is then not
    /// relied on, because such a path may have changed between the check and the start of its watch.
    pub(super) fn checked(
        &mut self,
        outcome: &Outcome,
        reads: Reads,
        id: &Id,
        notices: Option<&mut Notices>,
    ) {
        self.settled = None;
        let (Some(seen), Some(notices)) = (outcome.settled(), notices) else { return };
        let count = self.paths.len();
        self.paths.extend(reads.resources.values().flatten().cloned());
        if self.paths.len() > count {
            self.unnoticed = notices.watch(id, &self.paths);
        } else {
            self.settled = Some(Settled { seen: seen.clone(), unwatched: reads.unwatched(&self.unnoticed) });
        }
    }
}

/// The paths that a check of a whole module read.
#[derive(Debug)]
pub(super) struct Reads {
    /// The paths by resource, for those that depend on nothing else.
    resources: HashMap<NodeId, Box<[PathBuf]>>,
    /// All other resources.
    others: Vec<NodeId>,
}

impl Reads {
    pub(super) fn new(graph: &Graph, report: Report) -> Self {
        let reads = report.resources.into_iter().filter_map(|result| Some((result.id, result.reads?)));
        let resources: HashMap<_, _> = reads.collect();
        // The instances of a deferred `for_each` are not in this graph.
        let nodes = graph.nodes().map(|(_, node)| node);
        let checked = nodes.filter(|node| node.role.is_resource() || node.deferred().is_some());
        let others = checked.filter(|node| !resources.contains_key(&node.id));
        let others = others.map(|node| node.id.clone()).collect();
        Self { resources, others }
    }

    /// Returns the resources that may differ although no path has changed, other than the unnoticed ones.
    fn unwatched(self, unnoticed: &BTreeSet<PathBuf>) -> Vec<NodeId> {
        let Self { resources, mut others } = self;
        let is_unnoticed = |paths: &[PathBuf]| paths.iter().any(|path| unnoticed.contains(path));
        let unwatched = resources.into_iter().filter(|(_, paths)| is_unnoticed(paths));
        others.extend(unwatched.map(|(id, _)| id));
        others
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use converge_controller::Scope;
    use converge_core::engine::{CancellationToken, Engine};
    use converge_core::system::LocalSystem;

    use super::*;
    use crate::agent::machine::Machine;
    use crate::fleet::types::{Content, Mode, Opening};

    /// A module on this machine, with its watches.
    struct Site {
        machine: Machine,
        notices: Notices,
        id: Id,
        module: KnownModule,
    }

    impl Site {
        async fn load(text: String) -> Self {
            let system = LocalSystem::new();
            let engine = Engine::new(Arc::new(system.clone()));
            let machine = Machine::new(converge_resources::registry().unwrap(), system, engine);
            let resource_type = "converge.v1.Assignment".parse().unwrap();
            let id = Id::new(resource_type, Scope::Namespace.default_tenancy(), "site".parse().unwrap());
            let content = Content { text, ..Content::default() };
            let loaded = machine.load(&id.name, &content, [].into(), &CancellationToken::new()).await;
            let mut notices = Notices::new().unwrap();
            let module = KnownModule::new(loaded.unwrap().unwrap(), Instant::now(), &id, Some(&mut notices));
            Self { machine, notices, id, module }
        }

        /// Checks the module; returns whether it differed, and the number of unwatched resources.
        ///
        /// The number is `None` if the whole module is to be checked next.
        async fn check(&mut self) -> (bool, Option<usize>) {
            let Self { machine, notices, id, module } = self;
            let stop = CancellationToken::new();
            let ran = machine.run(module.graph(), module.settled(), Mode::Enforce, Opening::Always, &stop);
            let (outcome, reads) = ran.await.unwrap();
            if let Some(reads) = reads {
                module.checked(&outcome, reads, id, Some(notices));
            }
            (outcome.settled().is_none(), module.settled().map(|settled| settled.unwatched.len()))
        }
    }

    fn content(folder: &Path, fields: &str) -> String {
        let path = folder.join("a");
        format!("file.content \"a\" {{\n  destination = {path:?}\n  content = \"x\"\n{fields}\n}}\n")
    }

    #[tokio::test]
    async fn a_settled_module_is_checked_only_where_changes_go_unnoticed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, count) = (folder.path().join("a"), folder.path().join("count"));
        let task =
            format!("task \"count\" {{\n  check = \"echo >> {}\"\n  apply = \"true\"\n}}\n", count.display());
        let mut site = Site::load(content(folder.path(), "") + &task).await;
        assert_eq!(site.check().await, (true, None), "it is applied");
        assert_eq!(site.check().await, (false, Some(1)), "the whole module is checked");
        let counted = fs::read(&count).unwrap().len();
        fs::write(&path, "y").unwrap();
        assert_eq!(site.check().await, (false, Some(1)), "the script alone is checked");
        assert_eq!(fs::read(&count).unwrap().len(), counted + 1);
        // The change is noticed instead, upon which the agent loads the module again.
        assert_eq!(site.notices.changed().await, [site.id.clone()].into());
        assert_eq!(fs::read(&path).unwrap(), b"y");
    }

    #[tokio::test]
    async fn what_differs_without_a_notice_leads_to_a_check_of_the_whole_module() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let task = format!(
            "task \"a\" {{\n  check = \"test -e {0}\"\n  apply = \"touch {0}\"\n}}\n",
            done.display()
        );
        let mut site = Site::load(task).await;
        assert_eq!(site.check().await, (true, None));
        assert_eq!(site.check().await, (false, Some(1)));
        fs::remove_file(&done).unwrap();
        assert_eq!(site.check().await, (true, None));
        assert!(done.exists());
    }

    #[tokio::test]
    async fn paths_that_only_a_check_shows_are_watched_before_they_are_relied_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut site = Site::load(content(folder.path(), "owner = \"root\"")).await;
        site.check().await;
        assert_eq!(site.check().await, (false, None), "the accounts were not watched");
        assert_eq!(site.check().await, (false, Some(0)));
    }

    #[tokio::test]
    async fn what_the_kernel_changes_is_checked() {
        let text = "file.mode \"a\" {\n  destination = \"/proc/self\"\n  mode = 0555\n}\n".to_owned();
        let mut site = Site::load(text).await;
        site.check().await;
        let (_, mut unwatched) = site.check().await;
        if unwatched.is_none() {
            unwatched = site.check().await.1;
        }
        assert_eq!(unwatched, Some(1));
    }
}
