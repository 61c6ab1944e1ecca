//! Resources for downloads, archives, ports and HTTP requests.

pub(crate) mod access;
pub(crate) mod content_encoding;
#[cfg(feature = "net")]
mod date;
pub(crate) mod download;
#[cfg(feature = "net")]
mod download_fields;
#[cfg(feature = "net")]
pub mod fetch;
pub(crate) mod hash;
#[cfg(feature = "net")]
pub mod port;
#[cfg(feature = "net")]
pub mod query;
#[cfg(feature = "net")]
pub mod request;
pub(crate) mod source;
#[cfg(all(test, feature = "net"))]
mod tests;
#[cfg(feature = "net")]
pub mod unarchive;
