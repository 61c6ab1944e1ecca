//! Nodes: what a module declares, with templates parsed and names resolved.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::environment::Environment;
use super::input::{Attribute, Input};
use super::param::{self, ParamMeta, ParamOrigin, ParamRules};
use super::pattern::Pattern;
use super::scope::{EachIs, LexicalScope};
use crate::diagnostic::Span;
use crate::sdk::registry::ResourceType;
use crate::types::id::NodeId;
use crate::types::tag::Tag;

/// One declared resource, or a part of the structure that holds resources.
#[derive(Debug)]
#[non_exhaustive]
pub struct Node {
    /// Its path.
    pub id: NodeId,
    /// Its type.
    pub resource: Arc<ResourceType>,
    /// What it is for.
    pub role: Role,
    /// What was written for its fields, in the order of the source. The instances of a `for_each` share it.
    pub attributes: Arc<Vec<Attribute>>,
    /// Where that was written.
    pub scope: Arc<LexicalScope>,
    /// The lock that it holds while it is applied.
    pub group: Option<Arc<str>>,
    /// The other meta-arguments; most resources have none.
    pub meta: Option<Box<Meta>>,
    /// Where it is declared: the type and name of its block. `None` when it was built in Rust.
    pub span: Option<Span>,
    /// What comes before it in the text has a smaller number: a module where it is called, and the instances of a `for_each` in the
    /// order of its entries. Those that only a run knows have the number of what they are made from.
    pub(crate) declared: u32,
}

impl Node {
    /// The value of this parameter: the default, or what was given in its place.
    pub(crate) fn param_value(&self) -> Option<&Input> {
        param::value(&self.attributes)
    }

    /// Where the value of a field is written.
    pub(crate) fn span_of_field(&self, name: &str) -> Option<Span> {
        let (index, _) = self.resource.schema().field(name)?;
        let attribute = self.attributes.iter().find(|attribute| attribute.field == index)?;
        attribute.input.span.or(attribute.name_span)
    }

    /// The words by which a run may choose it: its own, and those of the modules around it.
    pub fn tags(&self) -> impl Iterator<Item = &Tag> {
        let own = self.meta.as_ref().and_then(|meta| meta.tags.as_deref()).unwrap_or_default();
        own.iter().chain(self.scope.module.tags.iter().filter(|tag| !own.contains(tag)))
    }

    /// Whether a run in which it fails is a success all the same.
    pub(crate) fn is_optional(&self) -> bool {
        self.scope.module.optional || self.meta.as_ref().is_some_and(|meta| meta.optional)
    }

    /// The variables that what it starts has beside those of the machine: its own, and those of the modules around it.
    pub fn environment(&self) -> &Arc<Environment> {
        let own = self.meta.as_ref().and_then(|meta| meta.environment.as_ref());
        own.unwrap_or(&self.scope.module.environment)
    }

    /// What is asked of the value of this parameter, or said of that of an output.
    pub fn param_rules(&self) -> Option<&ParamRules> {
        self.meta.as_ref()?.param.rules.as_deref()
    }

    /// What this parameter is for, or what this output is, as the module says.
    pub fn description(&self) -> Option<&str> {
        self.param_rules()?.description.as_deref()
    }

    /// Whether it may be a copy of others, by a module that is used several times. All copies share their attributes; so do the
    /// instances of a `for_each`, which are none.
    pub(crate) fn may_be_copy(&self) -> bool {
        self.scope.each == EachIs::Nothing && Arc::strong_count(&self.attributes) > 1
    }

    /// Whether it and another one are made by the same lines of a module that is used twice.
    pub(crate) fn is_copy_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.attributes, &other.attributes) && self.may_be_copy() && other.may_be_copy()
    }

    /// The field whose value an export most likely has: that of its name, where the export is not computed. A task may make something
    /// else of it when it is prepared.
    pub(crate) fn field_of_export(&self, name: &str) -> Option<usize> {
        let schema = self.resource.schema();
        schema.exports.iter().find(|export| export.name == name && !export.computed)?;
        schema.field(name).map(|(index, _)| index)
    }

    /// What the instances of this `for_each` are made from, when only a run knows which there are.
    pub fn deferred(&self) -> Option<&Deferred> {
        self.meta.as_ref()?.deferred.as_deref()
    }

    /// Whether this is a parameter or an output whose value is never shown.
    pub(crate) fn is_sensitive(&self) -> bool {
        self.param_rules().is_some_and(|rules| rules.sensitive)
    }

    /// Where this parameter was given its value from outside.
    pub fn given(&self) -> Option<&ParamOrigin> {
        self.meta.as_ref()?.param.given.as_ref()
    }
}

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Role {
    /// Something that is declared: it is prepared, checked and applied.
    Resource,
    /// A parameter of a module.
    Param,
    /// A value that a module gives to whoever uses it.
    Output,
    /// The end of a module: done when everything in it is. Exports its parameters and its outputs.
    Module,
    /// The beginning of a module with `depends` or `when`: everything in the module waits for it. A gate.
    Begin,
    /// The end of a switch: done when everything in its cases is.
    Switch,
    /// A case of a switch: taken when its `when` holds and no earlier case was taken; everything in it waits
    /// for it. A gate.
    Case,
    /// The end of a `for_each`: done when every instance is.
    ForEach,
}

impl Role {
    /// Whether it stands for something on the machine. Only such nodes are counted; parameters, outputs and the structure
    /// are reported when they fail, and not otherwise.
    pub fn is_resource(self) -> bool {
        self == Self::Resource
    }

    /// Whether it only holds resources. Such nodes change nothing.
    pub fn is_structure(self) -> bool {
        !matches!(self, Self::Resource | Self::Param | Self::Output)
    }

    /// Whether it decides about the nodes that wait for it with [`EdgeReason::Gate`](super::EdgeReason::Gate).
    pub fn is_gate(self) -> bool {
        matches!(self, Self::Begin | Self::Case)
    }

    /// Whether it is done when everything in it is, and decides nothing.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Module | Self::Switch | Self::ForEach)
    }

    /// Whether it is left out with what it is in. The values of a module that is left out may be known all the same, and others may
    /// read them.
    pub(crate) fn is_left_out_with_all(self) -> bool {
        self.is_resource() || self.is_end()
    }

    /// Whether modules can name it.
    pub(crate) fn can_be_named(self) -> bool {
        self != Self::Begin
    }
}

/// Meta-arguments that few resources have.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Meta {
    /// The node is handled only when this is true. Of a case it is the predicate; `default` has none.
    pub when: Option<Input>,
    /// How long all work on the node may take, with [`retry`](Self::retry) each attempt of it.
    pub timeout: Option<Duration>,
    /// What to do when the work fails.
    pub retry: Option<Retry>,
    /// Whether a run in which it fails is a success all the same.
    pub optional: bool,
    /// The variables that what it starts has, those of the modules around it among them; `None` when it has no others than these.
    pub environment: Option<Arc<Environment>>,
    /// The words by which a run may choose it, without those of the modules around it.
    pub tags: Option<Arc<[Tag]>>,
    /// Of a parameter: what is asked of its value, and who gave it.
    pub param: ParamMeta,
    /// Of the end of a `for_each` of which only a run knows the items: what the instances are made from.
    pub deferred: Option<Box<Deferred>>,
}

/// What the instances of a `for_each` are made from that waits for lookups, or for the machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Deferred {
    /// What gives the items.
    pub items: Input,
    /// What each instance is made from.
    pub(crate) pattern: Arc<Pattern<Node>>,
}

impl Meta {
    /// Nothing, when nothing was written.
    pub(crate) fn into_box(self) -> Option<Box<Self>> {
        let written = self.when.is_some()
            || self.timeout.is_some()
            || self.retry.is_some()
            || self.optional
            || self.environment.is_some()
            || self.tags.is_some()
            || self.deferred.is_some()
            || self.param.rules.is_some()
            || self.param.given.is_some();
        written.then(|| Box::new(self))
    }
}

/// How often work that fails is tried again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// How often it is tried in all.
    pub attempts: NonZeroU32,
    /// The wait before the second attempt.
    pub delay: Duration,
    /// By what the wait grows each time.
    pub backoff: f64,
}
