//! The handling of one gRPC call.

use std::future::{Future, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};
use prost::Message;
use tokio::time::{Instant, sleep, timeout};
use tonic::codec::{EncodeBody, SingleMessageCompressionOverride, Streaming};
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use super::codec::{Reader, Writer};
use super::deadline;
use crate::listeners::{ListenerState, Refusal, RequestContext};
use crate::metrics::Limit;

/// The header with the compression of messages, which is not supported.
const ENCODING: &str = "grpc-encoding";

/// A call of a known method.
pub(super) struct Call {
    doors: RequestContext,
    request: Request,
}

/// A stream of answers.
///
/// It ends after an error.
pub(super) type Answers<A> = BoxStream<'static, Result<A, Status>>;

impl FromRequest<ListenerState> for Call {
    type Rejection = Response;

    async fn from_request(request: Request, doors: &ListenerState) -> Result<Self, Response> {
        let doors = RequestContext::new(doors.clone(), request.extensions());
        let doors = doors.map_err(|refusal| unanswered(refusal.into()))?;
        Ok(Self { doors, request })
    }
}

impl Call {
    pub(super) async fn unary<Q, A, F>(
        self,
        answer: impl FnOnce(RequestContext, MetadataMap, Q) -> F,
    ) -> Response
    where
        Q: Message + Default + 'static,
        A: Message + 'static,
        F: Future<Output = Result<A, Status>>,
    {
        let answered = async {
            let (_, longest) = self.times()?;
            within(longest, async {
                let (metadata, message) = single_message(&self.doors, self.request).await?;
                answer(self.doors, metadata, message).await
            })
            .await
        };
        match answered.await {
            Ok(answer) => answers(once(ready(Ok(answer)))),
            Err(status) => unanswered(status),
        }
    }

    /// Answers a streaming call until the client ends it, its deadline passes, or the server stops.
    pub(super) async fn stream<Q, A, F>(
        self,
        open: impl FnOnce(RequestContext, MetadataMap, Q) -> F,
    ) -> Response
    where
        Q: Message + Default + 'static,
        A: Message + 'static,
        F: Future<Output = Result<Answers<A>, Status>>,
    {
        let began = Instant::now();
        let opened = async {
            let (time, longest) = self.times()?;
            let answer_stream = within(longest, async {
                let (metadata, message) = single_message(&self.doors, self.request).await?;
                open(self.doors, metadata, message).await
            })
            .await?;
            let Some(time) = time else { return Ok(answer_stream) };
            let expiry = sleep(time.saturating_sub(began.elapsed()));
            Ok(answer_stream.take_until(expiry).chain(once(ready(Err(passed(time))))).boxed())
        };
        match opened.await {
            Ok(answer_stream) => answers(answer_stream),
            Err(status) => unanswered(status),
        }
    }

    /// Returns the client's timeout, and the maximum time until the first answer.
    fn times(&self) -> Result<(Option<Duration>, Duration), Status> {
        let longest = self.doors.limits.request_time;
        let time = deadline::from_headers(self.request.headers())?;
        Ok((time, time.map_or(longest, |time| time.min(longest))))
    }
}

async fn within<T>(time: Duration, work: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    timeout(time, work).await.unwrap_or_else(|_| Err(passed(time)))
}

fn passed(time: Duration) -> Status {
    Refusal::too_late(time.as_secs_f64()).into()
}

/// Returns the metadata and the only message of a call.
async fn single_message<Q: Message + Default + 'static>(
    doors: &ListenerState,
    request: Request,
) -> Result<(MetadataMap, Q), Status> {
    let (metadata, mut messages) = decode_messages(request, doors.limits.body)?;
    let large = |status| too_large(doors, status);
    let message = messages.message().await.map_err(large)?;
    let message = message.ok_or_else(|| Status::invalid_argument("the call has no message"))?;
    match messages.message().await.map_err(large)? {
        None => Ok((metadata, message)),
        Some(_) => Err(Status::invalid_argument("the call has more than one message")),
    }
}

/// Decodes the messages of a call, each with a size limit.
pub(super) fn decode_messages<Q: Message + Default + 'static>(
    request: Request,
    limit: usize,
) -> Result<(MetadataMap, Streaming<Q>), Status> {
    let (parts, body) = request.into_parts();
    if parts.headers.get(ENCODING).is_some_and(|encoding| encoding != "identity") {
        let mut status = Status::unimplemented("compressed messages are not read");
        status
            .metadata_mut()
            .insert("grpc-accept-encoding", "identity".parse().map_err(|_| Status::internal(""))?);
        return Err(status);
    }
    let messages = Streaming::new_request(Reader::<Q>::default(), body, None, Some(limit));
    Ok((MetadataMap::from_headers(parts.headers), messages))
}

/// Converts the error of a message that is too large, and returns other errors unchanged.
pub(super) fn too_large(doors: &ListenerState, status: Status) -> Status {
    // Decoding has no other error with this code.
    if status.code() != Code::OutOfRange {
        return status;
    }
    doors.counts.refused(Limit::Body).count();
    Refusal::too_large(doors.limits.body).into()
}

/// Encodes a stream of answers as a response.
pub(super) fn answers<A: Message + 'static>(
    answers: impl Stream<Item = Result<A, Status>> + Send + 'static,
) -> Response {
    let compression = SingleMessageCompressionOverride::default();
    let body = EncodeBody::new_server(Writer::<A>::default(), answers, None, compression, None);
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// Returns a response with an error and no message.
pub(super) fn unanswered(status: Status) -> Response {
    status.into_http()
}
