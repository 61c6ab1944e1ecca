//! Replacement texts with references to the groups of a match.

use regex_lite::{Captures, Regex};

/// A text in which `\1` and `\g<name>` stand for the groups of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Number(usize),
    Name(String),
}

impl Replacement {
    /// Parses references: `\0` to `\99`, `\g<1>` and `\g<name>`.
    ///
    /// `\\` is a backslash, `\n` and `\t` are a newline and a tab.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('\\') {
            add(&mut parts, before);
            rest = after;
            let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let (number, after) = rest.split_at(digits);
                parts.push(Part::Number(number.parse().unwrap_or(0)));
                rest = after;
            } else if let Some((name, after)) = rest.strip_prefix("g<").and_then(|rest| rest.split_once('>'))
            {
                parts.push(match name.parse() {
                    Ok(number) => Part::Number(number),
                    Err(_) => Part::Name(name.to_owned()),
                });
                rest = after;
            } else {
                let mut chars = rest.chars();
                add(
                    &mut parts,
                    match chars.next() {
                        Some('\\') => "\\",
                        Some('n') => "\n",
                        Some('t') => "\t",
                        Some(other) => {
                            return Err(format!(
                                "`\\{other}` means nothing: `\\1` and `\\g<name>` are groups, `\\\\` is a backslash"
                            ));
                        }
                        None => return Err("it ends in a backslash: `\\\\` is one".to_owned()),
                    },
                );
                rest = chars.as_str();
            }
        }
        add(&mut parts, rest);
        Ok(Self(parts))
    }

    /// Returns the text if it refers to no group.
    pub(crate) fn literal(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Number(_) | Part::Name(_) => None,
        };
        self.0.iter().map(text).collect()
    }

    /// Returns an error if the text refers to a group that the expression does not have.
    pub(crate) fn check(&self, regex: &Regex) -> Result<(), String> {
        for part in &self.0 {
            match part {
                Part::Number(number) if *number >= regex.captures_len() => {
                    return Err(format!(
                        "`\\{number}` is not a group of the expression, which has {}",
                        regex.captures_len() - 1
                    ));
                }
                Part::Name(name) if !regex.capture_names().flatten().any(|group| group == name) => {
                    return Err(format!("`\\g<{name}>` is not a group of the expression"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends the replacement of a match to `text`. A group that took no part in the match is empty.
    pub(crate) fn expand(&self, captures: &Captures<'_>, text: &mut String) {
        for part in &self.0 {
            let group = match part {
                Part::Text(literal) => {
                    text.push_str(literal);
                    continue;
                }
                Part::Number(number) => captures.get(*number),
                Part::Name(name) => captures.name(name),
            };
            text.push_str(group.map_or("", |group| group.as_str()));
        }
    }
}

fn add(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let regex = Regex::new("(?<key>[a-z]+)=([0-9])?").unwrap();
            let expanded = Replacement::parse(text).and_then(|replacement| {
                replacement.check(&regex)?;
                let mut expanded = String::new();
                replacement.expand(&regex.captures("port=").unwrap(), &mut expanded);
                Ok(expanded)
            });
            assert_eq!(expanded.as_deref().map_err(String::as_str), expect, "{text}");
        };
        check("", Ok(""));
        check("x$1", Ok("x$1"));
        check(r"[\0]", Ok("[port=]"));
        check(r"\1:\2:\g<key>\g<1>0", Ok("port::portport0"));
        check(r"\\1\n\t", Ok("\\1\n\t"));
        check(r"\3", Err(r"`\3` is not a group of the expression, which has 2"));
        check(r"\10", Err(r"`\10` is not a group of the expression, which has 2"));
        check(r"\g<none>", Err(r"`\g<none>` is not a group of the expression"));
        check(r"\d", Err(r"`\d` means nothing: `\1` and `\g<name>` are groups, `\\` is a backslash"));
        check(r"\g<", Err(r"`\g` means nothing: `\1` and `\g<name>` are groups, `\\` is a backslash"));
        check("\\", Err(r"it ends in a backslash: `\\` is one"));
    }
}
