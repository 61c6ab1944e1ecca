//! The service of a test.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::authorize::Caller;
use crate::clock::{Clock, Random};
use crate::registry::{RegistryError, TypeRegistry};
use crate::service::{Client, Service};
use crate::storage::Backend;

/// When the clock of a test begins, after 1970: some time in 2027.
const BEGIN: Duration = Duration::from_hours(500_000);

/// A client of a new service over a store, for which time is that of tokio.
///
/// # Panics
///
/// A type is refused, or the store cannot be asked.
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
