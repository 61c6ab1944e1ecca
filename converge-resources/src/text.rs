use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::schema::{Kind, Shape};
use converge_sdk::value::{Conversion, FieldError, REDACTED};

/// A text that knows whether it contains a secret.
///
/// A `String` does not know it, so the secret would show up in differences, messages and exports.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    text: Arc<str>,
    secret: bool,
}

impl Text {
    /// Creates a text, which is secret if `secret` is set.
    pub(crate) fn new(text: impl Into<Arc<str>>, secret: bool) -> Self {
        Self { text: text.into(), secret }
    }

    #[cfg(any(
        feature = "docker",
        feature = "file",
        feature = "net",
        feature = "package",
        feature = "shell",
        feature = "systemd"
    ))]
    pub(crate) fn is_secret(&self) -> bool {
        self.secret
    }

    /// Returns the text for display, redacted if it is secret.
    #[cfg(any(
        feature = "ask",
        feature = "docker",
        feature = "file",
        feature = "net",
        feature = "package",
        feature = "shell"
    ))]
    pub(crate) fn shown(&self) -> &str {
        if self.secret { REDACTED } else { &self.text }
    }
}

/// Returns the plain texts, for a program that needs them.
#[cfg(all(unix, feature = "docker"))]
pub(crate) fn exposed(map: &indexmap::IndexMap<String, Text>) -> std::collections::HashMap<String, String> {
    map.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.secret { f.write_str(REDACTED) } else { fmt::Debug::fmt(&*self.text, f) }
    }
}

impl FromValue for Text {
    fn kind() -> Kind {
        String::kind()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = match value {
            Value::Secret(value) => (*value.into_exposed(), true),
            value => (value, false),
        };
        match value {
            // The text is shared with the rendered value, so the content of a large file is not copied.
            Value::String(text) => Ok(Self { text, secret }),
            value => Ok(Self::new(String::from_value(value, conversion)?, secret)),
        }
    }
}

impl ToValue for Text {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        let value = Value::String(Arc::clone(&self.text));
        if self.secret { value.into_secret() } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_stays_one() {
        let check = |value: Value, expect: &str, shown: &str| {
            let text = Text::from_value(value.clone(), &Conversion::default()).unwrap();
            assert_eq!((&*text, text.shown()), (expect, shown), "{value}");
            assert_eq!(text.to_value().contains_secret(), value.contains_secret(), "{value}");
            assert!(!text.is_secret() || !format!("{text:?}").contains(expect), "{value}");
        };
        check(Value::string("motd"), "motd", "motd");
        check(Value::Int(3), "3", "3");
        check(Value::string("hunter2").into_secret(), "hunter2", REDACTED);
        check(Value::Int(1234).into_secret(), "1234", REDACTED);
    }
}
