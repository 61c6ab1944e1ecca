//! The memory budget for request bodies.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use hyper::body::{Frame, SizeHint};
use tokio::sync::Semaphore;

use super::error_response::{Kind, Refusal};
use super::limits::Limits;

/// The shared memory budget for the bodies of all requests.
///
/// Each body may have a few bytes without using the budget. Small requests, such as those of agents, are
/// therefore answered even if large ones use the whole budget. Bytes are charged when they arrive, so that
/// nobody reserves memory for bytes that were not sent.
#[derive(Clone)]
pub(crate) struct BodyBudget {
    /// The number of bytes left.
    left: Arc<Semaphore>,
    /// The number of bytes of each body that are not charged.
    small: usize,
    /// The maximum number of bytes charged per body.
    ///
    /// Bytes over this limit are read and dropped.
    most: usize,
}

/// The bytes charged to one request.
///
/// They are released when both the body and the answer are dropped.
pub(crate) struct ChargedBody {
    bodies: BodyBudget,
    seen: AtomicUsize,
    taken: AtomicUsize,
    refused: AtomicBool,
}

impl BodyBudget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let left = Arc::new(Semaphore::new(limits.bodies));
        Self { left, small: limits.small_body, most: limits.body }
    }

    /// Wraps the body of a request, so that it ends with an error when the budget is exhausted.
    pub(crate) fn counted(&self, request: Request) -> (Request, Arc<ChargedBody>) {
        let (seen, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let held =
            Arc::new(ChargedBody { bodies: self.clone(), seen, taken, refused: AtomicBool::new(false) });
        let counting = Arc::clone(&held);
        let request = request.map(|body| Body::new(Counted { body, held: counting }));
        (request, held)
    }
}

impl ChargedBody {
    /// Returns the error response if the budget was exhausted while the body was read.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let message = "the server has no memory for more large requests: try again later";
        self.is_refused().then(|| Refusal::new(Kind::TooMany, message))
    }

    fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Whether more bytes have arrived than a request may have.
    fn is_too_large(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > self.bodies.most
    }

    /// Charges bytes to the budget.
    ///
    /// Only the body calls this, so there are no concurrent calls.
    fn take(&self, more: usize) -> Result<(), Full> {
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(more);
        self.seen.store(seen, Ordering::Relaxed);
        if self.is_refused() {
            return Err(Full);
        }
        let due = seen.saturating_sub(self.bodies.small).min(self.bodies.most);
        let taken = self.taken.load(Ordering::Relaxed);
        let missing = u32::try_from(due.saturating_sub(taken)).unwrap_or(u32::MAX);
        let Ok(place) = self.bodies.left.try_acquire_many(missing) else {
            self.refused.store(true, Ordering::Relaxed);
            return Err(Full);
        };
        place.forget();
        self.taken.store(taken.max(due), Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for ChargedBody {
    fn drop(&mut self) {
        self.bodies.left.add_permits(*self.taken.get_mut());
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no memory for more of this request")]
struct Full;

/// A body whose bytes are charged as they arrive.
///
/// If the budget is exhausted, the rest is read and dropped before the error is reported, because a client
/// that still sends would not read an answer.
struct Counted {
    body: Body,
    held: Arc<ChargedBody>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)) else {
                return Poll::Ready(self.held.is_refused().then(|| Err(Full.into())));
            };
            let frame = frame?;
            match self.held.take(frame.data_ref().map_or(0, Bytes::len)) {
                Ok(()) => return Poll::Ready(Some(Ok(frame))),
                Err(Full) if self.held.is_too_large() => return Poll::Ready(Some(Err(Full.into()))),
                Err(Full) => {}
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream() && !self.held.is_refused()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::to_bytes;
    use futures_util::stream::unfold;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn bodies() -> BodyBudget {
        BodyBudget::new(&Limits { bodies: 100, small_body: 10, body: 60, ..Limits::default() })
    }

    /// Reads a body with this number of bytes; returns `None` if it was refused.
    async fn read(bodies: &BodyBudget, bytes: usize) -> Option<(Bytes, Arc<ChargedBody>)> {
        let (request, held) = bodies.counted(Request::new(Body::from("x".repeat(bytes))));
        let read = to_bytes(request.into_body(), usize::MAX).await.ok();
        let is_refused = held.refusal().is_some_and(|refusal| refusal.kind == Kind::TooMany);
        assert_eq!(read.is_none(), is_refused);
        read.map(|read| (read, held))
    }

    #[tokio::test]
    async fn what_is_held_is_bounded_and_given_back() {
        let bodies = bodies();
        let left = || bodies.left.available_permits();
        let check = |found: Option<&(Bytes, Arc<ChargedBody>)>, bytes: Option<usize>, expect: usize| {
            assert_eq!((found.map(|(read, _)| read.len()), left()), (bytes, expect));
        };
        let large = read(&bodies, 50).await;
        check(large.as_ref(), Some(50), 60);
        // A body without end is charged no more than the maximum per request.
        let endless = read(&bodies, 500).await;
        check(endless.as_ref(), Some(500), 0);
        check(read(&bodies, 11).await.as_ref(), None, 0);
        let small = read(&bodies, 10).await;
        check(small.as_ref(), Some(10), 0);
        drop(large);
        check(read(&bodies, 50).await.as_ref(), Some(50), 0);
        assert_eq!(left(), 40);
        drop((endless, small));
        assert_eq!(left(), 100);
    }

    #[tokio::test]
    async fn who_is_refused_is_heard_to_the_end() {
        let bodies = bodies();
        let all = (read(&bodies, 110).await, read(&bodies, 50).await);
        assert_eq!(bodies.left.available_permits(), 0);
        let sending = || {
            let (far, near) = tokio::io::duplex(16);
            let pieces = unfold(near, |mut near| async {
                let mut piece = [0; 10];
                near.read_exact(&mut piece).await.ok().map(|_| (Ok::<_, Infallible>(piece.to_vec()), near))
            });
            let (request, held) = bodies.counted(Request::new(Body::from_stream(pieces)));
            (far, held, tokio::spawn(to_bytes(request.into_body(), usize::MAX)))
        };
        let (mut far, held, reading) = sending();
        for _ in 0..5 {
            far.write_all(&[b'x'; 10]).await.unwrap();
        }
        assert!(!reading.is_finished(), "the client still sends");
        drop(far);
        assert!(reading.await.unwrap().is_err() && held.refusal().is_some());
        // A body over the limit of a request is not read to its end.
        let (mut far, _held, reading) = sending();
        while far.write_all(&[b'x'; 10]).await.is_ok() {}
        assert!(reading.await.unwrap().is_err());
        drop(all);
    }

    #[tokio::test]
    async fn what_is_held_stays_so_while_it_is_answered() {
        let bodies = bodies();
        let (request, held) = bodies.counted(Request::new(Body::from("x".repeat(50))));
        let read = to_bytes(request.into_body(), usize::MAX).await.unwrap();
        assert_eq!((read.len(), bodies.left.available_permits()), (50, 60));
        drop(held);
        assert_eq!(bodies.left.available_permits(), 100);
    }
}
