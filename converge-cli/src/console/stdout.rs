//! Standard output whose reader may close it at any time.

use std::io::{self, BufWriter, Write};

use super::terminal_escape::safe;
use crate::error::CliError;

/// A buffered writer that ignores output after its reader has closed (`converge plan .. | head`).
#[derive(Debug)]
pub(crate) struct Stdout<W: Write> {
    writer: BufWriter<W>,
    closed: bool,
}

impl<W: Write> Stdout<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer: BufWriter::new(writer), closed: false }
    }

    /// Returns whether the reader has closed the output.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn write(&mut self, text: &str) -> Result<(), CliError> {
        self.write_exact(&safe(text))
    }

    /// Writes a text byte for byte.
    pub(crate) fn write_exact(&mut self, text: &str) -> Result<(), CliError> {
        self.unless_closed(|writer| writer.write_all(text.as_bytes()))
    }

    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        self.unless_closed(Write::flush)
    }

    fn unless_closed(
        &mut self,
        write: impl FnOnce(&mut BufWriter<W>) -> io::Result<()>,
    ) -> Result<(), CliError> {
        if self.closed {
            return Ok(());
        }
        match write(&mut self.writer) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result.map_err(CliError::Output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fails(io::ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn only_a_reader_that_left_is_no_error() {
        let check = |kind, expect: bool| {
            let mut stdout = Stdout::new(Fails(kind));
            let first = stdout.write("text").and_then(|()| stdout.flush());
            assert_eq!(first.is_ok(), expect, "{kind:?}");
            assert_eq!(stdout.closed, expect, "{kind:?}");
        };
        check(io::ErrorKind::BrokenPipe, true);
        check(io::ErrorKind::StorageFull, false);
    }
}
