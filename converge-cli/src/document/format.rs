//! In which language a text is.

use std::path::Path;

use clap::ValueEnum;

/// The languages in which resources are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    // No docs: they would turn the list of values in the help into a paragraph that says nothing new.
    Hcl,
    Yaml,
    Json,
}

impl Language {
    /// The language that a file has by its name.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "hcl" => Some(Self::Hcl),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The language that a text seems to have, by its first line that says something.
    pub(crate) fn of_text(text: &str) -> Self {
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
