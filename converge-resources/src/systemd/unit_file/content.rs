//! The content of a unit file.

use std::fmt::Write as _;

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, OneOrMany};
use indexmap::IndexMap;

use crate::text::Text;

#[derive(Clone, Debug)]
pub(super) struct Sections(IndexMap<String, IndexMap<String, OneOrMany<Text>>>);

impl Sections {
    pub(super) fn text(&self) -> Text {
        let (mut text, mut secret) = (String::new(), false);
        for (section, settings) in &self.0 {
            let blank = if text.is_empty() { "" } else { "\n" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{blank}[{section}]");
            for (key, values) in settings {
                for value in values.as_slice() {
                    secret |= value.is_secret();
                    let _ = writeln!(text, "{key}={}", &**value);
                }
            }
        }
        Text::new(text, secret)
    }

    /// Returns the error if systemd would not read the text as it is meant.
    fn mistake(&self) -> Option<String> {
        let is_name = |text: &str| {
            !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
        };
        for (section, settings) in &self.0 {
            if !is_name(section) {
                return Some(format!("{section:?} is not the name of a section, such as `Service`"));
            }
            for (key, values) in settings {
                if !is_name(key) {
                    return Some(format!(
                        "{key:?} in `{section}` is not the name of a setting, such as `ExecStart`"
                    ));
                }
                let is_one_line =
                    |value: &Text| !value.contains(['\n', '\r', '\0']) && !value.ends_with('\\');
                if !values.as_slice().iter().all(is_one_line) {
                    return Some(format!(
                        "a value of `{key}` in `{section}` has several lines, or ends in a backslash"
                    ));
                }
            }
        }
        None
    }
}

impl FromValue for Sections {
    fn kind() -> Kind {
        IndexMap::<String, IndexMap<String, OneOrMany<Text>>>::kind()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let sections = Self(FromValue::from_value(value, conversion)?);
        match sections.mistake() {
            Some(message) => Err(vec![FieldError::new("", FieldErrorKind::Invalid { message })]),
            None => Ok(sections),
        }
    }
}

/// Whether a text has an `[Install]` section, which says how the unit is enabled.
pub(super) fn has_install(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "[Install]")
}
