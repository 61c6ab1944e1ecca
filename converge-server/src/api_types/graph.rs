//! The formats of a dependency graph.

use clap::ValueEnum;
use converge_controller::runtime::Dependencies;
use serde::{Deserialize, Serialize};

/// The format of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GraphFormat {
    // These variants have no docs, which would turn the list of values in the help into a paragraph.
    #[default]
    Mermaid,
    Dot,
}

impl GraphFormat {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Mermaid => "mermaid",
            Self::Dot => "dot",
        }
    }

    pub(crate) fn draw(self, dependencies: &Dependencies) -> String {
        match self {
            Self::Mermaid => dependencies.to_mermaid(),
            Self::Dot => dependencies.to_dot(),
        }
    }
}
