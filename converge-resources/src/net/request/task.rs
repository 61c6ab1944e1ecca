use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::{HttpError, HttpRequest, HttpResponse, Method, Url};
use indexmap::IndexMap;

use crate::file::edit::pattern::Pattern;
use crate::net::access::Access;
use crate::net::download::{FetchError, not_yet, phrase, with_retries};
use crate::net::source::{Location, Source};
use crate::text::Text;

/// How long a request may take, where a module says nothing.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many characters of an answer an error shows.
const SHOWN: usize = 300;

/// What a server says, and what it is to say.
#[derive(Debug, Export)]
pub struct Request {
    /// What is asked.
    #[export]
    pub(super) url: Source,
    /// The status of the last answer to the check.
    #[export(computed)]
    pub(super) status: Option<u16>,
    /// The headers of that answer, by names in lower case. Of several with one name it is the last. Cookies are secrets.
    #[export(computed)]
    pub(super) headers: IndexMap<String, Text>,
    /// The body of that answer as text. What is not UTF-8 in it is replaced.
    #[export(computed)]
    pub(super) body: Option<Text>,
    pub(super) asking: Asking,
    /// `None` when any answer is taken.
    pub(super) expect: Option<Expected>,
    pub(super) making: Option<Making>,
}

/// How all is asked.
#[derive(Debug)]
pub(super) struct Asking {
    /// Of the check.
    pub(super) method: Method,
    pub(super) headers: IndexMap<String, Text>,
    pub(super) access: Access,
    pub(super) max_size: u64,
}

/// What says that all is well.
#[derive(Debug)]
pub(super) struct Expected {
    /// Those from 200 to 299 when it is empty.
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
    /// Those from 200 to 299 when it is empty.
    pub(super) status: Vec<u16>,
}

/// An answer, all of it.
pub(super) struct Answer {
    status: u16,
    headers: IndexMap<String, Text>,
    body: Text,
}

fn is_expected(statuses: &[u16], status: u16) -> bool {
    if statuses.is_empty() { (200..300).contains(&status) } else { statuses.contains(&status) }
}

/// For people: `200`, `200 or 404`.
fn shown(statuses: &[u16]) -> String {
    if statuses.is_empty() {
        return "200 to 299".to_owned();
    }
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
}

fn url_of(source: &Source) -> Result<&Url> {
    match source.location() {
        Location::Url(url) => Ok(url),
        Location::File(_) => Err(Error::msg(format!("{} is no URL of a server", source.shown()))),
    }
}

impl Asking {
    /// Makes one request, and takes all of its answer.
    async fn ask(&self, cx: &Context, source: &Source, request: HttpRequest) -> Result<Answer> {
        let failed = |problem| FetchError::http("ask", source, problem);
        let mut request = self.access.give(cx, request).await?;
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), &**value);
        }
        request = request.deadline(cx.remaining().unwrap_or(TIMEOUT));
        let asked = async {
            let response = cx.system().network().request(request).await.map_err(failed)?;
            let (status, headers) = (response.status, self.headers_of(&response));
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
        Ok(cx.cancellation().run_until_cancelled(asked).await.ok_or(Error::Cancelled)??)
    }

    fn headers_of(&self, response: &HttpResponse) -> IndexMap<String, Text> {
        let headers = response.headers.iter().map(|(name, value)| {
            // Who has it is let in.
            let is_cookie = name == "set-cookie";
            let text = self.text(value.clone());
            (name.clone(), if is_cookie { Text::new(&*text, true) } else { text })
        });
        headers.collect()
    }

    /// What came from the server: a secret where it repeats one.
    fn text(&self, text: String) -> Text {
        let mut headers = self.headers.values().filter(|value| value.is_secret() && !value.is_empty());
        let tells = self.access.is_told_by(&text) || headers.any(|value| text.contains(&**value));
        Text::new(text, tells)
    }
}

impl Request {
    pub(super) async fn asked(&self, cx: &Context) -> Result<Answer> {
        let request = HttpRequest::new(url_of(&self.url)?.clone()).method(self.asking.method.clone());
        self.asking.ask(cx, &self.url, request).await
    }

    /// The sentence about an answer that is not the expected one.
    fn unexpected(answer: &Answer, expect: &Expected) -> String {
        let status = answer.status;
        if !is_expected(&expect.status, status) {
            let wanted = shown(&expect.status);
            return format!("answers {status}{}, and {wanted} is expected", phrase(status));
        }
        let pattern = expect.body.as_ref().map_or("", Pattern::shown);
        format!("answers {status}{}, and `{pattern}` matches nothing in it", phrase(status))
    }
}

impl Expected {
    /// Adds what differs; says whether nothing does.
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
        let asked = with_retries(cx, || self.asked(cx)).await;
        let Some(answer) = not_yet(cx, &mut status, asked)? else { return Ok(status) };
        if let Some(expect) = &self.expect
            && !expect.compare(&mut status, &answer)
        {
            if self.making.is_some() {
                status.raise_level(StatusLevel::WillChange);
            } else if cx.pending().is_empty() {
                status.raise_level(StatusLevel::CantChange);
                let what = Self::unexpected(&answer, expect);
                status.set_error(format!(
                    "{} {what}; without `apply` nothing is done about it",
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
            let said = self.said(making, &answer.body);
            let expected = shown(&making.status);
            return Err(Error::msg(format!(
                "{method} {url} is answered {code}{}, and {expected} is expected{said}",
                phrase(code)
            )));
        }
        Ok(Status::new())
    }
}

impl Request {
    /// The begin of a body, for people, unless secrets were sent, of which it may be made.
    fn said(&self, making: &Making, body: &str) -> String {
        let mut sent = self.asking.headers.values().chain(making.headers.values()).chain(&making.body);
        let is_secret = self.asking.access.has_header() || self.url.is_secret() || sent.any(Text::is_secret);
        let begins: String = body.trim().chars().take(SHOWN).collect();
        if is_secret || begins.is_empty() { String::new() } else { format!(":\n{begins}") }
    }
}
