//! Claims and footprints of resources.

use std::fmt;

use regex_lite::Regex;

use super::kinds::{aspect, kind};
use super::thing::Thing;
use crate::types::schema::Verb;

/// A thing that a resource manages, ensures, needs or touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The relation of the resource to the thing.
    pub verb: Verb,
    /// The thing.
    pub thing: Thing,
    /// The aspect of the thing that the claim is about; `None` means the whole thing.
    pub aspect: Option<&'static str>,
    /// The field that makes the claim.
    pub field: Option<&'static str>,
    /// The state that the claim gives its thing, if it is not the value of the field.
    pub state: Option<Box<ClaimedState>>,
}

/// The state that a claim gives its thing.
///
/// States are compared and never shown.
#[derive(Clone, PartialEq, Eq)]
pub enum ClaimedState {
    /// A value as text. Claims of equal values agree.
    Value(Box<str>),
    /// A line of a file.
    Line {
        /// The line, or `None` if lines are removed.
        text: Option<Box<str>>,
        /// A regular expression for the lines that are replaced or removed.
        replaced: Option<Box<str>>,
    },
}

impl fmt::Debug for ClaimedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(_) => "Value(..)",
            Self::Line { .. } => "Line(..)",
        })
    }
}

impl ClaimedState {
    /// Whether the claim replaces or removes lines that match a pattern.
    #[doc(hidden)]
    pub fn replaces_lines(&self) -> bool {
        matches!(self, Self::Line { replaced: Some(_), .. })
    }

    /// Whether both claims are of lines, and the edit of one changes the line of the other.
    #[doc(hidden)]
    pub fn contradicts_line(&self, other: &Self) -> bool {
        let (Self::Line { text, replaced }, Self::Line { text: other_text, replaced: other_replaced }) =
            (self, other)
        else {
            return false;
        };
        let meets = |pattern: &Option<Box<str>>, line: &Option<Box<str>>| match (pattern, line) {
            (Some(pattern), Some(line)) => Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(line)),
            _ => false,
        };
        text != other_text && (meets(replaced, other_text) || meets(other_replaced, text))
    }
}

impl Claim {
    /// Whether the claim is about this aspect: the aspects are equal, or one of them is the whole thing.
    #[doc(hidden)]
    pub fn covers_aspect(&self, aspect: Option<&'static str>) -> bool {
        overlap(self.aspect, aspect)
    }
}

/// Whether two aspects of a thing are equal, or one of them is the whole thing.
#[doc(hidden)]
pub fn overlap(a: Option<&'static str>, b: Option<&'static str>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// The things on the machine that a resource manages, ensures, needs and touches.
///
/// ```
/// use converge_core::footprint::{Footprint, kind};
///
/// let mut footprint = Footprint::new();
/// footprint.manages(kind::IMAGE, "docker.io/library/nginx:1.27");
/// footprint.needs(kind::PATH, "/etc//docker/");
/// assert_eq!(footprint.claims[1].thing.name(), "/etc/docker");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// The claims in the order in which they were added.
    pub claims: Vec<Claim>,
    /// Whether the resource removes the things that it manages.
    pub removes: bool,
    /// Whether a value was unknown, so that claims may be missing.
    pub partial: bool,
    /// Whether the resource covers more than it names, and leaves out what others declare.
    ///
    /// It is set for whole trees. A resource that covers a list sets it itself.
    pub covers: bool,
}

impl Footprint {
    /// Creates an empty footprint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a thing whose state this resource alone determines.
    pub fn manages(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Manages, kind, name);
    }

    /// Adds a thing that the resource sets to a value, which other resources may set to the same value.
    ///
    /// ```
    /// use converge_core::footprint::Footprint;
    ///
    /// let mut footprint = Footprint::new();
    /// footprint.sets("ini_key", "[server] port in /etc/app.ini", "8080");
    /// ```
    pub fn sets(&mut self, kind: &'static str, name: &str, value: &str) {
        self.add_with_state(Verb::Manages, Thing::new(kind, name), ClaimedState::Value(value.into()));
    }

    /// Adds a line of a file, and a regular expression for the lines that it replaces.
    ///
    /// Without a line, the matching lines are removed.
    pub fn edits_line(&mut self, path: &str, line: Option<&str>, replaced: Option<&str>) {
        let state = ClaimedState::Line { text: line.map(Into::into), replaced: replaced.map(Into::into) };
        self.add_with_state(Verb::Ensures, Thing::new(kind::LINES, Thing::path(path).name()), state);
    }

    fn add_with_state(&mut self, verb: Verb, thing: Thing, state: ClaimedState) {
        let state = Some(Box::new(state));
        self.claims.push(Claim { verb, thing, aspect: None, field: None, state });
    }

    /// Adds a file of which the resource writes a part.
    ///
    /// Another resource that writes the whole content is an error.
    pub fn edits(&mut self, path: &str) {
        self.ensures(kind::PATH, path);
        if let Some(claim) = self.claims.last_mut().filter(|_| !path.is_empty()) {
            claim.aspect = Some(aspect::CONTENT);
        }
    }

    /// Adds a thing that the resource ensures, possibly together with other resources.
    pub fn ensures(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Ensures, kind, name);
    }

    /// Adds a thing that the resource requires and that its check may look at.
    pub fn needs(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Needs, kind, name);
    }

    /// Adds a thing that changes of the resource may also change.
    pub fn touches(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Touches, kind, name);
    }

    fn add(&mut self, verb: Verb, kind: &'static str, name: &str) {
        if !name.is_empty() {
            self.claims.push(Claim {
                verb,
                thing: Thing::new(kind, name),
                aspect: None,
                field: None,
                state: None,
            });
        }
    }

    /// Returns the claims to things that the resource manages or ensures.
    pub fn provided(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.verb.provides())
    }
}
