//! A target for any bytes as a stored resource, as its data, and as JSON or text of its parts.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::Duration;

use converge_controller::authorize::Policy;
use converge_controller::protobuf::Message as _;
use converge_controller::testing::{from_stored_bytes, to_stored_bytes};
use converge_controller::{
    Id, Name, Ref, Reference, Resource, Status, StoredEnum, StoredMessage, StoredOneof, StoredResource,
    Tenancy, Type, Uid, Version,
};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The genre of an album.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Unspecified = 0,
    Jazz = 5,
}

/// A track of an album, which may contain tracks.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    name: String,
    #[stored(tag = 2)]
    parts: Vec<Self>,
    #[stored(tag = 3)]
    refrain: Option<Box<Self>>,
}

/// One of several sources.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 17)]
    Text(String),
    #[stored(tag = 18)]
    Track(Track),
    #[stored(tag = 19)]
    Size(u64),
}

/// A resource with a field of every kind.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {
    #[stored(tag = 1)]
    sold: bool,
    #[stored(tag = 2)]
    number: i32,
    #[stored(tag = 3)]
    large: u64,
    #[stored(tag = 4)]
    weight: f64,
    #[stored(tag = 5)]
    blobs: Vec<Vec<u8>>,
    #[stored(tag = 6)]
    genres: Vec<Genre>,
    #[stored(tag = 7)]
    tracks: BTreeMap<String, Track>,
    #[stored(tag = 8)]
    length: Option<Duration>,
    #[stored(tag = 9)]
    released: Timestamp,
    #[stored(tag = 10)]
    artist: Option<Ref<Self>>,
    #[stored(tag = 11)]
    qux: Option<Id>,
    #[stored(tag = 12)]
    reference: Option<Reference>,
    #[stored(tag = 13)]
    resource_type: Option<Type>,
    #[stored(tag = 14)]
    tenancy: Option<Tenancy>,
    #[stored(tag = 15)]
    genre: Genre,
    #[stored(tag = 16)]
    prices: Vec<i64>,
    #[stored(oneof(17, 18, 19))]
    source: Option<Source>,
}

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(resource) = from_stored_bytes(bytes) {
        let copy = from_stored_bytes(&to_stored_bytes(&resource));
        assert_eq!(copy.as_ref(), Ok(&resource), "what is stored is what was read");
    }
    // The comparison is by bytes, because NaN differs from itself.
    if let Ok(album) = Album::decode(bytes) {
        let stored = album.encode_to_vec();
        let copy = Album::decode(&*stored);
        assert_eq!(copy.map(|album| album.encode_to_vec()), Ok(stored), "data are what they were");
    }
    json::<Resource>(bytes);
    json::<Status>(bytes);
    json::<Id>(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Policy::parse(text);
    parse::<Name>(text);
    parse::<Type>(text);
    parse::<Uid>(text);
    parse::<Version>(text);
}

/// Checks that a value parsed from JSON survives a round trip.
fn json<T: Serialize + DeserializeOwned + Debug + PartialEq>(bytes: &[u8]) {
    if let Ok(value) = serde_json::from_slice::<T>(bytes) {
        let round_trip = serde_json::to_vec(&value).map(|text| serde_json::from_slice::<T>(&text));
        assert!(
            matches!(&round_trip, Ok(Ok(again)) if *again == value),
            "{value:?} is written as {round_trip:?}"
        );
    }
}

/// Checks that a parsed value is displayed in a form that parses to the same value.
fn parse<T: FromStr + Display>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().to_lowercase(), text.to_lowercase());
    }
}
