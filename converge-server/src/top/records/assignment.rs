//! The result of a module on a node.

use jiff::Timestamp;

use super::{Raw, Record};
use crate::top::status_text::{StyledText, Tone, plain, short};

/// The result of a module on a node, as its agent reports it.
#[derive(Debug)]
pub(in crate::top) struct Assignment {
    /// The key of the node.
    pub(in crate::top) node: String,
    pub(in crate::top) node_name: String,
    /// The key of the module.
    pub(in crate::top) module: String,
    pub(in crate::top) module_name: String,
    pub(in crate::top) standing: StyledText,
    /// The drift since the module was applied.
    pub(in crate::top) drift: Option<String>,
    pub(in crate::top) mode: String,
    pub(in crate::top) plan: String,
    pub(in crate::top) result: String,
    /// The first errors, if the module failed.
    pub(in crate::top) errors: Option<String>,
    pub(in crate::top) version: String,
    pub(in crate::top) since: Option<Timestamp>,
}

impl Record for Assignment {
    const PATH: &'static str = "assignment?partition=*&namespace=*";

    fn read(raw: &Raw) -> Self {
        const AGENT: &str = "agent";
        let (node, owner) = (raw.reference("node"), raw.owner.as_ref());
        let message = |of: &str| raw.message(AGENT, of);
        Self {
            node: node.key(),
            node_name: node.shown(),
            module: owner.map(super::raw_resource::RawId::key).unwrap_or_default(),
            module_name: owner.unwrap_or(&raw.id).shown(),
            standing: standing(raw),
            drift: raw.holds(AGENT, "drifted").then(|| message("drifted")),
            mode: plain(&raw.text("mode"), "MODE_"),
            plan: message("planned"),
            result: message("applied"),
            errors: raw.holds(AGENT, "failed").then(|| message("failed")),
            version: short(&raw.reference("revision").name),
            since: raw.updated(AGENT),
        }
    }
}

/// Returns the result in one word.
fn standing(raw: &Raw) -> StyledText {
    let applied = raw.condition("agent", "applied").map(|condition| condition.state.as_str());
    let (tone, word) = match raw.is_current("agent") {
        _ if raw.is("suspended") || raw.holds("agent", "suspended") => (Tone::Unknown, "suspended"),
        None => (Tone::Unknown, "not reported yet"),
        Some(false) => (Tone::Busy, "waiting for its agent"),
        Some(true) if raw.holds("agent", "failed") => (Tone::Bad, "failed"),
        Some(true) if applied == Some("true") => (Tone::Good, "applied"),
        Some(true) if applied == Some("false") => (Tone::Bad, "not applied"),
        Some(true) => (Tone::Unknown, "may differ"),
    };
    StyledText::new(tone, word)
}
