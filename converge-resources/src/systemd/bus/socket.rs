use std::fmt;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use converge_sdk::async_trait;
use converge_sdk::system::Stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use zbus::connection::socket;

/// A stream of bytes in both directions, without file descriptors.
pub(super) struct Socket(pub(super) Box<dyn Stream>);

pub(super) struct Reader(ReadHalf<Box<dyn Stream>>);

pub(super) struct Writer(WriteHalf<Box<dyn Stream>>);

impl socket::Socket for Socket {
    type ReadHalf = Reader;
    type WriteHalf = Writer;

    fn split(self) -> socket::Split<Reader, Writer> {
        let (read, write) = tokio::io::split(self.0);
        socket::Split::new(Reader(read), Writer(write))
    }
}

#[async_trait]
impl socket::ReadHalf for Reader {
    async fn recvmsg(&mut self, buffer: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
        Ok((self.0.read(buffer).await?, Vec::new()))
    }
}

#[async_trait]
impl socket::WriteHalf for Writer {
    async fn sendmsg(&mut self, buffer: &[u8], _fds: &[BorrowedFd<'_>]) -> io::Result<usize> {
        self.0.write(buffer).await
    }

    async fn flush(&mut self) -> io::Result<()> {
        self.0.flush().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.0.shutdown().await
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}
