//! Requests to reconcile a resource.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::debug_as_text;
use crate::identity::{Id, Name, Reference, Tenancy, Type};
use crate::registry::{StoredResource, Typed};

/// A request to reconcile a resource of type `T`.
///
/// It does not say what happened: the reconciler reads the current state. The resource may have been deleted,
/// or may never have existed.
pub struct Request<T> {
    id: Id,
    marker: PhantomData<fn() -> T>,
}

/// The error of an identity or reference of another type.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id} cannot be asked of a reconciler of {expected}")]
pub struct WrongType {
    /// The type that is reconciled.
    pub expected: Type,
    /// The identity that was given.
    pub id: Box<Id>,
}

debug_as_text!(WrongType);

impl<T: StoredResource> Request<T> {
    /// Requests the resource with a name.
    pub fn new(tenancy: Tenancy, name: Name) -> Self {
        Self::from_id(Id::new(T::resource_type().clone(), tenancy, name))
    }

    /// Returns the identity of the resource, without uid.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Creates the request for an identity of a `T`, without its uid: one resource always has one key.
    fn from_id(id: Id) -> Self {
        let resource_type = T::resource_type().clone();
        Self { id: Id { resource_type, uid: None, ..id }, marker: PhantomData }
    }
}

impl<T: StoredResource> TryFrom<Id> for Request<T> {
    type Error = WrongType;

    /// Converts an identity, ignoring the version of its type.
    fn try_from(id: Id) -> Result<Self, WrongType> {
        let expected = T::resource_type();
        if id.resource_type.group == expected.group && id.resource_type.kind == expected.kind {
            Ok(Self::from_id(id))
        } else {
            Err(WrongType { expected: expected.clone(), id: Box::new(id) })
        }
    }
}

impl<T: StoredResource> TryFrom<Reference> for Request<T> {
    type Error = WrongType;

    fn try_from(reference: Reference) -> Result<Self, WrongType> {
        Id::from(reference).try_into()
    }
}

impl<T: StoredResource> From<&Typed<T>> for Request<T> {
    fn from(resource: &Typed<T>) -> Self {
        Self::from_id(resource.resource.id.clone())
    }
}

impl<T> From<Request<T>> for Id {
    fn from(request: Request<T>) -> Self {
        request.id
    }
}

// The standard derives would require bounds on `T`, which are unnecessary because no `T` is stored.

impl<T> Clone for Request<T> {
    fn clone(&self) -> Self {
        Self { id: self.id.clone(), marker: PhantomData }
    }
}

impl<T> PartialEq for Request<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for Request<T> {}

impl<T> Hash for Request<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({})", self.id)
    }
}
