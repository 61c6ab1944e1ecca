//! What is wrong with a resource: everything at once, each mistake with its place.
//!
//! The hook `validate` of a type says whether the data of a resource are well-formed by themselves. It collects all mistakes in
//! an [`Invalid`]:
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
//! What needs a look at other resources is the work of a controller, which says it in a status.

mod collector;
mod error;
mod problem;
#[cfg(test)]
mod tests;

pub use collector::{At, Collector};
pub use error::Invalid;
pub use problem::{Cause, Problem, Step};
