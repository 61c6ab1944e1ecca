//! What programs read: one JSON object on each line.

use serde::Serialize;

pub(crate) fn json_line(data: &impl Serialize) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(data)?;
    line.push('\n');
    Ok(line)
}
