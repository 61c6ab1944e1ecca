//! Expansion of blueprints to nodes: every module call, case and instance gets its own nodes.
//!
//! Modules and switches have an end node that waits for everything inside, so that waiting for all of it
//! takes one edge. A gate decides whether they are handled, and everything inside waits for the gate. The
//! number of these edges is therefore proportional to the number of nodes.

mod call;
mod expander;
mod for_each;
mod meta_arguments;
mod switch;

use std::sync::Arc;

use indexmap::IndexMap;

use self::expander::{Caller, NodeContainer, ParamSource};
use self::for_each::Items;
use super::errors;
use super::parameters::GivenParam;
use crate::analysis::constants::Constants;
use crate::analysis::secrets;
use crate::diagnostic::{SourceMap, close_names};
use crate::files::module_file::{ModuleFile, TakenItem};
use crate::files::module_files::ModuleFiles;
use crate::graph::{
    EachIs, Input, LexicalScope, Meta, Module, Node, ParamMeta, ParamOrigin, PathNames, Role,
};
use crate::model::blueprint::{Blueprint, CallBlueprint, ResourceBlueprint};
use crate::model::declaration::Completeness;
use crate::model::draft::{NodeDraft, UnresolvedLinks};
use crate::model::problems::Problems;
use crate::model::purpose::Purpose;
use crate::redact::Redactor;
use crate::types::local::LOCAL;
use crate::types::param;
use crate::types::type_table::TypeTable;
use converge_source::Sources;
use converge_value::types::id::NodeId;
use converge_value::types::visibility::Visible;

pub(super) use self::expander::Expander;

impl Expander<'_> {
    /// Creates the nodes of the loaded module and of all modules it calls.
    pub(super) fn root(
        mut self,
        file: ModuleFile,
        params: &IndexMap<Arc<str>, GivenParam>,
        visible: Arc<Visible>,
        paths: PathNames,
    ) -> (Vec<NodeDraft>, SourceMap) {
        let module = Module {
            id: NodeId::root(),
            source: Arc::clone(file.origin.name()),
            directory: file.origin.directory(),
            root: file.origin.directory(),
            call: None,
            tags: Arc::default(),
            environment: Arc::default(),
            optional: false,
            files: self.files.sources.files_of(file.origin.source()),
            visible,
            paths: Arc::new(paths),
        };
        let scope = Arc::new(LexicalScope {
            container: NodeId::root(),
            module: Arc::new(module),
            each: EachIs::Nothing,
        });
        for GivenParam { name, origin, .. } in params.values() {
            // Environment variables may be meant for another module, so unknown ones are ignored.
            if file.has_param(name) || matches!(origin, ParamOrigin::Environment { .. }) {
                continue;
            }
            let unexpected = errors::param::unexpected(name, file.origin.name(), file.param_names(), None);
            self.report(match origin {
                // One file may hold the parameters of several modules.
                ParamOrigin::File { .. } => errors::param::ignored(unexpected, origin),
                _ => unexpected,
            });
        }
        self.chain.push(Caller::new(&file, None));
        let container = NodeContainer { scope, structure: None };
        self.params(&file, &container, &ParamSource::Root(params));
        file.into_items(|item| match item {
            TakenItem::Owned(item) => self.owned_item(item, &container),
            TakenItem::Shared(item) => self.item(item, &container),
        });
        (numbered(self.drafts), self.files.map)
    }

    fn module(&mut self, file: &ModuleFile, container: &NodeContainer, values: &ParamSource<'_>) {
        self.params(file, container, values);
        file.items().for_each(|item| self.item(item, container));
    }

    /// Creates the parameters and locals of a module, and reserves capacity for its other nodes.
    fn params(&mut self, file: &ModuleFile, container: &NodeContainer, values: &ParamSource<'_>) {
        self.make_room(file.len());
        // Parameters come first because `for_each` may use parameters that are declared later.
        for param in file.params() {
            self.param(file, param, container, values);
        }
        for item in file.items() {
            if let Blueprint::Resource(local) = item
                && local.resource.name() == LOCAL
            {
                self.local(local, container);
            }
        }
    }

    /// Expands an item of a module other than a parameter.
    fn item(&mut self, item: &Blueprint, container: &NodeContainer) {
        match item {
            Blueprint::Resource(blueprint) if blueprint.role == Role::Param => {}
            Blueprint::Resource(blueprint) => self.resource(blueprint.clone(), container),
            Blueprint::Module(call) => self.call(call, container),
            Blueprint::Switch(switch) => self.switch(switch, container),
        }
    }

    /// Expands an item of a module that is used only once, without cloning it.
    fn owned_item(&mut self, item: Blueprint, container: &NodeContainer) {
        match item {
            Blueprint::Resource(blueprint) if blueprint.role != Role::Param => {
                self.resource(blueprint, container);
            }
            other => self.item(&other, container),
        }
    }

    fn local(&mut self, blueprint: &ResourceBlueprint, container: &NodeContainer) {
        let id = blueprint.id_in(&container.scope.container);
        let Some(draft) = self.instance(blueprint.clone(), id, container) else { return };
        self.constants.declare(&draft.node);
        self.drafts.push(draft);
    }

    fn param(
        &mut self,
        file: &ModuleFile,
        blueprint: &ResourceBlueprint,
        container: &NodeContainer,
        values: &ParamSource<'_>,
    ) {
        let name = blueprint.name().split_once('.').map_or("", |(_, name)| name);
        let id = blueprint.id_in(&container.scope.container);
        let Some(mut draft) = self.instance(blueprint.clone(), id, container) else { return };
        let declared = (blueprint.rules().map(|rules| &**rules), blueprint.span);
        let missing = |caller| errors::param::missing(name, file.origin.name(), caller, declared);
        let has_default = draft.node.param_value().is_some();
        match values {
            ParamSource::Root(params) => {
                if let Some(argument) = params.get(name) {
                    let redactor = self.files.map.redactor();
                    if draft.node.is_sensitive() {
                        redactor.hide_value(&argument.value);
                    } else if let Some(text) = argument.value.as_str() {
                        redactor.hide_credentials(text);
                    }
                    self.problems.diagnostics.extend(param::give(&mut draft.node, argument).err());
                    draft.links.references = None;
                } else if self.constants.purpose() == Purpose::Run && !has_default {
                    self.report(missing(None));
                }
            }
            ParamSource::Call(call, scope) => {
                if let Some(argument) = call.params.get(name) {
                    if draft.node.is_sensitive() {
                        let map = &mut self.files.map;
                        argument.attributes.iter().for_each(|attribute| secrets::hide_place(attribute, map));
                    }
                    draft.node.attributes = param::given_by_call(&draft.node, &argument.attributes);
                    draft.node.scope = Arc::clone(scope);
                    draft.links.references = Some(Arc::clone(&argument.references));
                } else if !has_default && !may_give(call, file, name) {
                    self.report(missing(Some((&scope.module.source, call.span))));
                }
            }
        }
        self.constants.declare(&draft.node);
        self.drafts.push(draft);
    }

    /// Creates a resource, or its instances if it has a `for_each`.
    fn resource(&mut self, blueprint: ResourceBlueprint, container: &NodeContainer) {
        let id = blueprint.id_in(&container.scope.container);
        let arguments = blueprint.arguments.clone();
        let for_each = arguments.as_ref().and_then(|arguments| arguments.lifecycle.for_each.as_ref());
        let Some(for_each) = for_each else {
            let draft = self.instance(blueprint, id, container);
            self.drafts.extend(draft);
            return;
        };
        let items = match self.items(for_each, &container.scope) {
            Items::Known(items) => items,
            Items::KnownInRun => return self.deferred(blueprint, &id, for_each, container),
            // References to the resource must not be reported: its absence is already explained, or a run
            // will resolve it.
            Items::None => return self.problems.unresolved.add_path(blueprint.name()),
        };
        self.end_of_instances(&id, &blueprint.resource, blueprint.span, container);
        self.make_room(items.len());
        for item in items {
            let id_of_each = id.instance(&item.key);
            let draft = self.instance(blueprint.clone(), id_of_each, &container.instance(&id, item));
            self.drafts.extend(draft);
        }
    }

    /// Creates a resource whose instances only a run knows: an end node and the pattern of the instances.
    fn deferred(
        &mut self,
        blueprint: ResourceBlueprint,
        id: &NodeId,
        for_each: &Input,
        container: &NodeContainer,
    ) {
        let (resource, span) = (Arc::clone(&blueprint.resource), blueprint.span);
        let pattern = self.instance(blueprint, id.pattern(), &container.pattern(id));
        let Some(pattern) = pattern else { return };
        // These settings of the instances also apply to the end node that represents them.
        let meta = pattern.node.meta.as_deref();
        let (optional, tags) = meta.map(|meta| (meta.optional, meta.tags.clone())).unwrap_or_default();
        let meta = Meta { optional, tags, ..Meta::default() };
        self.end_of_deferred((id, &resource, span), for_each, meta, container);
        self.drafts.push(pattern);
    }

    /// Creates one resource node; returns `None` if the limit is reached.
    fn instance(
        &mut self,
        blueprint: ResourceBlueprint,
        id: NodeId,
        container: &NodeContainer,
    ) -> Option<NodeDraft> {
        let ResourceBlueprint { resource, role, attributes, references, arguments, span, .. } = blueprint;
        self.reserve(span)?;
        let mut node = Node {
            id,
            resource,
            role,
            attributes,
            scope: Arc::clone(&container.scope),
            group: None,
            meta: None,
            span,
            declared: 0,
        };
        let mut links = UnresolvedLinks { references: Some(references), ..container.links() };
        if let Some(arguments) = arguments {
            let lifecycle = &arguments.lifecycle;
            let meta = Meta {
                when: lifecycle.when.as_deref().cloned(),
                timeout: self.timeout(lifecycle, &container.scope),
                retry: self.retry(lifecycle, &container.scope),
                optional: self.optional(lifecycle, &container.scope),
                environment: self.environment(lifecycle, &container.scope),
                tags: lifecycle.tags.clone(),
                param: ParamMeta { rules: arguments.rules.clone(), given: None },
                deferred: None,
            };
            node.meta = meta.into_box();
            node.group.clone_from(&arguments.group);
            links.dependencies.clone_from(&arguments.dependencies);
        }
        Some(NodeDraft { node, links })
    }
}

/// Returns whether a call may have intended to set a parameter.
///
/// This is the case if a part of the call could not be parsed, or if it sets a similar unknown name.
fn may_give(call: &CallBlueprint, file: &ModuleFile, name: &str) -> bool {
    /// The maximum number of compared names; a call with more unknown names counts as misspelt.
    const COMPARED: usize = 64;
    let mut unknown = call.params.keys().filter(|param| !file.has_param(param));
    call.completeness == Completeness::Partial
        || unknown.by_ref().take(COMPARED).any(|param| !close_names(param, [name]).is_empty())
        || unknown.next().is_some()
}

/// Creates the nodes of a graph built in Rust, which contains resources but no modules.
pub(super) fn resources(
    types: &TypeTable<'_>,
    items: Vec<Blueprint>,
    constants: &mut Constants,
    problems: &mut Problems,
) -> (Vec<NodeDraft>, SourceMap) {
    let sources = Sources::new();
    let files = ModuleFiles::new(types, &sources, &Redactor::new(), constants.shared_budget());
    let mut expander = Expander::new(types, files, constants, problems);
    let container = NodeContainer { scope: LexicalScope::root(), structure: None };
    for item in items {
        if let Blueprint::Resource(blueprint) = item {
            expander.resource(blueprint, &container);
        }
    }
    for draft in &expander.drafts {
        expander.constants.declare(&draft.node);
    }
    (numbered(expander.drafts), expander.files.map)
}

/// Numbers the nodes in the order of their declaration, which is the order of their creation.
fn numbered(mut drafts: Vec<NodeDraft>) -> Vec<NodeDraft> {
    for (number, draft) in (0..).zip(&mut drafts) {
        draft.node.declared = number;
    }
    drafts
}
