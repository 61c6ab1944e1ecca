use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::Address;

use crate::retry::RetryPolicy;

/// The time limit of an attempt: a firewall that drops packets gives no answer at all.
const ATTEMPT: Duration = Duration::from_secs(5);

/// The task of a `wait.port` resource.
#[derive(Debug, Export)]
pub struct Listening {
    /// The host to connect to.
    #[export]
    pub(super) host: String,
    /// The port to connect to.
    #[export]
    pub(super) port: u16,
    pub(super) retry: RetryPolicy,
}

impl Listening {
    fn address(&self) -> Address {
        Address::tcp(&self.host, self.port)
    }

    /// Tries once, and returns the reason of a failure.
    async fn attempt(&self, cx: &Context) -> Result<(), String> {
        let address = self.address();
        let connect = cx.system().network().connect(&address);
        match tokio::time::timeout(ATTEMPT, connect).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error.kind.to_string()),
            Err(_) => Err(format!("no answer within {ATTEMPT:?}")),
        }
    }
}

impl Task for Listening {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        if let Err(reason) = self.attempt(cx).await {
            status.add_difference(self.address().to_string(), "closed", "open");
            status.add_message(reason);
            // A pending change that this resource depends on may open the port.
            let is_pending = !cx.pending().is_empty();
            status.raise_level(if is_pending { StatusLevel::MayChange } else { StatusLevel::WillChange });
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut waiting = self.retry.begin(cx);
        let mut last = String::new();
        while waiting.next().await? {
            match self.attempt(cx).await {
                Ok(()) => {
                    let mut status = Status::new();
                    status.add_message(format!("{} is open after {}", self.address(), waiting.stats()));
                    waiting.settle().await?;
                    return Ok(status);
                }
                Err(reason) => {
                    tracing::debug!(address = %self.address(), %reason, stats = %waiting.stats(), "still closed");
                    last = reason;
                }
            }
        }
        let (address, stats) = (self.address(), waiting.stats());
        Err(Error::msg(format!("{address} does not accept connections after {stats}: {last}")))
    }
}
