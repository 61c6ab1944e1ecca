//! Conversion between resources and their Rust types.

use std::sync::Arc;

use prost::DecodeError;

use crate::debug_as_text;
use crate::identity::{Id, Name, Tenancy, Type};
use crate::resource::{Data, Resource};

use super::stored_resource::StoredResource;
use super::typed_resource::Typed;

/// The error of a resource whose data cannot be decoded as the expected type.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// The data are a message of another type.
    #[error("the data of {id} are {got:?}, not {expected}")]
    OtherMessage {
        /// The resource.
        id: Box<Id>,
        /// The type that was expected.
        expected: Type,
        /// The name of the message.
        got: String,
    },
    /// The data are not a valid message of the type.
    #[error("the data of {id} are not {expected}: {source}")]
    Malformed {
        /// The resource.
        id: Box<Id>,
        /// The type that was expected.
        expected: Type,
        /// The cause, with the path of the field.
        source: DecodeError,
    },
}

debug_as_text!(DataError);

impl<T: StoredResource> Typed<T> {
    /// Creates a resource with a name, before it is stored.
    ///
    /// ```
    /// use converge_controller::{Scope, StoredResource, Typed};
    ///
    /// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
    /// #[stored(group = "demo", version = "v2", scope = namespace)]
    /// struct Artist {}
    ///
    /// let artist = Typed::named(Scope::Namespace.default_tenancy(), "korn".parse()?, Artist {});
    /// let fan = Typed::named(artist.id().tenancy.clone(), "fan".parse()?, Artist {}).with_owner(artist.id());
    /// assert_eq!(fan.owner(), Some(artist.id()));
    /// # Ok::<(), converge_controller::InvalidName>(())
    /// ```
    pub fn named(tenancy: Tenancy, name: Name, data: T) -> Self {
        Self::new(Id::new(T::resource_type().clone(), tenancy, name), data)
    }

    /// Sets the owner.
    ///
    /// This is only possible before the resource is stored.
    pub fn with_owner(mut self, owner: &Id) -> Self {
        self.resource.owner = Some(owner.clone());
        self
    }

    /// Creates a resource with only an identity and data.
    pub fn new(id: Id, data: T) -> Self {
        Self { resource: Resource::new(id), data }
    }

    /// Decodes the data of a resource.
    ///
    /// If the resource has none, every field has its default.
    ///
    /// # Errors
    ///
    /// Fails if the data are not a message of the type.
    pub fn decode(resource: Resource) -> Result<Self, DataError> {
        let Some(data) = &resource.data else { return Ok(Self { data: T::default(), resource }) };
        let expected = T::resource_type();
        let id = || Box::new(resource.id.clone());
        if data.message_name() != expected.message_name() {
            let actual = data.message_name().to_owned();
            return Err(DataError::OtherMessage { id: id(), expected: expected.clone(), got: actual });
        }
        let malformed = |source| DataError::Malformed { id: id(), expected: expected.clone(), source };
        let data = T::decode(data.value.clone()).map_err(malformed)?;
        Ok(Self { resource, data })
    }

    /// Returns the resource with the current data.
    pub fn into_resource(self) -> Resource {
        let data = Data::new(T::resource_type(), self.data.encode_to_vec());
        Resource { data: Some(data), ..self.resource }
    }
}

impl<T: StoredResource> TryFrom<Arc<Resource>> for Typed<T> {
    type Error = DataError;

    fn try_from(resource: Arc<Resource>) -> Result<Self, DataError> {
        Self::decode(Arc::unwrap_or_clone(resource))
    }
}

impl<T: StoredResource> From<Typed<T>> for Resource {
    fn from(typed: Typed<T>) -> Self {
        typed.into_resource()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredResource;

    #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
    #[stored(group = "demo", version = "v2", scope = cluster)]
    struct Artist {
        #[stored(tag = 1)]
        genre: String,
    }

    fn id() -> Id {
        Id::new(Artist::resource_type().clone(), crate::Tenancy::Cluster, "korn".parse().unwrap())
    }

    #[test]
    fn what_is_changed_is_encoded() {
        let mut artist = Typed::new(id(), Artist { genre: "metal".into() });
        artist.genre.push('!');
        artist.metadata_mut().set("team", "web").unwrap();
        let resource = Arc::new(Resource::from(artist));
        let artist = Typed::<Artist>::try_from(resource).unwrap();
        assert_eq!(artist.data, Artist { genre: "metal!".into() });
        assert_eq!(artist.metadata().get("team"), Some("web"));
    }

    #[track_caller]
    fn check(data: Option<Data>, expect: Result<&str, &str>) {
        let resource = Resource { data, ..Resource::new(id()) };
        let actual = Typed::<Artist>::decode(resource).map(|artist| artist.data.genre);
        assert_eq!(actual.map_err(|error| error.to_string()), expect.map(String::from).map_err(String::from));
    }

    #[test]
    fn data() {
        check(None, Ok(""));
        check(Some(Data::new(Artist::resource_type(), vec![0x0a, 1, b'x'])), Ok("x"));
        let other_data =
            Data { type_url: "type.googleapis.com/converge.demo.v2.Album".into(), value: vec![].into() };
        check(
            Some(other_data),
            Err("the data of demo.v2.Artist/korn are \"converge.demo.v2.Album\", not demo.v2.Artist"),
        );
        let error = "the data of demo.v2.Artist/korn are not demo.v2.Artist: ";
        let cut_off = Data::new(Artist::resource_type(), vec![0x0a, 5, b'x']);
        let resource = Resource { data: Some(cut_off), ..Resource::new(id()) };
        assert!(Typed::<Artist>::decode(resource).unwrap_err().to_string().starts_with(error));
    }
}
