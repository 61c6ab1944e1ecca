//! Tests of the limits on messages from the host.

use std::io::{self, BufRead, BufReader, Read};

use super::{LONGEST_LINE, ServeError, read};
use crate::protocol::FromHost;

/// A reader that returns any number of bytes and counts them.
struct Endless(usize);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        buffer.fill(b' ');
        self.0 += buffer.len();
        Ok(buffer.len())
    }
}

fn refused(lines: &mut impl BufRead) -> String {
    match read(lines) {
        Err(ServeError::Host(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_without_end_is_not_kept() {
    let mut lines = BufReader::new(Endless(0));
    assert_eq!(refused(&mut lines), "a line has more than 64 MiB");
    let count = lines.into_inner().0;
    assert!((LONGEST_LINE..LONGEST_LINE + (1 << 20)).contains(&count), "{count}");
}

#[test]
fn lines_that_are_as_long_as_they_may_be() {
    let cancel = br#"{"type":"cancel","id":3}"#;
    let mut line = vec![b' '; LONGEST_LINE - 1 - cancel.len()];
    line.extend(cancel);
    let mut lines = [&line[..], b"\n", cancel, b"\n", cancel].concat();
    let mut rest = &lines[..];
    for _ in 0..3 {
        assert!(matches!(read(&mut rest), Ok(Some(FromHost::Cancel { id: 3 }))), "{} bytes", rest.len());
    }
    assert!(matches!(read(&mut rest), Ok(None)));
    lines.insert(0, b' ');
    assert_eq!(refused(&mut &lines[..]), "a line has more than 64 MiB");
}
