//! The `http.request` resource: the state of a server, checked and changed by requests.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;
use converge_sdk::system::{Method, Url};
use converge_sdk::value::{FieldError, OneOrMany, Parsed};
use indexmap::IndexMap;

pub use task::Request;
use task::{Asking, Expected, Making};

use super::access::Access;
use super::download_fields::is_authorization;
use super::source::{Location, Source};
use crate::file::edit::invalid;
use crate::file::edit::pattern::Pattern;
use crate::text::Text;

/// The default maximum number of bytes of an answer.
const MAX_SIZE: u64 = 1 << 20;

/// Checks the state of a server by a request, and changes it by another.
///
/// The answer to the request of `check` says whether the state is as declared. If not, the request of `apply`
/// is made once, followed by the request of `check`. Without `apply` the resource only checks: an unexpected
/// answer is an error. Without `check` any answer is accepted, and others look it up as
/// `http.request.x.status` and `.body`.
///
/// # Guarantees
///
/// A plan makes no other request than that of `check`, whose method must be a safe one. `apply` is never
/// retried automatically: if its answer is lost, its effect is unknown. The next run finds out.
///
/// Secrets are sent over https only, except as described for `insecure`: `auth`, and sensitive values in
/// `url`, `headers` and `body`. After a redirect to another server, that server gets no headers, no body and
/// no client certificate. At most five redirects are followed, and none from https to http.
///
/// At most `max_size` bytes of an answer are read. An answer may take 30 seconds, redirects included, or as
/// long as the meta-argument `timeout` says. Cookies that a server sets are exported as secrets, and so is an
/// answer with the password or token in it.
///
/// # Caveats
///
/// A check that fails without an answer (no connection, silence) is retried three times, after 1, 2 and 4
/// seconds. A status is an answer: to wait for another one, use the meta-argument `retry`. Proxies are taken
/// from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; this machine (`localhost`, `127.0.0.1`) is
/// asked without a proxy.
#[derive(Debug, Preparer)]
#[preparer(
    name = "http.request",
    task = Request,
    validate,
    reads = "anything",
    changes = "anything",
    example = "example.hcl"
)]
pub struct RequestPreparer {
    /// The `http://` or `https://` URL of the requests.
    #[hcl(required, nonempty)]
    url: Source,
    /// The first request, and the answer which says that nothing has to be done.
    check: Option<Check>,
    /// The request that is made if the check says that something has to be done.
    #[hcl(requires = "check")]
    apply: Option<Apply>,
    /// Headers of each request: `{ Accept = "application/json" }`.
    #[hcl(default)]
    headers: IndexMap<String, Text>,
    #[hcl(embed)]
    access: Access,
    /// The maximum number of bytes of an answer. The default is 1048576 (1 MiB).
    #[hcl(min = 1)]
    max_size: Option<u64>,
}

/// A request that only reads, and the expected answer.
#[derive(Debug, Default, HclBlock)]
struct Check {
    /// The method: `GET`, `HEAD`, or another method that changes nothing. The default is `GET`.
    method: Option<Parsed<Method>>,
    /// The expected statuses. The default is 200 to 299.
    #[hcl(min = 100, max = 599)]
    status: Option<OneOrMany<u16>>,
    /// A regular expression that has to match somewhere in the body of the answer.
    ///
    /// `^` is the begin of a line.
    body_matches: Option<Pattern>,
}

/// A request that changes something.
#[derive(Debug, HclBlock)]
struct Apply {
    /// The method. The default is `POST`.
    method: Option<Parsed<Method>>,
    /// Another URL of the same server. The default is `url`.
    #[hcl(nonempty)]
    url: Option<Source>,
    /// Headers of this request, in addition to the `headers` of the resource.
    ///
    /// An example is `{ Content-Type = "application/json" }`.
    #[hcl(default)]
    headers: IndexMap<String, Text>,
    /// The body of the request, as text. For JSON write `jsonencode(..)`.
    body: Option<Text>,
    /// The statuses of a successful request. The default is 200 to 299.
    #[hcl(min = 100, max = 599)]
    status: Option<OneOrMany<u16>>,
}

/// Returns the URL of a source, or an error if the source is a path of the machine.
fn url_of<'a>(source: &'a Source, field: &'static str) -> Result<&'a Url, FieldError> {
    match source.location() {
        Location::Url(url) => Ok(url),
        Location::File(_) => {
            Err(invalid(field, "it is not a URL of a server: it begins with http:// or https://"))
        }
    }
}

impl Check {
    fn method(&self) -> Method {
        self.method.as_ref().map_or(Method::Get, |method| method.0.clone())
    }
}

impl Validate for RequestPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let url = url_of(&self.url, "url").map_err(|error| vec![error])?;
        let apply = self.apply.as_ref();
        let (headers, body) =
            (apply.map(|apply| &apply.headers), apply.and_then(|apply| apply.body.as_ref()));
        let has_secret = |headers: &IndexMap<String, Text>| headers.values().any(Text::is_secret);
        let secrets = [
            ("url", self.url.is_secret()),
            ("headers", has_secret(&self.headers)),
            ("apply", headers.is_some_and(has_secret) || body.is_some_and(Text::is_secret)),
        ];
        let secrets: Vec<_> = secrets.into_iter().filter_map(|(field, is)| is.then_some(field)).collect();
        let mut errors = self.access.validate(Some(url), &secrets);
        let mut names = self.headers.keys().chain(headers.into_iter().flat_map(IndexMap::keys));
        if self.access.has_header() && names.any(|name| is_authorization(name)) {
            errors.push(invalid("headers", "`auth` sends `Authorization`: write one of them"));
        }
        let method = self.check.as_ref().map(Check::method).filter(|method| !method.is_safe());
        if let Some(method) = method {
            let message = format!(
                "a plan sends this request too, so it must not change anything, as {method} may: write GET, HEAD or OPTIONS"
            );
            errors.push(invalid("check", message));
        }
        if let Some(apply_url) = apply.and_then(|apply| apply.url.as_ref()) {
            match url_of(apply_url, "apply") {
                Ok(apply_url) if !apply_url.same_origin(url) => {
                    let message = "its URL is of another server than `url`: write another resource for that";
                    errors.push(invalid("apply", message));
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for RequestPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Request> {
        // Without a check, any answer is accepted.
        let expect = self.check.as_ref().map(|check| Expected {
            status: statuses(check.status.as_ref()),
            body: check.body_matches.clone(),
        });
        let making = self.apply.map(|apply| Making {
            method: apply.method.map_or(Method::Post, |method| method.0),
            url: apply.url,
            headers: apply.headers,
            body: apply.body,
            status: statuses(apply.status.as_ref()),
        });
        Ok(Request {
            url: self.url,
            status: None,
            headers: IndexMap::new(),
            body: None,
            asking: Asking {
                method: self.check.as_ref().map_or(Method::Get, Check::method),
                headers: self.headers,
                access: self.access,
                max_size: self.max_size.unwrap_or(MAX_SIZE),
            },
            expect,
            making,
        })
    }
}

fn statuses(codes: Option<&OneOrMany<u16>>) -> Vec<u16> {
    codes.map(|codes| codes.as_slice().to_vec()).unwrap_or_default()
}
