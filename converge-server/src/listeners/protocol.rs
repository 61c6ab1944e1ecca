//! What is spoken on a connection.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What who speaks HTTP/2 says at first, without having asked for it (RFC 9113, section 3.4). No request of HTTP/1.1 begins so.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How many bytes those who speak HTTP/2 say at first.
pub(super) const PREFACE_LENGTH: usize = PREFACE.len();

/// What is spoken on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.1: one request after the other.
    Http1,
    /// HTTP/2, without asking for it first: many requests at a time.
    Http2,
}

impl Protocol {
    /// What it is called where TLS agrees on it.
    pub(super) fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"http/1.1",
            Self::Http2 => b"h2",
        }
    }

    /// Reads as far as it takes to know what a client speaks: which that is, and what was read.
    pub(super) async fn told(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Self, Vec<u8>)> {
        let mut first = Vec::with_capacity(PREFACE_LENGTH);
        while PREFACE.starts_with(&first) {
            let rest = PREFACE_LENGTH - first.len();
            if rest == 0 {
                return Ok((Self::Http2, first));
            }
            if stream.take(rest as u64).read_buf(&mut first).await? == 0 {
                break;
            }
        }
        Ok((Self::Http1, first))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn first_bytes() {
        async fn check(pieces: &[&[u8]], protocol: Protocol, read: &[u8]) {
            let (mut far, mut near) = tokio::io::duplex(1024);
            let telling = async move {
                for piece in pieces {
                    far.write_all(piece).await.unwrap();
                    tokio::task::yield_now().await;
                }
            };
            let ((), told) = tokio::join!(telling, Protocol::told(&mut near));
            assert_eq!(told.unwrap(), (protocol, read.to_vec()), "{pieces:?}");
        }
        let bytes: Vec<_> = PREFACE.iter().map(std::slice::from_ref).collect();
        check(&[PREFACE], Protocol::Http2, PREFACE).await;
        check(&[PREFACE, b"more"], Protocol::Http2, PREFACE).await;
        check(&bytes, Protocol::Http2, PREFACE).await;
        check(&[b"GET / HTTP/1.1\r\n\r\n"], Protocol::Http1, b"GET / HTTP/1.1\r\n\r\n").await;
        // No more than is needed is read.
        check(&[b"P", b"UT / HTTP/1.1\r\n"], Protocol::Http1, b"PUT / HTTP/1.1\r\n").await;
        check(&[b"PRI * HTTP/2.0\r\n\r\n", b"no"], Protocol::Http1, b"PRI * HTTP/2.0\r\n\r\nno").await;
        // Who goes has told nothing.
        check(&[b"PRI"], Protocol::Http1, b"PRI").await;
        check(&[], Protocol::Http1, b"").await;
    }
}
