//! Texts that match a regular expression.
//!
//! The reader supports the syntax that people use for fields: letters, sets, groups, choices and repetitions.
//! For other syntax, the reader returns no texts. The field checks each text afterwards, so a text that does
//! not match does no harm.

use std::iter::Peekable;
use std::str::Chars;

/// The maximum number of repetitions when the pattern sets no bound.
const UNBOUNDED_REPETITIONS: usize = 3;

/// The maximum nesting depth of groups.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Debug)]
enum Part {
    One(Vec<char>),
    Choice(Vec<Vec<Part>>),
    /// A part repeated between a minimum and a maximum number of times.
    Times(Box<Part>, usize, usize),
}

/// Returns texts that match a pattern: the shortest, the longest and some between.
///
/// The result is empty if the pattern uses unsupported syntax.
pub(super) fn texts(pattern: &str) -> Vec<String> {
    let mut reader = Reader { rest: pattern.chars().peekable(), depth: 0 };
    let Some(choice) = reader.choice() else { return Vec::new() };
    if reader.rest.next().is_some() {
        return Vec::new();
    }
    let mut texts = Vec::new();
    for round in 0..8 {
        let mut text = String::new();
        write(&choice, round, &mut text);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Appends one text of a part. Turn 0 is the shortest one, turn 1 the longest.
fn write(part: &Part, round: usize, text: &mut String) {
    match part {
        Part::One(letters) => text.extend(letters.get(round * 7 % letters.len().max(1))),
        Part::Choice(sequences) => {
            let sequence = sequences.get(round % sequences.len().max(1));
            sequence.into_iter().flatten().for_each(|part| write(part, round, text));
        }
        Part::Times(part, least, most) => {
            let times = match round {
                0 => *least,
                1 => *most,
                _ => least + round % (most - least + 1),
            };
            (0..times).for_each(|time| write(part, round + time, text));
        }
    }
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Reader<'_> {
    fn eat(&mut self, target: char) -> bool {
        self.rest.next_if_eq(&target).is_some()
    }

    fn choice(&mut self) -> Option<Part> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut sequences = vec![self.sequence()?];
        while self.eat('|') {
            sequences.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(Part::Choice(sequences))
    }

    fn sequence(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(next) = self.rest.next_if(|next| !matches!(next, '|' | ')')) {
            let part = match next {
                // Anchors match no character.
                '^' | '$' => continue,
                '(' => self.group()?,
                '[' => self.set()?,
                '.' => Part::One(('a'..='z').collect()),
                '\\' => match self.rest.next()? {
                    'A' | 'z' | 'b' => continue,
                    letter => Part::One(escaped(letter)?),
                },
                '*' | '+' | '?' | '{' => return None,
                letter => Part::One(vec![letter]),
            };
            parts.push(self.repeated(part)?);
        }
        Some(parts)
    }

    fn group(&mut self) -> Option<Part> {
        if self.eat('?') {
            // Named groups and groups that do not capture are supported; flags are not.
            match self.rest.next()? {
                ':' => {}
                'P' | '<' => while self.rest.next()? != '>' {},
                _ => return None,
            }
        }
        let choice = self.choice()?;
        self.eat(')').then_some(choice)
    }

    fn set(&mut self) -> Option<Part> {
        let negated = self.eat('^');
        let mut letters: Vec<char> = Vec::new();
        loop {
            let letter = match self.rest.next()? {
                ']' if !letters.is_empty() => break,
                '[' => return None,
                '\\' => {
                    let escape = escaped(self.rest.next()?)?;
                    if let [one] = escape[..] {
                        one
                    } else {
                        letters.extend(escape);
                        continue;
                    }
                }
                letter => letter,
            };
            if self.rest.peek() == Some(&'-') {
                self.rest.next();
                match self.rest.next()? {
                    // A dash at the end of a set stands for itself.
                    ']' => {
                        letters.extend([letter, '-']);
                        break;
                    }
                    '\\' => return None,
                    last => letters.extend((letter..=last).take(128)),
                }
            } else {
                letters.push(letter);
            }
        }
        if negated {
            letters = (' '..='~').filter(|letter| !letters.contains(letter)).collect();
        }
        (!letters.is_empty()).then_some(Part::One(letters))
    }

    fn repeated(&mut self, part: Part) -> Option<Part> {
        let (minimum, maximum) = match self.rest.peek() {
            Some('*') => (0, UNBOUNDED_REPETITIONS),
            Some('+') => (1, UNBOUNDED_REPETITIONS),
            Some('?') => (0, 1),
            Some('{') => {
                self.rest.next();
                return self.counted(part);
            }
            _ => return Some(part),
        };
        self.rest.next();
        // A lazy quantifier matches the same texts.
        self.eat('?');
        Some(Part::Times(Box::new(part), minimum, maximum))
    }

    fn counted(&mut self, part: Part) -> Option<Part> {
        let mut counts = String::new();
        while let Some(next) = self.rest.next_if(|next| *next != '}') {
            counts.push(next);
        }
        if !self.eat('}') {
            return None;
        }
        let (minimum, maximum) = match counts.split_once(',') {
            None => (counts.parse().ok()?, counts.parse().ok()?),
            Some((least, "")) => {
                (least.parse().ok()?, least.parse::<usize>().ok()?.checked_add(UNBOUNDED_REPETITIONS)?)
            }
            Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
        };
        // Longer repetitions test nothing new.
        (minimum <= maximum && maximum <= 1_000).then(|| Part::Times(Box::new(part), minimum, maximum))
    }
}

/// Returns the characters that an escaped letter stands for.
fn escaped(letter: char) -> Option<Vec<char>> {
    Some(match letter {
        'd' => ('0'..='9').collect(),
        'w' => ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['_']).collect(),
        's' => vec![' ', '\t'],
        'n' => vec!['\n'],
        't' => vec!['\t'],
        letter if letter.is_ascii_punctuation() => vec![letter],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::texts;

    #[test]
    fn texts_match_their_pattern() {
        for pattern in [
            "^[a-z]+$",
            "^[a-z_][a-z0-9_-]{0,31}$",
            "^v[0-9]+(\\.[0-9]+){2}$",
            "^(tcp|udp):\\d{1,5}$",
            "^(?:0[0-7]{3}|u=\\w+)$",
            "^[^/\\s]+\\.conf$",
            "^/[a-z/-]*$",
            "^(?P<name>a|b)?x{2}.y$",
            "a+?b",
            "^[A-Fa-f0-9]{64}$",
            "^$",
        ] {
            let texts = texts(pattern);
            let regex = Regex::new(pattern).unwrap();
            assert!(!texts.is_empty(), "{pattern}");
            for text in &texts {
                assert!(regex.is_match(text), "{pattern} does not match {text:?}");
            }
        }
        assert_eq!(texts("^[a-c]{1,3}$")[..2], ["a", "bca"]);
    }

    #[test]
    fn what_is_not_read_gives_nothing() {
        let deep = "(".repeat(100_000);
        let patterns =
            ["[[:alpha:]]", "(?i)a", "\\p{L}", "a{", "a{9,1}", "[a", "(a", "a)", "*", "a{99999999}", &deep];
        for pattern in patterns {
            assert_eq!(texts(pattern), Vec::<String>::new(), "{pattern}");
        }
    }
}
