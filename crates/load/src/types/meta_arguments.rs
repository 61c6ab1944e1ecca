//! The meta-arguments of every resource, described like the fields of a resource.
//!
//! A field takes precedence over a meta-argument of the same name: `file.owner` has a field `group`, which is
//! not a lock. Only `depends` is reserved; resources of the original Converge use the other names for fields.

use std::time::Duration;

use indexmap::IndexMap;

use crate::sdk::prelude::*;
use converge_value::types::schema::{BlockKind, Field, Kind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaArgument {
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

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|argument| argument.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        self.describe().0
    }

    /// Returns the name, the expected value, and an example.
    pub(crate) fn describe(self) -> (&'static str, &'static str, &'static str) {
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

/// Returns the meta-arguments that a resource of any type takes beside its own fields.
///
/// A field of the same name takes precedence.
///
/// ```
/// let arguments = converge_core::load::meta_arguments();
/// assert!(arguments.fields.iter().any(|argument| argument.name == "depends"));
/// ```
pub fn meta_arguments() -> BlockKind {
    // The derives refuse a field called `depends`, so no resource has one.
    let mut arguments =
        BlockKind { fields: vec![Field::new::<Vec<String>>("depends", DEPENDS)], rules: Vec::new() };
    if let Kind::Block(others) = MetaArguments::kind() {
        arguments.fields.extend(others.fields);
        arguments.rules.extend(others.rules);
    }
    arguments
}

const DEPENDS: &str = "\
What this resource waits for: resources, modules, switches, parameters, each by its name. In a `for_each`,
`TYPE.NAME[each.key]` is the instance with the same key. What its fields look up is waited for without being
named here.";

#[derive(converge_sdk::HclBlock)]
#[expect(dead_code, reason = "the loader takes them; this describes them")]
struct MetaArguments {
    /// Name of a group. Members of a group never run at the same time, whatever modules they are in.
    group: Option<String>,
    /// The maximum time of one attempt.
    #[hcl(nonempty)]
    timeout: Option<Duration>,
    /// The number of attempts, and the wait between them, after a failure.
    retry: Option<Retry>,
    /// Whether the resource is handled: true or false, or a predicate like that of a `case`.
    when: Option<Value>,
    /// A map or a list of texts.
    ///
    /// There is one resource for each entry, in which `each.key` and `each.value` hold the entry.
    for_each: Option<Value>,
    /// Resources, modules or switches, each by its name, or by `TYPE.NAME[each.key]` as in `depends`.
    ///
    /// When one of them has changed, this resource is refreshed, even if nothing about it differs. Only types
    /// that support refreshes accept it.
    on_change_of: Vec<String>,
    /// Whether a run still succeeds when this resource fails.
    ///
    /// Resources that depend on it are then skipped without failing the run, unless they use `even_after`.
    optional: bool,
    /// Resources to wait for as with `depends`, even if they fail or are skipped.
    even_after: Vec<String>,
    /// Variables for every program that this resource starts.
    ///
    /// They also give the proxies for its downloads (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
    /// They must be known when the module is loaded. The resources in a module also get the variables of its
    /// call. Inner variables win, and those that a resource sets itself win over all.
    environment: IndexMap<String, String>,
    /// Words by which a run selects resources.
    ///
    /// `--tags` handles the resources that have one of the words, and what they need; `--skip-tags` leaves
    /// them out. The resources in a module also have the tags of its call.
    tags: Vec<String>,
}

/// The number of attempts and the wait between them.
#[derive(converge_sdk::HclBlock)]
#[expect(dead_code, reason = "the loader takes it; this describes it")]
struct Retry {
    /// The total number of attempts, including the first one.
    #[hcl(required, min = 1)]
    attempts: u32,
    /// The wait after the first attempt.
    #[hcl(default = "1s")]
    delay: Duration,
    /// The factor by which the wait grows after each further attempt.
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
        let mut names: Vec<_> = MetaArgument::ALL.into_iter().map(MetaArgument::name).collect();
        described.sort_unstable();
        names.sort_unstable();
        assert_eq!(described, names);
    }
}
