//! What operators and agents write.

mod assignment;
mod content;
mod module;
mod node;
mod revision;
#[cfg(test)]
mod tests;

pub(super) use assignment::Assignment;
#[cfg(test)]
pub(super) use content::Content;
#[cfg(test)]
pub(super) use module::Mode;
pub(super) use module::Module;
pub(super) use node::{Node, NodeReport};
pub(super) use revision::Revision;
