//! The state of the expansion of a load into nodes.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::analysis::constants::Constants;
use crate::diagnostic::{Diagnostic, Limit, Span};
use crate::errors;
use crate::files::module_file::ModuleFile;
use crate::files::module_files::ModuleFiles;
use crate::graph::{EachIs, EdgeReason, LexicalScope, Node, Role};
use crate::model::blueprint::CallBlueprint;
use crate::model::draft::{NodeDraft, StructureLinks, UnresolvedLinks};
use crate::model::module_origin::ModuleOrigin;
use crate::model::problems::Problems;
use crate::parameters::GivenParam;
use crate::sdk::registry::ResourceType;
use crate::types::type_table::TypeTable;
use converge_value::types::hash::NameMap;
use converge_value::types::id::NodeId;
use converge_value::types::scope::Each;

pub(crate) struct Expander<'a> {
    pub(super) types: &'a TypeTable<'a>,
    pub(super) files: ModuleFiles<'a>,
    pub(super) constants: &'a mut Constants,
    pub(super) problems: &'a mut Problems,
    pub(super) drafts: Vec<NodeDraft>,
    /// The chain of module uses from the root to the current module, which is last.
    pub(super) chain: Vec<Caller>,
    /// The maximum number of nodes.
    max_nodes: usize,
    limit_reported: bool,
}

/// A use of a module, which may call other modules.
pub(super) struct Caller {
    pub(super) origin: Rc<ModuleOrigin>,
    /// The position of the call.
    pub(super) span: Option<Span>,
    /// The called modules by their written source, because most are called more than once.
    pub(super) called: NameMap<Arc<str>, Rc<ModuleFile>>,
}

impl Caller {
    pub(super) fn new(file: &ModuleFile, span: Option<Span>) -> Self {
        Self { origin: Rc::clone(&file.origin), span, called: NameMap::default() }
    }
}

/// The container of new nodes: a module, a case, or all instances of a `for_each`.
pub(super) struct NodeContainer {
    pub(super) scope: Arc<LexicalScope>,
    /// The gate, and the end node that waits for the content.
    pub(super) structure: Option<Arc<StructureLinks>>,
}

pub(super) enum ParamSource<'a> {
    Root(&'a IndexMap<Arc<str>, GivenParam>),
    Call(&'a CallBlueprint, &'a Arc<LexicalScope>),
}

impl<'a> Expander<'a> {
    pub(crate) fn new(
        types: &'a TypeTable<'a>,
        files: ModuleFiles<'a>,
        constants: &'a mut Constants,
        problems: &'a mut Problems,
    ) -> Self {
        let (drafts, chain) = (Vec::new(), Vec::new());
        let maximum = constants.shared_budget().limits().resources;
        Self { types, files, constants, problems, drafts, chain, max_nodes: maximum, limit_reported: false }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems.report(diagnostic);
    }

    /// Counts a node; returns `None` if the limit is reached, which is reported once.
    ///
    /// Without a limit, a few files that each call the next one twice would create more nodes than memory can
    /// hold.
    pub(super) fn reserve(&mut self, span: Option<Span>) -> Option<()> {
        if self.problems.stopped().is_some() {
            return None;
        }
        if self.drafts.len() < self.max_nodes {
            return Some(());
        }
        if !std::mem::replace(&mut self.limit_reported, true) {
            let limit = self.constants.shared_budget().reached(Limit::Resources);
            self.report(errors::module::too_many(limit, span));
        }
        None
    }

    /// Reserves capacity for `count` nodes, within the limit.
    pub(super) fn make_room(&mut self, count: usize) {
        self.drafts.reserve(count.min(self.max_nodes.saturating_sub(self.drafts.len())));
    }

    pub(super) fn push(&mut self, node: Node, links: UnresolvedLinks) {
        self.drafts.push(NodeDraft { node, links });
    }
}

impl NodeContainer {
    pub(super) fn links(&self) -> UnresolvedLinks {
        UnresolvedLinks { structure: self.structure.clone(), ..UnresolvedLinks::default() }
    }

    pub(super) fn gate(&self) -> Option<NodeId> {
        self.structure.as_ref().and_then(|structure| structure.gate.clone())
    }

    /// Creates a structural node, such as a gate or an end node.
    pub(super) fn structure(
        &self,
        id: &NodeId,
        (role, resource): (Role, &Arc<ResourceType>),
        span: Option<Span>,
    ) -> Node {
        Node {
            id: id.clone(),
            resource: Arc::clone(resource),
            role,
            attributes: Arc::default(),
            scope: Arc::clone(&self.scope),
            group: None,
            meta: None,
            span,
            declared: 0,
        }
    }

    /// Returns the container for one instance of a `for_each`; `end` is the ID of its end node.
    pub(super) fn instance(&self, end: &NodeId, item: Each) -> Self {
        self.with_each(end, EachIs::Known(item))
    }

    /// Returns the container for the pattern of a `for_each` whose instances only a run knows.
    pub(super) fn pattern(&self, end: &NodeId) -> Self {
        self.with_each(end, EachIs::KnownInRun)
    }

    fn with_each(&self, end: &NodeId, item: EachIs) -> Self {
        let part_of = Some((end.clone(), EdgeReason::ForEach));
        Self {
            scope: Arc::new(LexicalScope { each: item, ..LexicalScope::clone(&self.scope) }),
            structure: StructureLinks { gate: self.gate(), part_of, after: None }.shared(),
        }
    }
}
