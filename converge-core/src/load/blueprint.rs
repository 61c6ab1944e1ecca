//! Blueprints: the checked declarations of a file, from which every use of the module makes its nodes.

use std::sync::Arc;

use super::declaration::{Completeness, DeclaredDependencies, Lifecycle};
use super::references::NameUse;
use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Attribute, Input, ParamRules, Role};
use crate::sdk::registry::ResourceType;
use crate::types::hash::NameIndexMap;
use crate::types::id::NodeId;

/// The content of a module file.
///
/// It depends only on the name and text of the file and on the registered types, not on anything else of the
/// load.
#[derive(Debug)]
pub(super) struct ModuleContent {
    pub(super) items: Vec<Blueprint>,
    /// The parameters by name, as indexes into `items`.
    pub(super) params: NameIndexMap<String, usize>,
}

#[derive(Debug)]
pub(super) enum Blueprint {
    Resource(ResourceBlueprint),
    /// A module call, boxed because it is larger than a resource, the most frequent case.
    Module(Box<CallBlueprint>),
    Switch(SwitchBlueprint),
}

/// A resource or a parameter that exists in every use of its module; the uses share its large parts.
#[derive(Clone, Debug)]
pub(super) struct ResourceBlueprint {
    /// The ID in the root module, where most resources are: `root/file.content.motd`.
    pub(super) id: NodeId,
    pub(super) resource: Arc<ResourceType>,
    pub(super) role: Role,
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) references: Arc<[NameUse]>,
    /// The arguments of the block; nearly all resources have none.
    pub(super) arguments: Option<Arc<ResourceArguments>>,
    pub(super) span: Option<Span>,
}

/// The settings of a resource other than its fields.
#[derive(Debug)]
pub(super) struct ResourceArguments {
    pub(super) group: Option<Arc<str>>,
    /// The rules for the value of a parameter.
    pub(super) rules: Option<Arc<ParamRules>>,
    pub(super) lifecycle: Lifecycle,
    pub(super) dependencies: Option<Arc<DeclaredDependencies>>,
}

impl ResourceArguments {
    /// Wraps the arguments in an `Arc`; returns `None` if none is set.
    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let any = self.group.is_some()
            || self.rules.is_some()
            || self.lifecycle.is_written()
            || self.dependencies.is_some();
        any.then(|| Arc::new(self))
    }
}

impl ResourceBlueprint {
    /// Returns the rules for the value of a parameter.
    pub(super) fn rules(&self) -> Option<&Arc<ParamRules>> {
        self.arguments.as_ref()?.rules.as_ref()
    }

    /// Returns the name within the container: `file.content.motd`.
    pub(super) fn name(&self) -> &str {
        self.id.short()
    }

    /// Returns the ID within a container.
    pub(super) fn id_in(&self, container: &NodeId) -> NodeId {
        if container.is_root() { self.id.clone() } else { container.child(self.name()) }
    }
}

#[derive(Debug)]
pub(super) struct CallBlueprint {
    /// The name within the container: `module.web`.
    pub(super) name: String,
    pub(super) source: Spanned,
    pub(super) params: NameIndexMap<Arc<str>, CallArgument>,
    pub(super) lifecycle: Lifecycle,
    pub(super) dependencies: Option<Arc<DeclaredDependencies>>,
    /// The references in `when`.
    pub(super) references: Arc<[NameUse]>,
    pub(super) span: Span,
    pub(super) completeness: Completeness,
}

/// An argument that a module call passes to a parameter.
#[derive(Debug)]
pub(super) struct CallArgument {
    pub(super) name: Spanned,
    /// The attributes that replace the default of the parameter's node.
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) references: Arc<[NameUse]>,
}

#[derive(Debug)]
pub(super) struct SwitchBlueprint {
    /// The name within the container: `switch.os`.
    pub(super) name: String,
    pub(super) cases: Vec<CaseBlueprint>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct CaseBlueprint {
    /// The name within the switch: `case.linux`.
    pub(super) name: String,
    /// The predicate; `None` for the default case.
    pub(super) predicate: Option<Input>,
    pub(super) references: Arc<[NameUse]>,
    pub(super) resources: Vec<ResourceBlueprint>,
    pub(super) span: Span,
}
