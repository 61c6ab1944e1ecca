//! Resource types that tests have both built in and in a plugin, for comparison.

mod faulty_resource;
mod note;
mod tour;

pub use faulty_resource::{Trouble, TroubleTask};
pub use note::{Note, NoteTask};
pub use tour::{Tour, TourTask};
