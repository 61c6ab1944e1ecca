//! Nodes: the declarations of a module, with parsed templates and resolved names.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::environment::Environment;
use super::input::{Attribute, Input, InputKind};
use super::param::{self, ParamMeta, ParamOrigin, ParamRules};
use super::pattern::Pattern;
use super::scope::{EachIs, LexicalScope};
use crate::diagnostic::Span;
use crate::sdk::registry::ResourceType;
use crate::types::id::NodeId;
use crate::types::tag::Tag;

/// A declared resource, or a structure node that contains resources.
#[derive(Debug)]
pub struct Node {
    /// The id, which is the path of the node.
    pub id: NodeId,
    /// The resource type.
    pub resource: Arc<ResourceType>,
    /// The role.
    pub role: Role,
    /// The inputs of its fields in source order, shared by the instances of a `for_each`.
    pub attributes: Arc<Vec<Attribute>>,
    /// The scope in which the inputs are evaluated.
    pub scope: Arc<LexicalScope>,
    /// The group whose lock the node holds while it is applied.
    pub group: Option<Arc<str>>,
    /// The other meta-arguments; most resources have none.
    pub meta: Option<Box<Meta>>,
    /// The span of the type and name of its block, or `None` if it was built in Rust.
    pub span: Option<Span>,
    /// The position of the declaration in the text.
    ///
    /// A module has the position of its call, and instances of a `for_each` follow the order of entries.
    /// Deferred instances have the position of their pattern node.
    #[doc(hidden)]
    pub declared: u32,
}

impl Node {
    /// Returns the value of this parameter: the default, or the value given instead.
    #[doc(hidden)]
    pub fn param_value(&self) -> Option<&Input> {
        param::value(&self.attributes)
    }

    /// Returns the span of the value of a field.
    pub(crate) fn span_of_field(&self, name: &str) -> Option<Span> {
        let (index, _) = self.resource.schema().field(name)?;
        let attribute = self.attributes.iter().find(|attribute| attribute.field == index)?;
        attribute.input.span.or(attribute.name_span)
    }

    /// Returns the tags by which a run can select the node, including those of enclosing modules.
    pub fn tags(&self) -> impl Iterator<Item = &Tag> {
        let own_tags = self.meta.as_ref().and_then(|meta| meta.tags.as_deref()).unwrap_or_default();
        own_tags.iter().chain(self.scope.module.tags.iter().filter(|tag| !own_tags.contains(tag)))
    }

    /// Whether all values of the node have been known since load.
    #[doc(hidden)]
    pub fn is_known(&self) -> bool {
        self.attributes.iter().all(|attribute| match &attribute.input.kind {
            InputKind::Value(_) => true,
            InputKind::Template(template) => template.known().is_some(),
            _ => false,
        })
    }

    /// Whether a run counts as a success even if the node fails.
    #[doc(hidden)]
    pub fn is_optional(&self) -> bool {
        self.scope.module.optional || self.meta.as_ref().is_some_and(|meta| meta.optional)
    }

    /// Returns the environment of the programs of the node, including variables of enclosing modules.
    pub fn environment(&self) -> &Arc<Environment> {
        let own_environment = self.meta.as_ref().and_then(|meta| meta.environment.as_ref());
        own_environment.unwrap_or(&self.scope.module.environment)
    }

    /// Returns the rules for the value of this parameter or output.
    pub fn param_rules(&self) -> Option<&ParamRules> {
        self.meta.as_ref()?.param.rules.as_deref()
    }

    /// Returns the description of this parameter or output.
    pub fn description(&self) -> Option<&str> {
        self.param_rules()?.description.as_deref()
    }

    /// Whether the node may be a copy of others, in a module that is called several times.
    ///
    /// Copies share their attributes. Instances of a `for_each` do too, but are not copies.
    #[doc(hidden)]
    pub fn may_be_copy(&self) -> bool {
        self.scope.each == EachIs::Nothing && Arc::strong_count(&self.attributes) > 1
    }

    /// Whether two nodes come from the same declaration in a module that is called several times.
    #[doc(hidden)]
    pub fn is_copy_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.attributes, &other.attributes) && self.may_be_copy() && other.may_be_copy()
    }

    /// Returns the field that an export most likely equals, if the export is not computed.
    ///
    /// It is the field of the same name. The task may change the value when it is prepared.
    #[doc(hidden)]
    pub fn field_of_export(&self, name: &str) -> Option<usize> {
        let schema = self.resource.schema();
        schema.exports.iter().find(|export| export.name == name && !export.computed)?;
        schema.field(name).map(|(index, _)| index)
    }

    /// Returns the pattern of this `for_each` if only a run knows its instances.
    pub fn deferred(&self) -> Option<&Deferred> {
        self.meta.as_ref()?.deferred.as_deref()
    }

    /// Whether this is a parameter or an output whose value is never shown.
    #[doc(hidden)]
    pub fn is_sensitive(&self) -> bool {
        self.param_rules().is_some_and(|rules| rules.sensitive)
    }

    /// Returns the origin of a value that was given to this parameter from outside.
    pub fn given(&self) -> Option<&ParamOrigin> {
        self.meta.as_ref()?.param.given.as_ref()
    }
}

/// The role of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A declared resource, which is prepared, checked and applied.
    Resource,
    /// A parameter of a module.
    Param,
    /// A value that a module provides to its caller.
    Output,
    /// The end of a module, reached when everything inside has ended. Exports the parameters and outputs.
    Module,
    /// The beginning of a module with `depends` or `when`, which all contents wait for. A gate.
    Begin,
    /// The end of a `switch`, reached when everything in its cases has ended.
    Switch,
    /// A case of a `switch`, taken if its `when` is true and no earlier case was taken. A gate.
    ///
    /// All contents of the case wait for it.
    Case,
    /// The end of a `for_each`, reached when every instance has ended.
    ForEach,
}

impl Role {
    /// Whether the node represents something on the machine.
    ///
    /// Only such nodes count as resources. Parameters, outputs and structure nodes are reported only if they
    /// fail.
    pub fn is_resource(self) -> bool {
        self == Self::Resource
    }

    /// Whether the node only contains resources. Such nodes change nothing.
    pub fn is_structure(self) -> bool {
        !matches!(self, Self::Resource | Self::Param | Self::Output)
    }

    /// Whether the node decides about dependents with [`EdgeReason::Gate`](super::EdgeReason::Gate).
    pub fn is_gate(self) -> bool {
        matches!(self, Self::Begin | Self::Case)
    }

    /// Whether the node is an end, which is done when its contents are, and decides nothing.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Module | Self::Switch | Self::ForEach)
    }

    /// Whether the node is left out together with the container around it.
    ///
    /// Parameters and outputs of a module that is left out may still be known and read by others.
    #[doc(hidden)]
    pub fn is_left_out_with_all(self) -> bool {
        self.is_resource() || self.is_end()
    }

    /// Whether modules can name the node.
    #[doc(hidden)]
    pub fn can_be_named(self) -> bool {
        self != Self::Begin
    }
}

/// Meta-arguments that few resources have.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    /// The condition for handling the node. For a case, the predicate; `default` has none.
    pub when: Option<Input>,
    /// The time limit for all work on the node, or for each attempt if there is a [`retry`](Self::retry).
    pub timeout: Option<Duration>,
    /// The reaction to failed work.
    pub retry: Option<Retry>,
    /// Whether a run counts as a success even if the node fails.
    pub optional: bool,
    /// The environment of the node, including that of enclosing modules.
    ///
    /// `None` if the node adds no variables to those of the modules.
    pub environment: Option<Arc<Environment>>,
    /// The tags of the node, without those of enclosing modules.
    pub tags: Option<Arc<[Tag]>>,
    /// Parameter: the rules for the value and its origin.
    pub param: ParamMeta,
    /// End of a deferred `for_each`: the pattern for the instances.
    pub deferred: Option<Box<Deferred>>,
}

/// The pattern of a `for_each` whose items depend on lookups or on the machine.
#[derive(Clone, Debug)]
pub struct Deferred {
    /// The input that gives the items.
    pub items: Input,
    /// The pattern that instances are created from.
    #[doc(hidden)]
    pub pattern: Arc<Pattern<Node>>,
}

impl Meta {
    /// Returns `None` if no meta-argument is set.
    #[doc(hidden)]
    pub fn into_box(self) -> Option<Box<Self>> {
        let is_set = self.when.is_some()
            || self.timeout.is_some()
            || self.retry.is_some()
            || self.optional
            || self.environment.is_some()
            || self.tags.is_some()
            || self.deferred.is_some()
            || self.param.rules.is_some()
            || self.param.given.is_some();
        is_set.then(|| Box::new(self))
    }
}

/// The retry policy for failed work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// The maximum number of attempts.
    pub attempts: NonZeroU32,
    /// The delay before the second attempt.
    pub delay: Duration,
    /// The factor by which the delay grows after each attempt.
    pub backoff: f64,
}
