//! Blueprints: the checked declarations of a file, from which every use of the module makes its nodes.

use std::sync::Arc;

use super::declaration::{Completeness, DeclaredDependencies, Lifecycle};
use super::references::NameUse;
use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Attribute, Input, ParamRules, Role};
use crate::sdk::registry::ResourceType;
use converge_value::types::hash::NameIndexMap;
use converge_value::types::id::NodeId;

/// The content of a module file.
///
/// It depends only on the name and text of the file and on the registered types, not on anything else of the
/// load.
#[derive(Debug)]
pub(crate) struct ModuleContent {
    pub(crate) items: Vec<Blueprint>,
    /// The parameters by name, as indexes into `items`.
    pub(crate) params: NameIndexMap<String, usize>,
}

#[derive(Debug)]
pub(crate) enum Blueprint {
    Resource(ResourceBlueprint),
    /// A module call, boxed because it is larger than a resource, the most frequent case.
    Module(Box<CallBlueprint>),
    Switch(SwitchBlueprint),
}

/// A resource or a parameter that exists in every use of its module; the uses share its large parts.
#[derive(Clone, Debug)]
pub(crate) struct ResourceBlueprint {
    /// The ID in the root module, where most resources are: `root/file.content.motd`.
    pub(crate) id: NodeId,
    pub(crate) resource: Arc<ResourceType>,
    pub(crate) role: Role,
    pub(crate) attributes: Arc<Vec<Attribute>>,
    pub(crate) references: Arc<[NameUse]>,
    /// The arguments of the block; nearly all resources have none.
    pub(crate) arguments: Option<Arc<ResourceArguments>>,
    pub(crate) span: Option<Span>,
}

/// The settings of a resource other than its fields.
#[derive(Debug)]
pub(crate) struct ResourceArguments {
    pub(crate) group: Option<Arc<str>>,
    /// The rules for the value of a parameter.
    pub(crate) rules: Option<Arc<ParamRules>>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) dependencies: Option<Arc<DeclaredDependencies>>,
}

impl ResourceArguments {
    /// Wraps the arguments in an `Arc`; returns `None` if none is set.
    pub(crate) fn shared(self) -> Option<Arc<Self>> {
        let is_needed = self.group.is_some()
            || self.rules.is_some()
            || self.lifecycle.is_written()
            || self.dependencies.is_some();
        is_needed.then(|| Arc::new(self))
    }
}

impl ResourceBlueprint {
    /// Returns the rules for the value of a parameter.
    pub(crate) fn rules(&self) -> Option<&Arc<ParamRules>> {
        self.arguments.as_ref()?.rules.as_ref()
    }

    /// Returns the name within the container: `file.content.motd`.
    pub(crate) fn name(&self) -> &str {
        self.id.short()
    }

    /// Returns the ID within a container.
    pub(crate) fn id_in(&self, container: &NodeId) -> NodeId {
        if container.is_root() { self.id.clone() } else { container.child(self.name()) }
    }
}

#[derive(Debug)]
pub(crate) struct CallBlueprint {
    /// The name within the container: `module.web`.
    pub(crate) name: String,
    pub(crate) source: Spanned,
    pub(crate) params: NameIndexMap<Arc<str>, CallArgument>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) dependencies: Option<Arc<DeclaredDependencies>>,
    /// The references in `when`.
    pub(crate) references: Arc<[NameUse]>,
    pub(crate) span: Span,
    pub(crate) completeness: Completeness,
}

/// An argument that a module call passes to a parameter.
#[derive(Debug)]
pub(crate) struct CallArgument {
    pub(crate) name: Spanned,
    /// The attributes that replace the default of the parameter's node.
    pub(crate) attributes: Arc<Vec<Attribute>>,
    pub(crate) references: Arc<[NameUse]>,
}

#[derive(Debug)]
pub(crate) struct SwitchBlueprint {
    /// The name within the container: `switch.os`.
    pub(crate) name: String,
    pub(crate) cases: Vec<CaseBlueprint>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct CaseBlueprint {
    /// The name within the switch: `case.linux`.
    pub(crate) name: String,
    /// The predicate; `None` for the default case.
    pub(crate) predicate: Option<Input>,
    pub(crate) references: Arc<[NameUse]>,
    pub(crate) resources: Vec<ResourceBlueprint>,
    pub(crate) span: Span,
}
