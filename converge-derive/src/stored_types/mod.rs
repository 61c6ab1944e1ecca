//! The derives of stored types: `StoredResource`, `StoredMessage`, `StoredEnum` and `StoredOneof`.
//!
//! The generated code refers to `converge_controller` only. A definition passes through these steps: `attrs`
//! (attributes), `names`, `types` and `numbers` (checks), `message`, `enums` and `oneof` (code generation).

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
