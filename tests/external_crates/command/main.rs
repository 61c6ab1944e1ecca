//! A program with the complete `converge` command and an additional resource type.

mod marker;

use std::process::ExitCode;

use converge_core::RegistryError;

fn main() -> Result<ExitCode, RegistryError> {
    let registry = converge_cli::built_in()?.with::<marker::MarkerPreparer>()?;
    Ok(converge_cli::main(registry))
}
