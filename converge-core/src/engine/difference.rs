//! What differs between what is and what is declared.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::SerializeMap as _;

use crate::sdk::status::DiffValue;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `mode`, `UID`, `env.PATH`.
    pub name: String,
    /// The field of the resource that it is about.
    pub field: Option<Cow<'static, str>>,
    /// What is.
    pub before: DiffValue,
    /// What is declared.
    pub after: DiffValue,
    /// Whether the two differ.
    pub changes: bool,
    /// It stands for a refresh, and not for a value: `after` says what for.
    pub refresh: bool,
}

impl Difference {
    /// A difference of no field.
    pub fn new(name: impl Into<String>, before: impl Into<DiffValue>, after: impl Into<DiffValue>) -> Self {
        let (before, after) = (before.into(), after.into());
        let changes = before != after;
        Self { name: name.into(), field: None, before, after, changes, refresh: false }
    }
}

/// With `unknown`, `secret` and `refresh` where they are true.
impl Serialize for Difference {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let flags = [
            ("unknown", self.after == DiffValue::Unknown),
            ("secret", self.before == DiffValue::Secret || self.after == DiffValue::Secret),
            ("refresh", self.refresh),
        ];
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        if let Some(field) = &self.field {
            map.serialize_entry("field", field)?;
        }
        map.serialize_entry("before", &self.before)?;
        map.serialize_entry("after", &self.after)?;
        map.serialize_entry("changes", &self.changes)?;
        for (flag, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
            map.serialize_entry(flag, &true)?;
        }
        map.end()
    }
}
