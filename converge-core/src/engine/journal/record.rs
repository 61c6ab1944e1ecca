//! What is written down of one pending refresh.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::refresh_identity::{Identity, hash};
use super::salt::Salt;
use crate::redact::REDACTED;
use crate::sdk::context::RunId;
use crate::types::id::NodeId;

/// The form of the files; a later version of this program may write another.
const FORMAT: u32 = 3;

/// The form before that: its hashes have no salt.
const UNSALTED: u32 = 2;

/// How many causes are named. One is enough for a refresh, so the file stays small, and is not written again
/// for each of many changes.
const CAUSES: usize = 8;

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
    /// The run since which it is pending.
    run: String,
    pub(crate) since: Timestamp,
    /// The boot of the machine in which it came about; `None` where the machine does not tell boots apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
    /// What was changed, as the module names it.
    pub(crate) causes: Vec<String>,
    /// By the hash of each: the modules where it was done for a node with other values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    done_in: Vec<String>,
}

/// How a record is the one of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It was written for this node of this module.
    Own,
    /// It was written for a node that is declared the same and has the same values: this one in another place, or one whose
    /// refresh does the same.
    Same,
    /// It was written for a node that is declared the same and had other values: it may be this one, or another.
    Similar,
}

/// Why the text of a file is no record of a node.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidRecord {
    /// It is something else, or was cut off.
    #[error("it is not a record of an owed refresh: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A later version of this program wrote it.
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
        // The format first: the rest of a file of another one may be anything.
        let FormatVersion { format } = serde_json::from_slice(bytes)?;
        if format != FORMAT && format != UNSALTED {
            return Err(InvalidRecord::Format(format));
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// This record, when it is about this node of this module.
    pub(super) fn expect(self, module: &str, node: &NodeId) -> Result<Self, InvalidRecord> {
        // A name that was hidden when it was written need not be known for a secret now.
        let is_node = self.node == node.as_str() || self.node.contains(REDACTED);
        if self.module == module && is_node {
            return Ok(self);
        }
        Err(InvalidRecord::Foreign { node: self.node, module: self.module })
    }

    /// How this record of another place is the one of a node of a module; `None` when it is not.
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

    /// As one of this boot of the machine.
    pub(super) fn in_boot(self, boot: Option<&str>) -> Self {
        Self { boot: boot.map(str::to_owned), ..self }
    }

    /// Whether the machine has booted since it was written. Where that cannot be known, it has not.
    pub(super) fn is_before(&self, boot: Option<&str>) -> bool {
        self.boot.as_deref().zip(boot).is_some_and(|(then, now)| then != now)
    }

    /// With another cause; `None` when it says enough already.
    pub(super) fn with_cause(mut self, cause: &str) -> Option<Self> {
        if self.causes.len() >= CAUSES || self.causes.iter().any(|have| have == cause) {
            return None;
        }
        self.causes.push(cause.to_owned());
        Some(self)
    }

    pub(super) fn done_in(mut self, module: &str, salt: Option<&Salt>) -> Self {
        self.done_in.extend(self.hashed(&hash(module), salt));
        self
    }

    /// A hash as this record has it; `None` when that cannot be known, as the salt is gone.
    fn hashed(&self, plain: &str, salt: Option<&Salt>) -> Option<String> {
        if self.format == UNSALTED { Some(plain.to_owned()) } else { salt.map(|salt| salt.of(plain)) }
    }

    /// `owed since run 18c2: file.content.conf changed`.
    pub(crate) fn reason(&self) -> String {
        format!("owed since run {}: {} changed", self.run, self.causes.join(", "))
    }
}
