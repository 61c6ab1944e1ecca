//! Join tokens: tokens that only allow joining.

use std::collections::BTreeMap;

use converge_controller::validation::Invalid;
use converge_controller::{Metadata, Name, StoredMessage};

/// The node that may join with a token.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "access", version = "v1")]
pub(crate) struct Join {
    /// The name of the node.
    ///
    /// If empty, any node that has no certificate yet may join.
    #[stored(tag = 1)]
    pub node: String,
    /// The labels of the node if joining creates it.
    ///
    /// If empty, the labels that the agent states are used.
    #[stored(tag = 2)]
    pub labels: BTreeMap<String, String>,
    /// The SHA-256 of the key that the token was used for.
    ///
    /// Afterwards the token is valid for that key alone, so that an agent whose answer was lost can retry.
    #[stored(tag = 3)]
    pub used_for: String,
    /// The node that used the token.
    #[stored(tag = 4)]
    pub used_by: String,
}

impl Join {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        for (field, name) in [("node", &self.node), ("used_by", &self.used_by)] {
            invalid.field(field).require(name.is_empty() || name.parse::<Name>().is_ok(), "is not a name");
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
