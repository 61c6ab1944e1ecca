//! A builder of resources for tests.

use crate::identity::{Id, Tenancy};
use crate::registry::{StoredResource, Typed};
use crate::resource::{Condition, Resource, Status};
use crate::service::StatusUpdate;

use super::client::TestClient;

/// A resource that a test is about to write.
///
/// ```
/// use converge_controller::StoredResource;
/// use converge_controller::testing::resource;
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", scope = namespace)]
/// struct Artist {
///     #[stored(tag = 1)]
///     genre: String,
/// }
///
/// let korn = resource::<Artist>("korn").with_data(Artist { genre: "metal".into() }).with_note("team", "web").build();
/// assert_eq!(korn.id.to_string(), "demo.v2.Artist/default/default/korn");
/// ```
#[derive(Clone, Debug)]
pub struct Draft<T> {
    resource: Typed<T>,
    statuses: Vec<(String, Vec<Condition>)>,
}

/// Begins a resource with this name, in the default tenancy.
///
/// # Panics
///
/// Panics if the text is not a name.
pub fn resource<T: StoredResource>(name: &str) -> Draft<T> {
    let name = name.parse().expect("the name of a resource");
    let id = Id::new(T::resource_type().clone(), T::SCOPE.default_tenancy(), name);
    Draft { resource: Typed::new(id, T::default()), statuses: Vec::new() }
}

impl<T: StoredResource> Draft<T> {
    /// Sets the tenancy.
    #[must_use]
    pub fn in_tenancy(mut self, tenancy: Tenancy) -> Self {
        self.resource.resource.id.tenancy = tenancy;
        self
    }

    /// Sets the data.
    #[must_use]
    pub fn with_data(mut self, data: T) -> Self {
        self.resource.data = data;
        self
    }

    /// Sets the owner.
    #[must_use]
    pub fn with_owner(mut self, owner: &Id) -> Self {
        self.resource.resource.owner = Some(owner.clone());
        self
    }

    /// Adds a note to the metadata.
    ///
    /// # Panics
    ///
    /// Panics if the key is reserved for the service.
    #[must_use]
    pub fn with_note(mut self, key: &str, text: &str) -> Self {
        self.resource.metadata_mut().set(key, text).expect("the key of a note");
        self
    }

    /// Adds a finalizer.
    ///
    /// # Panics
    ///
    /// Panics if the text is not a finalizer.
    #[must_use]
    pub fn with_finalizer(mut self, name: &str) -> Self {
        self.resource.metadata_mut().add_finalizer(name.parse().expect("a finalizer"));
        self
    }

    /// Adds a status, which is written after the resource, about the generation that the write created.
    #[must_use]
    pub fn with_status(mut self, key: &str, conditions: impl IntoIterator<Item = Condition>) -> Self {
        self.statuses.push((key.to_owned(), conditions.into_iter().collect()));
        self
    }

    /// Returns the resource, without its statuses.
    pub fn build(self) -> Resource {
        self.resource.into_resource()
    }

    /// Writes the resource and then its statuses, and returns it as stored.
    ///
    /// # Panics
    ///
    /// Panics if the service refuses the resource, or if the stored data cannot be decoded.
    pub async fn write(self, client: &TestClient) -> Typed<T> {
        let statuses = self.statuses;
        let mut stored = client.write(self.resource.into_resource()).await.expect("a resource is written");
        for (key, conditions) in statuses {
            let generation = stored.generation.expect("what is stored has a generation");
            let (id, key) = (stored.id.clone(), key.parse().expect("the key of a status"));
            let update = StatusUpdate { id, version: None, key, status: Status::new(generation, conditions) };
            stored = client.write_status(update).await.expect("a status is written");
        }
        Typed::decode(Resource::clone(&stored)).expect("the data are of the type")
    }
}
