//! Typed references.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::stored_resource::StoredResource;
use crate::debug_as_text;
use crate::identity::{Id, Name, Reference, Tenancy, Type};
use crate::protobuf::{FieldType, Value, invalid};

/// A reference to a resource whose data are a `T`, for a field of other data.
///
/// It contains a tenancy and a name; the type is that of `T`. It means the resource that has the name now.
///
/// ```
/// use converge_controller::{Ref, Scope, StoredResource};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Artist", scope = namespace)]
/// struct Artist {}
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", kind = "Album", scope = namespace)]
/// struct Album {
///     #[stored(tag = 1)]
///     artist: Option<Ref<Artist>>,
/// }
///
/// let korn = Ref::new(Scope::Namespace.default_tenancy(), "korn".parse()?);
/// let album = Album { artist: Some(korn) };
/// assert_eq!(album.artist.expect("an artist").id().to_string(), "demo.v2.Artist/default/default/korn");
/// # Ok::<(), converge_controller::InvalidName>(())
/// ```
pub struct Ref<T> {
    /// The tenancy of the resource.
    pub tenancy: Tenancy,
    /// The name of the resource.
    pub name: Name,
    /// The part of the resource; empty for the whole.
    pub section: String,
    marker: PhantomData<fn() -> T>,
}

impl<T> Ref<T> {
    /// Creates a reference to a whole resource.
    pub fn new(tenancy: Tenancy, name: Name) -> Self {
        Self { tenancy, name, section: String::new(), marker: PhantomData }
    }

    /// Sets the part of the resource.
    pub fn with_section(self, section: impl Into<String>) -> Self {
        Self { section: section.into(), ..self }
    }
}

impl<T: StoredResource> Ref<T> {
    /// Returns the identity of the resource.
    pub fn id(&self) -> Id {
        Id::new(T::resource_type().clone(), self.tenancy.clone(), self.name.clone())
    }
}

impl<T: StoredResource> From<&Ref<T>> for Reference {
    fn from(reference: &Ref<T>) -> Self {
        Self {
            resource_type: T::resource_type().clone(),
            tenancy: reference.tenancy.clone(),
            name: reference.name.clone(),
            section: reference.section.clone(),
        }
    }
}

/// The error of a reference to a resource of the wrong type.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a reference to {expected}, got one to {got}")]
pub struct WrongReference {
    /// The expected type.
    pub expected: Type,
    /// The reference.
    pub got: Reference,
}

debug_as_text!(WrongReference);

impl<T: StoredResource> TryFrom<Reference> for Ref<T> {
    type Error = WrongReference;

    fn try_from(reference: Reference) -> Result<Self, WrongReference> {
        if reference.resource_type == *T::resource_type() {
            let Reference { tenancy, name, section, .. } = reference;
            Ok(Self { tenancy, name, section, marker: PhantomData })
        } else {
            Err(WrongReference { expected: T::resource_type().clone(), got: reference })
        }
    }
}

impl<T: StoredResource> Value for Ref<T> {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        Value::encode(&Reference::from(self), tag, buf);
    }

    fn encoded_len(&self, tag: u32) -> usize {
        Value::encoded_len(&Reference::from(self), tag)
    }

    fn decode(
        earlier: Option<Self>,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<Self, DecodeError> {
        let earlier = earlier.as_ref().map(Reference::from);
        let reference = Reference::decode(earlier, wire_type, buf, context)?;
        Self::try_from(reference).map_err(|error| invalid(error.to_string()))
    }

    fn absent() -> Result<Self, DecodeError> {
        Self::try_from(Reference::absent()?).map_err(|error| invalid(error.to_string()))
    }

    fn is_default(&self) -> bool {
        false
    }

    fn field_type() -> FieldType {
        match Reference::field_type() {
            FieldType::Message(link) => FieldType::Reference(link, T::resource_type()),
            other => other,
        }
    }
}

// The standard derives would require bounds on `T`, which are unnecessary because no `T` is stored.

impl<T> Clone for Ref<T> {
    fn clone(&self) -> Self {
        Self {
            tenancy: self.tenancy.clone(),
            name: self.name.clone(),
            section: self.section.clone(),
            marker: PhantomData,
        }
    }
}

impl<T> Ref<T> {
    fn parts(&self) -> (&Tenancy, &Name, &str) {
        (&self.tenancy, &self.name, &self.section)
    }
}

impl<T> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl<T> Eq for Ref<T> {}

impl<T> PartialOrd for Ref<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ref<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl<T> Hash for Ref<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl<T> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tenancy, name, section, .. } = self;
        f.debug_struct("Ref").field("tenancy", tenancy).field("name", name).field("section", section).finish()
    }
}
