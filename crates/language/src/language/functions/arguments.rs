//! Arguments and results of functions.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::types::scope::Scope;
use crate::types::value::{Value, ValueMap};

use super::error::FunctionError;
use crate::language::actual_value::Actual;
use crate::language::budget::StepBudget;
use crate::language::convert::{self, Number};
use crate::language::error::LanguageErrorKind as Kind;
use crate::language::operand::Operand;

/// The mark that some programs write at the beginning of a text file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The result of a function. The caller marks it as secret if an argument that the function reads is.
pub(crate) type FunctionResult = Result<Value, FunctionError>;

/// The arguments of one call. They are known, as deep as the function reads them.
pub(crate) struct Args<'c> {
    pub(super) function: &'static str,
    pub(super) values: Vec<Operand<'c>>,
    pub(crate) scope: &'c dyn Scope,
    pub(crate) budget: &'c StepBudget<'c>,
}

impl<'c> Args<'c> {
    pub(crate) fn new(
        function: &'static str,
        values: Vec<Operand<'c>>,
        scope: &'c dyn Scope,
        budget: &'c StepBudget<'c>,
    ) -> Self {
        Self { function, values, scope, budget }
    }

    /// Returns the empty buffer of the arguments for another call.
    pub(crate) fn into_buffer<'o>(mut self) -> Vec<Operand<'o>> {
        self.values.clear();
        // Collecting the empty iterator changes the lifetime and keeps the allocation.
        self.values.into_iter().map(|_| Operand::Owned(Value::Null)).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the argument at `index`, or null if there is none.
    pub(super) fn get(&self, index: usize) -> &Value {
        const NULL: &Value = &Value::Null;
        self.values.get(index).map_or(NULL, |operand| operand)
    }

    pub(crate) fn is_null(&self, index: usize) -> bool {
        matches!(self.get(index), Value::Null)
    }

    /// Takes the argument at `index` and leaves null.
    pub(super) fn take(&mut self, index: usize) -> Result<Value, FunctionError> {
        let Some(place) = self.values.get_mut(index) else { return Ok(Value::Null) };
        Ok(std::mem::replace(place, Operand::Owned(Value::Null)).into_owned(self.budget)?)
    }

    pub(crate) fn text(&self, index: usize) -> Result<Arc<str>, FunctionError> {
        let text = convert::text(self.get(index)).ok_or_else(|| self.wrong(index, "a string"))?;
        self.budget.spend_bytes(text.len())?;
        Ok(text)
    }

    /// Returns the text of a document without the byte order mark that it may begin with.
    pub(super) fn document(&self, index: usize) -> Result<Arc<str>, FunctionError> {
        let text = self.text(index)?;
        Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(content) => content.into(),
            None => text,
        })
    }

    pub(super) fn number(&self, index: usize) -> Result<Number, FunctionError> {
        convert::number(self.get(index)).ok_or_else(|| self.wrong(index, "a number"))
    }

    pub(super) fn int(&self, index: usize) -> Result<i64, FunctionError> {
        match convert::number(self.get(index)) {
            Some(Number::Int(value)) => Ok(value),
            _ => Err(self.wrong(index, "a whole number")),
        }
    }

    pub(super) fn list(&self, index: usize) -> Result<&[Value], FunctionError> {
        match self.get(index) {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong(index, "a list")),
        }
    }

    pub(super) fn map(&self, index: usize) -> Result<&IndexMap<String, Value>, FunctionError> {
        match self.get(index) {
            Value::Map(items) => Ok(items),
            _ => Err(self.wrong(index, "a map")),
        }
    }

    pub(super) fn take_list(&mut self, index: usize) -> Result<Vec<Value>, FunctionError> {
        self.list(index)?;
        match self.take(index)? {
            Value::List(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn take_map(&mut self, index: usize) -> Result<ValueMap<Value>, FunctionError> {
        self.map(index)?;
        match self.take(index)? {
            Value::Map(items) => Ok(items),
            _ => Ok(ValueMap::default()),
        }
    }

    /// Returns the items of a list as text.
    pub(super) fn texts(&self, index: usize) -> Result<Vec<Arc<str>>, FunctionError> {
        let items = self.list(index)?;
        self.budget.spend_text(self.get(index))?;
        let texts = items.iter().enumerate().map(|(at, item)| {
            convert::text(item).ok_or_else(|| {
                self.refuse_at(index, format!("the item {at} must be a string, not {}", item.kind()))
            })
        });
        texts.collect()
    }

    /// Returns the text of the file that an argument names.
    pub(crate) fn read(&self, index: usize) -> Result<Arc<str>, FunctionError> {
        let path = self.text(index)?;
        let text =
            self.scope.read(&path).map_err(|error| FunctionError::from(Kind::from(error)).at(index))?;
        self.budget.spend_bytes(text.len())?;
        Ok(text)
    }

    /// Returns the error for an argument of the wrong kind.
    pub(super) fn wrong(&self, index: usize, expected: &'static str) -> FunctionError {
        wrong(self.function, index, expected, convert::actual(self.get(index)))
    }

    /// Returns an error with this message.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> FunctionError {
        Kind::Call { function: self.function, message: message.into() }.into()
    }

    /// Returns an error with this message about one argument.
    pub(super) fn refuse_at(&self, index: usize, message: impl Into<String>) -> FunctionError {
        self.refuse(message).at(index)
    }
}

pub(super) fn wrong(
    function: &'static str,
    index: usize,
    expected: &'static str,
    found: Actual,
) -> FunctionError {
    FunctionError::from(Kind::Argument { function, expected, found }).at(index)
}

/// Converts a length to a value.
pub(super) fn length(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}

/// Returns a list of texts.
pub(super) fn list_of<T: Into<Arc<str>>>(texts: impl IntoIterator<Item = T>) -> Value {
    Value::List(texts.into_iter().map(Value::string).collect())
}
