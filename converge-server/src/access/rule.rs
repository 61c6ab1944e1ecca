//! Authorization rules of callers.

use converge_controller::authorize::{self, InvalidPattern, Pattern};
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredEnum, StoredMessage};

/// The wildcard that matches everything.
const ALL: &str = "*";

/// An operation that a caller may perform on resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "access", version = "v1")]
pub(crate) enum Verb {
    /// No verb was given.
    Unspecified = 0,
    /// Read a resource, and see it in lists and watches.
    Read = 1,
    /// Request lists and watches.
    List = 2,
    /// Write a resource or its status, and delete it.
    Write = 3,
}

/// A permission: the verbs, on resources of the types, in the partition and namespace.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "access", version = "v1")]
pub(crate) struct Rule {
    /// The resource types: three parts as in a type, each of which may be `*`.
    ///
    /// A single `*` matches every type.
    #[stored(tag = 1)]
    pub types: Vec<String>,
    /// The allowed verbs.
    #[stored(tag = 2)]
    pub verbs: Vec<Verb>,
    /// The partition.
    ///
    /// Empty or `*` means every partition.
    #[stored(tag = 3)]
    pub partition: String,
    /// The namespace.
    ///
    /// Empty or `*` means every namespace. Resources without a namespace are only covered by this.
    #[stored(tag = 4)]
    pub namespace: String,
}

impl Rule {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("types").require(!self.types.is_empty(), Cause::Missing);
        invalid.field("verbs").require(!self.verbs.is_empty(), Cause::Missing);
        let is_specified = self.verbs.iter().all(|verb| *verb != Verb::Unspecified);
        invalid
            .field("verbs")
            .require(is_specified, "VERB_READ, VERB_LIST and VERB_WRITE are the verbs there are");
        match self.to_rule().map(|rule| authorize::Rules::new(vec![rule])) {
            Ok(Ok(_)) => {}
            Ok(Err(unit)) => {
                invalid.field(unit.unit).add(format!("is {:?}: neither a name nor \"*\"", unit.text));
            }
            Err(error) => invalid.field("types").add(error.to_string()),
        }
        invalid.finish()
    }

    /// Converts the rule to the form that the authorizer evaluates.
    pub(super) fn to_rule(&self) -> Result<authorize::Rule, InvalidPattern> {
        let types: Result<Vec<Pattern>, _> = self.types.iter().cloned().map(Pattern::try_from).collect();
        let verbs = self.verbs.iter().filter_map(|verb| match verb {
            Verb::Unspecified => None,
            Verb::Read => Some(authorize::Verb::Read),
            Verb::List => Some(authorize::Verb::List),
            Verb::Write => Some(authorize::Verb::Write),
        });
        let unit = |text: &str| if text.is_empty() { ALL.to_owned() } else { text.to_owned() };
        let (partition, namespace) = (unit(&self.partition), unit(&self.namespace));
        Ok(authorize::Rule { types: types?, verbs: verbs.collect(), partition, namespace })
    }
}
