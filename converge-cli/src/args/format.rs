//! `--format`.

use clap::ValueEnum;

/// How to write the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs: one JSON object on each line.
    Json,
}
