//! The meta-arguments: what every resource understands, described like the fields of a resource.
//!
//! A field wins over a meta-argument of its name: `file.owner` has a field `group`, which is no lock there. Only
//! `depends` is reserved; the others have names that resources of the original use for fields.

use std::time::Duration;

use indexmap::IndexMap;

use crate::sdk::prelude::*;
use crate::types::schema::{BlockKind, Field, Kind};

/// A meta-argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetaArgument {
    Depends,
    OnChangeOf,
    Group,
    When,
    ForEach,
    Timeout,
    Retry,
    Tags,
    Optional,
    EvenAfter,
    Environment,
}

impl MetaArgument {
    pub(super) const ALL: [Self; 11] = [
        Self::Depends,
        Self::OnChangeOf,
        Self::Group,
        Self::When,
        Self::ForEach,
        Self::Timeout,
        Self::Retry,
        Self::Tags,
        Self::Optional,
        Self::EvenAfter,
        Self::Environment,
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|argument| argument.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        self.describe().0
    }

    /// Its name, what it must be, and how it is written.
    pub(super) fn describe(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Depends => ("depends", "a list of names", "depends = [\"task.build\"]"),
            Self::OnChangeOf => ("on_change_of", "a list of names", "on_change_of = [\"file.content.conf\"]"),
            Self::Group => ("group", "a name", "group = \"apt\""),
            Self::When => ("when", "true, false, or a predicate", "when = \"eq (param `os`) `linux`\""),
            Self::ForEach => ("for_each", "a list of texts, or a map", "for_each = [\"a\", \"b\"]"),
            Self::Timeout => ("timeout", "a duration", "timeout = \"30s\""),
            Self::Retry => ("retry", "a block", "retry { attempts = 3 }"),
            Self::Optional => ("optional", "true or false", "optional = true"),
            Self::EvenAfter => ("even_after", "a list of names", "even_after = [\"task.probe\"]"),
            Self::Environment => ("environment", "a map", "environment = { http_proxy = param.proxy }"),
            Self::Tags => ("tags", "a list of words", "tags = [\"web\"]"),
        }
    }
}

/// The meta-arguments: what a resource of any type takes beside its own fields, of which one of the same name wins.
///
/// ```
/// let arguments = converge_core::load::meta_arguments();
/// assert!(arguments.fields.iter().any(|argument| argument.name == "depends"));
/// ```
pub fn meta_arguments() -> BlockKind {
    // The derives refuse a field of this name, so that no resource has one.
    let mut arguments =
        BlockKind { fields: vec![Field::new::<Vec<String>>("depends", DEPENDS)], rules: Vec::new() };
    if let Kind::Block(others) = MetaArguments::kind() {
        arguments.fields.extend(others.fields);
        arguments.rules.extend(others.rules);
    }
    arguments
}

const DEPENDS: &str = "\
What this resource waits for: resources, modules, switches, parameters, each by its name. What its fields look up is
waited for without being named here.";

#[derive(converge_derive::HclBlock)]
#[expect(dead_code, reason = "the loader takes them; this describes them")]
struct MetaArguments {
    /// Name of a group. Members of a group never run at the same time, in whatever module they are.
    group: Option<String>,
    /// How long one attempt may take.
    #[hcl(nonempty)]
    timeout: Option<Duration>,
    /// How often to try when it fails.
    retry: Option<Retry>,
    /// Whether the resource is there at all: true or false, or a predicate as the cases of a `switch` have it.
    when: Option<Value>,
    /// A map or a list of texts: there is one resource for each entry, in which `each.key` and `each.value` are what the
    /// entry has.
    for_each: Option<Value>,
    /// Resources, modules or switches, each by its name. When one of them has changed, this resource is refreshed, though
    /// nothing about it differs. Only types that can be refreshed take it.
    on_change_of: Vec<String>,
    /// Whether the run goes on as a success when this resource fails. What depends on it is skipped then, as a success too, where
    /// it does not say otherwise with `even_after`.
    optional: bool,
    /// What this resource waits for as with `depends`, and goes on when that has failed or was skipped.
    even_after: Vec<String>,
    /// Variables for every program that this resource starts, and the proxies of what it fetches (`http_proxy`, `https_proxy`, `all_proxy`,
    /// `no_proxy`). They must be known when the module is loaded. What is in a module has those of its call, too; inner ones win, and what a
    /// resource gives its programs itself wins over all.
    environment: IndexMap<String, String>,
    /// Words by which a run chooses resources: `--tags` works on those that have one, and on what they need; `--skip-tags`
    /// leaves them out. What is in a module has the tags of its call, too.
    tags: Vec<String>,
}

/// How often something is tried.
#[derive(converge_derive::HclBlock)]
#[expect(dead_code, reason = "the loader takes it; this describes it")]
struct Retry {
    /// How many attempts there are, the first one included.
    #[hcl(required, min = 1)]
    attempts: u32,
    /// How long to wait after the first attempt.
    #[hcl(default = "1s")]
    delay: Duration,
    /// By what the wait grows after each further attempt.
    #[hcl(default = 1.0, min = 1)]
    backoff: f64,
}

#[cfg(test)]
mod tests {
    use super::MetaArgument;

    #[test]
    fn they_are_those_that_the_loader_takes() {
        let mut described: Vec<_> =
            super::meta_arguments().fields.into_iter().map(|field| field.name).collect();
        let mut taken: Vec<_> = MetaArgument::ALL.into_iter().map(MetaArgument::name).collect();
        described.sort_unstable();
        taken.sort_unstable();
        assert_eq!(described, taken);
    }
}
