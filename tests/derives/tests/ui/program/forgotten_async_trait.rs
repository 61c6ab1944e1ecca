//! A part of a system without `#[async_trait]`.

use converge_core::system::{Command, Output, Processes, SystemError};

struct Refusing;

impl Processes for Refusing {
    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        drop(command);
        Ok(Output::success(""))
    }
}

fn main() {}
