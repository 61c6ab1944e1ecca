//! What is written down about one node that owes a refresh.

use serde::{Deserialize, Serialize};

use crate::context::RunId;
use crate::graph::NodeId;

/// The form of the files; a later version of this program may write another.
const FORMAT: u32 = 1;

/// How many causes are named. One is enough to owe a refresh, so the file stays small, and is not written again
/// for each of many changes.
const CAUSES: usize = 8;

/// A refresh that is owed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) struct Record {
    format: u32,
    /// The root module.
    module: String,
    /// The node that owes it.
    node: String,
    /// The run since which it is owed.
    run: String,
    /// What was changed, as the module names it.
    causes: Vec<String>,
}

/// Why the text of a file is no record of a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::engine) enum NotARecord {
    /// It is something else, or was cut off.
    #[error("it is not a record of an owed refresh: {0}")]
    Unreadable(String),
    /// A later version of this program wrote it.
    #[error("it has the format {0}, which this version does not know")]
    Format(u32),
    /// It is about something else.
    #[error("it is about `{node}` of {module}")]
    Foreign {
        /// The node that it is about.
        node: String,
        /// Its root module.
        module: String,
    },
}

impl Record {
    pub(super) fn new(module: &str, node: &NodeId, run: &RunId) -> Self {
        Self {
            format: FORMAT,
            module: module.to_owned(),
            node: node.to_string(),
            run: run.as_str().to_owned(),
            causes: Vec::new(),
        }
    }

    /// Reads the record of a node.
    pub(super) fn parse(bytes: &[u8], module: &str, node: &NodeId) -> Result<Self, NotARecord> {
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let unreadable = |error: serde_json::Error| NotARecord::Unreadable(error.to_string());
        // The format first: what else is in a file of another one is nobody's business.
        let Form { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format != FORMAT {
            return Err(NotARecord::Format(format));
        }
        let record: Self = serde_json::from_slice(bytes).map_err(unreadable)?;
        if record.module != module || record.node != node.as_str() {
            return Err(NotARecord::Foreign { node: record.node, module: record.module });
        }
        Ok(record)
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Adds a cause, and says whether the record has to be written for it.
    pub(super) fn add(&mut self, cause: &str) -> Changed {
        if self.causes.len() >= CAUSES || self.causes.iter().any(|have| have == cause) {
            return Changed::No;
        }
        self.causes.push(cause.to_owned());
        Changed::Yes
    }

    /// `owed since run 18c2: file.content.conf changed`.
    pub(in crate::engine) fn reason(&self) -> String {
        format!("owed since run {}: {} changed", self.run, self.causes.join(", "))
    }
}

/// Whether a record is another one than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    Yes,
    No,
}
