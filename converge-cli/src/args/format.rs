//! The `--format` option.

use clap::ValueEnum;

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Human,
    /// JSON for programs: one object on each line
    Json,
}
