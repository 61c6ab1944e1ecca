//! The program `converge-server`, which `converge server` and `converge controllers` run.

use std::process::ExitCode;

fn main() -> ExitCode {
    converge_server::main()
}
