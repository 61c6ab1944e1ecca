//! The output of the commands.

mod status;
mod table;
mod text;

pub(crate) use status::status;
pub(crate) use table::{Side, table};
pub(crate) use text::{one_line, print, print_error};
