//! Reads and writes of typed resources.

use crate::debug_as_text;
use crate::identity::Id;
use crate::registry::{DataError, StoredResource, Typed};
use crate::storage::Consistency;

use super::client::Client;
use super::error::{ErrorKind, ServiceError};
use super::request::List;

/// The reason why a typed read or write fails.
#[derive(thiserror::Error)]
pub enum TypedError {
    /// The service refuses the request.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The data are not of the type.
    #[error(transparent)]
    Data(#[from] DataError),
}

debug_as_text!(TypedError);

impl TypedError {
    /// Returns the meaning of the error for the caller.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Service(error) => error.kind(),
            Self::Data(_) => ErrorKind::Internal,
        }
    }
}

impl List {
    /// Selects all resources of a Rust type.
    pub fn for_type<T: StoredResource>() -> Self {
        Self::new(T::resource_type().clone())
    }
}

impl Client {
    /// Reads a resource as a `T`, or returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The errors of [`find`](Self::find), and data that are not a `T`.
    pub async fn find_as<T: StoredResource>(
        &self,
        id: &Id,
        consistency: Consistency,
    ) -> Result<Option<Typed<T>>, TypedError> {
        let resource = self.find(id, consistency).await?;
        Ok(resource.map(Typed::try_from).transpose()?)
    }

    /// Reads all selected resources as `T`s.
    ///
    /// # Errors
    ///
    /// The errors of [`list`](Self::list), and data of any resource that are not a `T`.
    pub async fn list_as<T: StoredResource>(&self, list: &List) -> Result<Vec<Typed<T>>, TypedError> {
        Ok(self.list_each_as(list).await?.collect::<Result<_, _>>()?)
    }

    /// Like [`list_as`](Self::list_as), as an iterator that continues after a resource that is not a `T`.
    ///
    /// # Errors
    ///
    /// The errors of [`list`](Self::list).
    pub async fn list_each_as<T: StoredResource>(
        &self,
        list: &List,
    ) -> Result<impl Iterator<Item = Result<Typed<T>, DataError>> + use<T>, ServiceError> {
        Ok(self.list(list).await?.into_iter().map(Typed::try_from))
    }

    /// Writes a resource, and returns it as stored.
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Self::write), and data that are not a `T` after the hooks of the type changed them.
    pub async fn write_as<T: StoredResource>(&self, resource: Typed<T>) -> Result<Typed<T>, TypedError> {
        Ok(self.write(resource.into_resource()).await?.try_into()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::authorize::Caller;
    use crate::clock::{Clock, Random};
    use crate::registry::{Cause, Hooks, Registration, TypeRegistry};
    use crate::resource::{Data, Resource};
    use crate::service::Service;
    use crate::storage::Memory;
    use crate::{Scope, StoredResource, Tenancy};

    #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
    #[stored(group = "demo", version = "v2", scope = cluster)]
    struct Artist {
        #[stored(tag = 1)]
        genre: String,
    }

    /// A type that accepts all data.
    struct Anything;

    impl Hooks for Anything {
        fn check_data(&self, _: &Data) -> Result<(), Cause> {
            Ok(())
        }
    }

    fn client() -> Client {
        let mut types = TypeRegistry::new();
        let artist = Artist::resource_type().clone();
        types.add(Registration::new(artist, Scope::Cluster, "demo", Anything)).unwrap();
        let clock = Clock::following_tokio(UNIX_EPOCH);
        let service = Service::new(Arc::new(Memory::new()), types, clock, Random::from_seed(1));
        service.unwrap().client(Caller::system())
    }

    fn id(name: &str) -> Id {
        Id::new(Artist::resource_type().clone(), Tenancy::Cluster, name.parse().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_absent_is_none_and_what_is_malformed_an_error() {
        let client = client();
        let list = List::for_type::<Artist>().in_tenancy(Tenancy::Cluster);
        assert_eq!(client.find_as::<Artist>(&id("korn"), Consistency::Strong).await.unwrap(), None);
        assert_eq!(client.list_as::<Artist>(&list).await.unwrap(), []);

        let korn = Typed::new(id("korn"), Artist { genre: "metal".into() });
        let korn = client.write_as(korn).await.unwrap();
        assert!(korn.id().uid.is_some());
        let actual = client.find_as::<Artist>(&id("korn"), Consistency::Strong).await.unwrap();
        assert_eq!(actual.as_ref(), Some(&korn));
        assert_eq!(client.list_as::<Artist>(&list).await.unwrap(), std::slice::from_ref(&korn));

        let data = Some(Data::new(Artist::resource_type(), vec![0xff]));
        client.write(Resource { data, ..Resource::new(id("broken")) }).await.unwrap();
        let error = client.find_as::<Artist>(&id("broken"), Consistency::Strong).await.unwrap_err();
        assert!(matches!(error, TypedError::Data(_)), "{error}");
        assert_eq!(error.kind(), ErrorKind::Internal);
        // The list fails as a whole, and the iterator continues.
        assert!(matches!(client.list_as::<Artist>(&list).await.unwrap_err(), TypedError::Data(_)));
        let artists: Vec<Option<Typed<Artist>>> =
            client.list_each_as(&list).await.unwrap().map(Result::ok).collect();
        assert_eq!(artists, [None, Some(korn)]);
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_are_those_of_the_service() {
        let client = client();
        let error = client.list_as::<Artist>(&List::for_type::<Artist>()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
