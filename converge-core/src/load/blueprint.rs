//! What a file declares, checked once, however often it is called: from this the nodes of each use are made.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use super::declaration::{Early, Retry, State, Word};
use super::files::Origin;
use super::references::Found;
use crate::graph::{self, Attribute, Input, ParamRules};
use crate::registry::ResourceType;
use crate::report::Span;

/// A module file, read and checked.
#[derive(Debug)]
pub(super) struct ModuleFile {
    pub(super) origin: Origin,
    pub(super) items: Vec<Planned>,
    /// Its parameters, by name: where each is in `items`.
    pub(super) params: IndexMap<String, usize>,
}

/// What stands at the top of a module.
#[derive(Debug)]
pub(super) enum Planned {
    Resource(Blueprint),
    Module(PlannedCall),
    Switch(PlannedSwitch),
}

/// A resource, or a parameter, that is wherever its module is used.
#[derive(Debug)]
pub(super) struct Blueprint {
    /// Its name within its container: `file.content.motd`.
    pub(super) name: String,
    pub(super) resource: Arc<ResourceType>,
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) group: Option<Arc<str>>,
    /// What a parameter asks of its value.
    pub(super) rules: Option<Arc<ParamRules>>,
    pub(super) handling: Handling,
    pub(super) waits: Option<Rc<Waits>>,
    pub(super) references: Rc<[Found]>,
    pub(super) span: Option<Span>,
}

/// Whether, how often and how something is handled.
#[derive(Debug, Default)]
pub(super) struct Handling {
    pub(super) when: Option<Input>,
    pub(super) for_each: Option<Box<Input>>,
    pub(super) timeout: Option<Early<Duration, Input>>,
    pub(super) retry: Option<Early<graph::Retry, Retry>>,
}

/// The names that something waits for.
#[derive(Debug, Default)]
pub(super) struct Waits {
    pub(super) depends: Vec<Word>,
    pub(super) on_change_of: Vec<Word>,
}

impl Waits {
    /// `None` when there are no names.
    pub(super) fn shared(self) -> Option<Rc<Self>> {
        let waits = !self.depends.is_empty() || !self.on_change_of.is_empty();
        waits.then(|| Rc::new(self))
    }
}

/// A call of a module.
#[derive(Debug)]
pub(super) struct PlannedCall {
    /// Its name within its container: `module.web`.
    pub(super) name: String,
    pub(super) source: Word,
    pub(super) params: IndexMap<Arc<str>, Given>,
    pub(super) handling: Handling,
    pub(super) waits: Option<Rc<Waits>>,
    /// Of `when`.
    pub(super) references: Rc<[Found]>,
    pub(super) span: Span,
    pub(super) state: State,
}

/// What a call gives to a parameter.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) name: Word,
    /// What the parameter's node has instead of its default.
    pub(super) attributes: Arc<Vec<Attribute>>,
    pub(super) references: Rc<[Found]>,
}

/// A switch.
#[derive(Debug)]
pub(super) struct PlannedSwitch {
    /// Its name within its container: `switch.os`.
    pub(super) name: String,
    pub(super) cases: Vec<PlannedCase>,
    pub(super) span: Span,
}

/// A case of a switch.
#[derive(Debug)]
pub(super) struct PlannedCase {
    /// Its name within its switch: `case.linux`.
    pub(super) name: String,
    /// `None` of the default.
    pub(super) predicate: Option<Input>,
    pub(super) references: Rc<[Found]>,
    pub(super) resources: Vec<Blueprint>,
    pub(super) span: Span,
}
