//! The service of a test.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::authorize::Caller;
use crate::clock::{Clock, Random};
use crate::registry::{RegistryError, TypeRegistry};
use crate::service::{Client, Service};
use crate::storage::Backend;

/// The start of a test clock after the Unix epoch, in 2027.
const BEGIN: Duration = Duration::from_hours(500_000);

/// Returns a client of a new service over a store, with a clock that follows tokio.
///
/// # Panics
///
/// Panics if a type is refused, or if the store is unavailable.
pub(super) async fn service(
    store: Arc<dyn Backend>,
    random: Random,
    clock: Option<Clock>,
    types: impl IntoIterator<Item = impl FnOnce(&mut TypeRegistry) -> Result<(), RegistryError>>,
) -> Client {
    let mut registry = TypeRegistry::new();
    for register in types {
        register(&mut registry).unwrap_or_else(|error| panic!("a type is refused: {error}"));
    }
    let clock = clock.unwrap_or_else(|| Clock::following_tokio(SystemTime::UNIX_EPOCH + BEGIN));
    let service = Service::new(store, registry, clock, random);
    let service = service.unwrap_or_else(|error| panic!("a type is refused: {error}"));
    service.start().await.expect("the store can be asked");
    service.client(Caller::system())
}
