//! A sample program with the command and without additional resource types.

use std::process::ExitCode;

/// Runs the command with the arguments of the process.
pub fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    Ok(converge_cli::main(converge_cli::built_in()?))
}
