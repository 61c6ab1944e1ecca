//! A program with the command, and with no resource of its own.

use std::process::ExitCode;

/// Does what the arguments say.
pub fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    Ok(converge_cli::main(converge_cli::built_in()?))
}
