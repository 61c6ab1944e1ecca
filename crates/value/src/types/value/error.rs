//! Errors of field values.

use std::fmt;

use super::ValueKind;
use crate::debug_as_text;
use crate::diagnostic::{close_names, did_you_mean, suggest_field, suggest_state};

/// One step from a field to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// A field of a block or an entry of a map.
    Name(String),
    /// An item of a list, counted from 0.
    Index(usize),
}

/// The path from a resource to a value: `ipam_config[1].subnet`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValuePath(pub Vec<PathSegment>);

impl ValuePath {
    /// Creates the path of a field itself.
    pub fn field(name: impl Into<String>) -> Self {
        Self(vec![PathSegment::Name(name.into())])
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                PathSegment::Name(name) if position == 0 => f.write_str(name)?,
                PathSegment::Name(name) => write!(f, ".{name}")?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// An error for a field value that is not acceptable: the value and the reason.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct FieldError {
    /// The path of the value.
    pub path: ValuePath,
    /// The reason.
    pub kind: FieldErrorKind,
}

debug_as_text!(FieldError);

impl FieldError {
    /// Creates an error about a whole field.
    pub fn new(field: impl Into<String>, kind: FieldErrorKind) -> Self {
        Self { path: ValuePath::field(field), kind }
    }

    /// Returns the error with its path seen from one level further out.
    pub fn within(mut self, segment: PathSegment) -> Self {
        self.path.0.insert(0, segment);
        self
    }
}

/// The reason why a value is refused.
///
/// Field names are HCL names. The `shown` fields contain the value as a module would write it, redacted if it
/// is secret.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldErrorKind {
    /// A `required` field is not written.
    #[error("`{field}` is required")]
    Missing {
        /// The field.
        field: String,
    },
    /// A `nonempty` field was given its zero value.
    #[error("`{field}` must not be empty")]
    Empty {
        /// The field.
        field: String,
    },
    /// A field with this name does not exist.
    #[error("unknown field `{field}`")]
    UnknownField {
        /// The name that was written.
        field: String,
        /// All accepted names.
        known: Vec<String>,
    },
    /// A field was written under two of its names.
    #[error("`{field}` is given twice, also as `{alias}`")]
    GivenTwice {
        /// The name of the field.
        field: String,
        /// The other name, which is an alias.
        alias: String,
    },
    /// A value of another kind than expected.
    #[error("expected {expected}, found {found}")]
    WrongKind {
        /// The expected kind in words: `a string`.
        expected: String,
        /// The kind of the given value.
        found: ValueKind,
    },
    /// Text that is not a boolean.
    #[error("{shown} is not a boolean: write true or false")]
    NotBool {
        /// The text.
        shown: String,
    },
    /// Text that is not a number in the base of the field.
    #[error("{shown} is not {expected}{}", base_suffix(*.base))]
    NotNumber {
        /// The text.
        shown: String,
        /// The expected kind in words: `a string`.
        expected: String,
        /// The radix; 10 unless the field sets another one.
        base: u32,
    },
    /// A decimal number in a field with another base, such as `777` for a mode.
    #[error("{shown} is a decimal number, but this field counts in base {base}")]
    DecimalInBase {
        /// The number as written.
        shown: String,
        /// The radix of the field.
        base: u32,
    },
    /// A number outside the range of the type or of the field.
    #[error("{shown} is out of range: {range}")]
    OutOfRange {
        /// The number.
        shown: String,
        /// The bounds in words: `at least 0 and at most 65535`.
        range: String,
    },
    /// A value that is not among the allowed ones.
    #[error("{shown} is not one of {}", .allowed.join(", "))]
    NotAllowed {
        /// The value.
        shown: String,
        /// All allowed values.
        allowed: Vec<String>,
    },
    /// Text that does not match the required pattern.
    #[error("{shown} {}", mismatch(.pattern, .expects.as_deref()))]
    PatternMismatch {
        /// The text.
        shown: String,
        /// The regular expression.
        pattern: String,
        /// The meaning of the pattern in words.
        expects: Option<String>,
    },
    /// Text that is not a duration.
    #[error("{shown} is not a duration: write it like \"1m30s\", or as whole seconds")]
    NotDuration {
        /// The text.
        shown: String,
    },
    /// Text that is not a time.
    #[error("{shown} is not a time: write it like \"2026-01-31\" or \"2026-01-31T12:00:00Z\"")]
    NotTime {
        /// The text.
        shown: String,
    },
    /// Several fields of a group of which at most one may be written.
    #[error("{} are mutually exclusive", join_names(.written, "and"))]
    MutuallyExclusive {
        /// The fields that were written, in the order of the schema.
        written: Vec<String>,
    },
    /// No field of a group of which one must be written.
    #[error("one of {} is required", join_names(.fields, "or"))]
    RequiredOneOf {
        /// The group.
        fields: Vec<String>,
    },
    /// Some fields of a group that must be written as a whole.
    #[error("{} must be given together", join_names(.fields, "and"))]
    RequiredTogether {
        /// The group.
        fields: Vec<String>,
        /// The fields of the group that were written.
        written: Vec<String>,
    },
    /// A field without the other field that it requires.
    #[error("`{field}` requires `{needs}`")]
    Requires {
        /// The field that was written.
        field: String,
        /// The field that is required.
        needs: String,
    },
    /// A field that must be written because of another one.
    #[error("`{field}` is required, as {because}")]
    RequiredIf {
        /// The field that is not written.
        field: String,
        /// The condition that requires the field, in words.
        because: String,
    },
    /// A field that must be written unless a condition on another one holds.
    #[error("`{field}` is required unless {unless}")]
    RequiredUnless {
        /// The field that is not written.
        field: String,
        /// The condition that would make the field optional, in words.
        unless: String,
    },
    /// Two fields that exclude each other.
    #[error("`{field}` conflicts with `{other}`")]
    Conflicts {
        /// The field with the rule.
        field: String,
        /// The other field.
        other: String,
    },
    /// A value that is known only after something else has been applied.
    #[error("the value is not known before {waits_for} has been applied")]
    NotKnown {
        /// The name of the value or resource that must be applied first.
        waits_for: String,
    },
    /// A custom error of the author.
    #[error("{message}")]
    Invalid {
        /// The message of the error.
        message: String,
    },
}

debug_as_text!(FieldErrorKind);

impl FieldErrorKind {
    /// Returns advice that goes beyond the message, if there is any.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownField { field, known } => {
                let candidates = || known.iter().map(String::as_str);
                did_you_mean(field, candidates()).or_else(|| suggest_field(field, candidates()))
            }
            Self::NotAllowed { shown, allowed } => {
                let input = shown.trim_matches('"');
                if let Some(help) = suggest_state(input, allowed.iter().map(String::as_str)) {
                    return Some(help);
                }
                let close = close_names(input, allowed.iter().map(String::as_str));
                close.first().map(|word| format!("did you mean \"{word}\"?"))
            }
            Self::DecimalInBase { shown, base: 8 } if !shown.starts_with('-') => {
                Some(match i64::from_str_radix(shown, 8) {
                    Ok(_) => format!("write `0{shown}`"),
                    Err(_) => "the digits of base 8 are 0 to 7".to_owned(),
                })
            }
            // The same digits may be out of range in the base of the field; the same number is not.
            Self::DecimalInBase { shown, base } => Some(match shown.parse() {
                Ok(number) => {
                    format!("write `\"{}\"` for the decimal number {shown}", in_base(number, *base))
                }
                Err(_) => format!("write the number in base {base}, in quotes"),
            }),
            Self::MutuallyExclusive { .. } => Some("write at most one of them".to_owned()),
            Self::Conflicts { field, other } => Some(format!("remove `{field}` or `{other}`")),
            Self::RequiredTogether { fields, written } => {
                let missing: Vec<_> = fields
                    .iter()
                    .filter(|name| !written.contains(name))
                    .map(|name| format!("`{name}`"))
                    .collect();
                Some(format!("add {}", missing.join(" and ")))
            }
            Self::Requires { needs, .. } => Some(format!("add `{needs}`")),
            Self::RequiredIf { field, .. } | Self::RequiredUnless { field, .. } => {
                Some(format!("add `{field}`"))
            }
            Self::GivenTwice { field, .. } => Some(format!("keep `{field}`")),
            _ => None,
        }
    }
}

/// Writes a number in a base from 2 to 36, and in base 10 for any other base.
fn in_base(number: i64, base: u32) -> String {
    let base = if (2..=36).contains(&base) { base } else { 10 };
    let mut rest = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        let digit =
            u32::try_from(rest % u64::from(base)).ok().and_then(|digit| char::from_digit(digit, base));
        digits.extend(digit);
        rest /= u64::from(base);
        if rest == 0 {
            break;
        }
    }
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", digits.iter().rev().collect::<String>())
}

fn base_suffix(base: u32) -> String {
    if base == 10 { String::new() } else { format!(" in base {base}") }
}

fn mismatch(pattern: &str, expects: Option<&str>) -> String {
    match expects {
        Some(expects) => format!("is not {expects}"),
        None => format!("does not match the pattern `{pattern}`"),
    }
}

/// Joins names as in "`a`, `b` and `c`".
fn join_names(names: &[String], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [init @ .., end] => {
            let init: Vec<String> = init.iter().map(|name| format!("`{name}`")).collect();
            format!("{} {last} `{end}`", init.join(", "))
        }
    }
}

impl FieldErrorKind {
    /// Returns the stable code of diagnostics for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. }
            | Self::RequiredOneOf { .. }
            | Self::RequiredIf { .. }
            | Self::RequiredUnless { .. } => "missing-field",
            Self::Empty { .. } => "empty-value",
            Self::UnknownField { .. } => "unknown-field",
            Self::GivenTwice { .. } => "duplicate-field",
            Self::WrongKind { .. } => "wrong-type",
            Self::NotBool { .. } => "not-a-bool",
            Self::NotNumber { .. } | Self::DecimalInBase { .. } => "not-a-number",
            Self::OutOfRange { .. } => "out-of-range",
            Self::NotAllowed { .. } => "value-not-allowed",
            Self::PatternMismatch { .. } => "pattern-mismatch",
            Self::NotDuration { .. } => "not-a-duration",
            Self::NotTime { .. } => "not-a-time",
            Self::MutuallyExclusive { .. } => "mutually-exclusive",
            Self::RequiredTogether { .. } | Self::Requires { .. } => "missing-companion",
            Self::Conflicts { .. } => "conflicting-fields",
            Self::NotKnown { .. } => "value-not-known",
            Self::Invalid { .. } => "invalid-value",
        }
    }

    /// Whether the error is that something is missing.
    #[doc(hidden)]
    pub fn is_about_absence(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::RequiredOneOf { .. }
                | Self::RequiredTogether { .. }
                | Self::Requires { .. }
                | Self::RequiredIf { .. }
                | Self::RequiredUnless { .. }
        )
    }

    /// Whether the message names the field, so that it need not be repeated.
    #[doc(hidden)]
    pub fn names_field(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::Empty { .. }
                | Self::UnknownField { .. }
                | Self::GivenTwice { .. }
                | Self::MutuallyExclusive { .. }
                | Self::RequiredOneOf { .. }
                | Self::RequiredTogether { .. }
                | Self::Requires { .. }
                | Self::RequiredIf { .. }
                | Self::RequiredUnless { .. }
                | Self::Conflicts { .. }
        )
    }
}
