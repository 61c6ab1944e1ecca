//! A sample crate with one document type.

use serde::{Deserialize, Serialize};

/// A document that names a file.
#[derive(Debug, Deserialize, Serialize)]
pub struct Touch {
    /// The file.
    pub path: String,
}

/// Parses the document.
pub fn read(text: &str) -> serde_json::Result<Touch> {
    serde_json::from_str(text)
}
