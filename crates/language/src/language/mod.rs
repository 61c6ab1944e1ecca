//! The languages inside values: templates in strings, and expressions without quotes.

mod actual_value;
#[doc(hidden)]
pub mod budget;
mod call_error;
mod convert;
mod data;
mod error;
pub mod expression;
mod functions;
mod go_format;
mod operand;
mod taint;
pub mod template;

pub use self::budget::OutOfSteps;
pub use self::call_error::CallError;
pub use self::error::{LanguageError, LanguageErrorKind};
#[doc(hidden)]
pub use self::functions::decode_yaml;
#[doc(hidden)]
pub use self::functions::foreign_functions::in_expression as name_elsewhere;
pub use crate::types::base_path::BasePath;
pub use crate::types::budget::WorkBudget;
pub use crate::types::limits::WorkLimits;
