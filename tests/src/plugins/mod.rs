//! Resource types that tests have at hand and in a plugin, so that both can be compared.

mod faulty_resource;
mod note;
mod tour;

pub use faulty_resource::{Trouble, TroubleTask};
pub use note::{Note, NoteTask};
pub use tour::{Tour, TourTask};
