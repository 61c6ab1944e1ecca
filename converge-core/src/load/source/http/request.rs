//! A request for a module.

use std::io::Read as _;
use std::time::Duration;

use ureq::Body;
use ureq::http::header::{CONTENT_ENCODING, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use ureq::http::{Response, StatusCode};

use super::super::SOURCE_LIMIT;
use super::cache::{Entry, Origin};
use super::error::HttpError;
use crate::http::Url;
use crate::http::client::{self, Connection, Limits, Proxies, header};

/// How long to wait, and whom to ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) connect_timeout: Duration,
    pub(super) timeout: Duration,
    pub(super) proxies: Proxies,
}

/// What the server has.
pub(super) enum Answer {
    /// What it had before.
    NotModified,
    /// At most one byte more than the limit of sources.
    Content { bytes: Vec<u8>, origin: Origin },
}

/// Asks for modules.
#[derive(Debug)]
pub(super) struct Client {
    client: client::Client,
    limits: Limits,
}

impl Client {
    pub(super) fn new(options: Options) -> Self {
        let limits =
            Limits { connect: options.connect_timeout, inactivity: None, total: Some(options.timeout) };
        Self { client: client::Client::new(options.proxies), limits }
    }

    /// Asks for a URL; when `known` is given, for something else than that.
    pub(super) fn get(&self, url: &Url, known: Option<&Entry>) -> Result<Answer, HttpError> {
        let connection = self.client.connection(self.limits);
        let conditions = |at: &Url| {
            // What is known is only known of the place that it came from.
            let known = known.filter(|known| known.fetched_from == at.to_string());
            let conditions = known.map(|known| {
                [(IF_NONE_MATCH, known.etag.clone()), (IF_MODIFIED_SINCE, known.last_modified.clone())]
            });
            let conditions = conditions.into_iter().flatten();
            conditions.filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
        };
        let (from, response) = connection.get(url, conditions)?;
        match response.status() {
            StatusCode::OK => content(&connection, response, from),
            StatusCode::NOT_MODIFIED => Ok(Answer::NotModified),
            status => Err(HttpError::Status(status.as_u16())),
        }
    }
}

fn content(connection: &Connection, mut response: Response<Body>, from: Url) -> Result<Answer, HttpError> {
    let headers = response.headers();
    if let Some(encoding) = header(headers, &CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
        return Err(HttpError::Encoded(encoding));
    }
    let origin =
        Origin { from, etag: header(headers, &ETAG), last_modified: header(headers, &LAST_MODIFIED) };
    let mut bytes = Vec::new();
    let mut body = response.body_mut().as_reader().take(SOURCE_LIMIT + 1);
    body.read_to_end(&mut bytes).map_err(|error| connection.failed(error.into()))?;
    Ok(Answer::Content { bytes, origin })
}
