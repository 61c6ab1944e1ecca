//! Framing of messages: each is preceded by its length.

use std::io::{self, BufRead, Read as _, Write};

/// The maximum length of a message in bytes.
///
/// The longest module text has 16 MiB, and is hardly longer than this with all of its JSON escapes.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// The maximum total length of the header lines in bytes.
const MOST_HEADER: u64 = 8 << 10;

/// A frame from the other side.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The text of a message.
    Message(Vec<u8>),
    /// A message that is too long and was skipped.
    TooLong(u64),
    /// The end of the input, perhaps within a message.
    End,
    /// Input without a length, after which the beginning of the next message is unknown.
    Broken(&'static str),
}

/// Reads the next frame.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length = None;
    let mut left = MOST_HEADER;
    loop {
        let mut line = Vec::new();
        let read = input.take(left).read_until(b'\n', &mut line)?;
        if read == 0 && left > 0 {
            return Ok(Frame::End);
        }
        left -= read as u64;
        if line.pop() != Some(b'\n') {
            // The input ended within the line, or the line is too long.
            return Ok(if left == 0 {
                Frame::Broken("the header of a message is too long")
            } else {
                Frame::End
            });
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = std::str::from_utf8(&line).ok().and_then(|line| line.split_once(':'))
        else {
            return Ok(Frame::Broken("a line before a message is not a header"));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<u64>().ok();
            if length.is_none() {
                return Ok(Frame::Broken("the length of a message is not a number"));
            }
        }
    }
    let Some(length) = length else {
        return Ok(Frame::Broken("a message has no Content-Length"));
    };
    if length > MOST_BYTES {
        let passed = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(if passed < length { Frame::End } else { Frame::TooLong(length) });
    }
    // The length is not trusted, so memory is allocated as the bytes arrive.
    let mut message = Vec::new();
    let read = input.take(length).read_to_end(&mut message)?;
    Ok(if (read as u64) < length { Frame::End } else { Frame::Message(message) })
}

pub(super) fn write(output: &mut impl Write, message: &str) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all frames of an input, until it ends or breaks.
    fn all(mut input: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            let frame = read(&mut input).unwrap();
            let is_last = matches!(frame, Frame::End | Frame::Broken(_));
            frames.push(frame);
            if is_last {
                return frames;
            }
        }
    }

    fn message(text: &str) -> Frame {
        Frame::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn messages_follow_each_other() {
        let check = |input: &str, expect: &[Frame]| assert_eq!(all(input.as_bytes()), expect, "{input:?}");
        check("", &[Frame::End]);
        check(
            "Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1",
            &[message("{}"), message("1"), Frame::End],
        );
        check("content-length:2\nContent-Type: x; y\r\n\r\n{}", &[message("{}"), Frame::End]);
        check("Content-Length: 0\r\n\r\n", &[message(""), Frame::End]);
    }

    #[test]
    fn what_is_no_message_ends_it() {
        let check = |input: &[u8], expect: Frame| assert_eq!(all(input), [expect], "{}", input.len());
        check(b"Content-Length: 5\r\n\r\n{}", Frame::End);
        check(b"Content-Len", Frame::End);
        check(b"Content-Length: 5\r\n", Frame::End);
        check(b"GET / HTTP/1.1\r\n\r\n", Frame::Broken("a line before a message is not a header"));
        check(b"Content-Type: x\r\n\r\n{}", Frame::Broken("a message has no Content-Length"));
        check(b"Content-Length: many\r\n\r\n{}", Frame::Broken("the length of a message is not a number"));
        check(b"Content-Length: -1\r\n\r\n{}", Frame::Broken("the length of a message is not a number"));
        check(
            b"Content-Length: 99999999999999999999\r\n\r\n",
            Frame::Broken("the length of a message is not a number"),
        );
        check(b"\xff\xfe\r\n\r\n", Frame::Broken("a line before a message is not a header"));
        let long = [b'x'; 9 << 10];
        check(&long, Frame::Broken("the header of a message is too long"));
        // The header promises more than any memory can hold, and nothing follows.
        check(b"Content-Length: 18446744073709551615\r\n\r\nabc", Frame::End);
    }

    #[test]
    fn what_is_too_long_is_passed_over() {
        let length = MOST_BYTES + 1;
        let head = format!("Content-Length: {length}\r\n\r\n");
        let next = "Content-Length: 2\r\n\r\n{}";
        let body = io::repeat(b' ').take(length);
        let mut input = io::BufReader::new(head.as_bytes().chain(body).chain(next.as_bytes()));
        assert_eq!(read(&mut input).unwrap(), Frame::TooLong(length));
        assert_eq!(read(&mut input).unwrap(), message("{}"));
        assert_eq!(read(&mut input).unwrap(), Frame::End);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut stream = Vec::new();
        write(&mut stream, "{\"é\":1}").unwrap();
        assert_eq!(all(&stream), [message("{\"é\":1}"), Frame::End]);
    }
}
