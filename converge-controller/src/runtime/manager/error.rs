//! Why a controller cannot be registered.

use crate::identity::Type;
use crate::runtime::cache::CacheDefinitionError;

/// A controller cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// Its name cannot be that of a lease.
    #[error("{name:?} is not the name of a controller: it is not empty and has no /")]
    Name {
        /// The name.
        name: String,
    },
    /// There is one of that name.
    #[error("there are two controllers of the name {name:?}, of {first} and of {second}")]
    Twice {
        /// The name.
        name: String,
        /// What the registered one manages.
        first: Type,
        /// What the other one manages.
        second: Type,
    },
    /// It watches a type that the service does not know.
    #[error("controller {controller:?} watches {resource_type}, which is not registered")]
    UnknownType {
        /// The controller.
        controller: String,
        /// The type.
        resource_type: Type,
    },
    /// It watches a type twice, or watches the type that it manages.
    #[error("controller {controller:?} watches {resource_type} twice; the managed type is watched anyway")]
    WatchedTwice {
        /// The controller.
        controller: String,
        /// The type.
        resource_type: Type,
    },
    /// Two of its streams have one name.
    #[error("controller {controller:?} has two streams of the name {stream:?}")]
    StreamTwice {
        /// The controller.
        controller: String,
        /// The name.
        stream: String,
    },
    /// Its cache cannot be made.
    #[error("controller {controller:?}: {mistake}")]
    Cache {
        /// The controller.
        controller: String,
        /// What is wrong.
        #[source]
        mistake: CacheDefinitionError,
    },
}
