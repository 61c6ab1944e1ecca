//! HTTP requests for modules.

use std::io::Read as _;

use ureq::Body;
use ureq::http::header::{CONTENT_ENCODING, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use ureq::http::{self, StatusCode};

use super::cache::Origin;
use crate::fetch_error::FetchError;
use crate::read_limits::Reading;
use crate::system::http::Url;
use crate::system::http::client::{self, Connection, Limits, PlainHttp, Proxies, header};

/// The answer of a server.
pub(super) enum Response {
    /// The content has not changed.
    NotModified,
    /// The content, with at most one byte more than the limit.
    Content { bytes: Vec<u8>, origin: Origin },
}

#[derive(Debug)]
pub(super) struct ModuleClient {
    client: client::Client,
    limits: Limits,
}

impl ModuleClient {
    pub(super) fn new(limits: Limits, proxies: Proxies) -> Self {
        Self { client: client::Client::new(proxies), limits }
    }

    /// Requests a URL, conditionally if `known` is given; redirects stay below `below` if it is given.
    pub(super) fn get(
        &self,
        url: &Url,
        plain: PlainHttp,
        below: Option<&Url>,
        known: Option<&Origin>,
        reading: &Reading,
    ) -> Result<Response, FetchError> {
        // A request must not outlast the load that needs it.
        let total = self.limits.total.into_iter().chain(reading.time_left()).min();
        let connection = self.client.connection(Limits { total, ..self.limits }, plain).below(below.cloned());
        let conditions = |at: &Url| {
            // The validators apply only to the URL that they came from.
            let origin = known.filter(|known| known.fetched_from == at.to_string());
            let conditions = origin.map(|origin| {
                [(IF_NONE_MATCH, origin.etag.clone()), (IF_MODIFIED_SINCE, origin.last_modified.clone())]
            });
            let conditions = conditions.into_iter().flatten();
            conditions.filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
        };
        let (from, response) = connection.get(url, conditions)?;
        match response.status() {
            StatusCode::OK => content(&connection, response, &from, reading),
            StatusCode::NOT_MODIFIED => Ok(Response::NotModified),
            status => Err(FetchError::Status(status.as_u16())),
        }
    }
}

fn content(
    connection: &Connection,
    mut response: http::Response<Body>,
    from: &Url,
    reading: &Reading,
) -> Result<Response, FetchError> {
    let headers = response.headers();
    if let Some(encoding) = header(headers, &CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
        return Err(FetchError::Encoded(encoding));
    }
    let origin = Origin {
        fetched_from: from.to_string(),
        etag: header(headers, &ETAG),
        last_modified: header(headers, &LAST_MODIFIED),
    };
    let mut bytes = Vec::new();
    let body = reading.watch(response.body_mut().as_reader());
    let mut body = body.take(reading.most().saturating_add(1));
    body.read_to_end(&mut bytes).map_err(|error| connection.failed(error.into()))?;
    Ok(Response::Content { bytes, origin })
}
