//! Differences between the actual and the declared state.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::SerializeMap as _;

use crate::sdk::status::DiffValue;

/// A difference between the actual and the declared state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the differing value: `mode`, `UID`, `env.PATH`.
    pub name: String,
    /// The field of the resource that the difference belongs to.
    pub field: Option<Cow<'static, str>>,
    /// The actual value.
    pub before: DiffValue,
    /// The declared value.
    pub after: DiffValue,
    /// Whether the two values differ.
    pub changes: bool,
    /// Whether the difference represents a refresh instead of a value. `after` is then its cause.
    pub refresh: bool,
}

impl Difference {
    /// Creates a difference that belongs to no field.
    pub fn new(name: impl Into<String>, before: impl Into<DiffValue>, after: impl Into<DiffValue>) -> Self {
        let (before, after) = (before.into(), after.into());
        let changes = before != after;
        Self { name: name.into(), field: None, before, after, changes, refresh: false }
    }
}

/// Includes `unknown`, `secret` and `refresh` only where they are true.
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
