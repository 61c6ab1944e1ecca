//! The capture of program output within limits.

use std::collections::VecDeque;

#[cfg(any(test, feature = "testing"))]
use super::processes::Command;
use super::processes::{Exit, KeepOutput, LeftOut, Output};
use super::{SystemError, SystemErrorKind};

/// The maximum number of bytes of a stream that is kept whole.
const ALL: usize = 16 << 20;

/// The number of bytes kept at each end of a stream that is not kept whole.
const END: usize = 1 << 20;

pub(super) struct CapturedStream {
    /// The bytes, with a line in place of those that are left out.
    pub(super) bytes: Vec<u8>,
    pub(super) left_out: u64,
}

/// A recorder of the beginning and the end of one stream.
pub(super) struct Recorder {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    most: CaptureLimit,
}

#[derive(Clone, Copy)]
pub(super) struct CaptureLimit {
    keep: KeepOutput,
    head: usize,
    tail: usize,
}

impl CaptureLimit {
    /// Creates the limits for a setting, capped by `limit`.
    pub(super) fn new(keep_output: KeepOutput, limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        match keep_output {
            KeepOutput::All => Self { keep: keep_output, head: ALL.min(limit), tail: 0 },
            KeepOutput::Ends => {
                Self { keep: keep_output, head: END.min(limit - limit / 2), tail: END.min(limit / 2) }
            }
        }
    }

    pub(super) fn total(self) -> usize {
        self.head + self.tail
    }
}

/// Builds the result of a program.
///
/// It is an error if the caller needs all output and some is left out.
pub(super) fn output(
    program: &str,
    exit: Exit,
    most: CaptureLimit,
    [stdout, stderr]: [CapturedStream; 2],
) -> Result<Output, SystemError> {
    let left_out = LeftOut { stdout: stdout.left_out, stderr: stderr.left_out };
    if most.keep == KeepOutput::All && left_out != LeftOut::default() {
        let kind = SystemErrorKind::TooMuchOutput(most.total());
        return Err(SystemError::other("use the output of", program, kind));
    }
    Ok(Output { exit, stdout: stdout.bytes, stderr: stderr.bytes, left_out })
}

/// Applies the limits to the complete output of a program.
#[cfg(any(test, feature = "testing"))]
pub(super) fn limited(
    command: &Command,
    output: Output,
    limit: Option<usize>,
) -> Result<Output, SystemError> {
    let limits = CaptureLimit::new(command.keep, limit);
    let streams = [output.stdout, output.stderr].map(|bytes| {
        let mut recorder = Recorder::new(limits);
        recorder.add(&bytes);
        recorder.finish()
    });
    self::output(&command.program, output.exit, limits, streams)
}

impl Recorder {
    pub(super) fn new(limits: CaptureLimit) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), left_out: 0, most: limits }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.most.head - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(self.most.tail);
        self.tail.drain(..excess);
        self.left_out += excess as u64;
    }

    pub(super) fn finish(self) -> CapturedStream {
        let Self { head: mut bytes, tail, left_out, .. } = self;
        if left_out > 0 {
            bytes.extend_from_slice(format!("\n[.. {left_out} bytes are left out here ..]\n").as_bytes());
        }
        bytes.extend(tail);
        CapturedStream { bytes, left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_what_is_too_much() {
        let check = |most: CaptureLimit, pieces: &[&str], expect: &str, left_out: u64| {
            let mut recorder = Recorder::new(most);
            for piece in pieces {
                recorder.add(piece.as_bytes());
            }
            let printed = recorder.finish();
            assert_eq!(String::from_utf8(printed.bytes).unwrap(), expect, "{pieces:?}");
            assert_eq!(printed.left_out, left_out, "{pieces:?}");
        };
        let limits = CaptureLimit { keep: KeepOutput::Ends, head: 3, tail: 2 };
        check(limits, &[], "", 0);
        check(limits, &["ab", "cd", "e"], "abcde", 0);
        check(limits, &["abcdef"], "abc\n[.. 1 bytes are left out here ..]\nef", 1);
        check(limits, &["a", "bcdefgh", "i", ""], "abc\n[.. 4 bytes are left out here ..]\nhi", 4);
        check(
            CaptureLimit { keep: KeepOutput::All, head: 3, tail: 0 },
            &["abc", "d"],
            "abc\n[.. 1 bytes are left out here ..]\n",
            1,
        );
    }
}
