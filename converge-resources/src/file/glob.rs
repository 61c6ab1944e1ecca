//! Path patterns with `*`, `?`, `[..]` and `**`, as in shells.

use std::path::{Path, PathBuf};

use converge_sdk::value::glob::{ClassEscape, NamePattern, NamePatternError, PathPart, PathPattern};

/// A pattern for paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The root of the pattern: the directories before the first part with a special character.
    root: PathBuf,
    /// The pattern of the paths below the root.
    pub(crate) pattern: PathPattern,
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
                parts.push(PathPart::Folders);
                continue;
            }
            if part.contains("**") {
                return Err(format!("`**` must stand alone between slashes, but {part:?} has more"));
            }
            let name = NamePattern::parse(part, ClassEscape::None).map_err(|error| match error {
                NamePatternError::Backslash => format!("{part:?} ends in a backslash"),
                NamePatternError::OpenClass => format!("the `[` in {part:?} has no end"),
            })?;
            match name.literal() {
                Some(literal) if parts.is_empty() => root.push(literal),
                _ => parts.push(PathPart::Name(name)),
            }
        }
        if parts.is_empty() {
            return Err("nothing in it is a pattern: `*`, `?`, `[..]` and `**` are".to_owned());
        }
        Ok(Self { root, pattern: PathPattern { parts, hides_dots: true } })
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
        let mut parts = Self::parse(&format!("**/{text}"))?.pattern.parts;
        if names().count() > 1 {
            parts.remove(0);
        }
        Ok(Self { root: PathBuf::new(), pattern: PathPattern { parts, hides_dots: false } })
    }

    /// Whether the pattern matches a path below the root.
    ///
    /// In a name that is not UTF-8, invalid bytes are replaced.
    #[cfg(any(test, unix, feature = "net"))]
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let names = path.iter().map(std::ffi::OsStr::to_string_lossy);
        let states = names.fold(self.pattern.start(), |states, name| self.pattern.step(&states, &name));
        self.pattern.is_match(&states)
    }

    /// Returns the directory that contains all matches.
    pub(crate) fn root(&self) -> &Path {
        if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> Result<bool, String> {
        let glob = Glob::parse(pattern)?;
        let Ok(relative) = Path::new(path).strip_prefix(&glob.root) else { return Ok(false) };
        Ok(glob.matches(relative))
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
    }
}
