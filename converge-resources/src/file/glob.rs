//! Paths with `*`, `?`, `[..]` and `**`, as shells know them.

use std::path::{Path, PathBuf};

/// A pattern for paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    /// Where it begins: the folders before the first part with a special character.
    root: PathBuf,
    parts: Vec<Part>,
    /// Whether names that begin with a dot are like others.
    hidden: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any number of folders, also none.
    Folders,
    /// What one name is like.
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
    /// # Errors
    ///
    /// It is no pattern, with the reason.
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
                return Err(format!("`**` is a part of its own, and {part:?} has more"));
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

    /// A pattern of paths below a folder, in which names that begin with a dot are like others. One without a slash is about names anywhere in
    /// the folder; it may have no special character.
    ///
    /// # Errors
    ///
    /// It is no pattern, with the reason.
    #[cfg(any(unix, feature = "net"))]
    pub(crate) fn below(text: &str) -> Result<Self, String> {
        let names = || text.split('/').filter(|part| !part.is_empty() && *part != ".");
        if text.starts_with('/') || names().any(|name| name == "..") || names().count() == 0 {
            return Err(format!("{text:?} is no pattern of paths below a folder"));
        }
        // What begins with a pattern has no folder in which it begins.
        let mut parts = Self::parse(&format!("**/{text}"))?.parts;
        if names().count() > 1 {
            parts.remove(0);
        }
        Ok(Self { root: PathBuf::new(), parts, hidden: true })
    }

    /// Whether a path below the root is meant. A name that is not UTF-8 is read with replaced characters.
    #[cfg(any(unix, feature = "net"))]
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let mut at = self.start();
        for name in path {
            at = self.step(&at, &name.to_string_lossy());
        }
        self.is_whole(&at)
    }

    /// The folder in which all is that it matches.
    pub(crate) fn root(&self) -> &Path {
        if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root }
    }

    /// Where a search begins.
    pub(crate) fn start(&self) -> Vec<usize> {
        self.closed(vec![0])
    }

    /// Where a search is behind a name, from where it was: the parts that come next. A name that begins with a dot is meant only by a part
    /// that begins with one.
    pub(crate) fn step(&self, at: &[usize], name: &str) -> Vec<usize> {
        let mut next = Vec::new();
        for at in at {
            match self.parts.get(*at) {
                Some(Part::Folders) if self.hidden || !name.starts_with('.') => next.push(*at),
                Some(Part::Name(pieces)) if is_like(pieces, name, self.hidden) => next.push(at + 1),
                _ => {}
            }
        }
        self.closed(next)
    }

    /// Whether what was found there is meant.
    pub(crate) fn is_whole(&self, at: &[usize]) -> bool {
        at.contains(&self.parts.len())
    }

    /// Whether something deeper may be meant.
    pub(crate) fn goes_on(&self, at: &[usize]) -> bool {
        at.iter().any(|at| *at < self.parts.len())
    }

    /// `**` is also no folder.
    fn closed(&self, mut at: Vec<usize>) -> Vec<usize> {
        let mut done = 0;
        while let Some(next) = at.get(done).copied() {
            if matches!(self.parts.get(next), Some(Part::Folders)) && !at.contains(&(next + 1)) {
                at.push(next + 1);
            }
            done += 1;
        }
        at.sort_unstable();
        at.dedup();
        at
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

/// What is behind a `[`, and what is behind its end.
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
        // The first one is a bracket that is meant.
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

/// Whether a name is like this. It takes at most the product of both lengths.
fn is_like(pieces: &[Piece], name: &str, hidden: bool) -> bool {
    if !hidden && name.starts_with('.') && pieces.first() != Some(&Piece::Char('.')) {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let (mut piece, mut at) = (0, 0);
    // Where to go on when the last `*` takes one more character.
    let mut again = None;
    loop {
        let fits = match (pieces.get(piece), name.get(at)) {
            (Some(Piece::Any), _) => {
                again = Some((piece + 1, at));
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
            (piece, at) = (piece + 1, at + 1);
            continue;
        }
        match again {
            Some((behind, from)) if from < name.len() => {
                (piece, at) = (behind, from + 1);
                again = Some((behind, from + 1));
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
        let Ok(below) = Path::new(path).strip_prefix(&glob.root) else { return Ok(false) };
        let mut at = glob.start();
        for name in below {
            at = glob.step(&at, &name.to_string_lossy());
        }
        Ok(glob.is_whole(&at))
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
        for wrong in ["", "/a", "../a", "a/../b", ".", "/"] {
            assert!(Glob::below(wrong).unwrap_err().contains("no pattern of paths below"), "{wrong}");
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
        check("/a/b**", "`**` is a part of its own, and \"b**\" has more");
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
