//! Warnings about unused parameters and locals, for inspection and not for runs.
//!
//! All written references count, in whatever case or instance. The result therefore does not depend on
//! parameter values. A called module may also look up names of its caller, which the graph shows.

use std::collections::BTreeSet;

use super::module_file::ModuleFile;
use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, Input, InputKind, Role};
use crate::language::template::ReferenceTarget;
use crate::model::blueprint::{Blueprint, CallBlueprint, ResourceArguments, ResourceBlueprint};
use crate::model::declaration::{Constant, DeclaredDependencies, Lifecycle};
use crate::model::references::NameUse;
use crate::types::local::LOCAL;
use converge_value::types::local_path::local_name;

/// The first part of the paths of parameters.
const PARAM: &str = "param";

/// A declaration that its module does not use.
pub(crate) struct Unused {
    /// The ID, such as `root/param.port`.
    id: String,
    warning: Diagnostic,
}

impl Unused {
    /// Returns the warning, unless another module uses the declaration.
    pub(crate) fn warning_in(self, graph: &Graph) -> Option<Diagnostic> {
        let is_used = graph.find(&self.id).is_some_and(|index| !graph.dependents(index).is_empty());
        (!is_used).then_some(self.warning)
    }
}

/// Returns the parameters and locals of the loaded module that are not named in it.
///
/// Names that begin with `_` are never reported, and nothing is reported if a template computes a name.
pub(crate) fn find(file: &ModuleFile) -> Vec<Unused> {
    let mut uses = Uses::default();
    file.items().for_each(|item| uses.item(item));
    if uses.has_computed {
        return Vec::new();
    }
    let declared = file.items().filter_map(|item| match item {
        Blueprint::Resource(blueprint) => declared(blueprint),
        _ => None,
    });
    declared
        .filter(|(_, name, _)| !name.starts_with('_'))
        .filter(|(kind, name, _)| !uses.names.contains(&format!("{kind}.{name}")))
        .map(|(kind, name, blueprint)| unused(kind, name, blueprint))
        .collect()
}

/// Returns the kind, the name and the blueprint of a parameter or a local.
fn declared(blueprint: &ResourceBlueprint) -> Option<(&'static str, &str, &ResourceBlueprint)> {
    let kind = match blueprint.role {
        Role::Param if blueprint.resource.name() == LOCAL => LOCAL,
        Role::Param => PARAM,
        _ => return None,
    };
    let (_, name) = blueprint.name().split_once('.')?;
    Some((kind, name, blueprint))
}

fn unused(kind: &str, name: &str, blueprint: &ResourceBlueprint) -> Unused {
    let (noun, help) = if kind == PARAM {
        ("parameter", format!("remove it, or rename it to `_{name}` if callers still set it"))
    } else {
        ("value", format!("remove it, or use it as local.{name}"))
    };
    let message = format!("nothing uses the {noun} `{kind}.{name}`");
    let warning = Diagnostic::warning("unused", message).label(blueprint.span, "").help(help);
    Unused { id: format!("root/{}", blueprint.name()), warning }
}

/// The names that a module uses.
#[derive(Default)]
struct Uses {
    /// The used names, such as `param.port` and `local.url`.
    names: BTreeSet<String>,
    /// Whether a template computes a name, which could be any name.
    has_computed: bool,
}

impl Uses {
    fn item(&mut self, item: &Blueprint) {
        match item {
            Blueprint::Resource(resource) => self.resource(resource),
            Blueprint::Module(call) => self.call(call),
            Blueprint::Switch(switch) => {
                for case in &switch.cases {
                    self.references(&case.references);
                    case.resources.iter().for_each(|resource| self.resource(resource));
                }
            }
        }
    }

    fn resource(&mut self, resource: &ResourceBlueprint) {
        self.references(&resource.references);
        if let Some(ResourceArguments { lifecycle, dependencies, .. }) = resource.arguments.as_deref() {
            self.lifecycle(lifecycle);
            self.dependencies(dependencies.as_deref());
        }
    }

    fn call(&mut self, call: &CallBlueprint) {
        self.references(&call.references);
        call.params.values().for_each(|param| self.references(&param.references));
        self.lifecycle(&call.lifecycle);
        self.dependencies(call.dependencies.as_deref());
    }

    fn lifecycle(&mut self, lifecycle: &Lifecycle) {
        let Lifecycle { when, for_each, timeout, retry, optional, environment, tags: _ } = lifecycle;
        let retry = retry.as_ref().and_then(Constant::as_expression);
        let retry = retry.into_iter().flat_map(|retry| [&retry.attempts, &retry.delay, &retry.backoff]);
        let constant = [timeout.as_ref().and_then(Constant::as_expression)]
            .into_iter()
            .chain([optional.as_ref().and_then(Constant::as_expression)])
            .chain([environment.as_ref().and_then(Constant::as_expression)])
            .flatten();
        let conditions = when.as_deref().into_iter().chain(for_each.as_deref());
        conditions.chain(retry.flatten()).chain(constant).for_each(|input| self.input(input));
    }

    fn dependencies(&mut self, dependencies: Option<&DeclaredDependencies>) {
        let Some(DeclaredDependencies { depends, on_change_of, even_after }) = dependencies else { return };
        depends.iter().chain(on_change_of).chain(even_after).for_each(|name| self.path(&name.text));
    }

    fn input(&mut self, input: &Input) {
        input.for_each_leaf(&mut |leaf| {
            if let InputKind::Lookup(path) = &leaf.kind {
                self.path(path);
            }
            for reference in leaf.own_references() {
                self.target(&reference.target);
            }
        });
    }

    fn references(&mut self, uses: &[NameUse]) {
        for name in uses {
            self.target(&name.target);
        }
    }

    fn target(&mut self, target: &ReferenceTarget) {
        match target {
            ReferenceTarget::Param(name) => {
                self.names.insert(format!("{PARAM}.{name}"));
            }
            // The names in a file are not known here.
            ReferenceTarget::Computed | ReferenceTarget::TemplateFile(_) => self.has_computed = true,
            other => other.path().into_iter().for_each(|path| self.path(path)),
        }
    }

    /// Adds the beginning of a path if it is a parameter or a local.
    fn path(&mut self, path: &str) {
        let name_use = match (path.split_once('.'), local_name(path)) {
            (_, Some(name)) => Some((LOCAL, name)),
            (Some((kind @ (PARAM | LOCAL), rest)), None) => {
                Some((kind, rest.split(['.', '[']).next().unwrap_or(rest)))
            }
            _ => None,
        };
        self.names.extend(name_use.map(|(kind, name)| format!("{kind}.{name}")));
    }
}
