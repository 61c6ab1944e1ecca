//! The network of the model: who listens where.

use async_trait::async_trait;

use super::ModelSystem;
use crate::system::{Address, Network, Stream, SystemError, SystemErrorKind};

#[async_trait]
impl Network for ModelSystem {
    /// Whoever listens in the model accepts, says nothing and reads nothing.
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        if self.lock().machine.listens(address) {
            return Ok(Box::new(tokio::io::empty()));
        }
        let kind = match address {
            Address::Tcp { .. } => SystemErrorKind::ConnectionRefused,
            Address::Unix(_) => SystemErrorKind::NotFound,
        };
        Err(SystemError::other("connect to", address.to_string(), kind))
    }
}
