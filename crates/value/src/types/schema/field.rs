//! Fields and the kinds of values that they take, including nested blocks.

use std::fmt;
use std::sync::OnceLock;

use regex_lite::Regex;

use super::footprint::FootprintRule;
use super::rule::{Condition, Rule};
use crate::types::panic_guard::guarded;
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value, ValuePath};

/// The kind of values that a field takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Any value.
    Any,
    /// Text; numbers and booleans are converted to text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number within the bounds of its type.
    Int {
        /// The smallest value of the type.
        min: i128,
        /// The largest value of the type.
        max: i128,
    },
    /// A number, possibly with a fraction.
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

/// Returns the field with this name or alias, with its index.
pub fn find_field<'a>(fields: &'a [Field], name: &str) -> Option<(usize, &'a Field)> {
    fields.iter().enumerate().find(|(_, field)| field.name == name || field.aliases.contains(&name))
}

/// The description of one field of a resource or of a nested block.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name in modules.
    pub name: &'static str,
    /// Alternative names that are still accepted.
    pub aliases: &'static [&'static str],
    /// The meaning of the field, from its doc comment.
    pub doc: &'static str,
    /// The kind of values that the field takes.
    pub kind: Kind,
    /// Whether the field must be written.
    pub required: bool,
    /// Whether a written value must differ from the zero value.
    pub nonempty: bool,
    /// The value used if the field is not written, for conversion and documentation.
    pub default: Option<Value>,
    /// The accepted values as text; empty if all values are accepted.
    pub valid_values: &'static [&'static str],
    /// The smallest accepted number.
    pub min: Option<f64>,
    /// The largest accepted number.
    pub max: Option<f64>,
    /// The regular expression that text must match.
    pub pattern: Option<&'static str>,
    /// The meaning of `pattern` in words: `a login name: letters and digits`.
    pub expects: Option<&'static str>,
    /// The radix of integers that are written as text.
    pub base: Option<u32>,
    /// Whether the value is never shown.
    pub sensitive: bool,
    /// The replacement to recommend, if the field is deprecated.
    pub deprecated: Option<&'static str>,
    /// The rules that derive the footprint of the resource from the field.
    pub footprint: Vec<FootprintRule>,
    /// The value with which the resource removes the things that it manages.
    pub removes: Option<&'static str>,
    converter: Converter,
}

impl Field {
    /// Creates a field without rules; `check` converts a value and discards the result.
    #[doc(hidden)]
    pub fn with_check(name: &'static str, doc: &'static str, kind: Kind, check: CheckFn) -> Self {
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

    /// Returns a value in the form used for comparisons.
    ///
    /// In a field with a [base](Self::base), text becomes a number.
    #[doc(hidden)]
    pub fn as_compared(&self, value: Value) -> Value {
        let number = match (self.base, &value) {
            (Some(base), Value::String(text)) => i64::from_str_radix(text.trim(), base).ok(),
            _ => None,
        };
        number.map_or(value, Value::Int)
    }

    /// Creates a field of a plugin type, for which values are checked against the kind alone.
    #[doc(hidden)]
    pub fn described(name: &'static str, doc: &'static str, kind: Kind, by_kind: ByKind) -> Self {
        let mut field = Self::with_check(name, doc, kind, |_, _| Ok(()));
        field.converter.check = Check::Kind(by_kind);
        field
    }

    /// Whether the field contributes to the footprint of the resource.
    pub fn has_footprint(&self) -> bool {
        !self.footprint.is_empty()
    }

    pub(crate) fn matches_pattern(&self, text: &str) -> bool {
        self.pattern.is_none_or(|pattern| {
            let compiled = self.converter.pattern.get_or_init(|| Regex::new(pattern).ok());
            compiled.as_ref().is_some_and(|regex| regex.is_match(text))
        })
    }

    pub(crate) fn meets(&self, condition: &Condition, value: Option<Value>) -> bool {
        if let (Check::Kind(by_kind), Some(word)) = (self.converter.check, condition.by_kind()) {
            return (by_kind.is_word)(&self.kind, value, self.conversion(), word);
        }
        condition.holds(value, self.conversion())
    }

    /// Whether the field is written, or `None` if that depends on a value that is not known yet.
    ///
    /// Null is not written, unless the field takes any value. Every rule between fields uses this definition.
    #[doc(hidden)]
    pub fn is_written(&self, value: Option<&Value>) -> Option<bool> {
        let Some(value) = value else { return Some(false) };
        match value {
            Value::Secret(secret) => self.is_written(Some(secret.expose())),
            Value::Unknown(_) => None,
            Value::Null => Some(self.kind == Kind::Any),
            _ => Some(true),
        }
    }

    /// Returns the value unless it counts as not written.
    #[doc(hidden)]
    pub fn written(&self, value: Option<Value>) -> Option<Value> {
        value.filter(|value| self.is_written(Some(value)) != Some(false))
    }

    /// Checks a value by converting it to the type of the field.
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

    /// Returns a valid value that the type of the field does not accept, if there is one.
    #[doc(hidden)]
    pub fn wrong_valid_value(&self) -> Option<&'static str> {
        let fits = |valid: &&&'static str| {
            let mut value = Some(Value::string(**valid));
            let mut kind = &self.kind;
            let mut lists = 0;
            // Items of a map would need a key, which is not known here.
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

    /// Returns a bound in the notation of the field, which may be octal or hexadecimal.
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
        let integer = bound as i64;
        #[expect(clippy::cast_precision_loss, reason = "the same")]
        let is_whole = integer > 0 && (integer as f64).to_bits() == bound.to_bits();
        match self.base {
            Some(8) if is_whole => format!("0{integer:o}"),
            Some(16) if is_whole => format!("0x{integer:x}"),
            _ => bound.to_string(),
        }
    }

    /// Returns the options for converting values of this field.
    pub fn conversion(&self) -> Conversion {
        self.base.map(Conversion::with_base).unwrap_or_default()
    }
}

/// Returns the error for code of an author that panicked.
#[doc(hidden)]
pub fn panicked(message: &str) -> FieldErrorKind {
    FieldErrorKind::Invalid { message: format!("the code of this type panicked: {message}") }
}

/// The conversion of a field and its compiled pattern, which are not part of the visible description.
#[derive(Clone)]
struct Converter {
    check: Check,
    /// The pattern, compiled on first use; the inner `None` marks an invalid regular expression.
    pattern: OnceLock<Option<Regex>>,
}

/// The source of the conversion: a Rust type or a kind.
#[derive(Clone, Copy)]
enum Check {
    /// The conversion of the Rust type.
    Type(CheckFn),
    /// The conversion by kind, for plugin types.
    Kind(ByKind),
}

/// Functions that convert values by the kind of their field, without a Rust type.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct ByKind {
    /// Converts a value to the kind.
    pub(crate) convert: fn(&Kind, Value, Conversion) -> Result<Value, Vec<FieldError>>,
    /// Whether a value equals the one that a word stands for.
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
