//! Tests with one message that has a field of every kind.

mod codec;
mod descriptors;
mod laws;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

use crate::protobuf::{Fixed, Sint};
use crate::{Id, Ref, Reference, StoredEnum, StoredMessage, StoredOneof, StoredResource, Tenancy, Type};

/// The sound of an album.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2", reserved(7, 9..=12), reserved_names("GENRE_SKIFFLE"))]
enum Genre {
    /// Loud.
    Metal = -1,
    Unspecified = 0,
    JazzRock = 5,
}

/// A label.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", kind = "RecordLabel", scope = cluster)]
struct Label {}

/// A part of an album, which may have parts.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    /// Its name.
    #[stored(tag = 1)]
    name: String,
    #[stored(tag = 2)]
    parts: Vec<Self>,
    #[stored(tag = 3)]
    refrain: Option<Box<Self>>,
}

/// The place of the sound.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    /// Raw bytes.
    #[stored(tag = 47)]
    Raw(Vec<u8>),
    #[stored(tag = 48)]
    Whole(Track),
    #[stored(tag = 100, name = "in_store")]
    Shop(Ref<Label>),
    #[stored(tag = 101)]
    Seconds(u32),
    #[stored(tag = 102)]
    Mood(Genre),
}

/// Everything that a field can be.
///
/// Also two paragraphs.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, reserved(2, 50..=60), reserved_names("old", "older"))]
struct Album {
    /// Whether it is sold.
    #[stored(tag = 1)]
    sold: bool,
    #[stored(tag = 3)]
    int32: i32,
    #[stored(tag = 4)]
    int64: i64,
    #[stored(tag = 5)]
    uint32: u32,
    #[stored(tag = 6)]
    uint64: u64,
    #[stored(tag = 7)]
    float: f32,
    #[stored(tag = 8)]
    double: f64,
    #[stored(tag = 9)]
    text: String,
    #[stored(tag = 10)]
    bytes: Vec<u8>,
    #[stored(tag = 11)]
    shared_bytes: Bytes,
    #[stored(tag = 12)]
    genre: Genre,
    #[stored(tag = 13)]
    track: Track,
    #[stored(tag = 14)]
    length: Duration,
    #[stored(tag = 15)]
    released: Timestamp,
    #[stored(tag = 16)]
    maybe_number: Option<u64>,
    #[stored(tag = 17)]
    maybe_text: Option<String>,
    #[stored(tag = 18)]
    maybe_genre: Option<Genre>,
    #[stored(tag = 19)]
    maybe_track: Option<Track>,
    #[stored(tag = 20)]
    maybe_length: Option<Duration>,
    #[stored(tag = 21)]
    label: Option<Ref<Label>>,
    #[stored(tag = 22)]
    qux: Option<Id>,
    #[stored(tag = 23)]
    reference: Option<Reference>,
    #[stored(tag = 24)]
    resource_type: Option<Type>,
    #[stored(tag = 25)]
    tenancy: Option<Tenancy>,
    #[stored(tag = 26)]
    numbers: Vec<i32>,
    #[stored(tag = 27)]
    doubles: Vec<f64>,
    #[stored(tag = 28)]
    texts: Vec<String>,
    #[stored(tag = 29)]
    blobs: Vec<Vec<u8>>,
    #[stored(tag = 30)]
    genres: Vec<Genre>,
    #[stored(tag = 31)]
    tracks: Vec<Track>,
    #[stored(tag = 32)]
    labels: Vec<Ref<Label>>,
    #[stored(tag = 33)]
    times: Vec<Timestamp>,
    #[stored(tag = 34)]
    track_lengths: BTreeMap<String, u32>,
    #[stored(tag = 35)]
    by_number: BTreeMap<i64, Track>,
    #[stored(tag = 36)]
    by_truth: BTreeMap<bool, Genre>,
    #[stored(tag = 37)]
    ids: BTreeMap<u32, Id>,
    #[stored(tag = 38)]
    owners: BTreeMap<String, Ref<Label>>,
    #[stored(tag = 39)]
    sint32: Sint<i32>,
    #[stored(tag = 40)]
    sint64: Option<Sint<i64>>,
    #[stored(tag = 41)]
    fixed32: Fixed<u32>,
    #[stored(tag = 42)]
    fixed64: Vec<Fixed<u64>>,
    #[stored(tag = 43)]
    sfixed32: Vec<Fixed<i32>>,
    #[stored(tag = 44)]
    sfixed64: Fixed<i64>,
    #[stored(tag = 45)]
    by_sint: BTreeMap<Sint<i64>, Sint<i32>>,
    #[stored(tag = 46)]
    by_fixed: BTreeMap<Fixed<u32>, String>,
    /// The place,
    /// one of these.
    #[stored(oneof(47, 48, 100, 101, 102))]
    source: Option<Source>,
    #[stored(tag = 49)]
    after: Option<u32>,
    #[stored(tag = 536_870_911)]
    r#type: String,
}
