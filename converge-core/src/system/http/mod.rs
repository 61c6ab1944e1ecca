//! HTTP: what is asked and what comes back, and (feature `http`) the one client that asks. The loader fetches modules with
//! it, and the local system whatever resources want.

#[cfg(feature = "http")]
pub(crate) mod client;
mod error;
mod message;
mod url;

#[cfg(feature = "http")]
pub use client::Proxies;
pub use error::HttpError;
pub use message::{HttpBody, HttpRequest, HttpResponse, LeastRate};
#[cfg(feature = "http")]
pub(crate) use url::Scheme;
pub(crate) use url::scheme;
pub use url::{Url, UrlError};
