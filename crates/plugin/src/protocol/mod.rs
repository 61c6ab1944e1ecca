//! The messages between a plugin and its host, as documented in `docs/reference/plugin-protocol.md`.
//!
//! One type defines each message for both sides, so that both sides parse it equally strictly.

mod error;
mod message;
mod question;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod value;
mod wire_form;

pub(super) use error::WireError;
pub(super) use error::WireSystemError;
pub(super) use message::{
    Answer, CallContext, CallResult, FromHost, FromPlugin, Method, ProgressOf, WireRefreshing,
};
pub(super) use question::*;
pub(super) use schema::{
    WireCondition, WireExport, WireField, WireFootprint, WireKind, WireReach, WireRule, WireShape, WireType,
    WireVerb,
};
pub(super) use status::WireStatus;
pub(super) use value::WireValue;
pub(super) use wire_form::{Argument, OpenDirectory, OpenFile, Outcome, PlainOutcome};

/// The protocol version of this implementation.
pub(super) const PROTOCOL: u32 = 1;

/// The maximum length of a line in bytes, including its end.
///
/// Longer lines are refused.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// The maximum size of one chunk of content in bytes.
pub(super) const PIECE: usize = 1 << 20;

pub(super) fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
