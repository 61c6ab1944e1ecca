//! The replies of the model host's servers, independent of the transport.

use std::sync::Arc;

use super::http::{HttpCall, HttpReply, Served, Service};
use super::{Effect, ModelSystem, Shared};
use crate::{HttpError, Method, Page};

/// All services and the machine that they use.
pub(super) struct Servers {
    pub(super) host: Shared,
    pub(super) services: Vec<Arc<Service>>,
}

impl ModelSystem {
    pub(super) fn servers(&self) -> Servers {
        Servers { host: self.state.clone(), services: self.services.clone() }
    }
}

impl Servers {
    pub(super) fn remember(&self, call: &HttpCall) {
        self.host.lock().calls.push(call.clone());
    }

    pub(super) fn reply(&self, call: &HttpCall) -> Result<HttpReply, HttpError> {
        let mut guard = self.host.lock();
        let state = &mut *guard;
        let served = self.services.iter().find_map(|service| service.answer(call, &state.machine));
        let Some(Served { reply, changed, is_effect }) = served else {
            if state.faults.read_fails() {
                return Err(HttpError::Incomplete);
            }
            if let Some(page) = state.machine.page(&call.url) {
                return Ok(page_reply(page, call));
            }
            let has_host = state.machine.has_pages_of(&call.url)
                || self.services.iter().any(|service| service.is_on(&call.url));
            return if has_host { Ok(HttpReply::new(404)) } else { Err(HttpError::NoSuchHost) };
        };
        if !is_effect {
            return if state.faults.read_fails() { Err(HttpError::Incomplete) } else { Ok(reply) };
        }
        state.faults.check_crash().map_err(|crash| HttpError::Failed(crash.to_string()))?;
        if state.faults.fails_now() {
            state.faults.has_failed();
            return Ok(HttpReply::new(500).with_body("the model lets this fail\n"));
        }
        if let Some(machine) = changed {
            state.machine = machine;
        }
        state.record(Effect::Request { method: call.method.clone(), url: call.url.clone() });
        Ok(reply)
    }
}

fn page_reply(page: &Page, call: &HttpCall) -> HttpReply {
    if !matches!(call.method, Method::Get | Method::Head) {
        return HttpReply::new(405).with_header("allow", "GET, HEAD");
    }
    let is_match = if let Some(etag) = call.header("if-none-match") {
        page.etag.as_deref() == Some(etag)
    } else {
        // The model does not parse dates, so only an equal time counts as not modified.
        call.header("if-modified-since").is_some_and(|time| page.last_modified.as_deref() == Some(time))
    };
    let mut reply = HttpReply::new(if is_match { 304 } else { page.status });
    for (name, value) in [("etag", &page.etag), ("last-modified", &page.last_modified)] {
        if let Some(value) = value {
            reply = reply.with_header(name, value);
        }
    }
    if is_match { reply } else { reply.with_body(page.content.clone()) }
}
