//! HTTP: what is asked and what comes back, and (feature `http`) the one client that asks. The loader fetches modules with
//! it, and the local system whatever resources want.

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
