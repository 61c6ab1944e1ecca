//! The `converge` command with the built-in resource types.

use std::process::ExitCode;

use converge_core::RegistryError;

fn main() -> Result<ExitCode, RegistryError> {
    converge_cli::built_in().map(converge_cli::main)
}
