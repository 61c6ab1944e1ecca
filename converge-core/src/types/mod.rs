//! What everything else speaks of: values, descriptions of types, ids, names that are looked up.

pub(crate) mod base_path;
pub(crate) mod budget;
#[cfg(feature = "plugin-host")]
pub(crate) mod by_kind;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod ensure;
pub(crate) mod footprint;
pub(crate) mod function;
pub(crate) mod guard;
#[cfg(feature = "engine")]
pub(crate) mod hash;
pub(crate) mod health;
pub(crate) mod id;
#[cfg(feature = "plugin")]
pub(crate) mod intern;
pub(crate) mod joined;
pub(crate) mod limits;
pub(crate) mod platform;
pub(crate) mod schema;
pub(crate) mod scope;
pub(crate) mod stop;
pub(crate) mod value;
pub(crate) mod visible;
#[cfg(feature = "plugin")]
pub(crate) mod wire;
