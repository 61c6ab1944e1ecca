//! What makes the nodes of a load.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, Limit, Span};
use crate::graph::{EachIs, EdgeReason, LexicalScope, Node, Role};
use crate::load::blueprint::CallBlueprint;
use crate::load::constants::Constants;
use crate::load::draft::{NodeDraft, StructureLinks, UnresolvedLinks};
use crate::load::errors;
use crate::load::module_file::ModuleFile;
use crate::load::module_files::ModuleFiles;
use crate::load::module_origin::ModuleOrigin;
use crate::load::parameters::GivenParam;
use crate::load::problems::Problems;
use crate::load::type_table::TypeTable;
use crate::sdk::registry::ResourceType;
use crate::types::hash::NameMap;
use crate::types::id::NodeId;
use crate::types::scope::Each;

pub(crate) struct Expander<'a> {
    pub(super) types: &'a TypeTable<'a>,
    pub(super) files: ModuleFiles<'a>,
    pub(super) constants: &'a mut Constants,
    pub(super) problems: &'a mut Problems,
    pub(super) drafts: Vec<NodeDraft>,
    /// The modules around the one at hand, from the root on, which is the last.
    pub(super) chain: Vec<Caller>,
    /// How many nodes there may be.
    most: usize,
    limit_reported: bool,
}

/// A use of a module, which may call others.
pub(super) struct Caller {
    pub(super) origin: Rc<ModuleOrigin>,
    /// Where it is called.
    pub(super) span: Option<Span>,
    /// The modules that it has called, by what is written for their source: most are called more than once.
    pub(super) called: NameMap<Arc<str>, Rc<ModuleFile>>,
}

impl Caller {
    pub(super) fn new(file: &ModuleFile, span: Option<Span>) -> Self {
        Self { origin: Rc::clone(&file.origin), span, called: NameMap::default() }
    }
}

/// What holds the nodes that are made: a module, a case, or all instances of a `for_each`.
pub(super) struct NodeContainer {
    pub(super) scope: Arc<LexicalScope>,
    /// The gate, and the end that waits for what is here.
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
        let most = constants.shared_budget().limits().resources;
        Self { types, files, constants, problems, drafts, chain, most, limit_reported: false }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems.report(diagnostic);
    }

    /// Counts a node. `None` when there may be no more, which is reported once: a few files that call each other twice each would
    /// otherwise make more than any machine can hold.
    pub(super) fn reserve(&mut self, span: Option<Span>) -> Option<()> {
        if self.problems.stopped().is_some() {
            return None;
        }
        if self.drafts.len() < self.most {
            return Some(());
        }
        if !std::mem::replace(&mut self.limit_reported, true) {
            let limit = self.constants.shared_budget().reached(Limit::Resources);
            self.report(errors::module::too_many(limit, span));
        }
        None
    }

    /// Makes room for so many nodes, as far as there may be more.
    pub(super) fn make_room(&mut self, count: usize) {
        self.drafts.reserve(count.min(self.most.saturating_sub(self.drafts.len())));
    }

    pub(super) fn push(&mut self, node: Node, links: UnresolvedLinks) {
        self.drafts.push(NodeDraft { node, links });
    }
}

impl NodeContainer {
    /// What every node here has.
    pub(super) fn links(&self) -> UnresolvedLinks {
        UnresolvedLinks { structure: self.structure.clone(), ..UnresolvedLinks::default() }
    }

    /// The gate of what is here.
    pub(super) fn gate(&self) -> Option<NodeId> {
        self.structure.as_ref().and_then(|structure| structure.gate.clone())
    }

    /// A node of the structure of the language here.
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

    /// The same for one instance of a `for_each`, whose end has this id.
    pub(super) fn instance(&self, end: &NodeId, each: Each) -> Self {
        self.with_each(end, EachIs::Known(each))
    }

    /// The same for what all instances of a `for_each` are made from that only a run knows.
    pub(super) fn pattern(&self, end: &NodeId) -> Self {
        self.with_each(end, EachIs::KnownInRun)
    }

    fn with_each(&self, end: &NodeId, each: EachIs) -> Self {
        let part_of = Some((end.clone(), EdgeReason::ForEach));
        Self {
            scope: Arc::new(LexicalScope { each, ..LexicalScope::clone(&self.scope) }),
            structure: StructureLinks { gate: self.gate(), part_of, after: None }.shared(),
        }
    }
}
