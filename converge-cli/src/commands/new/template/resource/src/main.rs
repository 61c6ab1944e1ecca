//! The `converge` command with the resource `sample_crate`.

use std::process::ExitCode;

use converge_cli::Program;
use converge_core::RegistryError;

fn main() -> Result<ExitCode, RegistryError> {
    let registry = sample_crate::register(converge_cli::built_in()?)?;
    let program = Program::new(registry).with_name(env!("CARGO_PKG_NAME"));
    Ok(program.with_version(env!("CARGO_PKG_VERSION")).main())
}
