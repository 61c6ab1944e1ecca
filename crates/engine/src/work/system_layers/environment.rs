//! A `System` that adds the environment of a module to programs and requests.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;

use crate::graph::{Environment, Node};
use crate::sdk::context::Context;
use crate::system::{
    Address, Command, HttpError, HttpRequest, HttpResponse, Network, Output, Processes, Stream, System,
    SystemError, WrapNetwork, WrapProcesses, WrapSystem,
};

/// A system whose programs and requests have the variables of an [`Environment`].
#[derive(Debug)]
pub(super) struct EnvironmentSystem {
    system: Arc<dyn System>,
    environment: Arc<Environment>,
}

impl EnvironmentSystem {
    pub(super) fn new(system: Arc<dyn System>, environment: Arc<Environment>) -> Self {
        Self { system, environment }
    }
}

impl WrapSystem for EnvironmentSystem {
    fn wrapped_system(&self) -> &dyn System {
        &*self.system
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        self
    }

    fn env(&self, name: &str) -> Option<String> {
        self.environment.get(name).map(str::to_owned).or_else(|| self.system.env(name))
    }
}

#[async_trait]
impl WrapProcesses for EnvironmentSystem {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.system.processes()
    }

    /// Variables that the resource sets on the command take precedence.
    async fn run(&self, mut command: Command) -> Result<Output, SystemError> {
        for (name, value) in self.environment.iter() {
            command.env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        self.wrapped_processes().run(command).await
    }
}

#[async_trait]
impl WrapNetwork for EnvironmentSystem {
    fn wrapped_network(&self) -> &dyn Network {
        self.system.network()
    }

    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        self.wrapped_network().connect(address).await
    }

    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.wrapped_network().request(request.with_variables(self.environment.iter())).await
    }
}

/// Returns the context of a node, with its environment added to the system.
pub(crate) fn with_environment<'a>(cx: Cow<'a, Context>, node: &Node) -> Cow<'a, Context> {
    let environment = node.environment();
    if environment.is_empty() {
        return cx;
    }
    let system = EnvironmentSystem::new(Arc::clone(cx.shared_system()), Arc::clone(environment));
    Cow::Owned(cx.into_owned().with_system(Arc::new(system)))
}
