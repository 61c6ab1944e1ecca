//! The program `converge-server`, to which `converge` delegates `server`, `agent` and others.

use std::process::ExitCode;

fn main() -> ExitCode {
    converge_server::main()
}
