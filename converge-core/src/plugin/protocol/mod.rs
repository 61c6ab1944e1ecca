//! What a plugin and its host say to each other: `docs/plugin-protocol.md` is the same for people.
//!
//! Each side has what it sends and what it takes as one type, so that both are read strictly by the same definition.

mod error;
mod message;
mod question;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod value;

#[cfg(feature = "plugin-host")]
pub(super) use error::WireError;
pub(super) use error::WireSystemError;
pub(super) use message::{
    Answer, CallContext, FromHost, FromPlugin, Method, ProgressOf, Told, WireRefreshing,
};
pub(super) use question::*;
pub(super) use schema::{
    WireCondition, WireExport, WireField, WireFootprint, WireKind, WireReach, WireRule, WireShape, WireType,
    WireVerb,
};
pub(super) use status::WireStatus;
pub(super) use value::WireValue;

/// The version of the protocol that is spoken here.
pub(super) const PROTOCOL: u32 = 1;

/// The most bytes of a line, with its end. Each side refuses more of the other one.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// The most bytes of content that are sent in one piece.
pub(super) const PIECE: usize = 1 << 20;

/// A message as a line.
pub(super) fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
