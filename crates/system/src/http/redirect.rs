//! The rules for redirects: their targets, and the data sent along.
//!
//! The client and the model share them.

use super::url::Scheme;
use super::{HttpError, Method, Url};

/// The maximum number of redirects.
pub(crate) const REDIRECTS: u32 = 5;

/// One request in a chain of redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) sends_body: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OriginalRequest<'a> {
    pub(crate) url: &'a Url,
    pub(crate) repeatable: bool,
}

impl Hop {
    /// Returns the next request after a redirect, or `None` if the response is final.
    ///
    /// The next request is a `GET` after a 303, and by convention after a `POST` with 301 or 302. All other
    /// requests are repeated unchanged (RFC 9110, 15.4). A `DELETE` that became a `GET` would falsely seem to
    /// succeed.
    pub(crate) fn follow(
        &self,
        asked: OriginalRequest<'_>,
        status: u16,
        location: Option<&str>,
    ) -> Result<Option<Self>, HttpError> {
        let becomes_get = match status {
            301 | 302 => self.method == Method::Post,
            303 => self.method != Method::Head,
            307 | 308 => false,
            _ => return Ok(None),
        };
        let to = location.unwrap_or_default();
        let url = Some(to).filter(|to| !to.is_empty()).and_then(|to| self.url.redirect(to));
        let url = url.ok_or_else(|| HttpError::BadRedirect(to.to_owned()))?;
        if self.url.scheme() == Scheme::Https && url.scheme() == Scheme::Http {
            return Err(HttpError::InsecureRedirect(url.to_string()));
        }
        if becomes_get {
            return Ok(Some(Self { method: Method::Get, url, sends_body: false }));
        }
        if self.sends_body && !url.same_origin(asked.url) {
            return Err(HttpError::BodyElsewhere(url.to_string()));
        }
        if self.sends_body && !asked.repeatable {
            return Err(HttpError::BodyIsGone(url.to_string()));
        }
        Ok(Some(Self { url, ..self.clone() }))
    }

    /// Returns `own` for the server of the original request, and `elsewhere` for any other.
    pub(crate) fn choose<'a, T>(&self, request_url: &Url, same_origin: &'a T, elsewhere: &'a T) -> &'a T {
        if self.url.same_origin(request_url) { same_origin } else { elsewhere }
    }

    /// Whether a header is sent in this hop.
    ///
    /// A header is not sent to another server, as it may be a password. A header about the body is not sent
    /// without the body.
    pub(crate) fn sends(&self, request_url: &Url, name: &str) -> bool {
        let about_the_body = name.get(..8).is_some_and(|prefix| prefix.eq_ignore_ascii_case("content-"));
        self.url.same_origin(request_url) && (self.sends_body || !about_the_body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_a_request() {
        let url = |url: &str| url.parse::<Url>().expect("a URL");
        let request_url = url("https://a.test/x");
        let check = |method: &str, status, body: Option<bool>, to: &str, expect: Result<&str, HttpError>| {
            let method: Method = method.parse().expect("a method");
            let hop = Hop { method, url: request_url.clone(), sends_body: body.is_some() };
            let request = OriginalRequest { url: &request_url, repeatable: body.unwrap_or(true) };
            let followed = hop.follow(request, status, Some(to).filter(|to| !to.is_empty()));
            let actual = followed.map(|next| match next {
                None => "the answer".to_owned(),
                Some(Hop { method, url, sends_body }) => {
                    format!("{method} {url}{}", if sends_body { " with it" } else { "" })
                }
            });
            assert_eq!(
                actual.as_ref().map(String::as_str),
                expect.as_ref().map(|text| *text),
                "{hop:?} {status} {to}"
            );
        };
        let is_repeatable = Some(true);
        for status in [200, 204, 300, 304, 305, 399, 400, 500] {
            check("GET", status, None, "/y", Ok("the answer"));
        }
        for status in [301, 302, 303, 307, 308] {
            check("GET", status, None, "/y", Ok("GET https://a.test/y"));
            check("HEAD", status, None, "y?z", Ok("HEAD https://a.test/y?z"));
            check("GET", status, None, "", Err(HttpError::BadRedirect(String::new())));
            check("GET", status, None, "ftp://b.test/", Err(HttpError::BadRedirect("ftp://b.test/".into())));
            let http_url = "http://a.test/x";
            check("POST", status, is_repeatable, http_url, Err(HttpError::InsecureRedirect(http_url.into())));
        }
        for status in [301, 302, 303] {
            check("POST", status, is_repeatable, "/y", Ok("GET https://a.test/y"));
            check("POST", status, Some(false), "https://b.test/y", Ok("GET https://b.test/y"));
        }
        check("PUT", 303, is_repeatable, "/y", Ok("GET https://a.test/y"));
        for status in [301, 302, 307, 308] {
            check("PUT", status, is_repeatable, "/y", Ok("PUT https://a.test/y with it"));
            check("DELETE", status, None, "https://b.test/y", Ok("DELETE https://b.test/y"));
            let error = HttpError::BodyIsGone("https://a.test/y".into());
            check("PUT", status, Some(false), "/y", Err(error));
            // Another port counts as another server.
            for location in ["https://b.test/y", "https://a.test:444/y"] {
                check(
                    "PATCH",
                    status,
                    is_repeatable,
                    location,
                    Err(HttpError::BodyElsewhere(location.into())),
                );
            }
        }
        check("POST", 307, is_repeatable, "/y", Ok("POST https://a.test/y with it"));
    }

    #[test]
    fn which_headers_go_along() {
        let check = |url: &str, sends_body, name: &str, expect| {
            let hop = Hop { method: Method::Get, url: url.parse().expect("a URL"), sends_body };
            let request_url = "https://a.test/".parse().expect("a URL");
            assert_eq!(hop.sends(&request_url, name), expect, "{url} {sends_body} {name}");
        };
        check("https://a.test/y", false, "authorization", true);
        check("https://a.test:444/y", false, "authorization", false);
        check("https://b.test/", false, "accept", false);
        check("https://a.test/", false, "Content-Type", false);
        check("https://a.test/", true, "Content-Type", true);
        check("https://a.test/", false, "content", true);
    }
}
