//! Conversion of events and diagnostics to text, and output of the text.

mod activity;
pub(crate) mod diagnostics;
mod health;
mod human;
mod json;
mod printer;
mod progress;
pub(crate) mod schema_text;
mod steps;
#[cfg(any(feature = "http", feature = "plugins"))]
mod table;
mod unified_diff;

pub(crate) use self::unified_diff::unified;
pub(crate) use health::HealthSummary;
pub(crate) use human::{HumanView, explanation, output_lines, written};
pub(crate) use json::json_line;
pub(crate) use printer::{Printer, View};
#[cfg(feature = "http")]
pub(crate) use table::Column;
#[cfg(any(feature = "http", feature = "plugins"))]
pub(crate) use table::table;
