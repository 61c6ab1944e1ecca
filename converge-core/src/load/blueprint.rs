//! What a file declares, checked once, however often it is called: from this the nodes of each use are made.

use std::sync::Arc;

use super::declaration::{Completeness, DeclaredDependencies, Lifecycle};
use super::references::NameUse;
use super::spanned_text::Spanned;
use crate::diagnostic::Span;
use crate::graph::{Attribute, Input, ParamRules, Role};
use crate::sdk::registry::ResourceType;
use crate::types::hash::NameIndexMap;
use crate::types::id::NodeId;

/// What a module file declares: all that follows from its name and text and from the types that there are, and from nothing else
/// of a load.
#[derive(Debug)]
pub(super) struct ModuleContent {
    pub(super) items: Vec<Blueprint>,
    /// Its parameters, by name: where each is in `items`.
    pub(super) params: NameIndexMap<String, usize>,
}

#[derive(Debug)]
pub(super) enum Blueprint {
    Resource(ResourceBlueprint),
    /// Boxed, as it is larger than the many resources.
    Module(Box<CallBlueprint>),
    Switch(SwitchBlueprint),
}

/// A resource, or a parameter, that is wherever its module is used. What is large in it is shared by all these uses.
#[derive(Clone, Debug)]
pub(super) struct ResourceBlueprint {
    /// Its id in the root module, where most are: `root/file.content.motd`.
    pub(super) id: NodeId,
    pub(super) resource: Arc<ResourceType>,
    pub(super) role: Role,
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) references: Arc<[NameUse]>,
    /// Nearly all resources have none.
    pub(super) arguments: Option<Arc<ResourceArguments>>,
    pub(super) span: Option<Span>,
}

/// What a resource has beside its fields.
#[derive(Debug)]
pub(super) struct ResourceArguments {
    pub(super) group: Option<Arc<str>>,
    /// What a parameter asks of its value.
    pub(super) rules: Option<Arc<ParamRules>>,
    pub(super) lifecycle: Lifecycle,
    pub(super) dependencies: Option<Arc<DeclaredDependencies>>,
}

impl ResourceArguments {
    /// `None` when there is none of it.
    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let any = self.group.is_some()
            || self.rules.is_some()
            || self.lifecycle.is_written()
            || self.dependencies.is_some();
        any.then(|| Arc::new(self))
    }
}

impl ResourceBlueprint {
    /// What a parameter asks of its value.
    pub(super) fn rules(&self) -> Option<&Arc<ParamRules>> {
        self.arguments.as_ref()?.rules.as_ref()
    }

    /// Its name within its container: `file.content.motd`.
    pub(super) fn name(&self) -> &str {
        self.id.short()
    }

    /// Its id in a container.
    pub(super) fn id_in(&self, container: &NodeId) -> NodeId {
        if container.is_root() { self.id.clone() } else { container.child(self.name()) }
    }
}

#[derive(Debug)]
pub(super) struct CallBlueprint {
    /// Its name within its container: `module.web`.
    pub(super) name: String,
    pub(super) source: Spanned,
    pub(super) params: NameIndexMap<Arc<str>, CallArgument>,
    pub(super) lifecycle: Lifecycle,
    pub(super) dependencies: Option<Arc<DeclaredDependencies>>,
    /// Of `when`.
    pub(super) references: Arc<[NameUse]>,
    pub(super) span: Span,
    pub(super) completeness: Completeness,
}

/// What a call gives to a parameter.
#[derive(Debug)]
pub(super) struct CallArgument {
    pub(super) name: Spanned,
    /// What the parameter's node has instead of its default.
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) references: Arc<[NameUse]>,
}

#[derive(Debug)]
pub(super) struct SwitchBlueprint {
    /// Its name within its container: `switch.os`.
    pub(super) name: String,
    pub(super) cases: Vec<CaseBlueprint>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct CaseBlueprint {
    /// Its name within its switch: `case.linux`.
    pub(super) name: String,
    /// `None` of the default.
    pub(super) predicate: Option<Input>,
    pub(super) references: Arc<[NameUse]>,
    pub(super) resources: Vec<ResourceBlueprint>,
    pub(super) span: Span,
}
