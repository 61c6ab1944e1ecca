//! Standard output and standard error.

use std::io::{self, Write as _};

use converge_core::view::render::sanitize_line;

/// Writes to standard output, with colours if it supports them.
///
/// A closed pipe is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes to standard error.
///
/// A failure is ignored, because it could not be reported.
pub(crate) fn print_error(text: &str) {
    drop(anstream::stderr().write_all(text.as_bytes()));
}

/// Formats untrusted text on one line without characters that a terminal might interpret or hide.
pub(crate) fn one_line(text: &str) -> String {
    sanitize_line(&text.replace(['\n', '\t'], " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let check = |text: &str, expect: &str| assert_eq!(one_line(text), expect, "{text:?}");
        check("plain é", "plain é");
        check("two\nlines", "two lines");
        check("\x1b[2J", "\\u{1b}[2J");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\u{202e}b", "a\\u{202e}b");
        check("pay\u{ad}pal\u{feff}", "pay\\u{ad}pal\\u{feff}");
    }
}
