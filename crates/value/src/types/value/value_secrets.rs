//! Redaction of secret values.

use super::Value;
use crate::redact::REDACTED;
use crate::redact::Redactor;

impl Redactor {
    /// Redacts a value from now on.
    ///
    /// Texts and numbers are redacted as a whole, lists and maps with every item but without the names.
    ///
    /// Returns whether all of the value can be redacted. Empty and null values are not secrets. A boolean
    /// counts as redacted, although no text can be searched for.
    ///
    /// ```
    /// use converge_core::Redactor;
    /// use converge_core::value::Value;
    ///
    /// let redactor = Redactor::new();
    /// assert!(redactor.hide_value(&Value::from(["hunter2", "hunter3"].to_vec())));
    /// assert_eq!(redactor.redact("not hunter3"), "not (sensitive)");
    /// assert!(!redactor.hide_value(&Value::from(12)));
    /// ```
    pub fn hide_value(&self, value: &Value) -> bool {
        let hide_or_announce = |text: &str| {
            let hidden = self.hide(text);
            if !hidden {
                self.announce();
            }
            hidden
        };
        match value {
            Value::Null | Value::Unknown(_) => true,
            Value::Bool(_) => {
                self.announce();
                true
            }
            Value::Int(value) => hide_or_announce(&value.to_string()),
            Value::Float(value) => hide_or_announce(&value.to_string()),
            Value::String(text) => text.trim().is_empty() || hide_or_announce(text),
            Value::List(items) => self.hide_all(items.iter()),
            Value::Map(items) => self.hide_all(items.values()),
            Value::Secret(secret) => self.hide_value(secret.expose()),
        }
    }

    fn hide_all<'a>(&self, values: impl Iterator<Item = &'a Value>) -> bool {
        let mut all_hidden = true;
        for value in values {
            all_hidden &= self.hide_value(value);
        }
        all_hidden
    }

    #[doc(hidden)]
    pub fn hide_secrets_in(&self, value: &Value) {
        match value {
            Value::Secret(secret) => {
                self.hide_value(secret.expose());
            }
            Value::List(items) => items.iter().for_each(|item| self.hide_secrets_in(item)),
            Value::Map(items) => items.values().for_each(|item| self.hide_secrets_in(item)),
            _ => {}
        }
    }

    /// Marks every text in a value that contains a secret as secret.
    #[doc(hidden)]
    pub fn mark_in(&self, value: &mut Value) {
        match value {
            Value::String(text) if self.is_in(text) => *value = std::mem::take(value).into_secret(),
            // A number is marked only if it equals a secret, because shared digits are coincidence.
            Value::Int(_) | Value::Float(_) if self.redact(&value.to_string()) == REDACTED => {
                *value = std::mem::take(value).into_secret();
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.mark_in(item)),
            Value::Map(items) => items.values_mut().for_each(|item| self.mark_in(item)),
            _ => {}
        }
    }
}
