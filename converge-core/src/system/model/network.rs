//! The network of the model: listeners, and pages behind URLs.

use async_trait::async_trait;

use super::ModelSystem;
use crate::system::{
    Address, HttpBody, HttpError, HttpRequest, HttpResponse, Network, Stream, SystemError, SystemErrorKind,
};

#[async_trait]
impl Network for ModelSystem {
    /// Whoever listens in the model accepts, says nothing and reads nothing.
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        self.state.turn().await;
        if self.lock().machine.listens(address) {
            return Ok(Box::new(tokio::io::empty()));
        }
        let kind = match address {
            Address::Tcp { .. } => SystemErrorKind::ConnectionRefused,
            Address::Unix(_) => SystemErrorKind::NotFound,
        };
        Err(SystemError::other("connect to", address.to_string(), kind))
    }

    /// Serves the pages of the model. A host that has none does not exist.
    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.state.turn().await;
        let mut state = self.lock();
        state.requests.push(request.url.clone());
        let page = state.machine.page(&request.url).cloned();
        let known = state.machine.has_pages_of(&request.url);
        drop(state);
        if !known {
            return Err(HttpError::NoSuchHost);
        }
        let Some(page) = page else { return Ok(response(request, 404, Vec::new(), b"")) };
        let sent = |name: &str| {
            let found = request.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.expose().as_str())
        };
        let etag = page.etag.as_deref().map(|etag| ("etag", etag));
        let last_modified = page.last_modified.as_deref().map(|time| ("last-modified", time));
        let same = match sent("if-none-match") {
            Some(etag) => page.etag.as_deref() == Some(etag),
            // A model has no calendar: only the same time is not before it.
            None => sent("if-modified-since").is_some_and(|time| page.last_modified.as_deref() == Some(time)),
        };
        let length = page.content.len().to_string();
        let mut headers: Vec<_> = etag.into_iter().chain(last_modified).collect();
        if same {
            return Ok(response(request, 304, headers, b""));
        }
        headers.push(("content-length", &length));
        Ok(response(request, page.status, headers, &page.content))
    }
}

fn response(request: HttpRequest, status: u16, headers: Vec<(&str, &str)>, content: &[u8]) -> HttpResponse {
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    HttpResponse { status, url: request.url, headers, body: Box::new(PageChunks(content.to_vec())) }
}

/// What is left of a page.
struct PageChunks(Vec<u8>);

#[async_trait]
impl HttpBody for PageChunks {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        const CHUNK: usize = 1024;
        let rest = self.0.split_off(self.0.len().min(CHUNK));
        let chunk = std::mem::replace(&mut self.0, rest);
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}
