//! Places in a body, so that a client can map an error to the text from which it created the body.

use std::fmt::Write as _;

use converge_controller::validation::Step;
use serde::Serialize;
use serde_path_to_error::Segment;

/// The path to a place, from the outside in.
pub(crate) type Path = Vec<Place>;

/// A step of a path: `["data", "tracks", 1, "name"]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Place {
    /// A field of an object, or a key of a map.
    Name(String),
    /// An element of a list.
    Index(usize),
}

/// Converts the steps of a validation error to a path within the data.
pub(crate) fn path_of(steps: &[Step]) -> Path {
    let steps = steps.iter().map(|step| match step {
        Step::Field(name) => Place::Name(name.clone().into_owned()),
        Step::Element(index) => Place::Index(*index),
        Step::Key(key) | Step::Value(key) => Place::Name(key.clone()),
    });
    [Place::Name("data".to_owned())].into_iter().chain(steps).collect()
}

/// Converts the place of a parse error, in this field of the body or in the body itself.
pub(crate) fn place_of(field: Option<&str>, path: &serde_path_to_error::Path) -> Path {
    let places = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(Place::Index(*index)),
        Segment::Map { key } => Some(Place::Name(key.clone())),
        Segment::Enum { variant } => Some(Place::Name(variant.clone())),
        // The parser does not know this step, only that the place is deeper.
        Segment::Unknown => None,
    });
    field.map(|name| Place::Name(name.to_owned())).into_iter().chain(places).collect()
}

/// Formats the place as a message prefix: `tracks[1].name: `.
///
/// The data as a whole give an empty text.
pub(super) fn shown(path: &[Place]) -> String {
    let mut text = String::new();
    // The first step is `data`, which the message names.
    for place in path.iter().skip(1) {
        // Writing to a string cannot fail.
        let _ = match place {
            Place::Name(name) if text.is_empty() => write!(text, "{name}"),
            Place::Name(name) => write!(text, ".{name}"),
            Place::Index(index) => write!(text, "[{index}]"),
        };
    }
    if text.is_empty() { text } else { text + ": " }
}
