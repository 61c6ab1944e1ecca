//! Errors of the registration of a controller.

use crate::debug_as_text;
use crate::identity::Type;
use crate::runtime::cache::CacheDefinitionError;

/// The reason why a controller cannot be registered.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The name is not a valid lease name.
    #[error("{name:?} is not the name of a controller: it is not empty and has no /")]
    Name {
        /// The name.
        name: String,
    },
    /// A controller with this name is registered.
    #[error("there are two controllers of the name {name:?}, of {first} and of {second}")]
    Twice {
        /// The name.
        name: String,
        /// The type that the registered controller manages.
        first: Type,
        /// The type that the new controller manages.
        second: Type,
    },
    /// The controller watches a type that the service does not know.
    #[error("controller {controller:?} watches {resource_type}, which is not registered")]
    UnknownType {
        /// The controller.
        controller: String,
        /// The type.
        resource_type: Type,
    },
    /// The controller watches a type twice, or watches the type that it manages.
    #[error("controller {controller:?} watches {resource_type} twice; the managed type is watched anyway")]
    WatchedTwice {
        /// The controller.
        controller: String,
        /// The type.
        resource_type: Type,
    },
    /// Two streams of the controller have the same name.
    #[error("controller {controller:?} has two streams of the name {stream:?}")]
    StreamTwice {
        /// The controller.
        controller: String,
        /// The name of the stream.
        stream: String,
    },
    /// The definition of the cache has a mistake.
    #[error("controller {controller:?}: {mistake}")]
    Cache {
        /// The controller.
        controller: String,
        /// The mistake.
        #[source]
        mistake: CacheDefinitionError,
    },
}

debug_as_text!(RegisterError);
