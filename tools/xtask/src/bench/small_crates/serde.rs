//! A crate with one document.

use serde::{Deserialize, Serialize};

/// Makes sure that a file exists.
#[derive(Debug, Deserialize, Serialize)]
pub struct Touch {
    /// The file.
    pub path: String,
}

/// The document.
pub fn read(text: &str) -> serde_json::Result<Touch> {
    serde_json::from_str(text)
}
