//! Path patterns.

use std::collections::BTreeSet;

use crate::language::budget::{OutOfSteps, StepBudget};

/// The maximum length of a pattern in bytes.
const MAX_LENGTH: usize = 1024;

/// The maximum number of patterns that one with braces expands to.
const MAX_ALTERNATIVES: usize = 64;

/// A path pattern.
///
/// `*` and `?` match within a name, `**` any folders, `{a,b}` either choice, and `[a-z]` one character.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Glob {
    /// The patterns that the braces expand to, split into names.
    alternatives: Vec<Vec<Part>>,
}

/// The positions of a path in the pattern: the alternative and the part.
pub(super) type Places = BTreeSet<(usize, usize)>;

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Any folders: `**`.
    Folders,
    Name(Vec<Token>),
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// Any character: `?`.
    Any,
    /// Any characters: `*`.
    Star,
    /// A character class: `[a-z]`, `[!a-z]`.
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// The result of matching one name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Whether a path that ends with this name matches.
    pub(super) is_match: bool,
    /// The positions for paths below this name; empty if none can match.
    pub(super) below: Places,
}

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
                None => alternatives.push(parts(&next)?),
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

    /// Returns the positions at which every path begins.
    pub(super) fn start(&self) -> Places {
        (0..self.alternatives.len()).map(|alternative| (alternative, 0)).collect()
    }

    /// Matches a name at these positions.
    pub(super) fn step(
        &self,
        places: &Places,
        name: &str,
        budget: &StepBudget<'_>,
    ) -> Result<Step, OutOfSteps> {
        let mut step = Step::default();
        let mut open: Vec<(usize, usize)> = places.iter().copied().collect();
        while let Some((alternative, place)) = open.pop() {
            let parts = self.alternatives.get(alternative).map_or(&[][..], Vec::as_slice);
            let is_last = place + 1 == parts.len();
            match parts.get(place) {
                Some(Part::Folders) => {
                    budget.spend(1)?;
                    step.is_match |= is_last;
                    step.below.insert((alternative, place));
                    // `**` may match no folder.
                    open.push((alternative, place + 1));
                }
                Some(Part::Name(tokens)) => {
                    budget.spend(1 + tokens.len() * name.len() / 16)?;
                    if matches(tokens, name) {
                        step.is_match |= is_last;
                        if !is_last {
                            step.below.insert((alternative, place + 1));
                        }
                    }
                }
                None => {}
            }
        }
        Ok(step)
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

/// Splits a pattern without braces into parts.
fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => return Err("it leads out of the folder with `..`".to_owned()),
            "**" => {
                // Consecutive `**` are equal to one.
                if parts.last() != Some(&Part::Folders) {
                    parts.push(Part::Folders);
                }
            }
            name => parts.push(Part::Name(tokens(name)?)),
        }
    }
    if parts.is_empty() { Err("it is empty, and so matches no file".to_owned()) } else { Ok(parts) }
}

fn tokens(name: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = name.chars();
    while let Some(char) = chars.next() {
        tokens.push(match char {
            '*' => {
                // Consecutive stars are equal to one.
                if tokens.last() == Some(&Token::Star) {
                    continue;
                }
                Token::Star
            }
            '?' => Token::Any,
            '[' => class(&mut chars).ok_or_else(|| {
                "a `[` in it is not closed before the next `/`, or closed at once; the character is `\\[`"
                    .to_owned()
            })?,
            '\\' => Token::Char(chars.next().ok_or_else(|| "it ends with `\\`".to_owned())?),
            char => Token::Char(char),
        });
    }
    Ok(tokens)
}

/// Parses the rest of a class, up to its `]`.
fn class(chars: &mut std::str::Chars<'_>) -> Option<Token> {
    let mut ranges = Vec::new();
    let mut next = chars.next()?;
    let is_negated = matches!(next, '!' | '^');
    if is_negated {
        next = chars.next()?;
    }
    loop {
        // A `]` in first position is an ordinary character.
        if next == ']' && !ranges.is_empty() {
            return Some(Token::Class { is_negated, ranges });
        }
        let from = if next == '\\' { chars.next()? } else { next };
        next = chars.next()?;
        if next != '-' {
            ranges.push((from, from));
            continue;
        }
        match chars.next()? {
            // A `-` in last position is an ordinary character.
            ']' => {
                ranges.extend([(from, from), ('-', '-')]);
                return Some(Token::Class { is_negated, ranges });
            }
            to => {
                ranges.push((from, if to == '\\' { chars.next()? } else { to }));
                next = chars.next()?;
            }
        }
    }
}

/// Whether a name matches all tokens.
fn matches(tokens: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut token, mut position) = (0, 0);
    // The last star, and the end of its match, which grows by one character if the rest does not match.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (tokens.get(token), name.get(position)) {
            (None, None) => return true,
            (Some(Token::Star), _) => {
                star = Some((token, position));
                token += 1;
            }
            (Some(one), Some(char)) if one.takes(*char) => {
                token += 1;
                position += 1;
            }
            _ => match &mut star {
                Some((of, end)) if *end < name.len() => {
                    *end += 1;
                    (token, position) = (*of + 1, *end);
                }
                _ => return false,
            },
        }
    }
}

impl Token {
    fn takes(&self, char: char) -> bool {
        match self {
            Self::Char(own) => *own == char,
            Self::Any | Self::Star => true,
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&char)) != *is_negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Glob, matches, tokens};
    use crate::language::budget::{MAX_STEPS, StepBudget};

    /// Whether a path matches, by the same steps as a traversal of folders.
    fn is_match(pattern: &str, path: &str) -> Result<bool, String> {
        let glob = Glob::parse(pattern)?;
        let budget = StepBudget::new(MAX_STEPS, None);
        let mut places = glob.start();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let step = glob.step(&places, name, &budget).unwrap();
            if names.peek().is_none() {
                return Ok(step.is_match);
            }
            places = step.below;
        }
        Ok(false)
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

    /// Backtracking over every earlier star would take exponential time.
    #[test]
    fn stars_are_tried_in_turn() {
        let pattern = tokens(&"*a".repeat(300)).unwrap();
        assert!(!matches(&pattern, &format!("{}b", "a".repeat(255))));
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
