use std::fmt;

/// The end of a program's output for a message: nothing, or text on lines of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputTail(String);

impl OutputTail {
    /// Collects lines, without empty lines and trailing space.
    pub(super) fn from_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        const LINES: usize = 20;
        const WIDTH: usize = 400;
        let lines: Vec<&str> =
            lines.into_iter().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(LINES);
        let mut text = if from > 0 { "[..]".to_owned() } else { String::new() };
        for line in lines.into_iter().skip(from) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.extend(line.chars().take(WIDTH));
        }
        Self(text)
    }
}

impl fmt::Display for OutputTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ":\n{}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_was_printed() {
        let check = |lines: &[&str], expect: &str| {
            assert_eq!(OutputTail::from_lines(lines.iter().copied()).to_string(), expect, "{lines:?}");
        };
        check(&[], "");
        check(&["", "  "], "");
        check(&["a  ", "", " b"], ":\na\n b");
        check(&["a"; 20], &format!(":{}", "\na".repeat(20)));
        check(&["a"; 21], &format!(":\n[..]{}", "\na".repeat(20)));
        check(&["\u{e9}".repeat(500).as_str()], &format!(":\n{}", "\u{e9}".repeat(400)));
    }
}
