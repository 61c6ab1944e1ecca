//! Resource types that tests have at hand and in a plugin, so that both can be compared.

mod note;
mod tour;
mod trouble;

pub use note::{Note, NoteTask};
pub use tour::{Tour, TourTask};
pub use trouble::{Trouble, TroubleTask};
