//! Text as lines that keep their endings.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    /// The line without its ending.
    pub(crate) body: &'t str,
    /// `\n`, `\r\n`, or nothing at the end of a text.
    pub(crate) ending: &'t str,
}

/// Splits a text into lines, which give the same text when they are joined.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let line = |line| match str::strip_suffix(line, "\r\n") {
        Some(body) => Line { body, ending: "\r\n" },
        None => match line.strip_suffix('\n') {
            Some(body) => Line { body, ending: "\n" },
            None => Line { body: line, ending: "" },
        },
    };
    text.split_inclusive('\n').map(line).collect()
}

pub(crate) fn text<'t>(lines: impl IntoIterator<Item = Line<'t>>) -> String {
    let mut text = String::new();
    for Line { body, ending } in lines {
        text.push_str(body);
        text.push_str(ending);
    }
    text
}

/// Returns the line ending of a text: that of its first line.
pub(crate) fn ending(lines: &[Line<'_>]) -> &'static str {
    match lines.first() {
        Some(Line { ending: "\r\n", .. }) => "\r\n",
        _ => "\n",
    }
}

/// Inserts lines before the line `at`.
///
/// Only the last line of a text may have no ending, so a former last line gets one.
pub(crate) fn insert<'t>(
    lines: &mut Vec<Line<'t>>,
    at: usize,
    bodies: impl IntoIterator<Item = &'t str>,
    ending: &'static str,
) {
    if at == lines.len()
        && let Some(last) = lines.last_mut()
        && last.ending.is_empty()
    {
        last.ending = ending;
    }
    lines.splice(at..at, bodies.into_iter().map(|body| Line { body, ending }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn insertions() {
        let check = |before: &str, at: usize, expect: &str| {
            let mut lines = lines(before);
            let ending = ending(&lines);
            insert(&mut lines, at, ["x"], ending);
            assert_eq!(text(lines), expect, "{before:?} {at}");
        };
        check("", 0, "x\n");
        check("a", 0, "x\na");
        check("a", 1, "a\nx\n");
        check("a\n", 1, "a\nx\n");
        check("a\r\nb", 2, "a\r\nb\r\nx\r\n");
        check("\r\n", 0, "x\r\n\r\n");
    }

    proptest! {
        #[test]
        fn nothing_is_lost(before in "[a\r\n]{0,12}") {
            prop_assert_eq!(text(lines(&before)), before);
        }
    }
}
