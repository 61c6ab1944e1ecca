//! Tests of each rule of the service, by its row in the tables of the specification.

mod access;
mod definitions;
mod deletion;
mod hooks;
mod hostile_input;
mod messages;
mod reads;
mod status;
mod tenancy;
mod watches;
mod writes;

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::authorize::{Access, Authorizer, Caller, Verb};
use crate::clock::{Clock, Random};
use crate::identity::{Id, Scope, Tenancy, Type};
use crate::registry::{Cause, Hooks, Registration, TypeRegistry};
use crate::resource::{Data, Finalizer, Metadata, Resource};
use crate::storage::{Backend, Consistency, Memory};

pub(super) const ARTIST: &str = "demo.v1.Artist";
pub(super) const NEW_ARTIST: &str = "demo.v2.Artist";
pub(super) const NODE: &str = "demo.v1.Node";
pub(super) const REGION: &str = "demo.v1.Region";
pub(super) const GUARDED: &str = "demo.v1.Guarded";
pub(super) const NEW_GUARDED: &str = "demo.v2.Guarded";

/// A type whose data are a word.
///
/// `bad` is refused, `old` becomes `new`, `broken` makes the mutate hook fail, and text that is not UTF-8 is
/// not valid data. Some words make hooks panic. Only callers with write permission may read `secret`.
struct Word;

fn word(resource: &Resource) -> &str {
    resource.data.as_ref().and_then(|data| std::str::from_utf8(&data.value).ok()).unwrap_or_default()
}

impl Hooks for Word {
    fn check_data(&self, data: &Data) -> Result<(), Cause> {
        Ok(std::str::from_utf8(&data.value).map(|_| ())?)
    }

    fn mutate(&self, resource: &Resource) -> Result<Option<Resource>, Cause> {
        match word(resource) {
            // A mutate hook cannot change the name.
            "old" => Ok(Some(Resource { id: id(NODE, "elsewhere"), ..with_word(resource.clone(), "new") })),
            "broken" => Err("it is broken".into()),
            "panic in mutate" => panic!("panic in mutate"),
            _ => Ok(None),
        }
    }

    fn validate(&self, resource: &Resource) -> Result<(), Cause> {
        match word(resource) {
            "bad" => Err("it is bad".into()),
            "panic in validate" => panic!("panic in validate"),
            _ => Ok(()),
        }
    }
}

/// A type like [`Word`], but `open` is the only readable word, and `sealed` denies all access.
struct Guarded;

impl Hooks for Guarded {
    fn check_data(&self, data: &Data) -> Result<(), Cause> {
        Word.check_data(data)
    }

    fn authorize_read(&self, _: &dyn Authorizer, _: &Id, resource: Option<&Resource>) -> Access {
        resource.map_or(Access::NeedResource, |resource| (word(resource) == "open").into())
    }

    fn authorize_write(&self, authorizer: &dyn Authorizer, resource: &Resource) -> Access {
        if word(resource) == "sealed" {
            Access::Deny
        } else {
            authorizer.may(Verb::Write, &resource.id).into()
        }
    }
}

/// A service in memory, and its store.
pub(super) struct Fixture {
    pub(super) client: Client,
    pub(super) store: Arc<Memory>,
}

pub(super) fn types() -> TypeRegistry {
    let mut types = TypeRegistry::new();
    let scopes = [
        (ARTIST, Scope::Namespace),
        (NEW_ARTIST, Scope::Namespace),
        (NODE, Scope::Partition),
        (REGION, Scope::Cluster),
        (NEW_GUARDED, Scope::Namespace),
    ];
    for (name, scope) in scopes {
        types.add(Registration::new(name.parse().unwrap(), scope, "tests", Word)).unwrap();
    }
    types.add(Registration::new(GUARDED.parse().unwrap(), Scope::Namespace, "tests", Guarded)).unwrap();
    types
}

/// Returns a client of a service over a store, whose clock starts at `since` after the Unix epoch.
pub(super) fn client_of(backend: Arc<dyn Backend>, offset: Duration, seed: u64) -> Client {
    let clock = Clock::following_tokio(UNIX_EPOCH + offset);
    let service = Service::new(backend, types(), clock, Random::from_seed(seed)).unwrap();
    service.client(Caller::system())
}

pub(super) const TODAY: Duration = Duration::from_hours(500_000);

pub(super) fn fixture() -> Fixture {
    let store = Arc::new(Memory::new());
    Fixture { client: client_of(Arc::<Memory>::clone(&store), TODAY, 1), store }
}

pub(super) fn id(resource_type: &str, name: &str) -> Id {
    let resource_type: Type = resource_type.parse().unwrap();
    // The service completes the tenancy.
    Id::new(resource_type, Tenancy::Cluster, name.parse().unwrap())
}

pub(super) fn resource(resource_type: &str, name: &str) -> Resource {
    with_word(Resource::new(id(resource_type, name)), "hello")
}

pub(super) fn with_word(resource: Resource, word: &str) -> Resource {
    let data = Data::new(&resource.id.resource_type, word.as_bytes().to_vec());
    Resource { data: Some(data), ..resource }
}

pub(super) fn with_finalizers<const N: usize>(mut resource: Resource, names: [&str; N]) -> Resource {
    // An empty list is also set explicitly, which means no finalizers.
    resource.metadata = Metadata::try_from(std::collections::BTreeMap::from([(
        Metadata::FINALIZERS.to_owned(),
        names.join(" "),
    )]))
    .unwrap();
    resource
}

pub(super) fn finalizers(resource: &Resource) -> Vec<&str> {
    resource.metadata.finalizers().map(Finalizer::as_str).collect()
}

impl Fixture {
    pub(super) async fn write(&self, resource: Resource) -> Arc<Resource> {
        self.client.write(resource).await.expect("a write")
    }

    pub(super) async fn read(&self, id: &Id) -> Option<Arc<Resource>> {
        self.client.find(id, Consistency::Strong).await.expect("a read")
    }

    /// Returns the result of a write: the stored word, or the error.
    pub(super) async fn outcome(&self, resource: Resource) -> Result<String, String> {
        let result = self.client.write(resource.clone()).await;
        match result {
            Ok(stored) => Ok(word(&stored).to_owned()),
            Err(error) => Err(format!("{:?}: {error}", error.kind())),
        }
    }

    /// Checks that a write and its dry run fail with the same error, and that neither changes anything.
    #[track_caller]
    pub(super) fn refused(
        &self,
        resource: Resource,
        kind: ErrorKind,
        expect: &str,
    ) -> impl Future<Output = ()> {
        let place = std::panic::Location::caller();
        async move {
            let before = self.store.snapshot();
            let dry = self.client.mutate_and_validate(resource.clone()).await;
            let wet = self.client.write(resource).await;
            for (mode, error) in [("dry", dry.err()), ("wet", wet.err())] {
                let error = error.unwrap_or_else(|| panic!("{place}: {mode}: nothing was refused"));
                assert_eq!((error.kind(), error.to_string().as_str()), (kind, expect), "{place}: {mode}");
            }
            assert_eq!(self.store.snapshot(), before, "{place}");
        }
    }
}
