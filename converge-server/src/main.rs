//! The program `converge-server`, which `converge server`, `agent`, `top` and `controllers` run.

use std::process::ExitCode;

fn main() -> ExitCode {
    converge_server::main()
}
