//! Template values of every kind and state.

use std::sync::Arc;

use converge_core::language::template::{Each, Scope, ScopeError};
use converge_core::system::Platform;
use converge_core::value::Value;

/// A scope with the same values in every run.
pub(crate) struct Fixed {
    platform: Platform,
    each: Each,
}

impl Default for Fixed {
    fn default() -> Self {
        Self {
            platform: Platform::new("linux"),
            each: Each { key: Arc::from("key"), value: Value::string("value") },
        }
    }
}

impl Scope for Fixed {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        Ok(match name.len() % 7 {
            0 => Value::string("a, b"),
            1 => Value::from(7i64),
            2 => Value::from(true),
            3 => Value::from(vec![Value::string("x"), Value::from(1.5)]),
            4 => Value::unknown(name),
            5 => Value::string(name).into_secret(),
            _ => return Err(ScopeError::Message(format!("no {name}"))),
        })
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.param(path)
    }

    fn env(&self, name: &str) -> String {
        name.to_lowercase()
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        self.param(field)
    }

    fn each(&self) -> Option<&Each> {
        Some(&self.each)
    }
}
