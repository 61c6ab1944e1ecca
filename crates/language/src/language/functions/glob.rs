//! Path patterns.

use crate::language::budget::{OutOfSteps, StepBudget};
use crate::types::glob::{ClassEscape, NamePattern, NamePatternError, PathPart, PathPattern, PathStates};

/// The maximum length of a pattern in bytes.
const MAX_LENGTH: usize = 1024;

/// The maximum number of patterns that one with braces expands to.
const MAX_ALTERNATIVES: usize = 64;

/// A path pattern.
///
/// `*` and `?` match within a name, `**` any folders, `{a,b}` either choice, and `[a-z]` one character.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Glob {
    /// The patterns that the braces expand to.
    alternatives: Vec<PathPattern>,
}

/// The states of a path in each of the alternatives.
pub(super) type States = Vec<PathStates>;

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns the problem of the pattern.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("it has more than {MAX_LENGTH} bytes"));
        }
        if text.starts_with('/') {
            return Err("it begins with `/`: write it relative to the folder".to_owned());
        }
        let (mut open, mut alternatives) = (vec![text.to_owned()], Vec::new());
        while let Some(next) = open.pop() {
            match braces(&next)? {
                None => alternatives.push(path_pattern(&next)?),
                Some((before, choices, after)) => {
                    open.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
                }
            }
            if open.len() + alternatives.len() > MAX_ALTERNATIVES {
                return Err(format!("its braces stand for more than {MAX_ALTERNATIVES} patterns"));
            }
        }
        Ok(Self { alternatives })
    }

    /// Returns the states at which every path begins.
    pub(super) fn start(&self) -> States {
        self.alternatives.iter().map(PathPattern::start).collect()
    }

    /// Returns the states after a name.
    pub(super) fn step(
        &self,
        states: &States,
        name: &str,
        budget: &StepBudget<'_>,
    ) -> Result<States, OutOfSteps> {
        let alternatives = self.alternatives.iter().zip(states);
        let steps = alternatives.map(|(pattern, states)| {
            budget.spend(pattern.cost(states, name))?;
            Ok(pattern.step(states, name))
        });
        steps.collect()
    }

    /// Whether a path that ends in these states matches.
    pub(super) fn is_match(&self, states: &States) -> bool {
        self.alternatives.iter().zip(states).any(|(pattern, states)| pattern.is_match(states))
    }

    /// Whether there may be matches below a folder that ends in these states.
    pub(super) fn goes_on(&self, states: &States) -> bool {
        self.alternatives.iter().zip(states).any(|(pattern, states)| pattern.goes_on(states))
    }
}

/// A pattern with braces: the text before the first braces, their choices, and the text after them.
type Braces<'t> = (&'t str, Vec<&'t str>, &'t str);

/// Splits a pattern at its first braces.
fn braces(text: &str) -> Result<Option<Braces<'_>>, String> {
    let mut began = None;
    let (mut depth, mut choices, mut choice) = (0_usize, Vec::new(), 0);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '[' => skip_class(&mut chars),
            '{' => {
                depth += 1;
                if depth == 1 {
                    (began, choice) = (Some(at), at + 1);
                }
            }
            ',' if depth == 1 => {
                choices.push(&text[choice..at]);
                choice = at + 1;
            }
            '}' if depth == 0 => return Err("a `}` in it closes nothing; the character is `\\}`".to_owned()),
            '}' => {
                depth -= 1;
                if let Some(began) = began.filter(|_| depth == 0) {
                    choices.push(&text[choice..at]);
                    return Ok(Some((&text[..began], choices, &text[at + 1..])));
                }
            }
            _ => {}
        }
    }
    if depth > 0 { Err("a `{` in it is not closed; the character is `\\{`".to_owned()) } else { Ok(None) }
}

/// Skips a character class, inside which no character is special.
///
/// A missing end is reported when it is parsed.
fn skip_class(chars: &mut std::str::CharIndices<'_>) {
    let mut is_first = true;
    while let Some((_, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            ']' if !is_first => return,
            '!' | '^' if is_first => continue,
            _ => {}
        }
        is_first = false;
    }
}

/// Parses a pattern without braces.
fn path_pattern(text: &str) -> Result<PathPattern, String> {
    let mut parts = Vec::new();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => return Err("it leads out of the folder with `..`".to_owned()),
            "**" => {
                // Consecutive `**` are equal to one.
                if parts.last() != Some(&PathPart::Folders) {
                    parts.push(PathPart::Folders);
                }
            }
            name => parts.push(PathPart::Name(name_pattern(name)?)),
        }
    }
    match parts.last() {
        None => return Err("it is empty, and so matches no file".to_owned()),
        // All files in a folder are matched, but not a file with the name of the folder.
        Some(PathPart::Folders) => parts.push(PathPart::Name(name_pattern("*")?)),
        Some(PathPart::Name(_)) => {}
    }
    Ok(PathPattern { parts, hides_dots: false })
}

fn name_pattern(name: &str) -> Result<NamePattern, String> {
    NamePattern::parse(name, ClassEscape::Backslash).map_err(|error| {
        let problem = match error {
            NamePatternError::Backslash => "it ends with `\\`",
            NamePatternError::OpenClass => {
                "a `[` in it is not closed before the next `/`, or closed at once; the character is `\\[`"
            }
        };
        problem.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Glob;
    use crate::language::budget::{MAX_STEPS, StepBudget};

    /// Whether a path matches, by the same steps as a traversal of folders.
    fn is_match(pattern: &str, path: &str) -> Result<bool, String> {
        let glob = Glob::parse(pattern)?;
        let budget = StepBudget::new(MAX_STEPS, None);
        let mut states = glob.start();
        for name in path.split('/') {
            states = glob.step(&states, name, &budget).unwrap();
        }
        Ok(glob.is_match(&states))
    }

    #[test]
    fn patterns() {
        let check = |pattern: &str, yes: &[&str], no: &[&str]| {
            for path in yes {
                assert_eq!(is_match(pattern, path), Ok(true), "{pattern} {path}");
            }
            for path in no {
                assert_eq!(is_match(pattern, path), Ok(false), "{pattern} {path}");
            }
        };
        check("motd", &["motd"], &["motd2", "a/motd", "mot"]);
        check("*", &["a", ".hidden", "a.b"], &["a/b"]);
        check("*.conf", &["a.conf", ".conf", "ü.conf"], &["a.confx", "a/b.conf", "conf"]);
        check("a*b*c", &["abc", "aXbYc", "abbc"], &["ab", "acb", "aXbY"]);
        check("?.conf", &["a.conf", "ü.conf"], &[".conf", "ab.conf"]);
        check("**", &["a", "a/b", "a/b/.c"], &[]);
        check("**/*.conf", &["a.conf", "x/a.conf", "x/y/a.conf"], &["a.txt", "x/a.txt"]);
        check("a/**/z", &["a/z", "a/b/z", "a/b/c/z"], &["z", "b/a/z", "a/z/y"]);
        check("a/**", &["a/b", "a/b/c"], &["a", "b/a"]);
        check("**/**/z", &["z", "b/z"], &["zz"]);
        check("a**z", &["az", "abz"], &["a/z"]);
        check("**/a/**", &["a/b", "b/a/.c/d"], &["a", "b/a"]);
        check("[\\]-]", &["]", "-"], &["\\", "\\]"]);
        check("./a//b", &["a/b"], &["b"]);
        check("{a,b}.conf", &["a.conf", "b.conf"], &["c.conf", "ab.conf"]);
        check("{a/b,c}/d", &["a/b/d", "c/d"], &["a/d", "b/d"]);
        check("x{,y{1,2}}", &["x", "xy1", "xy2"], &["xy", "y1"]);
        check("[a-c]x", &["ax", "cx"], &["dx", "x"]);
        check("[!a-c]", &["d", "]"], &["a", "b"]);
        check("[]x-]", &["]", "x", "-"], &["a"]);
        check("[{,}]", &["{", ",", "}"], &["a"]);
        check("\\*\\{", &["*{"], &["a{"]);
        check("[z-a]", &[], &["z", "a", "m"]);
    }

    #[test]
    fn mistakes() {
        let check = |pattern: &str, expect: &str| {
            assert_eq!(is_match(pattern, "a").unwrap_err(), expect, "{pattern}");
        };
        check("", "it is empty, and so matches no file");
        check("{,a}", "it is empty, and so matches no file");
        check("/etc/*", "it begins with `/`: write it relative to the folder");
        check("../*", "it leads out of the folder with `..`");
        check("a/{b,..}/c", "it leads out of the folder with `..`");
        check("{a", "a `{` in it is not closed; the character is `\\{`");
        check("a}", "a `}` in it closes nothing; the character is `\\}`");
        let open = "a `[` in it is not closed before the next `/`, or closed at once; the character is `\\[`";
        for pattern in ["[a", "[]", "[a/b]", "[a-"] {
            check(pattern, open);
        }
        check("a\\", "it ends with `\\`");
        check(&"{a,b}".repeat(7), "its braces stand for more than 64 patterns");
        check(&"a".repeat(1025), "it has more than 1024 bytes");
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern_or_an_error(pattern in "[a\\\\{},*?/.\\[\\]!-]{0,24}", path in "[a/.]{1,12}") {
            let _ = is_match(&pattern, &path);
        }

        #[test]
        fn what_is_escaped_is_itself(name in "[a{}*?\\[\\]\\\\!,-]{1,12}") {
            let escaped: String = name.chars().flat_map(|char| ['\\', char]).collect();
            prop_assert_eq!(is_match(&escaped, &name), Ok(true));
        }
    }
}
