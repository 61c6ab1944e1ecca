//! Detection of the protocol of a connection.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The connection preface of an HTTP/2 client with prior knowledge (RFC 9113, section 3.4).
///
/// No HTTP/1.1 request begins with it.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The length of the HTTP/2 preface in bytes.
pub(super) const PREFACE_LENGTH: usize = PREFACE.len();

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.1, with one request at a time.
    Http1,
    /// HTTP/2 with prior knowledge, with many concurrent requests.
    Http2,
}

impl Protocol {
    /// Returns the ALPN name of the protocol.
    pub(super) fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"http/1.1",
            Self::Http2 => b"h2",
        }
    }

    /// Reads until the protocol of the client is known, and returns it with the bytes read.
    pub(super) async fn detect(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Self, Vec<u8>)> {
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
            let ((), told) = tokio::join!(telling, Protocol::detect(&mut near));
            assert_eq!(told.unwrap(), (protocol, read.to_vec()), "{pieces:?}");
        }
        let bytes: Vec<_> = PREFACE.iter().map(std::slice::from_ref).collect();
        check(&[PREFACE], Protocol::Http2, PREFACE).await;
        check(&[PREFACE, b"more"], Protocol::Http2, PREFACE).await;
        check(&bytes, Protocol::Http2, PREFACE).await;
        check(&[b"GET / HTTP/1.1\r\n\r\n"], Protocol::Http1, b"GET / HTTP/1.1\r\n\r\n").await;
        // Only the necessary bytes are read.
        check(&[b"P", b"UT / HTTP/1.1\r\n"], Protocol::Http1, b"PUT / HTTP/1.1\r\n").await;
        check(&[b"PRI * HTTP/2.0\r\n\r\n", b"no"], Protocol::Http1, b"PRI * HTTP/2.0\r\n\r\nno").await;
        // The client disconnects before its protocol is known.
        check(&[b"PRI"], Protocol::Http1, b"PRI").await;
        check(&[], Protocol::Http1, b"").await;
    }
}
