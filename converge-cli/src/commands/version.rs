//! `converge version`.

use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// Prints what `--version` prints.
pub(super) fn run() -> Result<Exit, CliError> {
    print(concat!("converge ", env!("CARGO_PKG_VERSION"), "\n"))?;
    Ok(Exit::Done)
}
