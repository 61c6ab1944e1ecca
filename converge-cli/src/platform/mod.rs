//! Platform specific functions: signals, private files, and other programs.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    Signals, become_program, is_program, is_root, spare_files, state_folders, survive_large_files,
    terminal_width,
};
#[cfg(feature = "http")]
pub(crate) use system::{create_private, editor, others_use, private_folder};
