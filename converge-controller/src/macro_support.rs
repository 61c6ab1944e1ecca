//! Support for the code that the derives generate, not meant for direct use.

pub use bytes;
pub use prost;

use crate::identity::{Group, GroupVersion, Kind, Type};
pub use crate::protobuf::macro_support::*;

/// Returns the type with these names, which the derive has checked.
#[expect(clippy::panic, reason = "the derive refuses names that break the rules")]
pub fn resource_type(group: &str, version: &str, kind: &str) -> Type {
    let names = || {
        Some((
            group.parse::<Group>().ok()?,
            version.parse::<GroupVersion>().ok()?,
            kind.parse::<Kind>().ok()?,
        ))
    };
    let Some((group, version, kind)) = names() else { panic!("{group}.{version}.{kind} is not a type") };
    Type::new(group, version, kind)
}
