//! What is behind the door.

use crate::json::Codec;
use axum::body::Bytes;
use converge_controller::runtime::{Dependencies, ManagerHandle};
use converge_controller::service::Client;
use tokio_util::sync::CancellationToken;

/// What the doors lead to.
#[derive(Clone)]
pub(crate) struct Doors {
    pub(crate) client: Client,
    pub(crate) codec: Codec,
    pub(crate) controllers: ManagerHandle,
    pub(crate) dependencies: Dependencies,
    /// The document that says what can be asked.
    pub(crate) openapi: Bytes,
    /// The server has been told to stop.
    pub(crate) stopping: CancellationToken,
}
