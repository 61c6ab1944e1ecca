//! The API for authors of resources.

pub(crate) mod app_state;
pub(crate) mod context;
pub(crate) mod derive_support;
pub(crate) mod ensure;
pub(crate) mod error;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod keep;
pub(crate) mod prelude;
pub(crate) mod progress;
pub(crate) mod registry;
pub(crate) mod resource;
pub(crate) mod status;
