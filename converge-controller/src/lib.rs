//! Typed, stored resources, and controllers that keep the world as they say.
//!
//! The guide (`guide`, in the documentation with all features) goes through all of it with an example.
//!
//! A stored resource is found by its [`Id`]: what it is ([`Type`]), whose it is ([`Tenancy`]), what it is called
//! ([`Name`]) and, once it is stored, which one of that name it is ([`Uid`]). How much of a tenancy a type uses is
//! its [`Scope`].
//!
//! Every rule is checked where a value is made, by `parse` or by deserialising. Code that holds a value of one of
//! these types need not check it again.
//!
//! ```
//! use converge_controller::{Id, Scope, Tenancy, Type};
//!
//! let artist: Type = "demo.v2.Artist".parse()?;
//! let tenancy = Tenancy::from_units("default", "music")?;
//! Scope::Namespace.admit(&artist, &tenancy)?;
//!
//! let id = Id::new(artist, tenancy, "korn".parse()?);
//! assert_eq!(id.to_string(), "demo.v2.Artist/default/music/korn");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The derives write paths under the name of the crate, also in the crate itself.
extern crate self as converge_controller;

pub mod authorize;
pub mod builtin_types;
pub mod clock;
pub mod controllers;
#[cfg(feature = "testing")]
pub mod guide {
    #![doc = include_str!("../docs/guide.md")]
}
mod identity;
#[doc(hidden)]
pub mod macro_support;
pub mod protobuf;
pub mod registry;
mod resource;
pub mod runtime;
pub mod service;
pub mod storage;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod validation;

pub use converge_derive::{StoredEnum, StoredMessage, StoredOneof, StoredResource};
pub use identity::{
    Generation, Group, GroupVersion, Id, InvalidName, Kind, Marking, Name, Namespace, Naming, Partition,
    Reference, Scope, ScopeError, Selector, Tenancy, TenancyError, TenancyPattern, Type, TypeError, Uid,
    UlidError, Unit,
};
pub use protobuf::{StoredEnum, StoredMessage, StoredOneof};
pub use registry::{DataError, Ref, StoredResource, Typed};
pub use resource::{
    Condition, ConditionState, Data, Finalizer, InvalidFinalizer, InvalidStatusKey, InvalidVersion, Metadata,
    MetadataError, Resource, Status, StatusKey, Version,
};
