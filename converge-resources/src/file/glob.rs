//! Path patterns with `*`, `?`, `[..]` and `**`, as in shells.

use std::path::{Path, PathBuf};

/// A pattern for paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The root of the pattern: the directories before the first part with a special character.
    root: PathBuf,
    parts: Vec<Part>,
    /// Whether names that begin with a dot are matched like others.
    hidden: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any number of directories, also none.
    Folders,
    /// The pattern of one name.
    Name(Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// `*`
    Any,
    /// `?`
    One,
    /// `[a-z]`, `[!a-z]`
    OneOf {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    Char(char),
}

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns the reason why the text is not a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (mut root, mut parts) = (PathBuf::new(), Vec::new());
        if text.starts_with('/') {
            root.push("/");
        }
        for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." && !parts.is_empty() {
                return Err("`..` leads out of what the pattern has found".to_owned());
            }
            if part == "**" {
                parts.push(Part::Folders);
                continue;
            }
            if part.contains("**") {
                return Err(format!("`**` must stand alone between slashes, but {part:?} has more"));
            }
            let pieces = pieces(part)?;
            let literal: Option<String> = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Char(char) => Some(*char),
                    _ => None,
                })
                .collect();
            match literal {
                Some(literal) if parts.is_empty() => root.push(literal),
                _ => parts.push(Part::Name(pieces)),
            }
        }
        if parts.is_empty() {
            return Err("nothing in it is a pattern: `*`, `?`, `[..]` and `**` are".to_owned());
        }
        Ok(Self { root, parts, hidden: false })
    }

    /// Parses a pattern of paths below a directory.
    ///
    /// Names that begin with a dot are matched like others. A pattern without a slash matches names anywhere
    /// in the directory; it may have no special character.
    ///
    /// # Errors
    ///
    /// Returns the reason why the text is not a pattern.
    #[cfg(any(unix, feature = "net"))]
    pub(crate) fn below(text: &str) -> Result<Self, String> {
        let names = || text.split('/').filter(|part| !part.is_empty() && *part != ".");
        if text.starts_with('/') || names().any(|name| name == "..") || names().count() == 0 {
            return Err(format!("{text:?} is not a pattern of paths below a folder"));
        }
        // A pattern that begins with a special character has no root.
        let mut parts = Self::parse(&format!("**/{text}"))?.parts;
        if names().count() > 1 {
            parts.remove(0);
        }
        Ok(Self { root: PathBuf::new(), parts, hidden: true })
    }

    /// Whether the pattern matches a path below the root.
    ///
    /// In a name that is not UTF-8, invalid bytes are replaced.
    #[cfg(any(unix, feature = "net"))]
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let mut states = self.start();
        for name in path {
            states = self.step(&states, &name.to_string_lossy());
        }
        self.is_whole(&states)
    }

    /// Returns the directory that contains all matches.
    pub(crate) fn root(&self) -> &Path {
        if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root }
    }

    /// Returns the state at the start of a search.
    pub(crate) fn start(&self) -> Vec<usize> {
        self.closed(vec![0])
    }

    /// Returns the state of a search after a name: the parts that may come next.
    ///
    /// A name that begins with a dot is matched only by a part that begins with one.
    pub(crate) fn step(&self, states: &[usize], name: &str) -> Vec<usize> {
        let mut next = Vec::new();
        for state in states {
            match self.parts.get(*state) {
                Some(Part::Folders) if self.hidden || !name.starts_with('.') => next.push(*state),
                Some(Part::Name(pieces)) if is_like(pieces, name, self.hidden) => next.push(state + 1),
                _ => {}
            }
        }
        self.closed(next)
    }

    /// Whether an entry in this state is a match.
    pub(crate) fn is_whole(&self, states: &[usize]) -> bool {
        states.contains(&self.parts.len())
    }

    /// Whether there may be matches below this state.
    pub(crate) fn goes_on(&self, states: &[usize]) -> bool {
        states.iter().any(|state| *state < self.parts.len())
    }

    /// Adds the parts that follow `**`, because that may stand for no directory.
    fn closed(&self, mut states: Vec<usize>) -> Vec<usize> {
        let mut index = 0;
        while let Some(next) = states.get(index).copied() {
            if matches!(self.parts.get(next), Some(Part::Folders)) && !states.contains(&(next + 1)) {
                states.push(next + 1);
            }
            index += 1;
        }
        states.sort_unstable();
        states.dedup();
        states
    }
}

fn pieces(part: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut chars = part.chars();
    while let Some(char) = chars.next() {
        pieces.push(match char {
            '*' => Piece::Any,
            '?' => Piece::One,
            '\\' => Piece::Char(chars.next().ok_or_else(|| format!("{part:?} ends in a backslash"))?),
            '[' => {
                let (piece, rest) =
                    one_of(chars.as_str()).ok_or_else(|| format!("the `[` in {part:?} has no end"))?;
                chars = rest.chars();
                piece
            }
            char => Piece::Char(char),
        });
    }
    Ok(pieces)
}

/// Parses the part after a `[`, and returns it with the rest of the text.
fn one_of(text: &str) -> Option<(Piece, &str)> {
    let (negated, text) = match text.strip_prefix(['!', '^']) {
        Some(text) => (true, text),
        None => (false, text),
    };
    let mut ranges = Vec::new();
    let mut rest = text;
    loop {
        let mut chars = rest.chars();
        let first = chars.next()?;
        // A bracket in the first position is a literal.
        if first == ']' && !ranges.is_empty() {
            return Some((Piece::OneOf { ranges, negated }, chars.as_str()));
        }
        let after = chars.as_str();
        let last = after.strip_prefix('-').and_then(|after| after.chars().next()).filter(|last| *last != ']');
        ranges.push((first, last.unwrap_or(first)));
        rest = match last {
            Some(last) => after.get(1 + last.len_utf8()..)?,
            None => after,
        };
    }
}

/// Whether a name matches the pieces, in time of at most the product of both lengths.
fn is_like(pieces: &[Piece], name: &str, hidden: bool) -> bool {
    if !hidden && name.starts_with('.') && pieces.first() != Some(&Piece::Char('.')) {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let (mut piece, mut position) = (0, 0);
    // The position to resume at when the last `*` takes one more character.
    let mut resume_at = None;
    loop {
        let fits = match (pieces.get(piece), name.get(position)) {
            (Some(Piece::Any), _) => {
                resume_at = Some((piece + 1, position));
                piece += 1;
                continue;
            }
            (None, None) => return true,
            (Some(Piece::One), Some(_)) => true,
            (Some(Piece::Char(char)), Some(has)) => char == has,
            (Some(Piece::OneOf { ranges, negated }), Some(has)) => {
                ranges.iter().any(|(first, last)| (first..=last).contains(&has)) != *negated
            }
            _ => false,
        };
        if fits {
            (piece, position) = (piece + 1, position + 1);
            continue;
        }
        match resume_at {
            Some((behind, from)) if from < name.len() => {
                (piece, position) = (behind, from + 1);
                resume_at = Some((behind, from + 1));
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> Result<bool, String> {
        let glob = Glob::parse(pattern)?;
        let Ok(relative) = Path::new(path).strip_prefix(&glob.root) else { return Ok(false) };
        let mut states = glob.start();
        for name in relative {
            states = glob.step(&states, &name.to_string_lossy());
        }
        Ok(glob.is_whole(&states))
    }

    #[test]
    fn patterns() {
        let check = |pattern: &str, yes: &[&str], no: &[&str]| {
            for (paths, expect) in [(yes, true), (no, false)] {
                for path in paths {
                    assert_eq!(matches(pattern, path), Ok(expect), "{pattern} {path}");
                }
            }
        };
        check("/a/*", &["/a/b", "/a/b.c"], &["/a", "/a/", "/a/.b", "/a/b/c", "/b"]);
        check("/a/.*", &["/a/.b"], &["/a/b"]);
        check("/a/*.conf", &["/a/b.conf", "/a/b.c.conf"], &["/a/.conf", "/a/b.conf.d"]);
        check("/a/?[a-c][!x]", &["/a/xay", "/a/äcä"], &["/a/xax", "/a/xdy", "/a/xa"]);
        check("/a/[]x]*", &["/a/]", "/a/xy"], &["/a/y"]);
        check("/a/[a-]b*", &["/a/-b", "/a/ab"], &["/a/bb"]);
        check(r"/a/\*?", &["/a/*b"], &["/a/bb"]);
        check("/a/**/c", &["/a/c", "/a/b/c", "/a/b/b/c"], &["/a/b", "/a/.b/c"]);
        check("/**", &["/", "/a", "/a/b"], &["/.a", "/a/.b/c"]);
        check("a/*/c", &["a/b/c"], &["/a/b/c", "a/c"]);
        check("/a/**/b*/**", &["/a/b", "/a/x/b1/y"], &["/a/x"]);
        check("/../*", &["/../a"], &["/a"]);
        check("/a/*a*b*c", &["/a/xaxbxc", "/a/abc"], &["/a/xaxcxb"]);
    }

    #[test]
    fn patterns_below_a_folder() {
        let check = |pattern: &str, yes: &[&str], no: &[&str]| {
            let glob = Glob::below(pattern).unwrap();
            for (paths, expect) in [(yes, true), (no, false)] {
                for path in paths {
                    assert_eq!(glob.matches(Path::new(path)), expect, "{pattern} {path}");
                }
            }
        };
        check("README", &["README", "a/README"], &["README/a", "a"]);
        check(".git", &[".git", "a/.git"], &[".git/a"]);
        check("*", &["a", ".a", "a/b"], &[]);
        check("*.c", &["a.c", ".hidden/a.c"], &["a.cc"]);
        check("a/*.c", &["a/b.c"], &["a.c", "x/a/b.c", "a/b/c.c"]);
        check("a/b", &["a/b"], &["x/a/b"]);
        check("./a/", &["a", "b/a"], &["a/b"]);
        check("a/**", &["a", "a/b", "a/.b/c"], &["b"]);
        for invalid in ["", "/a", "../a", "a/../b", ".", "/"] {
            assert!(Glob::below(invalid).unwrap_err().contains("not a pattern of paths below"), "{invalid}");
        }
    }

    #[test]
    fn what_is_no_pattern() {
        let check = |pattern: &str, expect: &str| {
            assert_eq!(Glob::parse(pattern).unwrap_err(), expect, "{pattern}");
        };
        check("/a/b", "nothing in it is a pattern: `*`, `?`, `[..]` and `**` are");
        check("", "nothing in it is a pattern: `*`, `?`, `[..]` and `**` are");
        check("/a/[b", "the `[` in \"[b\" has no end");
        check("/a/*\\", "\"*\\\\\" ends in a backslash");
        check("/a/b**", "`**` must stand alone between slashes, but \"b**\" has more");
        check("/*/../b", "`..` leads out of what the pattern has found");
    }

    proptest! {
        #[test]
        fn nothing_panics(pattern in "[a*?\\[\\]!/.\\\\-]{0,12}", path in "[a./*-]{0,12}") {
            let _ = matches(&pattern, &path);
        }

        #[test]
        fn a_name_is_like_itself(name in "[a-z*?\\[\\]!^-]{1,8}") {
            let escaped: String = name.chars().flat_map(|char| ['\\', char]).collect();
            let pieces = pieces(&escaped).map_err(TestCaseError::fail)?;
            prop_assert!(is_like(&pieces, &name, false));
        }
    }
}
