//! HTTP requests and responses, and (feature `http`) the client.
//!
//! The loader uses the client to fetch modules, and the local system to serve resources.

mod body;
#[cfg(feature = "http")]
pub mod client;
mod error;
mod message;
mod method;
#[cfg(feature = "http")]
pub(crate) mod proxy;
#[cfg(any(test, feature = "http", feature = "testing"))]
pub(crate) mod redirect;
mod tls;
#[cfg(feature = "http")]
mod trust;
mod url;

pub use body::{HttpBody, RequestBody};
#[cfg(feature = "http")]
pub use client::Proxies;
pub use error::HttpError;
pub use message::{HttpRequest, HttpResponse, LeastRate};
pub use method::{Method, MethodError, MethodName};
pub use tls::{Identity, Tls};
#[cfg(feature = "http")]
pub(crate) use url::Scheme;
#[doc(hidden)]
pub use url::scheme;
pub use url::{Url, UrlError};
