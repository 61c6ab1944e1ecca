//! A type generated from a `.proto` file equals the same type written in Rust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use converge_controller::protobuf::{Declaration, Files, Fixed, Message as _, Sint};
use converge_controller::{
    Condition, ConditionState, Data, Id, Ref, StoredEnum, StoredMessage, StoredOneof, StoredResource,
};
use converge_controller_build::Types;

/// The committed output of the generator; a test below checks that it is current.
#[expect(unreachable_pub, reason = "in a library they would be for everybody")]
mod generated {
    include!("types/stored.rs");
}

/// A work that somebody made.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, reserved(2, 50..=60), reserved_names("old"))]
struct Album {
    /// The name.
    #[stored(tag = 1)]
    title: String,
    #[stored(tag = 3)]
    genre: Genre,
    #[stored(tag = 4)]
    copies: Option<u32>,
    #[stored(tag = 5)]
    tracks: Vec<Track>,
    #[stored(tag = 6)]
    charts: BTreeMap<String, i64>,
    #[stored(tag = 7)]
    label: Option<Ref<Label>>,
    #[stored(tag = 8)]
    qux: Option<Id>,
    #[stored(tag = 9)]
    r#type: String,
    #[stored(tag = 10)]
    reviews: Vec<Condition>,
    #[stored(tag = 11)]
    sold_out: ConditionState,
    #[stored(tag = 12)]
    cover: Option<Data>,
    #[stored(tag = 13)]
    shift: Sint<i32>,
    #[stored(tag = 14)]
    shifts: Vec<Sint<i64>>,
    #[stored(tag = 15)]
    checksum: Fixed<u32>,
    #[stored(tag = 16)]
    digest: Option<Fixed<u64>>,
    #[stored(tag = 17)]
    by_offset: BTreeMap<Fixed<i32>, Fixed<i64>>,
    /// The place of the text.
    #[stored(oneof(18, 19, 20, 21, 22))]
    text_source: Option<TextSource>,
}

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum TextSource {
    /// Here.
    #[stored(tag = 18)]
    Text(String),
    #[stored(tag = 19)]
    Publisher(Ref<Label>),
    #[stored(tag = 20, name = "self")]
    Own(Track),
    #[stored(tag = 21, name = "page_2")]
    Page(u32),
    #[stored(tag = 22)]
    LastHit(Genre),
}

/// The seller.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = cluster)]
struct Label {}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    length: Duration,
    #[stored(tag = 2)]
    refrain: Option<Box<Self>>,
    #[stored(oneof(3, 4))]
    after: Option<TrackAfter>,
}

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum TrackAfter {
    #[stored(tag = 3)]
    Same(Box<Track>),
    #[stored(tag = 4)]
    Pause(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2", reserved(7))]
enum Genre {
    Unspecified = 0,
    /// Jazz and rock.
    JazzRock = 5,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/types")
}

#[test]
fn the_committed_types_are_what_is_generated() {
    let source = Types::new([folder()]).source(["converge/demo/v2/album.proto"]).unwrap();
    let path = folder().join("stored.rs");
    if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&path, &source).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(source, committed, "write {} with INSTA_UPDATE=always", path.display());
}

#[test]
fn the_messages_are_those_of_the_types_in_rust() {
    let generated = [
        Declaration::for_message::<generated::converge::demo::v2::Album>(),
        Declaration::for_message::<generated::converge::demo::v2::Label>(),
    ];
    let generated = Files::from_types(generated).unwrap();
    let written_files =
        Files::from_types([Declaration::for_message::<Album>(), Declaration::for_message::<Label>()])
            .unwrap();
    // The first line is dropped because it holds the Rust path of the type.
    let texts = |files: &Files| {
        files
            .iter()
            .map(|file| file.to_string().lines().skip(1).collect::<Vec<_>>().join("\n"))
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&generated), texts(&written_files));
    assert!(
        generated.descriptor_set() == written_files.descriptor_set(),
        "other bytes, though the texts are the same"
    );
    assert_eq!(generated::converge::demo::v2::Album::resource_type(), Album::resource_type());
    assert_eq!(generated::converge::demo::v2::Album::SCOPE, Album::SCOPE);
}

#[test]
fn what_one_writes_the_other_reads() {
    use generated::converge::demo::v2::{Album as Generated, AlbumTextSource, TrackAfter as GeneratedAfter};
    let album = Album {
        title: "Issues".to_owned(),
        text_source: Some(TextSource::Own(Track {
            after: Some(TrackAfter::Same(Box::default())),
            ..Track::default()
        })),
        ..Album::default()
    };
    let read = Generated::decode(album.encode_to_vec().as_slice()).unwrap();
    let Some(AlbumTextSource::Self_(own)) = &read.text_source else { panic!("{read:?}") };
    assert_eq!(own.after, Some(GeneratedAfter::Same(Box::default())));
    assert_eq!(Album::decode(read.encode_to_vec().as_slice()).unwrap(), album);
}

#[test]
fn what_has_no_counterpart_is_named() {
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let imports = "import \"converge/resource/annotations.proto\";";
        let file = format!("syntax = \"proto3\"; package converge.demo.v2; {imports} {text}");
        fs::write(folder.path().join("a.proto"), file).unwrap();
        let error = Types::new([folder.path()]).source(["a.proto"]).unwrap_err().to_string();
        assert_eq!(error, expect, "{text}");
    }
    let lacks = |what: &str, help: &str| {
        format!("converge.demo.v2.{what} has no counterpart in stored types: {help}")
    };
    check(
        "message A { oneof b { int32 c = 1; } } message AB {}",
        &lacks("A.b", "its enum would be called AB, as something else there: rename one of them"),
    );
    check("message A { message B {} }", &lacks("A.B", "write it beside the message that it is in"));
    check("enum E { NONE = 0; }", &lacks("NONE", "write a name in capitals that begins with E_"));
    check(
        "message Album { option (converge.resource.spec) = {}; }",
        &lacks("Album", "it has no scope: write `scope: SCOPE_NAMESPACE` in its spec"),
    );
    check(
        "message Album { option (converge.resource.spec) = { type: \"demo.v1.Album\" scope: SCOPE_CLUSTER }; }",
        &lacks(
            "Album",
            "its type is \"demo.v1.Album\", but the name of its message says \"demo.v2.Album\": write them alike",
        ),
    );
}

#[test]
fn a_resource_of_another_package_is_told_where_to_go() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "option (converge.resource.spec) = { scope: SCOPE_CLUSTER };";
    let imports = "import \"converge/resource/annotations.proto\";";
    let file = format!("syntax = \"proto3\"; package shop.v1; {imports} message Order {{ {spec} }}");
    fs::write(folder.path().join("a.proto"), file).unwrap();
    let error = Types::new([folder.path()]).source(["a.proto"]).unwrap_err();
    let expect = "shop.v1.Order has no counterpart in stored types: resources of shop.v1 are messages of the package \
                  converge.shop.v1";
    assert_eq!(error.to_string(), expect);
    // Cargo shows the `Debug` form of an error in a build script.
    assert_eq!(format!("{error:?}"), expect);
}

#[test]
fn packages_and_hooks_have_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let head = |package: &str| format!("syntax = \"proto3\"; package {package};");
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("a.proto", head("converge.a.v1") + "import \"b.proto\"; message Aa { converge.b.v1.Bb b = 1; }");
    write("b.proto", head("converge.b.v1") + "message Bb { int32 loop = 1; }");
    let source =
        Types::new([folder.path()]).with_hooks("converge.b.v1.Bb", "validate = check").source(["a.proto"]);
    let source = source.unwrap();
    for line in [
        "pub b: ::std::option::Option<super::super::super::converge::b::v1::Bb>,",
        "#[stored(package = \"converge.b.v1\", validate = check)]",
        "pub r#loop: i32,",
    ] {
        assert!(source.contains(line), "{line} in {source}");
    }
    assert_eq!(source.matches("pub mod converge {").count(), 1, "{source}");
}
