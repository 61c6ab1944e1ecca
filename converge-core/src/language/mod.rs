//! What is written within a value: templates in strings, and expressions without quotes.

pub mod expression;
pub mod template;

pub use crate::types::base_path::BasePath;
pub use crate::types::budget::{WorkBudget, WorkLimits};
