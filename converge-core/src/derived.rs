//! What the code that the derives write calls. Not part of the public API.

use std::marker::PhantomData;

use crate::schema::{Field, Fields, Kind};
use crate::value::{Conversion, FieldError, FieldErrorKind, FromValue, Value, ValuePath, reveal, wrong_kind};

/// The value of a field that is not written and has no default of its own.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` has no value when it is not written",
    label = "`Default` is not implemented for this type",
    note = "write `#[hcl(required)]` or `#[hcl(default = ..)]` on the field, make it an `Option`, or implement \
            `Default` for the type"
)]
pub trait Absent: Sized {
    /// The value.
    fn absent() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Absent for T {
    fn absent() -> Self {
        T::default()
    }
}

/// Gives the value of a field that is not written.
///
/// A type that is not a [`FromValue`] has its own error. It finds [`NoField::value`] here, which asks for
/// nothing, as the inherent function needs a `FromValue`; so no second error comes on top.
#[derive(Debug)]
pub struct Absence<T>(PhantomData<T>);

impl<T: FromValue> Absence<T> {
    /// The value.
    pub fn value() -> Option<T>
    where
        T: Absent,
    {
        Some(T::absent())
    }
}

/// What [`Absence`] falls back to.
pub trait NoField<T> {
    /// Nothing.
    fn value() -> Option<T> {
        None
    }
}

impl<T> NoField<T> for Absence<T> {}

/// A field of which the kind and the conversion are given apart.
///
/// The derives name the trait of the field's type only in paths on the type's own tokens, so that a type
/// that is not a [`FromValue`] is reported there and once.
pub fn field(
    name: &'static str,
    doc: &'static str,
    kind: Kind,
    check: fn(Value, &Conversion) -> Result<(), Vec<FieldError>>,
) -> Field {
    let mut field = Field::new::<Value>(name, doc);
    field.kind = kind;
    field.check = check;
    field
}

/// Reads a nested block: sorts the entries of a map to the fields of `T`, checks the rules between them
/// and lets `take` make the struct.
pub fn block<T: FromValue>(
    value: Value,
    take: impl FnOnce(Fields<'_>) -> Result<T, Vec<FieldError>>,
) -> Result<T, Vec<FieldError>> {
    let kind = T::kind();
    let (value, secret) = reveal(value);
    match (kind, value) {
        (Kind::Block(block), Value::Map(items)) => {
            let items =
                items.into_iter().map(|(name, item)| (name, if secret { item.into_secret() } else { item }));
            let mut fields = Fields::from_map(&block.fields, items);
            fields.check_shape(&block);
            take(fields)
        }
        (kind, value) => Err(wrong_kind(kind, &value)),
    }
}

/// Reads one of the words of an enum.
pub fn word<T>(
    value: Value,
    words: &'static [&'static str],
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let text = match &value {
        Value::String(text) => text.to_string(),
        // Words may be numbers, which need no quotes.
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
        _ => return Err(wrong_kind(Kind::Enum(words), &value)),
    };
    read(&text).ok_or_else(|| {
        let shown = if secret { crate::value::REDACTED.to_owned() } else { value.to_string() };
        let allowed = words.iter().map(|word| (*word).to_owned()).collect();
        vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::NotAllowed { shown, allowed } }]
    })
}
