//! Typed, stored resources, and controllers that reconcile the world with them.
//!
//! The guide (`guide`, in the documentation with all features) explains everything with an example.
//!
//! A stored resource is identified by its [`Id`]: its [`Type`], its [`Tenancy`], its [`Name`] and, once it is
//! stored, its [`Uid`]. The [`Scope`] of a type says which parts of a tenancy its resources have.
//!
//! Every rule is checked when a value is created, by `parse` or by deserialising. Code that holds a value of
//! one of these types need not check it again.
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

// The derives generate paths with the name of the crate, also within the crate itself.
extern crate self as converge_controller;

pub mod authorize;
pub mod builtin_types;
pub mod clock;
pub mod controllers;
mod error_text;
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
pub(crate) use error_text::debug_as_text;
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
