//! `converge version`.

use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;

/// Prints what `--version` prints.
pub(super) fn run(console: Console) -> Result<Exit, CliError> {
    console.print(concat!("converge ", env!("CARGO_PKG_VERSION"), "\n"))?;
    Ok(Exit::Done)
}
