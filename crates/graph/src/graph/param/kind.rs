//! The types of parameters.

use std::fmt;
use std::str::FromStr;

use crate::types::convert::{FromValue, reveal, wrong_kind};
use crate::types::schema::Kind;
use crate::types::value::{Conversion, FieldError, FieldErrorKind, PathSegment, Value, ValuePath};

/// The names of types, for suggestions.
const NAMES: [&str; 6] = ["any", "bool", "list", "map", "number", "string"];

/// The maximum nesting depth of types.
const MAX_DEPTH: usize = 16;

/// The type of a parameter, such as `type = "list(string)"`.
///
/// ```
/// use converge_core::value::Value;
/// use converge_core::graph::ParamKind;
///
/// let ports: ParamKind = "list(number)".parse()?;
/// assert_eq!(ports.convert(vec!["80", "443"].into()), Ok(vec![80, 443].into()));
/// # Ok::<(), converge_core::value::FieldErrorKind>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParamKind {
    /// Any value, unchanged.
    #[default]
    Any,
    /// Text; numbers and booleans are converted to text.
    String,
    /// A number, or text that contains one.
    Number,
    /// A boolean, or text that contains one.
    Bool,
    /// A list.
    List(Box<ParamKind>),
    /// A map.
    Map(Box<ParamKind>),
}

impl ParamKind {
    /// Converts a value to this type, in the same way as for fields of resources.
    ///
    /// Unknown values stay unknown.
    ///
    /// # Errors
    ///
    /// Returns an error for every part of the value that does not fit, with the path to it.
    pub fn convert(&self, value: Value) -> Result<Value, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        let mark = |value: Value| if secret { value.into_secret() } else { value };
        let conversion = Conversion::default();
        let converted = match (self, value) {
            (Self::Any, value) | (_, value @ (Value::Unknown(_) | Value::Null)) => value,
            (Self::String, value) => String::from_value(mark(value), &conversion)?.into(),
            (Self::Bool, value) => bool::from_value(mark(value), &conversion)?.into(),
            (Self::Number, value) => number(value, mark)?,
            (Self::List(item), Value::List(items)) => {
                let items = items.into_iter().enumerate();
                let items = items.map(|(at, value)| (PathSegment::Index(at), mark(value)));
                Value::List(each(item, items)?.into_iter().map(|(_, value)| value).collect())
            }
            (Self::Map(item), Value::Map(items)) => {
                let items = items.into_iter().map(|(name, value)| (PathSegment::Name(name), mark(value)));
                let entries = each(item, items)?.into_iter().filter_map(|(segment, value)| match segment {
                    PathSegment::Name(name) => Some((name, value)),
                    PathSegment::Index(_) => None,
                });
                Value::Map(entries.collect())
            }
            (Self::List(_) | Self::Map(_), value) => return Err(wrong_kind(&self.into(), &value)),
        };
        Ok(mark(converted))
    }

    /// Whether values of this type have parts, so that text from outside is parsed as JSON.
    #[doc(hidden)]
    pub fn has_parts(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    fn parse(text: &str, depth: usize) -> Result<Self, FieldErrorKind> {
        let text = text.trim();
        let (name, item) = match text.split_once('(').map(|(name, rest)| (name, rest.strip_suffix(')'))) {
            None => (text, None),
            Some((name, Some(item))) if depth < MAX_DEPTH => (name.trim_end(), Some(item)),
            Some((_, Some(_))) => {
                let message = format!("a type can be nested at most {MAX_DEPTH} levels deep");
                return Err(FieldErrorKind::Invalid { message });
            }
            Some((_, None)) => {
                let message = format!("the parenthesis of {text:?} is not closed");
                return Err(FieldErrorKind::Invalid { message });
            }
        };
        let inner = || item.map_or(Ok(Self::Any), |item| Self::parse(item, depth + 1)).map(Box::new);
        match (name, item) {
            ("list", _) => Ok(Self::List(inner()?)),
            ("map", _) => Ok(Self::Map(inner()?)),
            ("any", None) => Ok(Self::Any),
            ("string", None) => Ok(Self::String),
            ("number", None) => Ok(Self::Number),
            ("bool", None) => Ok(Self::Bool),
            (name, Some(_)) if NAMES.contains(&name) => {
                let message = format!("{name:?} holds no other type; `list` and `map` do");
                Err(FieldErrorKind::Invalid { message })
            }
            (name, _) => Err(FieldErrorKind::NotAllowed {
                shown: format!("{name:?}"),
                allowed: NAMES.map(str::to_owned).into(),
            }),
        }
    }
}

/// Converts each part and collects all errors.
fn each(
    kind: &ParamKind,
    parts: impl Iterator<Item = (PathSegment, Value)>,
) -> Result<Vec<(PathSegment, Value)>, Vec<FieldError>> {
    let (mut converted, mut errors) = (Vec::with_capacity(parts.size_hint().0), Vec::new());
    for (segment, value) in parts {
        match kind.convert(value) {
            Ok(value) => converted.push((segment, value)),
            Err(item_errors) => {
                errors.extend(item_errors.into_iter().map(|error| error.within(segment.clone())));
            }
        }
    }
    if errors.is_empty() { Ok(converted) } else { Err(errors) }
}

/// Converts to a number; whole numbers stay whole.
fn number(value: Value, mark: impl Fn(Value) -> Value) -> Result<Value, Vec<FieldError>> {
    match &value {
        Value::Int(_) | Value::Float(_) => Ok(value),
        Value::String(text) => match text.trim().parse::<i64>() {
            Ok(number) => Ok(Value::Int(number)),
            Err(_) => f64::from_value(mark(value), &Conversion::default()).map(Value::Float),
        },
        _ => Err(wrong_kind(&Kind::Float, &value)),
    }
}

impl From<&ParamKind> for Kind {
    fn from(kind: &ParamKind) -> Self {
        match kind {
            ParamKind::Any => Self::Any,
            ParamKind::String => Self::String,
            ParamKind::Number => Self::Float,
            ParamKind::Bool => Self::Bool,
            ParamKind::List(item) => Self::List(Box::new((&**item).into())),
            ParamKind::Map(item) => Self::Map(Box::new((&**item).into())),
        }
    }
}

impl FromStr for ParamKind {
    type Err = FieldErrorKind;

    fn from_str(text: &str) -> Result<Self, FieldErrorKind> {
        Self::parse(text, 0)
    }
}

// Hidden from the documentation, because authors of resources do not need it.
#[diagnostic::do_not_recommend]
impl FromValue for ParamKind {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        match &value {
            Value::String(text) => {
                text.parse().map_err(|kind| vec![FieldError { path: ValuePath::default(), kind }])
            }
            _ => Err(wrong_kind(&Kind::String, &value)),
        }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::String => f.write_str("string"),
            Self::Number => f.write_str("number"),
            Self::Bool => f.write_str("bool"),
            Self::List(item) if **item == Self::Any => f.write_str("list"),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(item) if **item == Self::Any => f.write_str("map"),
            Self::Map(item) => write!(f, "map({item})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        let check = |text: &str, expect: &str| {
            let actual = text.parse::<ParamKind>();
            let actual = actual.map_or_else(|error| error.to_string(), |kind| kind.to_string());
            assert_eq!(actual, expect, "{text}");
        };
        check("string", "string");
        check(" list ", "list");
        check("list( map(number) )", "list(map(number))");
        check("map(any)", "map");
        check("lst", "\"lst\" is not one of any, bool, list, map, number, string");
        check("list(strng)", "\"strng\" is not one of any, bool, list, map, number, string");
        check("", "\"\" is not one of any, bool, list, map, number, string");
        check("list(string", "the parenthesis of \"list(string\" is not closed");
        check("bool(string)", "\"bool\" holds no other type; `list` and `map` do");
        check(
            &format!("{}{}", "list(".repeat(100), ")".repeat(100)),
            "a type can be nested at most 16 levels deep",
        );
    }

    #[test]
    fn values_are_taken_as_fields_take_them() {
        let check = |kind: &str, value: Value, expect: &str| {
            let actual = kind.parse::<ParamKind>().unwrap().convert(value);
            let actual = match actual {
                Ok(value) => format!("{value:?}"),
                Err(errors) => {
                    let errors: Vec<_> =
                        errors.iter().map(|error| format!("{}: {error}", error.path)).collect();
                    errors.join("; ")
                }
            };
            assert_eq!(actual, expect, "{kind}");
        };
        check("any", Value::Int(5), "5");
        check("string", Value::Int(5), "\"5\"");
        check("number", "5".into(), "5");
        check("number", "1.5".into(), "1.5");
        check("number", "five".into(), ": \"five\" is not a number");
        check("number", Value::string("five").into_secret(), ": (sensitive) is not a number");
        check("number", Value::string("5").into_secret(), "(sensitive)");
        check("bool", "T".into(), "true");
        check("bool", "yes".into(), ": \"yes\" is not a boolean: write true or false");
        check("list", "a,b".into(), ": expected a list (any value each), found a string");
        check(
            "list(number)",
            vec!["1", "x", "y"].into(),
            "[1]: \"x\" is not a number; [2]: \"y\" is not a number",
        );
        check("map(string)", [("a", 1)].into(), "{a = \"1\"}");
        check(
            "map(list(bool))",
            [("a", vec!["no"])].into(),
            "a[0]: \"no\" is not a boolean: write true or false",
        );
        check("list(number)", vec![Value::unknown("t.a"), "1".into()].into(), "[(known after apply), 1]");
        check("number", Value::unknown("t.a"), "Unknown(t.a)");
    }
}
