//! The values of one resource on their way into its struct.

use regex_lite::Regex;

use super::{BlockKind, Field, Kind};
use crate::report::close_names;
use crate::value::{
    Conversion, FieldError, FieldErrorKind, FromValue, PathSegment, Value, ValueKind, ValuePath,
};

/// The values of a resource's fields, by index in its schema, and the errors found while taking them.
///
/// The code that `#[derive(Preparer)]` writes takes each field out of it.
#[derive(Debug)]
pub struct Fields<'a> {
    schema: &'a [Field],
    values: Vec<Option<Value>>,
    errors: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    /// Values by the index of their field. Missing ones at the end count as not written.
    pub fn new(schema: &'a [Field], mut values: Vec<Option<Value>>) -> Self {
        values.resize_with(schema.len(), || None);
        Self { schema, values, errors: Vec::new() }
    }

    /// Sorts a map's entries to their fields; a name that is no field, or one given twice, is an error.
    pub fn from_map(schema: &'a [Field], map: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut fields = Self::new(schema, Vec::new());
        // The name under which each field was written first.
        let mut names = vec![String::new(); schema.len()];
        for (name, value) in map {
            match super::find_field(schema, &name) {
                None => {
                    let known = schema.iter().map(|field| field.name.to_owned()).collect();
                    let kind = FieldErrorKind::UnknownField { field: name.clone(), known };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, field)) if fields.values[index].is_some() => {
                    let alias = if name == field.name { &names[index] } else { &name };
                    let kind = FieldErrorKind::GivenTwice { field: field.name.into(), alias: alias.clone() };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, _)) => {
                    fields.values[index] = Some(value);
                    names[index] = name;
                }
            }
        }
        fields
    }

    /// Checks what does not depend on any one value: required fields and rules between fields.
    pub fn check_shape(&mut self, block: &BlockKind) {
        let errors = block.check_shape(&|index| self.values.get(index).is_some_and(Option::is_some));
        self.errors.extend(errors);
    }

    /// Takes the value of the field at `index`: the written one, the default, or for `absent` what it
    /// gives. `None` means that an error was recorded.
    pub fn take<T: FromValue>(&mut self, index: usize, absent: impl FnOnce() -> Option<T>) -> Option<T> {
        self.take_with(index, T::from_value, absent)
    }

    /// As [`take`](Self::take), with the conversion given apart.
    pub fn take_with<T>(
        &mut self,
        index: usize,
        from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
        absent: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let field = self.schema.get(index)?;
        let value = self.values.get_mut(index).and_then(Option::take).or_else(|| field.default.clone());
        let Some(value) = value else {
            let taken = absent();
            // A required field that is missing has been reported with the shape.
            if taken.is_none() && !self.errors.iter().any(|error| error.path == ValuePath::field(field.name))
            {
                let kind = FieldErrorKind::Missing { field: field.name.into() };
                self.errors.push(FieldError::new(field.name, kind));
            }
            return taken;
        };
        match convert_with(field, value, from_value) {
            Ok(converted) => Some(converted),
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }

    /// Takes the values of an embedded type, which begin at the index `at`, and moves that behind them.
    pub fn take_embedded<T: FromValue>(&mut self, at: &mut usize) -> Option<T> {
        let Kind::Block(block) = T::kind() else { return None };
        let mut map = std::collections::BTreeMap::new();
        for field in &block.fields {
            if let Some(value) = self.values.get_mut(*at).and_then(Option::take) {
                map.insert(field.name.to_owned(), value);
            }
            *at += 1;
        }
        match T::from_value(Value::Map(map.into_iter().collect()), &Conversion::default()) {
            Ok(taken) => Some(taken),
            Err(errors) => {
                // Of what is missing and of rules that are broken was told with the shape of the whole.
                for error in errors {
                    if !self.errors.contains(&error) {
                        self.errors.push(error);
                    }
                }
                None
            }
        }
    }

    /// The errors so far. The caller gives up when there are any.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Whether any error was found.
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }
}

impl BlockKind {
    /// Checks what depends only on which fields are written: required ones and rules between them.
    pub fn check_shape(&self, written: &dyn Fn(usize) -> bool) -> Vec<FieldError> {
        shape_errors(&self.fields, &self.rules, written)
    }
}

pub(crate) fn shape_errors(
    fields: &[Field],
    rules: &[super::Rule],
    written: &dyn Fn(usize) -> bool,
) -> Vec<FieldError> {
    let missing = fields.iter().enumerate().filter(|(index, field)| field.required && !written(*index)).map(
        |(_, field)| FieldError::new(field.name, FieldErrorKind::Missing { field: field.name.to_owned() }),
    );
    let broken = rules.iter().filter_map(|rule| rule.check(fields, written));
    missing.chain(broken).collect()
}

/// Converts one value by everything that its field says, attributes included.
///
/// # Errors
///
/// All reasons for which the value is refused, with paths that begin at the field.
pub fn convert<T: FromValue>(field: &Field, value: Value) -> Result<T, Vec<FieldError>> {
    convert_with(field, value, T::from_value)
}

fn convert_with<T>(
    field: &Field,
    value: Value,
    from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
) -> Result<T, Vec<FieldError>> {
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    let own = check_attributes(field, &value);
    let converted = from_value(value, &field.conversion());
    match (own, converted) {
        (None, Ok(converted)) => Ok(converted),
        (_, Err(errors)) => Err(errors.into_iter().map(at_field).collect()),
        (Some(kind), Ok(_)) => Err(vec![FieldError::new(field.name, kind)]),
    }
}

/// Checks a value by what its field says, without keeping the result.
///
/// # Errors
///
/// As [`convert`].
pub fn check(field: &Field, value: &Value) -> Result<(), Vec<FieldError>> {
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    (field.check)(value.clone(), &field.conversion())
        .map_err(|errors| errors.into_iter().map(at_field).collect::<Vec<_>>())?;
    match check_attributes(field, value) {
        None => Ok(()),
        Some(kind) => Err(vec![FieldError::new(field.name, kind)]),
    }
}

/// As [`check`] for a value of which a part is not known yet: only what is wrong whatever that part will be.
pub(crate) fn check_known_part(field: &Field, value: &Value) -> Vec<FieldError> {
    if value.find_unknown().is_none() {
        return check(field, value).err().unwrap_or_default();
    }
    let errors = (field.check)(value.clone(), &field.conversion()).err().unwrap_or_default();
    let is_sure = |error: &FieldError| match error.kind {
        FieldErrorKind::NotKnown { .. } => false,
        FieldErrorKind::WrongKind { found, .. } => found != ValueKind::Unknown,
        // These are about names.
        FieldErrorKind::UnknownField { .. } | FieldErrorKind::GivenTwice { .. } => true,
        _ => at(value, &error.path.0).is_none_or(|value| value.find_unknown().is_none()),
    };
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    errors.into_iter().filter(is_sure).map(at_field).collect()
}

/// The value at the end of a path.
fn at<'a>(value: &'a Value, path: &[PathSegment]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, segment| {
        let value = match value {
            Value::Secret(secret) => secret.expose(),
            value => value,
        };
        match (value, segment) {
            (Value::List(items), PathSegment::Index(index)) => items.get(*index),
            (unknown @ Value::Unknown(_), _) => Some(unknown),
            // A block that may be repeated and is written once.
            (map @ Value::Map(_), PathSegment::Index(0)) => Some(map),
            (Value::Map(items), PathSegment::Name(name)) => items.get(name),
            _ => None,
        }
    })
}

/// `nonempty`, `valid_values`, `min`, `max` and `pattern`.
fn check_attributes(field: &Field, value: &Value) -> Option<FieldErrorKind> {
    let (plain, secret) = match value {
        Value::Secret(secret) => (&**secret.expose(), true),
        value => (value, field.sensitive),
    };
    // A field that is not written.
    if *plain == Value::Null {
        return None;
    }
    let shown = || if secret { crate::value::REDACTED.to_owned() } else { plain.to_string() };
    if field.nonempty && is_zero(field, plain) {
        return Some(FieldErrorKind::Empty { field: field.name.to_owned() });
    }
    if !field.valid_values.is_empty()
        && !field.valid_values.iter().any(|valid| matches_text(field, plain, valid))
    {
        let allowed = field.valid_values.iter().map(|valid| (*valid).to_owned()).collect();
        return Some(FieldErrorKind::NotAllowed { shown: shown(), allowed });
    }
    if let Some(pattern) = field.pattern
        && let Value::String(text) = plain
        && !field
            .compiled
            .get_or_init(|| Regex::new(pattern).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    {
        let expects = field.expects.map(str::to_owned);
        return Some(FieldErrorKind::PatternMismatch {
            shown: shown(),
            pattern: pattern.to_owned(),
            expects,
        });
    }
    let number = number_of(field, plain)?;
    let below = field.min.is_some_and(|min| number < min);
    let above = field.max.is_some_and(|max| number > max);
    (below || above).then(|| FieldErrorKind::OutOfRange { shown: shown(), range: range_text(field) })
}

/// A text of zeros counts as the number that it stands for.
fn is_zero(field: &Field, value: &Value) -> bool {
    value.is_zero() || number_of(field, value).is_some_and(|number| number == 0.0)
}

/// The number that a value of a number field stands for; seconds for a duration.
#[expect(clippy::cast_precision_loss, reason = "bounds are small numbers")]
fn number_of(field: &Field, value: &Value) -> Option<f64> {
    let conversion = field.conversion();
    match field.kind {
        Kind::Int { .. } => i64::from_value(value.clone(), &conversion).ok().map(|number| number as f64),
        Kind::Float => f64::from_value(value.clone(), &conversion).ok(),
        Kind::Duration => {
            std::time::Duration::from_value(value.clone(), &conversion).ok().map(|time| time.as_secs_f64())
        }
        _ => None,
    }
}

fn matches_text(field: &Field, value: &Value, valid: &str) -> bool {
    match value {
        Value::String(text) if text.as_ref() == valid => true,
        _ => match (number_of(field, value), number_of(field, &Value::string(valid))) {
            (Some(given), Some(valid)) => given.to_bits() == valid.to_bits(),
            _ => matches!(value, Value::Bool(_)) && value.to_string() == valid,
        },
    }
}

fn range_text(field: &Field) -> String {
    match (field.min, field.max) {
        (Some(min), Some(max)) => format!("at least {min} and at most {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }
}

impl FieldErrorKind {
    /// What to do about it, where there is more to say than the message does.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownField { field, known } => {
                crate::report::did_you_mean(field, known.iter().map(String::as_str))
            }
            Self::NotAllowed { shown, allowed } => {
                let given = shown.trim_matches('"');
                let close = close_names(given, allowed.iter().map(String::as_str));
                close.first().map(|word| format!("did you mean \"{word}\"?"))
            }
            Self::DecimalInBase { shown, base } => Some(match i64::from_str_radix(shown, *base) {
                Ok(0..) if *base == 8 => format!("write `0{shown}`"),
                Ok(_) => format!("write `\"{shown}\"`"),
                Err(_) => format!("the digits of base {base} are 0 to {}", base.saturating_sub(1).min(9)),
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
            Self::GivenTwice { field, .. } => Some(format!("keep `{field}`")),
            _ => None,
        }
    }
}
