//! What the commands print.

mod status;
mod table;
mod text;

pub(crate) use status::status;
pub(crate) use text::{print, print_error};
