//! The language of a text, by its file name or content.

use std::path::Path;

use clap::ValueEnum;

/// The languages that resources are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    // Doc comments would turn the list of values in the help into a paragraph that adds nothing.
    Hcl,
    Yaml,
    Json,
}

impl Language {
    /// Returns the language of a file by its extension.
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "hcl" => Some(Self::Hcl),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Guesses the language of a text by its first significant line.
    pub(crate) fn from_content(text: &str) -> Self {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(['#', '/']));
        let first = first.unwrap_or_default();
        let is_key = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '"');
        if first.starts_with(['{', '[']) {
            Self::Json
        } else if first.starts_with("---") || first.starts_with("- ") || first.starts_with('%') {
            Self::Yaml
        } else {
            match first.split_once(':') {
                Some((name, _)) if is_key(name) => Self::Yaml,
                _ => Self::Hcl,
            }
        }
    }
}
