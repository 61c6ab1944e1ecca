//! From events to text, and from text to standard output.

mod health;
mod human;
mod json;
mod printer;
mod progress;
mod sanitize;
mod stdout;
mod style;

pub(crate) use health::Checkup;
pub(crate) use human::{HumanView, explanation};
pub(crate) use json::{JsonView, json_line};
pub(crate) use printer::{Printer, View};
pub(crate) use sanitize::{sanitize, sanitize_line};
pub(crate) use stdout::Stdout;
pub(crate) use style::{ADD, BOLD, DIM, ERROR, HUNK, Paint, REMOVE, WARNING};
