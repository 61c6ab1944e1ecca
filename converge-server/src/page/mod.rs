//! The web page of a server, as static files inside the program.
//!
//! The page has no rights of its own. It requests data like every other client, so its files are public.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use sha2::{Digest as _, Sha256};

struct File {
    path: &'static str,
    media_type: &'static str,
    content: &'static [u8],
}

/// Embeds files of one media type under their paths.
macro_rules! files {
    ($($path:literal $media_type:literal $name:literal,)*) => {
        [$(File { path: $path, media_type: $media_type, content: include_bytes!(concat!("files/", $name)) },)*]
    };
}

const FILES: &[File] = &files![
    "/" "text/html; charset=utf-8" "index.html",
    "/page/icon.svg" "image/svg+xml" "icon.svg",
    "/page/style.css" "text/css; charset=utf-8" "style.css",
    "/page/app.js" "text/javascript; charset=utf-8" "app.js",
    "/page/assignments.js" "text/javascript; charset=utf-8" "assignments.js",
    "/page/elements.js" "text/javascript; charset=utf-8" "elements.js",
    "/page/events.js" "text/javascript; charset=utf-8" "events.js",
    "/page/graph.js" "text/javascript; charset=utf-8" "graph.js",
    "/page/history.js" "text/javascript; charset=utf-8" "history.js",
    "/page/list.js" "text/javascript; charset=utf-8" "list.js",
    "/page/live.js" "text/javascript; charset=utf-8" "live.js",
    "/page/modules.js" "text/javascript; charset=utf-8" "modules.js",
    "/page/nodes.js" "text/javascript; charset=utf-8" "nodes.js",
    "/page/plans.js" "text/javascript; charset=utf-8" "plans.js",
    "/page/rollouts.js" "text/javascript; charset=utf-8" "rollouts.js",
    "/page/text.js" "text/javascript; charset=utf-8" "text.js",
];

/// The content security policy of the page.
///
/// The page may only run its own scripts and contact its own server. Text never becomes markup: a browser
/// with trusted types refuses that, whatever the files contain.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every file.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // The browser caches the file but revalidates it each time, because another version of the server has
    // other files.
    (CACHE_CONTROL, "no-cache"),
];

/// Returns the routes of the files.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |routes, file| {
        let tag = tag(file.content);
        routes.route(file.path, get(async move |asked: HeaderMap| answer(file, &tag, &asked)))
    })
}

/// Computes the entity tag of a file.
fn tag(content: &[u8]) -> HeaderValue {
    let mut tag = String::from("\"");
    for byte in Sha256::digest(content) {
        // Writing to a string cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

fn answer(file: &File, tag: &HeaderValue, request_headers: &HeaderMap) -> Response {
    let is_known = request_headers.get_all(IF_NONE_MATCH).iter().any(|value| names(value, tag));
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, file.media_type)], file.content).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, tag.clone());
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

/// Whether the entity tags of a client include this one.
fn names(value: &HeaderValue, tag: &HeaderValue) -> bool {
    let Ok(text) = value.to_str() else { return false };
    text.split(',').map(str::trim).any(|entry| entry == "*" || entry.trim_start_matches("W/") == *tag)
}
