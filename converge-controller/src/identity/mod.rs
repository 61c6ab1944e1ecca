//! The identity of a resource: type, tenancy, name and uid.

mod admission;
mod id;
mod name;
mod reference;
mod resource_type;
mod scope;
mod tenancy;
mod ulid;

pub use admission::ScopeError;
pub use id::Id;
pub use name::{Group, GroupVersion, InvalidName, Kind, Name, Namespace, Naming, Partition};
pub use reference::Reference;
pub use resource_type::{Type, TypeError};
pub use scope::{Scope, Unit};
pub use tenancy::{Selector, Tenancy, TenancyError, TenancyPattern};
pub use ulid::{Generation, Marking, Uid, UlidError};
