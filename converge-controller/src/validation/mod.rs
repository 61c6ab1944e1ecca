//! Validation of resources: all problems at once, each with its path.
//!
//! The `validate` hook of a type checks whether the data of a resource are well-formed. It collects all
//! problems in an [`Invalid`]:
//!
//! ```
//! use converge_controller::validation::{Cause, Invalid};
//!
//! struct Album {
//!     title: String,
//!     lengths: Vec<u32>,
//! }
//!
//! fn check(album: &Album) -> Result<(), Invalid> {
//!     let mut invalid = Invalid::collect();
//!     invalid.field("title").require(!album.title.is_empty(), Cause::Empty);
//!     for (index, length) in album.lengths.iter().enumerate() {
//!         invalid.field("lengths").element(index).require(*length <= 3600, "is longer than an hour");
//!     }
//!     invalid.finish()
//! }
//!
//! let album = Album { title: String::new(), lengths: vec![60, 4000] };
//! assert_eq!(check(&album).unwrap_err().to_string(), "title is empty; lengths[1] is longer than an hour");
//! ```
//!
//! A controller checks conditions that depend on other resources, and reports them in a status.

mod collector;
mod error;
mod problem;
#[cfg(test)]
mod tests;

pub use collector::{At, Collector};
pub use error::Invalid;
pub use problem::{Cause, Problem, Step};
