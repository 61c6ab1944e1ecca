//! What a caller may do.

use converge_controller::authorize::{self, InvalidPattern, Pattern};
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredEnum, StoredMessage};

/// What is written for everything.
const ALL: &str = "*";

/// What a caller may do to resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "access", version = "v1")]
pub(crate) enum Verb {
    /// Nobody has said.
    Unspecified = 0,
    /// Read one, and find it in lists and watches.
    Read = 1,
    /// Ask for lists and watches at all.
    List = 2,
    /// Write one, its status too, and delete it.
    Write = 3,
}

/// What a caller may do: these verbs, to resources of these types, in these tenancies.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "access", version = "v1")]
pub(crate) struct Rule {
    /// The types: three parts as in a type, each of which may be `*`; `*` alone is every type.
    #[stored(tag = 1)]
    pub types: Vec<String>,
    /// The verbs.
    #[stored(tag = 2)]
    pub verbs: Vec<Verb>,
    /// The partition; every one where nothing is said, or `*`.
    #[stored(tag = 3)]
    pub partition: String,
    /// The namespace; every one where nothing is said, or `*`. Resources of a whole partition, or of the cluster, are reached only so.
    #[stored(tag = 4)]
    pub namespace: String,
}

impl Rule {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("types").require(!self.types.is_empty(), Cause::Missing);
        invalid.field("verbs").require(!self.verbs.is_empty(), Cause::Missing);
        let said = self.verbs.iter().all(|verb| *verb != Verb::Unspecified);
        invalid.field("verbs").require(said, "VERB_READ, VERB_LIST and VERB_WRITE are the verbs there are");
        match self.to_rule().map(|rule| authorize::Rules::new(vec![rule])) {
            Ok(Ok(_)) => {}
            Ok(Err(unit)) => {
                invalid.field(unit.unit).add(format!("is {:?}: neither a name nor \"*\"", unit.text));
            }
            Err(wrong) => invalid.field("types").add(wrong.to_string()),
        }
        invalid.finish()
    }

    /// The rule, as an authorizer asks it.
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
