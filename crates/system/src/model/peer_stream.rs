//! A connection to a [`Speaker`].
//!
//! Writes trigger answers; reads trigger delayed actions that are due.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::peer::{Later, Speaker, SpeakerListener, Speech};
use super::{Effect, Shared, State};
use crate::Address;

/// The maximum size of a message in bytes.
const MOST: usize = 16 << 20;

pub(super) struct SpeakerStream {
    host: Shared,
    at: Address,
    speaker: Box<dyn Speaker>,
    written: Vec<u8>,
    said: io::Cursor<Vec<u8>>,
    later: Vec<DelayedAction>,
    reader: Option<Waker>,
}

struct DelayedAction {
    time: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
    then: Later,
}

impl SpeakerStream {
    pub(super) fn new(host: Shared, speaks: &SpeakerListener) -> Self {
        Self {
            host,
            at: speaks.at.clone(),
            speaker: (speaks.begin)(),
            written: Vec::new(),
            said: io::Cursor::default(),
            later: Vec::new(),
            reader: None,
        }
    }

    fn serve(&mut self) {
        while let Some(length) = self.speaker.whole(&self.written) {
            let message: Vec<u8> = self.written.drain(..length.min(self.written.len())).collect();
            let Speech { bytes, later, .. } = self.answer(&message);
            self.said.get_mut().extend_from_slice(&bytes);
            if let Some((delay, action)) = later {
                let host = self.host.clone();
                self.later.push(DelayedAction {
                    time: Box::pin(async move { host.sleep(delay).await }),
                    then: action,
                });
            }
        }
    }

    fn answer(&mut self, message: &[u8]) -> Speech {
        let mut guard = self.host.lock();
        let State { machine, faults, .. } = &mut *guard;
        if faults.answers_left == Some(0) {
            return Speech::new([]);
        }
        faults.answers_left = faults.answers_left.map(|left| left.saturating_sub(1));
        let mut after = machine.clone();
        let speech = self.speaker.answer(message, &mut after);
        let Some(speaker_name) = &speech.name else { return speech };
        let mut refuse = |reason: &str| Speech::new(self.speaker.refuse(message, reason));
        if after == *machine {
            return if faults.read_fails() { refuse("input/output error") } else { speech };
        }
        if let Err(crash) = faults.check_crash() {
            return refuse(&crash.to_string());
        }
        if faults.fails_now() {
            faults.has_failed();
            return refuse("the model lets this fail");
        }
        *machine = after;
        let effect = Effect::Message { address: self.at.clone(), said: speaker_name.clone() };
        guard.record(effect);
        speech
    }

    /// Runs the delayed actions that are due.
    fn pass(&mut self, cx: &mut Context<'_>) {
        let mut waiting = std::mem::take(&mut self.later).into_iter();
        for mut next in waiting.by_ref() {
            if next.time.as_mut().poll(cx).is_pending() {
                self.later.push(next);
                continue;
            }
            let reply = (next.then)(&mut self.host.lock().machine);
            self.said.get_mut().extend_from_slice(&reply);
        }
    }
}

impl AsyncRead for SpeakerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.pass(cx);
        let before = into.filled().len();
        ready!(Pin::new(&mut self.said).poll_read(cx, into))?;
        if into.filled().len() > before {
            return Poll::Ready(Ok(()));
        }
        self.said = io::Cursor::default();
        self.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncWrite for SpeakerStream {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.written.len() + bytes.len() > MOST {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        self.written.extend_from_slice(bytes);
        self.serve();
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
