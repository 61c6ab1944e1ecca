//! A check of the imports in every crate of the workspace.
//!
//! Two rules apply:
//!
//! - If a folder has [layers](rules::LAYERED), a module only imports from the layers below its own.
//! - In every folder of every crate, the imports between its entries form no cycle. For its siblings, a
//!   subfolder is one entry. Inside a folder, its `mod.rs` is an entry like the others.
//!
//! An import is a path in a `use`, in code, or in the arguments of a macro. It leads to the file in which it
//! ends. A name that a `mod.rs` re-exports belongs to that folder for everything outside, and to its original
//! file for everything inside. Declaring a child module or re-exporting from it is no import. Code under
//! `#[cfg(test)]` is ignored.

pub mod drawing;
pub mod imports;
pub mod rules;
pub mod source;

mod cycles;
mod error;
mod mention;
mod parse;
mod resolve;

pub use error::Error;

#[cfg(test)]
mod tests;
