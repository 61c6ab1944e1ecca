//! The record of one pending refresh.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::refresh_identity::{Identity, hash};
use super::salt::Salt;
use crate::redact::REDACTED;
use crate::sdk::context::RunId;
use crate::types::id::NodeId;

/// The version of the file format; a later release may write another one.
const FORMAT: u32 = 3;

/// The previous version, whose hashes have no salt.
const UNSALTED: u32 = 2;

/// The maximum number of causes in a record.
///
/// One cause is enough for a refresh. The limit keeps the file small, and avoids a write for each of many
/// changes.
const MAX_CAUSES: usize = 8;

/// The pending refresh of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    /// The root module.
    pub(crate) module: String,
    pub(crate) node: String,
    declared: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<String>,
    /// The run that caused the refresh.
    run: String,
    pub(crate) since: Timestamp,
    /// The boot id of the machine at that time, or `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
    /// The changes that caused the refresh, as named in the module.
    pub(crate) causes: Vec<String>,
    /// The hashes of the modules in which the refresh was done for a node with other values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    done_in: Vec<String>,
}

/// The relation of a record to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The record was written for this node of this module.
    Own,
    /// The record was written for a node with the same declaration and values.
    ///
    /// It is this node in another place, or one whose refresh has the same effect.
    Same,
    /// The record was written for a node with the same declaration and other values, perhaps this one.
    Similar,
}

/// The reason why a file is not a valid record of a node.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidRecord {
    /// The file is not a record, or is truncated.
    #[error("it is not a record of a pending refresh: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A later release wrote the record.
    #[error("it has the format {0}, which this version does not know")]
    Format(u32),
    #[error("it is about `{node}` of {module}")]
    Foreign { node: String, module: String },
}

impl Record {
    pub(super) fn new(
        module: &str,
        node: &NodeId,
        identity: Identity,
        run: &RunId,
        since: Timestamp,
    ) -> Self {
        let Identity { declared, values } = identity;
        Self {
            format: FORMAT,
            module: module.to_owned(),
            node: node.to_string(),
            declared,
            values,
            run: run.as_str().to_owned(),
            since,
            boot: None,
            causes: Vec::new(),
            done_in: Vec::new(),
        }
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, InvalidRecord> {
        #[derive(Deserialize)]
        struct FormatVersion {
            format: u32,
        }
        // The version is parsed first, because other versions may have any content.
        let FormatVersion { format } = serde_json::from_slice(bytes)?;
        if format != FORMAT && format != UNSALTED {
            return Err(InvalidRecord::Format(format));
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// Returns this record if it belongs to this node of this module.
    pub(super) fn expect(self, module: &str, node: &NodeId) -> Result<Self, InvalidRecord> {
        // The name may have been redacted when it was written, and may no longer be known as a secret.
        let is_node = self.node == node.as_str() || self.node.contains(REDACTED);
        if self.module == module && is_node {
            return Ok(self);
        }
        Err(InvalidRecord::Foreign { node: self.node, module: self.module })
    }

    /// Returns the relation of this record, found in another place, to a node, or `None` if there is none.
    pub(super) fn claim(&self, module: &str, identity: &Identity, salt: Option<&Salt>) -> Option<Claim> {
        if self.declared != self.hashed(&identity.declared, salt)? {
            return None;
        }
        match (&self.values, &identity.values) {
            (Some(then), Some(now)) if *then != self.hashed(now, salt)? => {
                (!self.done_in.contains(&self.hashed(&hash(module), salt)?)).then_some(Claim::Similar)
            }
            _ => Some(Claim::Same),
        }
    }

    /// Sets the boot id.
    pub(super) fn with_boot(self, boot: Option<&str>) -> Self {
        Self { boot: boot.map(str::to_owned), ..self }
    }

    /// Whether the machine has booted since the record was written; `false` if that is unknown.
    pub(super) fn is_before_boot(&self, boot: Option<&str>) -> bool {
        self.boot.as_deref().zip(boot).is_some_and(|(then, now)| then != now)
    }

    /// Adds a cause, or returns `None` if the record needs no more.
    pub(super) fn with_cause(mut self, cause: &str) -> Option<Self> {
        if self.causes.len() >= MAX_CAUSES || self.causes.iter().any(|have| have == cause) {
            return None;
        }
        self.causes.push(cause.to_owned());
        Some(self)
    }

    pub(super) fn done_in(mut self, module: &str, salt: Option<&Salt>) -> Self {
        self.done_in.extend(self.hashed(&hash(module), salt));
        self
    }

    /// Returns a hash in the form of this record, or `None` if its salt is lost.
    fn hashed(&self, text: &str, salt: Option<&Salt>) -> Option<String> {
        if self.format == UNSALTED { Some(text.to_owned()) } else { salt.map(|salt| salt.apply_to(text)) }
    }

    /// Returns the reason, such as `pending since run 18c2: file.content.conf changed`.
    pub(crate) fn reason(&self) -> String {
        format!("pending since run {}: {} changed", self.run, self.causes.join(", "))
    }
}
