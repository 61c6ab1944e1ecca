//! Positions in a text where an editor inserts lines.

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::value::{Conversion, FieldError};

use super::invalid;
use super::lines::Line;
use super::pattern::Pattern;

/// A choice among several matching lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum Which {
    /// The first match.
    First,
    /// The last match.
    Last,
    /// All matches.
    All,
}

/// The reference point of a position: a line, or an end of the file.
#[derive(Clone, Debug)]
pub(crate) enum Anchor {
    /// `BOF`: the begin of the file.
    Begin,
    /// `EOF`: the end of the file.
    End,
    /// A line that matches.
    Line(Pattern),
}

impl FromValue for Anchor {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        match &value {
            Value::String(text) if &**text == "BOF" => Ok(Self::Begin),
            Value::String(text) if &**text == "EOF" => Ok(Self::End),
            _ => Pattern::from_value(value, conversion).map(Self::Line),
        }
    }
}

/// The position of an insertion.
#[derive(Debug)]
pub(crate) enum Place {
    Begin,
    End,
    After(Pattern),
    Before(Pattern),
}

/// The declared fields for the position.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct InsertFields {
    /// The new lines are inserted after the last line that this regular expression matches.
    ///
    /// If none matches, they are added at the end of the file. `"EOF"`, the default, is always the end.
    #[hcl(conflicts_with = "insert_before")]
    insert_after: Option<Anchor>,
    /// The new lines are inserted before the last line that this regular expression matches.
    ///
    /// If none matches, they are added at the end of the file. `"BOF"` is the begin of the file.
    insert_before: Option<Anchor>,
}

impl InsertFields {
    /// Returns the names of the fields that are written.
    pub(crate) fn written(&self) -> Vec<&'static str> {
        let fields = [("insert_after", &self.insert_after), ("insert_before", &self.insert_before)];
        fields.into_iter().filter(|(_, anchor)| anchor.is_some()).map(|(name, _)| name).collect()
    }

    pub(crate) fn validate(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        for (name, anchor) in [("insert_after", &self.insert_after), ("insert_before", &self.insert_before)] {
            if let Some(Anchor::Line(pattern)) = anchor
                && let Some(reason) = pattern.never_in_a_line()
            {
                errors.push(invalid(name, reason));
            }
        }
        if matches!(self.insert_after, Some(Anchor::Begin)) {
            errors.push(invalid(
                "insert_after",
                "`BOF` is the start of the file: write `insert_before = \"BOF\"`",
            ));
        }
        if matches!(self.insert_before, Some(Anchor::End)) {
            errors.push(invalid(
                "insert_before",
                "`EOF` is the end of the file: write `insert_after = \"EOF\"`",
            ));
        }
        errors
    }
}

impl From<InsertFields> for Place {
    fn from(anchors: InsertFields) -> Self {
        match (anchors.insert_after, anchors.insert_before) {
            (Some(Anchor::Line(pattern)), _) => Self::After(pattern),
            (_, Some(Anchor::Line(pattern))) => Self::Before(pattern),
            (_, Some(Anchor::Begin)) => Self::Begin,
            _ => Self::End,
        }
    }
}

impl Place {
    /// Returns the index of the line to insert before, with a note if no line matches.
    pub(crate) fn find(&self, lines: &[Line<'_>], occurrence: Which) -> (usize, Option<String>) {
        let (pattern, field, shift) = match self {
            Self::Begin => return (0, None),
            Self::End => return (lines.len(), None),
            Self::After(pattern) => (pattern, "insert_after", 1),
            Self::Before(pattern) => (pattern, "insert_before", 0),
        };
        let matches = |line: &Line<'_>| pattern.regex().is_match(line.body);
        let position = match occurrence {
            Which::First => lines.iter().position(matches),
            Which::Last | Which::All => lines.iter().rposition(matches),
        };
        position.map_or_else(
            || {
                let note = format!("no line matches `{field}`, {:?}: it is put at the end", pattern.shown());
                (lines.len(), Some(note))
            },
            |index| (index + shift, None),
        )
    }
}
