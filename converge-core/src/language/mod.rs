//! What is written within a value: templates in strings, and expressions without quotes.

pub mod expression;
pub mod template;
