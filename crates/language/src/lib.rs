//! The module language: its syntax, and the templates and expressions inside values.
//!
//! This crate turns text into trees, and templates and expressions into values. It knows values, and neither the machine,
//! resources nor graphs. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.

pub mod language;
pub mod syntax;

use converge_value::{diagnostic, types};
