//! The documentation of types, as comments of a `.proto` file.

use super::Declaration;
use super::files::File;
use super::wire::{Location, SourceInfo};

// These are field numbers in `google/protobuf/descriptor.proto`.
const MESSAGES: i32 = 4;
const ENUMS: i32 = 5;
const FIELDS: i32 = 2;
const ONEOFS: i32 = 8;
const VALUES: i32 = 2;

/// Returns the comments of a file, in the order of its descriptor, or `None` if it has none.
pub(super) fn source_info(file: &File) -> Option<SourceInfo> {
    let mut location = Vec::new();
    let (mut messages, mut enums) = (0.., 0..);
    for declaration in &file.declarations {
        match declaration {
            Declaration::Message(message) => {
                let path = [MESSAGES, messages.next().unwrap_or_default()];
                location.extend(comment(&path, message.doc));
                for (index, field) in (0..).zip(&message.fields) {
                    location.extend(comment(&[path[0], path[1], FIELDS, index], field.doc));
                }
                for (index, oneof) in (0..).zip(&message.oneofs) {
                    location.extend(comment(&[path[0], path[1], ONEOFS, index], oneof.doc));
                }
            }
            Declaration::Enum(it) => {
                let path = [ENUMS, enums.next().unwrap_or_default()];
                location.extend(comment(&path, it.doc));
                for (index, value) in (0..).zip(it.in_order()) {
                    location.extend(comment(&[path[0], path[1], VALUES, index], value.doc));
                }
            }
        }
    }
    (!location.is_empty()).then_some(SourceInfo { location })
}

/// Returns a comment in the format of compilers: the text after `//` of each line.
fn comment(path: &[i32], doc: &str) -> Option<Location> {
    if doc.is_empty() {
        return None;
    }
    let space = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!(" {line}\n") };
    let leading_comments = Some(doc.lines().map(space).collect());
    // A location has three numbers for its position in a text, but there is no text.
    Some(Location { path: path.to_vec(), span: vec![0; 3], leading_comments })
}
