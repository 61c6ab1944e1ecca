use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{HttpError, HttpRequest, HttpResponse, Method, Url};
use indexmap::IndexMap;

use crate::file::edit::pattern::Pattern;
use crate::net::access::Access;
use crate::net::content_encoding;
use crate::net::download::{FetchError, not_yet, phrase, with_retries};
use crate::net::source::{Location, Source};
use crate::text::Text;

/// The default time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of characters of an answer that an error shows.
const SHOWN: usize = 300;

/// The task of an `http.request` resource.
#[derive(Debug, Export)]
pub struct Request {
    /// The URL of the check.
    #[export]
    pub(super) url: Source,
    /// The status of the last answer to the check.
    #[export(computed)]
    pub(super) status: Option<u16>,
    /// The headers of that answer, by their names in lower case.
    ///
    /// Of several with one name, the last counts. Cookies are secrets.
    #[export(computed)]
    pub(super) headers: IndexMap<String, Text>,
    /// The body of that answer as text. Bytes that are not UTF-8 are replaced.
    #[export(computed)]
    pub(super) body: Option<Text>,
    pub(super) asking: Asking,
    /// The expected answer; `None` if any answer is accepted.
    pub(super) expect: Option<Expected>,
    pub(super) making: Option<Making>,
}

/// The parameters shared by all requests.
#[derive(Debug)]
pub(super) struct Asking {
    /// The method of the check.
    pub(super) method: Method,
    pub(super) headers: IndexMap<String, Text>,
    pub(super) access: Access,
    pub(super) max_size: u64,
}

/// The expected answer to the check.
#[derive(Debug)]
pub(super) struct Expected {
    /// The expected statuses; if empty, those from 200 to 299.
    pub(super) status: Vec<u16>,
    pub(super) body: Option<Pattern>,
}

/// The request that changes something.
#[derive(Debug)]
pub(super) struct Making {
    pub(super) method: Method,
    pub(super) url: Option<Source>,
    pub(super) headers: IndexMap<String, Text>,
    pub(super) body: Option<Text>,
    /// The statuses of success; if empty, those from 200 to 299.
    pub(super) status: Vec<u16>,
}

pub(super) struct Answer {
    status: u16,
    headers: IndexMap<String, Text>,
    body: Text,
}

fn is_expected(statuses: &[u16], status: u16) -> bool {
    if statuses.is_empty() { (200..300).contains(&status) } else { statuses.contains(&status) }
}

/// Formats statuses for people: `200`, `200 or 404`.
fn shown(statuses: &[u16]) -> String {
    if statuses.is_empty() {
        return "200 to 299".to_owned();
    }
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
}

fn url_of(source: &Source) -> Result<&Url> {
    match source.location() {
        Location::Url(url) => Ok(url),
        Location::File(_) => Err(Error::msg(format!("{} is not a URL of a server", source.shown()))),
    }
}

impl Asking {
    /// Makes one request, and reads the whole answer.
    async fn ask(&self, cx: &Context, source: &Source, request: HttpRequest) -> Result<Answer> {
        let failed = |problem| FetchError::http("ask", source, problem);
        let mut request = self.access.apply_to(cx, request).await?;
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), &**value);
        }
        request = request.deadline(cx.remaining().unwrap_or(TIMEOUT));
        let exchange = async {
            let response = cx.system().network().request(request).await.map_err(failed)?;
            let (status, headers) = (response.status, self.headers_of(&response));
            let response = content_encoding::decoded(response).map_err(failed)?;
            match response.bytes(self.max_size).await {
                Ok(bytes) => {
                    let body = String::from_utf8_lossy(&bytes).into_owned();
                    Ok(Answer { status, headers, body: self.text(body) })
                }
                Err(HttpError::TooLarge(limit)) => {
                    Err(FetchError::TooLarge { shown: source.shown().to_owned(), limit })
                }
                Err(problem) => Err(failed(problem)),
            }
        };
        Ok(cx.cancellation().run_until_cancelled(exchange).await.ok_or(Error::Cancelled)??)
    }

    fn headers_of(&self, response: &HttpResponse) -> IndexMap<String, Text> {
        let headers = response.headers.iter().map(|(name, value)| {
            // A cookie may give access to the server.
            let is_cookie = name == "set-cookie";
            let text = self.text(value.clone());
            (name.clone(), if is_cookie { Text::new(&*text, true) } else { text })
        });
        headers.collect()
    }

    /// Returns text from the server, as a secret if it repeats one.
    fn text(&self, text: String) -> Text {
        let mut headers = self.headers.values().filter(|value| value.is_secret() && !value.is_empty());
        let is_secret = self.access.is_revealed_by(&text) || headers.any(|value| text.contains(&**value));
        Text::new(text, is_secret)
    }
}

impl Request {
    pub(super) async fn asked(&self, cx: &Context) -> Result<Answer> {
        let request = HttpRequest::new(url_of(&self.url)?.clone()).method(self.asking.method.clone());
        self.asking.ask(cx, &self.url, request).await
    }

    /// Describes an unexpected answer.
    fn unexpected(answer: &Answer, expect: &Expected) -> String {
        let status = answer.status;
        if !is_expected(&expect.status, status) {
            let statuses = shown(&expect.status);
            return format!("answers {status}{}, and {statuses} is expected", phrase(status));
        }
        let pattern = expect.body.as_ref().map_or("", Pattern::shown);
        format!("answers {status}{}, and `{pattern}` matches nothing in it", phrase(status))
    }
}

impl Expected {
    /// Adds the differences to `status`, and returns whether there are none.
    fn compare(&self, status: &mut Status, answer: &Answer) -> bool {
        let has_status = is_expected(&self.status, answer.status);
        if !has_status {
            status.add_difference("status", answer.status.to_string(), shown(&self.status));
        }
        let unmatched = self.body.as_ref().filter(|pattern| !pattern.regex().is_match(&answer.body));
        if let Some(pattern) = unmatched {
            let before = format!("{} bytes", answer.body.len());
            status.add_difference("body", before, format!("has {}", pattern.shown()));
        }
        has_status && unmatched.is_none()
    }
}

impl Task for Request {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let result = with_retries(cx, || self.asked(cx)).await;
        let Some(answer) = not_yet(cx, &mut status, result)? else { return Ok(status) };
        if let Some(expect) = &self.expect
            && !expect.compare(&mut status, &answer)
        {
            if self.making.is_some() {
                status.raise_level(StatusLevel::WillChange);
            } else if cx.pending().is_empty() {
                status.raise_level(StatusLevel::CantChange);
                let problem = Self::unexpected(&answer, expect);
                status.set_error(format!(
                    "{} {problem}; without `apply` nothing is done about it",
                    self.url.shown()
                ));
            } else {
                status.raise_level(StatusLevel::MayChange);
            }
        }
        self.status = Some(answer.status);
        self.headers = answer.headers;
        self.body = Some(answer.body);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let Some(making) = &self.making else { return Ok(Status::new()) };
        let source = making.url.as_ref().unwrap_or(&self.url);
        let mut request = HttpRequest::new(url_of(source)?.clone()).method(making.method.clone());
        for (name, value) in &making.headers {
            request = request.header(name.as_str(), &**value);
        }
        if let Some(body) = &making.body {
            request = request.body(&**body);
        }
        let answer = self.asking.ask(cx, source, request).await?;
        if !is_expected(&making.status, answer.status) {
            let (method, url, code) = (&making.method, source.shown(), answer.status);
            let excerpt = self.body_excerpt(making, &answer.body);
            let expected = shown(&making.status);
            return Err(Error::msg(format!(
                "{method} {url} is answered {code}{}, and {expected} is expected{excerpt}",
                phrase(code)
            )));
        }
        Ok(Status::new())
    }
}

impl Request {
    /// Returns the begin of a body for an error message.
    ///
    /// The result is empty if the request contained secrets, which the body may repeat.
    fn body_excerpt(&self, making: &Making, body: &str) -> String {
        let mut sent = self.asking.headers.values().chain(making.headers.values()).chain(&making.body);
        let is_secret = self.asking.access.has_header() || self.url.is_secret() || sent.any(Text::is_secret);
        let excerpt: String = body.trim().chars().take(SHOWN).collect();
        if is_secret || excerpt.is_empty() { String::new() } else { format!(":\n{excerpt}") }
    }
}
