//! Conversion of types that a module writes as text.

use converge_sdk::prelude::*;
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, REDACTED, ValuePath};

use crate::text::Text;

/// Reads a value as text, and parses the text with `parse`.
///
/// The error of `parse` follows the text in the message.
pub(super) fn read<T>(
    value: Value,
    conversion: Conversion,
    parse: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Result<T, Vec<FieldError>> {
    let text = Text::from_value(value, &conversion)?;
    parse(&text).map_err(|reason| {
        let display = if text.is_secret() { REDACTED.to_owned() } else { format!("{:?}", text.shown()) };
        let kind = FieldErrorKind::Invalid { message: format!("{display} is {reason}") };
        vec![FieldError { path: ValuePath::default(), kind }]
    })
}

/// Whether the engine accepts the text as the name of a container, network or volume.
pub(super) fn is_name(text: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '-');
    text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.chars().all(is_sign)
}

/// Implements a field type that is written as text and exported as displayed.
macro_rules! text_type {
    ($name:ident) => {
        impl converge_sdk::prelude::FromValue for $name {
            fn kind() -> converge_sdk::schema::Kind {
                converge_sdk::schema::Kind::String
            }

            fn from_value(
                value: converge_sdk::prelude::Value,
                conversion: &converge_sdk::value::Conversion,
            ) -> Result<Self, Vec<converge_sdk::value::FieldError>> {
                $crate::docker::text_type::read(value, *conversion, Self::parse)
            }
        }

        impl converge_sdk::prelude::ToValue for $name {
            fn shape() -> converge_sdk::schema::Shape {
                converge_sdk::schema::Shape::Plain
            }

            fn to_value(&self) -> converge_sdk::prelude::Value {
                converge_sdk::prelude::Value::string(self.to_string())
            }
        }
    };
}

pub(super) use text_type;
