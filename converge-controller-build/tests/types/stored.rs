// Made by converge-controller-build of .proto files. Change these, not this.

pub mod converge {
pub mod demo {
pub mod v2 {
/// A work that somebody made.
#[derive(Clone, Debug, Default, PartialEq, ::converge_controller::StoredResource)]
#[stored(group = "demo", version = "v2", kind = "Album", scope = namespace, reserved(2, 50..=60), reserved_names("old"))]
pub struct Album {
    /// The name.
    #[stored(tag = 1)]
    pub title: ::std::string::String,
    #[stored(tag = 3)]
    pub genre: Genre,
    #[stored(tag = 4)]
    pub copies: ::std::option::Option<u32>,
    #[stored(tag = 5)]
    pub tracks: ::std::vec::Vec<Track>,
    #[stored(tag = 6)]
    pub charts: ::std::collections::BTreeMap<::std::string::String, i64>,
    #[stored(tag = 7)]
    pub label: ::std::option::Option<::converge_controller::Ref<Label>>,
    #[stored(tag = 8)]
    pub qux: ::std::option::Option<::converge_controller::Id>,
    #[stored(tag = 9)]
    pub r#type: ::std::string::String,
    #[stored(tag = 10)]
    pub reviews: ::std::vec::Vec<::converge_controller::Condition>,
    #[stored(tag = 11)]
    pub sold_out: ::converge_controller::ConditionState,
    #[stored(tag = 12)]
    pub cover: ::std::option::Option<::converge_controller::Data>,
    #[stored(tag = 13)]
    pub shift: ::converge_controller::protobuf::Sint<i32>,
    #[stored(tag = 14)]
    pub shifts: ::std::vec::Vec<::converge_controller::protobuf::Sint<i64>>,
    #[stored(tag = 15)]
    pub checksum: ::converge_controller::protobuf::Fixed<u32>,
    #[stored(tag = 16)]
    pub digest: ::std::option::Option<::converge_controller::protobuf::Fixed<u64>>,
    #[stored(tag = 17)]
    pub by_offset: ::std::collections::BTreeMap<::converge_controller::protobuf::Fixed<i32>, ::converge_controller::protobuf::Fixed<i64>>,
    /// The place of the text.
    #[stored(oneof(18, 19, 20, 21, 22))]
    pub text_source: ::std::option::Option<AlbumTextSource>,
}

/// One of the fields `text_source` of `Album`.
#[derive(Clone, Debug, PartialEq, ::converge_controller::StoredOneof)]
pub enum AlbumTextSource {
    /// Here.
    #[stored(tag = 18)]
    Text(::std::string::String),
    #[stored(tag = 19)]
    Publisher(::converge_controller::Ref<Label>),
    #[stored(tag = 20, name = "self")]
    Self_(Track),
    #[stored(tag = 21, name = "page_2")]
    Page2(u32),
    #[stored(tag = 22)]
    LastHit(Genre),
}

/// The seller.
#[derive(Clone, Debug, Default, PartialEq, ::converge_controller::StoredResource)]
#[stored(group = "demo", version = "v2", kind = "Label", scope = cluster)]
pub struct Label {
}

#[derive(Clone, Debug, Default, PartialEq, ::converge_controller::StoredMessage)]
#[stored(package = "converge.demo.v2")]
pub struct Track {
    #[stored(tag = 1)]
    pub length: ::std::option::Option<::std::time::Duration>,
    #[stored(tag = 2)]
    pub refrain: ::std::option::Option<::std::boxed::Box<Track>>,
    #[stored(oneof(3, 4))]
    pub after: ::std::option::Option<TrackAfter>,
}

/// One of the fields `after` of `Track`.
#[derive(Clone, Debug, PartialEq, ::converge_controller::StoredOneof)]
pub enum TrackAfter {
    #[stored(tag = 3)]
    Same(::std::boxed::Box<Track>),
    #[stored(tag = 4)]
    Pause(::std::time::Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ::converge_controller::StoredEnum)]
#[stored(package = "converge.demo.v2", reserved(7))]
pub enum Genre {
    Unspecified = 0,
    /// Jazz and rock.
    JazzRock = 5,
}

}
}
}
