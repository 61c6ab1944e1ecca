//! Tokens that are good for joining alone.

use std::collections::BTreeMap;

use converge_controller::validation::Invalid;
use converge_controller::{Metadata, Name, StoredMessage};

/// Which node may join with a token.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "access", version = "v1")]
pub(crate) struct Join {
    /// The node. Where nothing is said it is any that has no certificate yet.
    #[stored(tag = 1)]
    pub node: String,
    /// The labels of the node, where it is made by joining. Where there are none, they are those that its agent has.
    #[stored(tag = 2)]
    pub labels: BTreeMap<String, String>,
    /// The SHA-256 of the key that it was used for. From then on it is good for that key alone, so that an agent whose answer was lost
    /// can ask again, and nobody else.
    #[stored(tag = 3)]
    pub used_for: String,
    /// The node that it was used by.
    #[stored(tag = 4)]
    pub used_by: String,
}

impl Join {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        for (field, name) in [("node", &self.node), ("used_by", &self.used_by)] {
            invalid.field(field).require(name.is_empty() || name.parse::<Name>().is_ok(), "is no name");
        }
        let mut labels = Metadata::default();
        for (key, text) in &self.labels {
            if let Err(error) = labels.set(key, text) {
                invalid.field("labels").add(error.to_string());
            }
        }
        invalid.finish()
    }
}
