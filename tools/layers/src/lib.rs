//! Reads the imports of every crate of the workspace, and finds those that break its two rules:
//!
//! - Where a folder has [layers](rules::LAYERED), a module imports only from those below its own.
//! - In every folder of every crate, the imports between its entries form no ring. A folder is one entry for those
//!   beside it; within, its `mod.rs` is an entry beside the others.
//!
//! An import is a path: in a `use`, in code, or in the arguments of a macro. It leads to the file where it ends; a name that a
//! `mod.rs` re-exports belongs to that folder for everybody outside, and to the file it comes from for everybody inside.
//! Declaring a child or re-exporting from it is no import. Code under `#[cfg(test)]` is not read.

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
