//! Identity of typed, stored resources.
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

mod admission;
mod id;
mod name;
mod resource_type;
mod scope;
mod tenancy;
mod uid;

pub use admission::ScopeError;
pub use id::Id;
pub use name::{Group, GroupVersion, InvalidName, Kind, Name, Namespace, Naming, Partition};
pub use resource_type::{Type, TypeError};
pub use scope::{Scope, Unit};
pub use tenancy::{Selector, Tenancy, TenancyError, TenancyPattern};
pub use uid::{Uid, UidError};
