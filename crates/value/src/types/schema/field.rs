//! Fields and the kinds of values that they take, which may have fields in turn.

use std::fmt;
use std::sync::OnceLock;

use regex_lite::Regex;

use super::footprint::FootprintRule;
use super::rule::{Condition, Rule};
use crate::types::panic_guard::guarded;
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value, ValuePath};

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Any value.
    Any,
    /// Text; numbers and booleans stand for their text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number within the bounds of its type.
    Int {
        /// Smallest value of the type.
        min: i128,
        /// Largest value of the type.
        max: i128,
    },
    /// A number.
    Float,
    /// A duration: `"1m30s"`, or whole seconds.
    Duration,
    /// A time: RFC 3339, or a plain date.
    Time,
    /// One of a fixed set of words.
    Enum(&'static [&'static str]),
    /// A list.
    List(Box<Kind>),
    /// One value, or a list of them.
    OneOrMany(Box<Kind>),
    /// A map from names to values.
    Map(Box<Kind>),
    /// A block with fields of its own.
    Block(Box<BlockKind>),
}

/// The fields of a nested block and the rules between them.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockKind {
    /// The fields, in the order of the struct.
    pub fields: Vec<Field>,
    /// Rules between the fields.
    pub rules: Vec<Rule>,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::String => f.write_str("a string"),
            Self::Bool => f.write_str("a bool"),
            Self::Int { .. } => f.write_str("an integer"),
            Self::Float => f.write_str("a number"),
            Self::Duration => f.write_str("a duration"),
            Self::Time => f.write_str("a time"),
            Self::Enum(words) => write!(f, "one of {}", words.join(", ")),
            Self::List(item) => write!(f, "a list ({item} each)"),
            Self::OneOrMany(item) => write!(f, "{item}, or a list of them"),
            Self::Map(item) => write!(f, "a map ({item} each)"),
            Self::Block(_) => f.write_str("a block"),
        }
    }
}

/// The field that `name` means, which may be an alias, with its index.
pub fn find_field<'a>(fields: &'a [Field], name: &str) -> Option<(usize, &'a Field)> {
    fields.iter().enumerate().find(|(_, field)| field.name == name || field.aliases.contains(&name))
}

/// Describes one field of a resource or of a nested block.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name in modules.
    pub name: &'static str,
    /// Former names that are still accepted.
    pub aliases: &'static [&'static str],
    /// What the field means, from its doc comment.
    pub doc: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Must be written.
    pub required: bool,
    /// Must not be the zero value when it is written.
    pub nonempty: bool,
    /// The value when the field is not written, as data for conversion and as text for documentation.
    pub default: Option<Value>,
    /// The only values that are accepted, as text. Empty when any is.
    pub valid_values: &'static [&'static str],
    /// Smallest number that is accepted.
    pub min: Option<f64>,
    /// Largest number that is accepted.
    pub max: Option<f64>,
    /// Regular expression that text must match.
    pub pattern: Option<&'static str>,
    /// What text that matches `pattern` is, for people: `a login name: letters and digits`.
    pub expects: Option<&'static str>,
    /// Radix of integers that are given as text.
    pub base: Option<u32>,
    /// The value is never shown.
    pub sensitive: bool,
    /// What to write instead, when the field is deprecated.
    pub deprecated: Option<&'static str>,
    /// What it says about what the resource manages, needs and touches.
    pub footprint: Vec<FootprintRule>,
    /// The value with which the resource removes what it manages.
    pub removes: Option<&'static str>,
    converter: Converter,
}

impl Field {
    /// A field with no rules of its own, whose values `check` converts and drops.
    #[doc(hidden)]
    pub fn of_kind(name: &'static str, doc: &'static str, kind: Kind, check: CheckFn) -> Self {
        Self {
            name,
            aliases: &[],
            doc,
            kind,
            required: false,
            nonempty: false,
            default: None,
            valid_values: &[],
            min: None,
            max: None,
            pattern: None,
            expects: None,
            base: None,
            sensitive: false,
            deprecated: None,
            footprint: Vec::new(),
            removes: None,
            converter: Converter { check: Check::Type(check), pattern: OnceLock::new() },
        }
    }

    /// A value as it is compared with others: where the field has a [base](Self::base), a number is the same number however it is written.
    #[doc(hidden)]
    pub fn as_compared(&self, value: Value) -> Value {
        let number = match (self.base, &value) {
            (Some(base), Value::String(text)) => i64::from_str_radix(text.trim(), base).ok(),
            _ => None,
        };
        number.map_or(value, Value::Int)
    }

    /// A field that is known by its description alone: what its kind says is what it takes.
    #[doc(hidden)]
    pub fn described(name: &'static str, doc: &'static str, kind: Kind, by_kind: ByKind) -> Self {
        let mut field = Self::of_kind(name, doc, kind, |_, _| Ok(()));
        field.converter.check = Check::Kind(by_kind);
        field
    }

    /// Whether it says something about what the resource manages, needs or touches.
    pub fn has_footprint(&self) -> bool {
        !self.footprint.is_empty()
    }

    /// Whether a text matches `pattern`.
    pub(crate) fn matches_pattern(&self, text: &str) -> bool {
        self.pattern.is_none_or(|pattern| {
            let compiled = self.converter.pattern.get_or_init(|| Regex::new(pattern).ok());
            compiled.as_ref().is_some_and(|regex| regex.is_match(text))
        })
    }

    /// Whether a value of this field is the one that a condition means.
    pub(crate) fn meets(&self, condition: &Condition, value: Option<Value>) -> bool {
        if let (Check::Kind(by_kind), Some(word)) = (self.converter.check, condition.by_kind()) {
            return (by_kind.is_word)(&self.kind, value, self.conversion(), word);
        }
        condition.holds(value, self.conversion())
    }

    /// Whether this is as if nothing was written: null, where a value need not be written and null is none of its own.
    #[doc(hidden)]
    pub fn is_unset(&self, value: &Value) -> bool {
        let plain = match value {
            Value::Secret(secret) => &**secret.expose(),
            value => value,
        };
        !self.required && self.kind != Kind::Any && *plain == Value::Null
    }

    /// Checks one value alone: converts it to the field's type.
    #[doc(hidden)]
    pub fn check_conversion(&self, value: Value) -> Result<(), Vec<FieldError>> {
        if let Check::Kind(by_kind) = self.converter.check {
            return (by_kind.convert)(&self.kind, value, self.conversion()).map(drop);
        }
        let Check::Type(check) = self.converter.check else { return Ok(()) };
        guarded(|| check(value, &self.conversion())).unwrap_or_else(|panic| {
            Err(vec![FieldError { path: ValuePath::default(), kind: panicked(&panic) }])
        })
    }

    /// One of the valid values that the type of the field does not accept.
    #[doc(hidden)]
    pub fn wrong_valid_value(&self) -> Option<&'static str> {
        let fits = |valid: &&&'static str| {
            let mut value = Some(Value::string(**valid));
            let mut kind = &self.kind;
            let mut lists = 0;
            // What is in a map would need a key, of which nothing is known here.
            while let Kind::List(item) | Kind::OneOrMany(item) | Kind::Map(item) = kind {
                value = value.filter(|_| !matches!(kind, Kind::Map(_)));
                lists += 1;
                kind = item;
            }
            let nested = |value| (0..lists).fold(value, |value, _| Value::List(vec![value]));
            value.is_none_or(|value| self.check_conversion(nested(value)).is_ok())
        };
        self.valid_values.iter().find(|valid| !fits(valid)).copied()
    }

    /// A bound of the field as its values are written, where they are octal or hexadecimal.
    ///
    /// ```
    /// use converge_core::schema::Field;
    ///
    /// let mut mode = Field::new::<u32>("mode", "Permission bits.");
    /// mode.base = Some(8);
    /// assert_eq!(mode.bound_text(511.0), "0777");
    /// ```
    pub fn bound_text(&self, bound: f64) -> String {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what does not come back as it was is not taken for a whole number"
        )]
        let whole = bound as i64;
        #[expect(clippy::cast_precision_loss, reason = "the same")]
        let is_whole = whole > 0 && (whole as f64).to_bits() == bound.to_bits();
        match self.base {
            Some(8) if is_whole => format!("0{whole:o}"),
            Some(16) if is_whole => format!("0x{whole:x}"),
            _ => bound.to_string(),
        }
    }

    /// How values of this field are read.
    pub fn conversion(&self) -> Conversion {
        self.base.map(Conversion::with_base).unwrap_or_default()
    }
}

/// The reason of code that panicked.
#[doc(hidden)]
pub fn panicked(message: &str) -> FieldErrorKind {
    FieldErrorKind::Invalid { message: format!("the code of this type panicked: {message}") }
}

/// How the values of a field are converted, and its pattern in the form that matches: nothing that people are told.
#[derive(Clone)]
struct Converter {
    /// Converts a value to the field's type and drops it.
    check: Check,
    /// From when it was first needed on; `None` inside when it is no regular expression.
    pattern: OnceLock<Option<Regex>>,
}

/// What decides whether a value is one of the field's type.
#[derive(Clone, Copy)]
enum Check {
    /// The Rust type.
    Type(CheckFn),
    /// The kind: there is no Rust type here.
    Kind(ByKind),
}

/// What reads values by the kind of their field alone, where there is no Rust type.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct ByKind {
    /// The value as one of the kind.
    pub(crate) convert: fn(&Kind, Value, Conversion) -> Result<Value, Vec<FieldError>>,
    /// Whether a value is what a word says.
    pub(crate) is_word: fn(&Kind, Option<Value>, Conversion, &str) -> bool,
}

pub(crate) type CheckFn = fn(Value, &Conversion) -> Result<(), Vec<FieldError>>;

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl PartialEq for Converter {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
