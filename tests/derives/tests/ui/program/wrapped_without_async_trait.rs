//! A wrapper around a system without `#[async_trait]`.

use std::sync::Arc;

use converge_core::system::{Command, Output, Processes, System, SystemError, WrapProcesses};

struct Counting(Arc<dyn System>);

impl WrapProcesses for Counting {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.0.processes()
    }

    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        self.0.processes().run(command).await
    }
}

fn main() {}
