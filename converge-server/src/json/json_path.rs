//! Places in a body, so that whoever wrote it as another text can be told where in that text something is wrong.

use std::fmt::Write as _;

use converge_controller::validation::Step;
use serde::Serialize;
use serde_path_to_error::Segment;

/// From the outside in.
pub(crate) type Path = Vec<Place>;

/// A step on the way to a place: `["data", "tracks", 1, "name"]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Place {
    /// The value of a field, or what a map has under a key.
    Name(String),
    /// An element of a list.
    Index(usize),
}

/// Where a hook of a type found something in the data.
pub(crate) fn path_of(steps: &[Step]) -> Path {
    let steps = steps.iter().map(|step| match step {
        Step::Field(name) => Place::Name(name.clone().into_owned()),
        Step::Element(index) => Place::Index(*index),
        Step::Key(key) | Step::Value(key) => Place::Name(key.clone()),
    });
    [Place::Name("data".to_owned())].into_iter().chain(steps).collect()
}

/// Where reading came to its end, in this field of the body or in the body itself.
pub(crate) fn place_of(field: Option<&str>, path: &serde_path_to_error::Path) -> Path {
    let places = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(Place::Index(*index)),
        Segment::Map { key } => Some(Place::Name(key.clone())),
        Segment::Enum { variant } => Some(Place::Name(variant.clone())),
        // It is not known where, only that it is further in.
        Segment::Unknown => None,
    });
    field.map(|name| Place::Name(name.to_owned())).into_iter().chain(places).collect()
}

/// The place for people, before what is said of it: `tracks[1].name: `. Nothing for the data as a whole.
pub(super) fn shown(path: &[Place]) -> String {
    let mut text = String::new();
    // The first is `data`, which the sentence says.
    for place in path.iter().skip(1) {
        // Writing to text does not fail.
        let _ = match place {
            Place::Name(name) if text.is_empty() => write!(text, "{name}"),
            Place::Name(name) => write!(text, ".{name}"),
            Place::Index(index) => write!(text, "[{index}]"),
        };
    }
    if text.is_empty() { text } else { text + ": " }
}
