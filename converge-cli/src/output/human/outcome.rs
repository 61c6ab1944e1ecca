//! The sign, colour and word of an outcome.

use anstyle::Style;
use converge_core::engine::Outcome;

use crate::console::{ADD, CHANGE, DIM, ERROR};

/// Returns the sign before the line of a resource, its colour, and the outcome in words.
pub(super) fn outcome(outcome: Outcome) -> (&'static str, Style, &'static str) {
    match outcome {
        Outcome::WillChange => ("+", CHANGE, "will change"),
        Outcome::MayChange => ("~", CHANGE, "may change"),
        Outcome::Changed => ("+", ADD, "changed"),
        Outcome::Failed => ("!", ERROR, "failed"),
        Outcome::Skipped => ("-", DIM, "skipped"),
        Outcome::NotRun => ("-", DIM, "not run"),
        Outcome::NotTaken => ("-", DIM, "not taken"),
        // An outcome of a later version of the engine has no better word here.
        _ => ("=", DIM, "unchanged"),
    }
}
