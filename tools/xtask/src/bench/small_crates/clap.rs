//! A sample crate with one command line.

use clap::Parser;

/// Makes sure that a file exists.
#[derive(Debug, Parser)]
pub struct Touch {
    /// The file.
    #[arg(long)]
    pub path: String,
}
