//! Patterns of paths with `*`, `?`, `[..]` and `**`, matched name by name in a walk through folders.
//!
//! This module owns the matching. Its users decide which texts are patterns, and report what is wrong with others.

/// A pattern of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Any characters: `*`.
    Any,
    /// Any character: `?`.
    One,
    /// A character class: `[a-z]`, `[!a-z]`.
    Class {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
    Char(char),
}

/// The meaning of a backslash in a character class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassEscape {
    /// The next character is literal.
    Backslash,
    /// The backslash is itself a literal character.
    None,
}

/// The reason why a text is not a pattern of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePatternError {
    /// The text ends in a backslash.
    Backslash,
    /// A `[` has no end.
    OpenClass,
}

impl NamePattern {
    /// Parses a pattern. Outside of classes a backslash makes the next character literal.
    pub fn parse(text: &str, escape: ClassEscape) -> Result<Self, NamePatternError> {
        let mut pieces = Vec::new();
        let mut chars = text.chars();
        while let Some(char) = chars.next() {
            pieces.push(match char {
                '*' => Piece::Any,
                '?' => Piece::One,
                '\\' => Piece::Char(chars.next().ok_or(NamePatternError::Backslash)?),
                '[' => class(&mut chars, escape).ok_or(NamePatternError::OpenClass)?,
                char => Piece::Char(char),
            });
        }
        // Consecutive stars are equal to one.
        pieces.dedup_by(|one, other| (&*one, &*other) == (&Piece::Any, &Piece::Any));
        Ok(Self(pieces))
    }

    /// Returns the only name that matches, if no character is special.
    pub fn literal(&self) -> Option<String> {
        let char = |piece: &Piece| match piece {
            Piece::Char(char) => Some(*char),
            _ => None,
        };
        self.0.iter().map(char).collect()
    }

    /// Whether a name matches, in time of at most the product of both lengths.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut piece, mut position) = (0, 0);
        // The last star and the end of its match, which grows by one character if the rest does not match.
        let mut star = None;
        loop {
            let fits = match (self.0.get(piece), name.get(position)) {
                (None, None) => return true,
                (Some(Piece::Any), _) => {
                    star = Some((piece, position));
                    piece += 1;
                    continue;
                }
                (Some(Piece::One), Some(_)) => true,
                (Some(Piece::Char(char)), Some(actual)) => char == actual,
                (Some(Piece::Class { ranges, is_negated }), Some(actual)) => {
                    ranges.iter().any(|(first, last)| (first..=last).contains(&actual)) != *is_negated
                }
                _ => false,
            };
            (piece, position) = match &mut star {
                _ if fits => (piece + 1, position + 1),
                Some((star, end)) if *end < name.len() => {
                    *end += 1;
                    (*star + 1, *end)
                }
                _ => return false,
            };
        }
    }
}

/// Parses the rest of a class, up to its `]`.
fn class(chars: &mut std::str::Chars<'_>, escape: ClassEscape) -> Option<Piece> {
    let is_escape = |char| char == '\\' && escape == ClassEscape::Backslash;
    let is_negated = chars.as_str().starts_with(['!', '^']);
    if is_negated {
        chars.next();
    }
    let mut ranges = Vec::new();
    loop {
        let first = match chars.next()? {
            // A bracket in first position is an ordinary character.
            ']' if !ranges.is_empty() => return Some(Piece::Class { ranges, is_negated }),
            char if is_escape(char) => chars.next()?,
            char => char,
        };
        // A dash in last position is an ordinary character.
        let is_range = chars.as_str().starts_with('-') && !chars.as_str().starts_with("-]");
        let last = match chars.by_ref().take(if is_range { 2 } else { 0 }).last() {
            Some(char) if is_escape(char) => chars.next()?,
            char => char.unwrap_or(first),
        };
        ranges.push((first, last));
    }
}

/// A part of a pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// Any number of folders, also none: `**`.
    Folders,
    /// The pattern of one name.
    Name(NamePattern),
}

/// A pattern of relative paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// The parts, one for each name but for [`PathPart::Folders`].
    pub parts: Vec<PathPart>,
    /// Whether a name that begins with a dot is matched only by a part that begins with one.
    pub hides_dots: bool,
}

/// The parts of a pattern that may match the next name of a path.
pub type PathStates = Vec<usize>;

impl PathPattern {
    /// Returns the states at which every path begins.
    pub fn start(&self) -> PathStates {
        self.with_followers(vec![0])
    }

    /// Returns the states after a name.
    pub fn step(&self, states: &[usize], name: &str) -> PathStates {
        let mut next = Vec::new();
        let is_hidden = self.hides_dots && name.starts_with('.');
        for state in states {
            match self.parts.get(*state) {
                Some(PathPart::Folders) if !is_hidden => next.push(*state),
                Some(PathPart::Name(pattern))
                    if (!is_hidden || pattern.0.first() == Some(&Piece::Char('.')))
                        && pattern.matches(name) =>
                {
                    next.push(state + 1);
                }
                _ => {}
            }
        }
        self.with_followers(next)
    }

    /// Returns the number of comparisons that a step needs, roughly.
    pub fn cost(&self, states: &[usize], name: &str) -> usize {
        let cost = |state: &usize| match self.parts.get(*state) {
            Some(PathPart::Name(pattern)) => 1 + pattern.0.len() * name.len() / 16,
            Some(PathPart::Folders) => 1,
            None => 0,
        };
        states.iter().map(cost).sum()
    }

    /// Whether a path that ends in these states matches.
    pub fn is_match(&self, states: &[usize]) -> bool {
        states.contains(&self.parts.len())
    }

    /// Whether there may be matches below a path that ends in these states.
    pub fn goes_on(&self, states: &[usize]) -> bool {
        states.iter().any(|state| *state < self.parts.len())
    }

    /// Adds the states that follow `**`, because that may stand for no folder.
    fn with_followers(&self, mut states: PathStates) -> PathStates {
        let mut index = 0;
        while let Some(state) = states.get(index).copied() {
            if matches!(self.parts.get(state), Some(PathPart::Folders)) && !states.contains(&(state + 1)) {
                states.push(state + 1);
            }
            index += 1;
        }
        states.sort_unstable();
        states.dedup();
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |pattern: &str, escape: ClassEscape, yes: &[&str], no: &[&str]| {
            let parsed = NamePattern::parse(pattern, escape).unwrap();
            for (names, expect) in [(yes, true), (no, false)] {
                for name in names {
                    assert_eq!(parsed.matches(name), expect, "{pattern} {escape:?} {name}");
                }
            }
        };
        for escape in [ClassEscape::Backslash, ClassEscape::None] {
            check("", escape, &[""], &["a"]);
            check("*", escape, &["", "a", ".a"], &[]);
            check("a**b", escape, &["ab", "axb"], &["a", "b"]);
            check("*a*b*c", escape, &["abc", "xaxbxc"], &["acb", "ab"]);
            check("?", escape, &["a", "ü"], &["", "ab"]);
            check("[a-c]", escape, &["a", "b", "c"], &["d", "", "aa"]);
            check("[!a-c]", escape, &["d", "]"], &["a"]);
            check("[^a]", escape, &["b", "^"], &["a"]);
            check("[]a]", escape, &["]", "a"], &["b"]);
            check("[!]a]", escape, &["b"], &["]", "a"]);
            check("[]-a]", escape, &["]", "^", "a"], &["b", "-"]);
            check("[a-]", escape, &["a", "-"], &["b"]);
            check("[--a]", escape, &["-", "0", "a"], &["b", ","]);
            check("[z-a]", escape, &[], &["a", "z", "-"]);
            check("[{,}]", escape, &["{", ",", "}"], &["a"]);
            check("\\*\\[", escape, &["*["], &["a["]);
        }
        check("[\\]]", ClassEscape::Backslash, &["]"], &["\\", "\\]"]);
        check("[\\]]", ClassEscape::None, &["\\]"], &["]", "\\"]);
        check("[a-\\]]", ClassEscape::Backslash, &[], &["a", "]", "\\"]);
        check("[+-\\]]", ClassEscape::None, &["+]", "A]", "\\]"], &["+", "]"]);
    }

    #[test]
    fn texts_that_are_no_pattern() {
        let check = |pattern: &str, expect: NamePatternError| {
            for escape in [ClassEscape::Backslash, ClassEscape::None] {
                assert_eq!(NamePattern::parse(pattern, escape), Err(expect), "{pattern}");
            }
        };
        check("a\\", NamePatternError::Backslash);
        for pattern in ["[", "[a", "[]", "[!", "[!]", "[a-", "[a-b"] {
            check(pattern, NamePatternError::OpenClass);
        }
        assert_eq!(NamePattern::parse("[\\]", ClassEscape::Backslash), Err(NamePatternError::OpenClass));
        assert!(NamePattern::parse("[\\]", ClassEscape::None).is_ok());
    }

    /// Backtracking over every earlier star would take exponential time.
    #[test]
    fn stars_are_tried_in_turn() {
        let pattern = NamePattern::parse(&"*a".repeat(300), ClassEscape::None).unwrap();
        assert!(!pattern.matches(&format!("{}b", "a".repeat(255))));
    }
}
