//! Tests of the generated files, also with other protobuf tools.

use std::path::Path;

use prost::Message;
use prost_reflect::DescriptorPool;
use protox::file::{
    ChainFileResolver, File as ProtoFile, FileResolver, GoogleFileResolver, IncludeFileResolver,
};

use super::*;
use crate::protobuf::descriptor::{FileProto, FileSet};
use crate::protobuf::{
    Breaking, Declaration, DescriptorError, FieldDescriptor, FieldType, Files, Label, Link,
    MessageDescriptor, Reserved, Shape,
};

const IMPORTED: [&str; 5] = [
    "google/protobuf/descriptor.proto",
    "google/protobuf/any.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/timestamp.proto",
    "converge/resource/annotations.proto",
];

fn files() -> Files {
    Files::from_types([Declaration::for_message::<Album>()]).unwrap()
}

/// Compiles generated files and their imports with an independent compiler.
fn compile(files: &Files, paths: &[&str]) -> Vec<u8> {
    compile_with(files, paths, false)
}

fn compile_with(files: &Files, paths: &[&str], comments: bool) -> Vec<u8> {
    compile_texts(files.iter().map(|file| (file.path.clone(), file.to_string())).collect(), paths, comments)
}

fn compile_texts(texts: BTreeMap<String, String>, paths: &[&str], comments: bool) -> Vec<u8> {
    /// Texts by path.
    struct Texts(BTreeMap<String, String>);

    impl FileResolver for Texts {
        fn open_file(&self, name: &str) -> Result<ProtoFile, protox::Error> {
            match self.0.get(name) {
                Some(text) => ProtoFile::from_source(name, text),
                None => Err(protox::Error::file_not_found(name)),
            }
        }
    }

    let mut resolver = ChainFileResolver::new();
    resolver.add(Texts(texts));
    resolver.add(IncludeFileResolver::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("proto")));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(comments);
    compiler.open_files(paths).unwrap();
    compiler.encode_file_descriptor_set()
}

#[test]
fn what_is_imported_is_what_a_compiler_makes_of_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protobuf/descriptor/imported.binpb");
    let compiled = compile(&Files::default(), &IMPORTED);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&path, &compiled).unwrap();
    }
    assert!(
        Files::default().descriptor_set() == compiled,
        "{} is old: write it with INSTA_UPDATE=always",
        path.display()
    );
}

#[test]
fn the_text_says_what_the_descriptor_says() {
    let files = files();
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    let compiled = FileSet::decode(compile(&files, &paths).as_slice()).unwrap();
    for file in files.iter() {
        let ours = FileProto::decode(file.descriptor().as_slice()).unwrap();
        let ours = FileProto { source_code_info: None, ..ours };
        let theirs = compiled.file.iter().find(|theirs| theirs.name == file.path).unwrap();
        assert_eq!(ours, *theirs, "{file}");
    }
}

#[test]
fn documentation_is_in_the_descriptors_as_a_compiler_has_comments() {
    let files = files();
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    let compiled = FileSet::decode(compile_with(&files, &paths, true).as_slice()).unwrap();
    let comments = |file: FileProto| {
        let locations = file.source_code_info.unwrap_or_default().location.into_iter();
        let commented = locations.filter_map(|location| Some((location.path, location.leading_comments?)));
        // The comment above the first line belongs to the file, not to a type.
        commented.filter(|(path, _)| path.len() > 1).collect::<BTreeMap<Vec<i32>, String>>()
    };
    let mut total = 0;
    for file in files.iter() {
        let ours = comments(FileProto::decode(file.descriptor().as_slice()).unwrap());
        let theirs = compiled.file.iter().find(|theirs| theirs.name == file.path).unwrap();
        assert_eq!(ours, comments(theirs.clone()), "{file}");
        total += ours.len();
    }
    assert!(total > 5, "{total} comments");
    let pool = DescriptorPool::decode(files.descriptor_set().as_slice()).unwrap();
    let album = pool.get_message_by_name("converge.demo.v2.Album").unwrap().parent_file();
    let info = album.file_descriptor_proto().source_code_info.as_ref().unwrap();
    assert_eq!(
        info.location[0].leading_comments(),
        " Everything that a field can be.\n\n Also two paragraphs.\n"
    );
}

#[test]
fn a_set_is_whole() {
    let pool = DescriptorPool::decode(files().descriptor_set().as_slice()).unwrap();
    let album = pool.get_message_by_name("converge.demo.v2.Album").unwrap();
    let spec = pool.get_extension_by_name("converge.resource.spec").unwrap();
    let options = album.options();
    let spec = options.get_extension(&spec);
    let field = |name: &str| spec.as_message().unwrap().get_field_by_name(name).unwrap().into_owned();
    assert_eq!((field("type").as_str(), field("scope").as_enum_number()), (Some("demo.v2.Album"), Some(3)));
    let refers_to = pool.get_extension_by_name("converge.resource.refers_to").unwrap();
    let label = album.get_field_by_name("label").unwrap().options();
    assert_eq!(label.get_extension(&refers_to).as_str(), Some("demo.v2.RecordLabel"));
    assert_eq!(album.reserved_names().collect::<Vec<_>>(), ["old", "older"]);
}

#[test]
fn texts() {
    let texts: Vec<_> = files().iter().map(|file| format!("// {}\n{file}", file.path)).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("files", texts.join("\n"));
    });
}

/// Returns a message descriptor with these fields that no derive has checked.
fn message(
    package: &'static str,
    name: &'static str,
    rust_name: &'static str,
    fields: &[FieldType],
) -> Declaration {
    let field = |(at, ty): (usize, &FieldType)| FieldDescriptor {
        name: "field",
        number: u32::try_from(at).unwrap() + 1,
        doc: "",
        shape: Shape { label: Label::Optional, ty: *ty },
        oneof: None,
    };
    Declaration::Message(MessageDescriptor {
        package,
        name,
        rust_name,
        doc: "",
        fields: fields.iter().enumerate().map(field).collect(),
        oneofs: Vec::new(),
        reserved: Reserved::default(),
        resource: None,
    })
}

fn link(package: &'static str, name: &'static str, declaration: fn() -> Declaration) -> FieldType {
    FieldType::Message(Link { package, name, declaration })
}

fn inner() -> Declaration {
    message("b.v1", "Inner", "b::Inner", &[link("a.v1", "Outer", outer)])
}

fn outer() -> Declaration {
    message("a.v1", "Outer", "a::Outer", &[link("b.v1", "Inner", inner)])
}

fn zig() -> Declaration {
    message("a.v1", "Zig", "a::Zig", &[link("a.v1", "Zag", zag)])
}

fn zag() -> Declaration {
    message("a.v1", "Zag", "a::Zag", &[link("a.v1", "Zig", zig)])
}

#[test]
fn messages_that_hold_each_other_share_a_file() {
    let files = Files::from_types([zig()]).unwrap();
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a/v1/zag.proto"]);
    assert!(files.get("a/v1/zag.proto").unwrap().imports.is_empty());
}

#[test]
fn what_cannot_stand_side_by_side_is_refused() {
    #[track_caller]
    fn check(types: &[Declaration], expect: &str) {
        let error: DescriptorError = Files::from_types(types.iter().cloned()).unwrap_err();
        assert_eq!(error.to_string(), expect);
    }
    check(
        &[message("a.v1", "Bar", "a::Bar", &[]), message("a.v1", "Bar", "b::Bar", &[])],
        "a::Bar and b::Bar are both called a.v1.Bar: give one of them another name",
    );
    check(
        &[message("a.v1", "HTTPRoute", "a::First", &[]), message("a.v1", "HttpRoute", "a::Second", &[])],
        "a::First and a::Second would both be in a/v1/http_route.proto: rename one of them",
    );
    check(
        &[outer()],
        "a::Outer and b::Inner hold each other, but are of different packages: give them one, or refer from one to the \
         other",
    );
    let genre = Declaration::Enum(Genre::descriptor());
    check(
        &[genre, message("converge.demo.v2", "GENRE_METAL", "a::Metal", &[])],
        "converge.demo.v2.GENRE_METAL is a value of converge_controller::protobuf::tests::Genre and the name of \
         something in a::Metal: rename one, as protobuf has the values of an enum beside it, not in it",
    );
}

/// Edits the `.proto` text, and compares the incompatible changes.
#[track_caller]
fn check_edit(from: &str, to: &str, expect: &[&str]) {
    let files = files();
    let texts = files.iter().map(|file| (file.path.clone(), file.to_string()));
    let earlier: BTreeMap<_, _> = texts.map(|(path, text)| (path, text.replace(from, to))).collect();
    assert!(files.iter().any(|file| earlier[&file.path] != file.to_string()) || from == to, "no {from}");
    let actual = files.breaking(&compile_texts(earlier, &["converge/demo/v2/album.proto"], false)).unwrap();
    assert_eq!(actual.iter().map(ToString::to_string).collect::<Vec<_>>(), expect, "{from:?} was {to:?}");
}

fn was(element: &str, old: &str, new: &str) -> String {
    format!(
        "{element} of converge.demo.v2.Album was {old} and is {new}: what was stored would mean something else"
    )
}

#[test]
fn what_is_in_a_message_can_break_too() {
    let compile = |body: &str| {
        let text = format!("syntax = \"proto3\"; package a.v1; message Bar {{ {body} }}");
        compile_texts(BTreeMap::from([("a.proto".to_owned(), text)]), &["a.proto"], false)
    };
    let check = |old: &str, new: &str, expect: &[&str]| {
        let actual = Breaking::between(&compile(old), &compile(new)).unwrap();
        assert_eq!(actual.iter().map(ToString::to_string).collect::<Vec<_>>(), expect, "{old} {new}");
    };
    let inner =
        "message In { string text = 1; map<string, int32> of = 2; } enum Kind { KIND_NONE = 0; } In in = 1;";
    check(inner, inner, &[]);
    check("", inner, &[]);
    check(
        inner,
        &inner.replace("string text", "bytes text").replace("map<string, int32>", "map<string, int64>"),
        &[
            "text of a.v1.Bar.In was string and is bytes: what was stored would mean something else",
            "of of a.v1.Bar.In was map<string, int32> and is map<string, int64>: what was stored would mean something else",
        ],
    );
    let explanation =
        "was removed, so its stored data could not be read: keep it, or give it another group version";
    let reserved = "reserved 1; reserved \"in\";";
    check(inner, reserved, &[&format!("a.v1.Bar.In {explanation}"), &format!("a.v1.Bar.Kind {explanation}")]);
}

#[test]
fn what_breaks_is_named() {
    check_edit("", "", &[]);
    // Additions are compatible.
    check_edit("  string text = 9;\n", "", &[]);
    check_edit(
        "  string text = 9;\n",
        "  string text = 9;\n  string title = 99;\n",
        &[
            "title of converge.demo.v2.Album was removed, and its number 99 could be reused: write `reserved(99)` and \
           `reserved_names(\"title\")`",
        ],
    );
    check_edit(
        "  reserved 2, 50 to 60;\n  reserved \"old\", \"older\";\n",
        "  reserved 2, 50 to 54, 56 to 60;\n  reserved \"older\";\n  string old = 55;\n",
        &[],
    );
    check_edit(
        "string text = 9",
        "string text = 99",
        &[
            "text of converge.demo.v2.Album had the number 99 and has 9: what was stored would mean something else",
        ],
    );
    check_edit(
        "string text = 9",
        "string words = 9",
        &[
            "number 9 of converge.demo.v2.Album was called words and is called text: JSON knows it by its name",
        ],
    );
    check_edit("string text = 9", "bytes text = 9", &[&was("text", "bytes", "string")]);
    check_edit("repeated string texts", "string texts", &[&was("texts", "string", "repeated string")]);
    check_edit("optional string maybe", "string maybe", &[&was("maybe_text", "string", "optional string")]);
    check_edit(
        "map<string, uint32>",
        "map<string, uint64>",
        &[&was("track_lengths", "map<string, uint64>", "map<string, uint32>")],
    );
    check_edit(
        "reserved 2, 50 to 60;",
        "reserved 2, 50 to 61;",
        &[
            "converge.demo.v2.Album no longer reserves the numbers 50 to 61: names and numbers that were used stay reserved",
        ],
    );
    check_edit(
        "\"old\", ",
        "\"oldest\", \"old\", ",
        &[
            "converge.demo.v2.Album no longer reserves the name oldest: names and numbers that were used stay reserved",
        ],
    );
    check_edit(
        "SCOPE_NAMESPACE",
        "SCOPE_PARTITION",
        &[
            "converge.demo.v2.Album was demo.v2.Album, partition scoped and is demo.v2.Album, namespace scoped: the \
           stored resources would not be found",
        ],
    );
    check_edit(
        "GENRE_JAZZ_ROCK = 5;",
        "GENRE_JAZZ_ROCK = 5; GENRE_FOLK = 6;",
        &[
            "GENRE_FOLK of converge.demo.v2.Genre was removed, and its number 6 could be reused: write `reserved(6)` and \
           `reserved_names(\"GENRE_FOLK\")`",
        ],
    );
    check_edit(
        "message Album {",
        "message Single {}\n\nmessage Album {",
        &[
            "converge.demo.v2.Single was removed, so its stored data could not be read: keep it, or give it another group version",
        ],
    );
}

#[test]
fn what_breaks_of_a_oneof_is_named() {
    check_edit("bytes raw = 47", "string raw = 47", &[&was("raw", "string in a oneof", "bytes in a oneof")]);
    // The name of a `oneof` is neither in the encoding nor in JSON, and an additional member is a new field.
    check_edit("oneof source", "oneof origin", &[]);
    check_edit("    uint32 seconds = 101;\n", "", &[]);
    check_edit(
        "    Genre mood = 102;\n  }\n",
        "  }\n  Genre mood = 102;\n",
        &[
            &was("mood", "converge.demo.v2.Genre", "converge.demo.v2.Genre in a oneof"),
            "raw and mood of converge.demo.v2.Album are now in one oneof: where both are stored, one would be lost",
        ],
    );
    check_edit(
        "  bool sold = 1;\n  int32 int32 = 3;\n",
        "  oneof sold_or_not {\n    bool sold = 1;\n    int32 int32 = 3;\n  }\n",
        &[
            &was("sold", "bool in a oneof", "bool"),
            &was("int32", "int32 in a oneof", "int32"),
            "sold and int32 of converge.demo.v2.Album are no longer in one oneof: a reader of one would miss the other",
        ],
    );
}
