//! From what files declare to nodes: every call of a module, every case and every instance gets nodes of its own.
//!
//! Modules and switches have an end, which waits for everything in them, so that to wait for all of it takes one
//! edge. What decides whether they are handled at all is a gate, which everything in them waits for. So the edges
//! of all this are as many as the nodes.

mod call;
mod evaluate;
mod repeat;
mod switch;

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use super::Purpose;
use super::blueprint::{Blueprint, ModuleFile, Planned, PlannedCall};
use super::declaration::State;
use super::error::{ModuleError, ParamError};
use super::files::{Files, Origin};
use super::given::GivenParam;
use super::lost::Lost;
use super::param;
use super::placed::{Placed, Wiring};
use super::source::Sources;
use super::statics::Statics;
use crate::graph::{EdgeReason, Meta, Module, Node, NodeId, ParamMeta, ParamOrigin, Role, Site};
use crate::registry::Registry;
use crate::report::{Diagnostic, Diagnostics, SourceMap, Span, close_names};

/// How many nodes a load may make. A few files that call each other twice each would otherwise make more than
/// any machine can hold.
const MAX_NODES: usize = 1_000_000;

/// Makes the nodes of a load.
pub(super) struct Expander<'a> {
    registry: &'a Registry,
    files: Files<'a>,
    /// What is known of parameters.
    statics: &'a mut Statics,
    lost: &'a mut Lost,
    diagnostics: &'a mut Diagnostics,
    placed: Vec<Placed>,
    /// The modules around the one at hand, from the root on, each with the place where it is called.
    chain: Vec<(Origin, Option<Span>)>,
    room: Room,
}

/// Whether there may be more nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Left,
    None,
}

/// Where declarations become nodes.
struct Place {
    site: Arc<Site>,
    gate: Option<NodeId>,
    /// The end that waits for what is here, and why.
    end: Option<(NodeId, EdgeReason)>,
}

/// Where the values of parameters come from.
pub(super) enum Outside<'a> {
    /// From outside of the load.
    Root { params: &'a IndexMap<Arc<str>, GivenParam>, purpose: Purpose },
    /// From a call, which is written at this site.
    Call { call: &'a PlannedCall, site: &'a Arc<Site> },
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        registry: &'a Registry,
        files: Files<'a>,
        statics: &'a mut Statics,
        lost: &'a mut Lost,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let (placed, chain) = (Vec::new(), Vec::new());
        Self { registry, files, statics, lost, diagnostics, placed, chain, room: Room::Left }
    }

    /// Makes the nodes of the module that is loaded, and of all that it calls.
    pub(super) fn root(mut self, file: &ModuleFile, outside: &Outside<'_>) -> (Vec<Placed>, SourceMap) {
        let module = Module {
            id: NodeId::root(),
            source: Arc::clone(file.origin.name()),
            directory: file.origin.directory(),
            call: None,
        };
        let site = Arc::new(Site { container: NodeId::root(), module: Arc::new(module), each: None });
        if let Outside::Root { params, .. } = outside {
            let unexpected = params.values().filter(|given| {
                // The environment may be meant for another module.
                !file.params.contains_key(&*given.name)
                    && !matches!(given.origin, ParamOrigin::Environment { .. })
            });
            for GivenParam { name, .. } in unexpected {
                let known = file.params.keys().cloned().collect();
                let module = file.origin.name().to_string();
                self.report(ParamError::Unexpected { name: name.to_string(), module, known });
            }
        }
        self.chain.push((file.origin.clone(), None));
        self.module(file, &Place { site, gate: None, end: None }, outside);
        (self.placed, self.files.map)
    }

    fn report(&mut self, error: impl Into<Diagnostic>) {
        self.diagnostics.push(error.into());
    }

    /// Everything in a module.
    fn module(&mut self, file: &ModuleFile, place: &Place, outside: &Outside<'_>) {
        // `for_each` may use parameters that are declared later.
        let params = file.params.values().filter_map(|at| file.items.get(*at));
        for item in params {
            if let Planned::Resource(param) = item {
                self.param(file, param, place, outside);
            }
        }
        for item in &file.items {
            match item {
                Planned::Resource(blueprint) if blueprint.resource.name() == param::NAME => {}
                Planned::Resource(blueprint) => self.resource(blueprint, place),
                Planned::Module(call) => self.call(call, place),
                Planned::Switch(switch) => self.switch(switch, place),
            }
        }
    }

    fn param(&mut self, file: &ModuleFile, blueprint: &Blueprint, place: &Place, outside: &Outside<'_>) {
        let name = blueprint.name.split_once('.').map_or("", |(_, name)| name);
        let Some(mut placed) = self.instance(blueprint, place.site.container.child(&blueprint.name), place)
        else {
            return;
        };
        match outside {
            Outside::Root { params, purpose } => {
                if let Some(given) = params.get(name) {
                    self.diagnostics.extend(param::give(&mut placed.node, given).err());
                    placed.wiring.references = None;
                } else if *purpose == Purpose::Run && !param::has_value(&placed.node) {
                    let module = file.origin.name().to_string();
                    self.report(ParamError::Missing {
                        name: name.to_owned(),
                        module,
                        description: description(&placed.node),
                        span: blueprint.span,
                    });
                }
            }
            Outside::Call { call, site } => {
                if let Some(given) = call.params.get(name) {
                    placed.node.attributes = param::given_by_call(&placed.node, &given.attributes);
                    placed.node.site = Arc::clone(site);
                    placed.wiring.references = Some(Rc::clone(&given.references));
                } else if !param::has_value(&placed.node) && !may_give(call, file, name) {
                    self.report(ModuleError::MissingParam {
                        name: name.to_owned(),
                        module: file.origin.name().to_string(),
                        description: description(&placed.node),
                        caller: site.module.source.to_string(),
                        call: call.span,
                        param: blueprint.span,
                    });
                }
            }
        }
        self.statics.declare(&placed.node);
        self.placed.push(placed);
    }

    /// A resource, or as many as its `for_each` says.
    fn resource(&mut self, blueprint: &Blueprint, place: &Place) {
        let id = place.site.container.child(&blueprint.name);
        let Some(for_each) = &blueprint.handling.for_each else {
            let placed = self.instance(blueprint, id, place);
            self.placed.extend(placed);
            return;
        };
        let Some(items) = self.items(for_each, &place.site) else {
            // What names it has been told why it is not there.
            self.lost.add_path(&blueprint.name);
            return;
        };
        self.end_of_instances(id.clone(), &blueprint.resource, blueprint.span, place);
        for each in items {
            let id_of_each = id.instance(&each.key);
            let inner = Place {
                site: Arc::new(Site { each: Some(each), ..Site::clone(&place.site) }),
                gate: place.gate.clone(),
                end: Some((id.clone(), EdgeReason::ForEach)),
            };
            let placed = self.instance(blueprint, id_of_each, &inner);
            self.placed.extend(placed);
        }
    }

    /// One resource. `None` when there is no room for it.
    fn instance(&mut self, blueprint: &Blueprint, id: NodeId, place: &Place) -> Option<Placed> {
        self.room_for_one(blueprint.span)?;
        let meta = Meta {
            when: blueprint.handling.when.clone(),
            timeout: self.timeout(&blueprint.handling, &place.site),
            retry: self.retry(&blueprint.handling, &place.site),
            param: ParamMeta { rules: blueprint.rules.clone(), given: None },
        };
        let node = Node {
            id,
            resource: Arc::clone(&blueprint.resource),
            role: Role::Resource,
            attributes: Arc::clone(&blueprint.attributes),
            site: Arc::clone(&place.site),
            group: blueprint.group.clone(),
            meta: meta.into_box(),
            span: blueprint.span,
        };
        let wiring = Wiring {
            waits: blueprint.waits.clone(),
            references: Some(Rc::clone(&blueprint.references)),
            ..place.wiring()
        };
        Some(Placed { node, wiring })
    }

    /// Counts a node. `None` when there may be no more, which is reported once.
    fn room_for_one(&mut self, span: Option<Span>) -> Option<()> {
        if self.placed.len() < MAX_NODES {
            return Some(());
        }
        if std::mem::replace(&mut self.room, Room::None) == Room::Left {
            self.report(ModuleError::TooMany { limit: MAX_NODES, span });
        }
        None
    }
}

impl Place {
    /// What every node here has.
    fn wiring(&self) -> Wiring {
        Wiring { gate: self.gate.clone(), part_of: self.end.clone(), ..Wiring::default() }
    }

    /// A node of the structure of the language here.
    fn structure(
        &self,
        id: NodeId,
        role: Role,
        resource: &Arc<crate::registry::ResourceType>,
        span: Option<Span>,
    ) -> Node {
        Node {
            id,
            resource: Arc::clone(resource),
            role,
            attributes: Arc::default(),
            site: Arc::clone(&self.site),
            group: None,
            meta: None,
            span,
        }
    }
}

/// What a parameter is for.
fn description(param: &Node) -> Option<Arc<str>> {
    param.param_rules()?.description.clone()
}

/// Whether a call seems to give a parameter a value, if what has been reported of it were right: a part of it
/// could not be read, or there is a name that nearly is that of the parameter.
fn may_give(call: &PlannedCall, file: &ModuleFile, name: &str) -> bool {
    let mut unknown = call.params.keys().filter(|given| !file.params.contains_key(&***given));
    call.state == State::Damaged || unknown.any(|given| !close_names(given, [name]).is_empty())
}

/// The nodes of a graph that is built in Rust: resources, and no modules.
pub(super) fn resources(
    registry: &Registry,
    planned: &[Planned],
    statics: &mut Statics,
    lost: &mut Lost,
    diagnostics: &mut Diagnostics,
) -> Vec<Placed> {
    let sources = Sources::new();
    let mut expander = Expander::new(registry, Files::new(registry, &sources), statics, lost, diagnostics);
    let place = Place { site: Site::root(), gate: None, end: None };
    for item in planned {
        if let Planned::Resource(blueprint) = item {
            expander.resource(blueprint, &place);
        }
    }
    for placed in &expander.placed {
        expander.statics.declare(&placed.node);
    }
    expander.placed
}
