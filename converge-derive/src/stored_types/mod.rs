//! The derives of stored types: `StoredResource`, `StoredMessage`, `StoredEnum` and `StoredOneof`.
//!
//! They write paths under `converge_controller` only. As for the derives of modules, a definition goes through these steps:
//! `attrs` (what the attributes say), `names`, `types` and `numbers` (what must not be so), `message`, `enums` and `oneof` (the code).

mod attrs;
mod enums;
mod field;
mod message;
mod names;
mod numbers;
mod oneof;
mod reserved;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use enums::expand as expand_enum;
pub(crate) use message::{expand_message, expand_resource};
pub(crate) use oneof::expand as expand_oneof;
