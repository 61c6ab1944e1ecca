//! Tests of the compilation of definitions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use converge_controller::registry::TypeRegistry;
use converge_controller::{Data, Generation, Id, StoredResource as _, Tenancy, Typed, Uid};
use prost_reflect::DescriptorPool;

use super::compile::Compiled;
use super::definition_set::{DefinitionSet, accept};
use super::{FOLDER, TypeDefinition, invalid};

const HEAD: &str =
    "syntax = \"proto3\";\npackage converge.demo.v1;\nimport \"converge/resource/annotations.proto\";\n";
const SPEC: &str = "option (converge.resource.spec) = { scope: SCOPE_NAMESPACE };";

fn album(body: &str) -> String {
    format!("{HEAD}message Album {{\n  {SPEC}\n{body}}}\n")
}

fn files<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

fn refusals(files: &BTreeMap<String, String>) -> String {
    let mistakes = Compiled::new("demo", files).err().unwrap_or_default();
    mistakes.iter().fold(String::new(), |said, mistake| said + &format!("  {mistake}\n"))
}

#[test]
fn a_definition_has_types() {
    let text = format!(
        "{HEAD}import \"google/protobuf/timestamp.proto\";\nimport \"converge/resource/reference.proto\";\nimport \"demo/label.proto\";\n\
         // What somebody has recorded.\nmessage Album {{\n  {SPEC}\n  string title = 1;\n  google.protobuf.Timestamp released = 2;\n\
         converge.resource.Reference artist = 3 [(converge.resource.refers_to) = \"demo.v1.Artist\"];\n  Label label = 4;\n\
         message Track {{ string name = 1; }}\n  map<string, Track> tracks = 5;\n  oneof source {{ string url = 6; bytes content = 7; }}\n}}\n\
         message Artist {{ option (converge.resource.spec) = {{ type: \"demo.v1.Artist\" scope: SCOPE_CLUSTER }}; }}\n"
    );
    let label = "syntax = \"proto3\";\npackage converge.demo.v1;\nmessage Label { string name = 1; }\n";
    let compiled =
        Compiled::new("demo", &files([("album.proto", &text), ("demo/label.proto", label)])).unwrap();
    let types: Vec<_> = compiled.types().map(ToString::to_string).collect();
    assert_eq!(types, ["demo.v1.Album", "demo.v1.Artist"]);
}

/// All compile errors as people read them.
#[test]
fn what_is_refused_is_said_with_its_place() {
    let mut report = String::new();
    let mut check = |what: &str, given: &[(&str, &str)]| {
        let texts = given.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let refused = refusals(&texts);
        assert!(!refused.is_empty(), "{what} is not refused");
        let _ = writeln!(report, "{what}\n{refused}");
    };
    let with_head = |text: &str| format!("{HEAD}{text}\n");
    check(
        "two files that are none",
        &[("a.proto", &album("  string title = ;\n")), ("b.proto", "message {")],
    );
    check("names that nothing has", &[("a.proto", &album("  strin genre = 2;\n  Unknown other = 2;\n"))]);
    check("an import that is not there", &[("a.proto", &with_head("import \"other/b.proto\";"))]);
    let [one, other] =
        ["b.proto", "a.proto"].map(|import| format!("syntax = \"proto3\";\nimport \"{import}\";\n"));
    check("files that import each other", &[("a.proto", &one), ("b.proto", &other)]);
    check(
        "a wrong option",
        &[(
            "a.proto",
            &with_head("message A { option (converge.resource.spec) = { scope: SCOPE_GALAXY }; }"),
        )],
    );
    check("no type", &[("a.proto", &with_head("message Album {}"))]);
    check("another group", &[("a.proto", &album("").replace("converge.demo.v1", "converge.music.v1"))]);
    check("no package", &[("a.proto", &album("").replace("package converge.demo.v1;\n", ""))]);
    check(
        "a package of the server",
        &[("a.proto", &album("").replace("converge.demo.v1", "converge.resource"))],
    );
    check("no version", &[("a.proto", &album("").replace("converge.demo.v1", "converge.demo.first"))]);
    check("no kind", &[("a.proto", &album("").replace("Album", "album_of"))]);
    check(
        "another type than the name",
        &[(
            "a.proto",
            &with_head(
                "message Album { option (converge.resource.spec) = { type: \"demo.v2.Album\" scope: SCOPE_CLUSTER }; }",
            ),
        )],
    );
    check("no scope", &[("a.proto", &with_head("message Album { option (converge.resource.spec) = {}; }"))]);
    check(
        "a resource in a message",
        &[("a.proto", &with_head(&format!("message Outer {{ message Album {{ {SPEC} }} }}")))],
    );
    check(
        "kinds that URLs do not tell apart",
        &[("a.proto", &with_head(&format!("message Album {{ {SPEC} }}\nmessage ALBUM {{ {SPEC} }}")))],
    );
    let second = album("").replace("demo.v1", "demo.v2").replace("NAMESPACE", "CLUSTER");
    check("versions of two scopes", &[("a.proto", &album("")), ("b.proto", &second)]);
    check("proto2", &[("a.proto", &album("").replace("proto3", "proto2"))]);
    check("a group", &[("a.proto", &album("optional group Inner = 1 {}\n").replace("proto3", "proto2"))]);
    check(
        "an extension",
        &[(
            "a.proto",
            &with_head(&format!(
                "import \"google/protobuf/descriptor.proto\";\nextend google.protobuf.FieldOptions {{ string note = 50000; }}\nmessage Album {{ {SPEC} }}"
            )),
        )],
    );
    check("a service", &[("a.proto", &(album("") + "service Albums { rpc Get(Album) returns (Album); }\n"))]);
    check(
        "any message",
        &[(
            "a.proto",
            &album("  google.protobuf.Any of = 1;\n")
                .replace("message Album", "import \"google/protobuf/any.proto\";\nmessage Album"),
        )],
    );
    check(
        "a whole resource",
        &[(
            "a.proto",
            &album("  repeated converge.resource.Resource of = 1;\n")
                .replace("message Album", "import \"converge/resource/resource.proto\";\nmessage Album"),
        )],
    );
    check(
        "a reference to no type",
        &[(
            "a.proto",
            &album("  converge.resource.Reference of = 1 [(converge.resource.refers_to) = \"Artist\"];\n")
                .replace("message Album", "import \"converge/resource/reference.proto\";\nmessage Album"),
        )],
    );
    check("a control character", &[("a.proto", &album("  string ti\u{1b}[2Jtle = 1;\n"))]);
    check("one name twice", &[("a.proto", &album("")), ("b.proto", &album(""))]);
    insta::assert_snapshot!(report);
}

fn resource(name: &str, files: BTreeMap<String, String>) -> Typed<TypeDefinition> {
    let mut id = Id::new(TypeDefinition::resource_type().clone(), Tenancy::Cluster, name.parse().unwrap());
    id.uid = Some(Uid::from_bits(1));
    let mut definition = Typed::new(id, TypeDefinition { files, ..TypeDefinition::default() });
    definition.resource.generation = Some(Generation::from_bits(1));
    definition
}

/// Errors that are found before anything is compiled.
#[test]
fn what_is_too_much_or_not_to_be_named_is_refused() {
    let hooks = TypeDefinition::hooks();
    let mut report = String::new();
    let mut check = |what: &str, name: &str, files: BTreeMap<String, String>| {
        let refused = hooks.validate.unwrap()(&resource(name, files)).unwrap_err();
        let _ = writeln!(report, "{what}\n  {refused}\n");
    };
    check("nothing", "demo", files([]));
    check("a name that is not a group", "1-demo", files([("a.proto", "")]));
    let many: Vec<String> = (0..65).map(|index| format!("{index}.proto")).collect();
    check("too many files", "demo", many.iter().map(|path| (path.clone(), String::new())).collect());
    check("too many bytes", "demo", files([("a.proto", &" ".repeat(256 * 1024 + 1))]));
    check("too many brackets", "demo", files([("a.proto", &"{".repeat(8 * 1024 + 1))]));
    for path in ["../a.proto", "/a.proto", "a//b.proto", "a.txt", ".proto", "a\u{1b}[2J.proto", "a b.proto"] {
        check(&format!("the path {path:?}"), "demo", files([(path, "")]));
    }
    check("a path that is too long", "demo", files([(&("a".repeat(200) + ".proto"), "")]));
    check(
        "a file of the server",
        "demo",
        files([("converge/resource/id.proto", ""), ("google/protobuf/any.proto", "")]),
    );
    insta::assert_snapshot!(report);
}

/// Inputs at the size limit that make a compiler recurse deeply or work long.
#[test]
fn hostile_texts_end_with_an_answer() {
    let deep = |open: &str, close: &str| {
        let n = 4_000;
        format!(
            "{HEAD}message Album {{ option (converge.resource.spec) = {{ scope: SCOPE_CLUSTER {}{} }}; }}\n",
            open.repeat(n),
            close.repeat(n)
        )
    };
    let nested = format!("{HEAD}{}{}", "message A {".repeat(4_000), "}".repeat(4_000));
    for text in [deep("a { ", "} "), deep("a: [ ", "] "), deep("a < ", "> "), nested] {
        assert!(!refusals(&files([("a.proto", &text)])).is_empty());
    }
    let enums =
        (0..1_001).fold(String::new(), |text, at| format!("{text}enum E{at} {{ E{at}_NONE = 0; }}\n"));
    let message = refusals(&files([("a.proto", &(album("") + &enums))]));
    assert_eq!(message, "  has 1002 messages and enums: a definition has at most 1000\n");
    let fields = (1..4_000).fold(String::new(), |text, at| format!("{text}Album f{at}={at};\n"));
    assert_eq!(refusals(&files([("a.proto", &album(&fields))])), "");
    let chain = (0..64).map(|index| {
        let import = if index == 0 { String::new() } else { format!("import \"{}.proto\";\n", index - 1) };
        let spec = format!("message Album{index} {{ {SPEC} }}\n");
        (format!("{index}.proto"), format!("{HEAD}{import}{spec}"))
    });
    assert_eq!(refusals(&chain.collect()), "");
}

/// The incompatible changes of a second version to a first one.
#[test]
fn what_is_stored_is_not_broken() {
    let mut report = String::new();
    let mut check = |from: &str, to: &str| {
        let compile = |text: &str| Compiled::new("demo", &files([("a.proto", text)])).unwrap();
        let mistakes = compile(to).breaks(&files([("old.proto", from)]));
        let _ = writeln!(
            report,
            "{}",
            if mistakes.is_empty() { "nothing".to_owned() } else { invalid(&mistakes).to_string() }
        );
    };
    let old = album("  string title = 1;\n  uint32 year = 2;\n")
        + "enum Genre { GENRE_NONE = 0; GENRE_JAZZ = 1; }\n";
    check(&old, &old);
    check(&old, &old.replace("uint32 year", "string label = 3;\n  uint32 year"));
    check(&old, &old.replace("uint32 year = 2", "reserved 2; reserved \"year\""));
    check(&old, &old.replace("uint32 year", "string year"));
    check(&old, &old.replace("  uint32 year = 2;\n", ""));
    check(&old, &old.replace("year = 2", "year = 3"));
    check(&old, &old.replace("year = 2", "month = 2"));
    check(&old, &old.replace("NAMESPACE", "CLUSTER"));
    check(&old, &old.replace("GENRE_JAZZ = 1", "GENRE_ROCK = 1"));
    check(&old, &old.replace("Album", "Record"));
    // A version that no longer compiles has no types.
    check("message {", &old);
    insta::assert_snapshot!(report);
}

#[test]
fn data_are_what_the_text_says_and_can_be_shown() {
    let text = album("  Genre genre = 1;\n  google.protobuf.Timestamp at = 2;\n  repeated Genre more = 3;\n map<string, Genre> of = 4;\n Album in = 5;\n")
        .replace("message Album", "import \"google/protobuf/timestamp.proto\";\nenum Genre { GENRE_NONE = 0; GENRE_JAZZ = 1; }\nmessage Album");
    let definition = resource("demo", files([("a.proto", &text)]));
    let mut defined = DefinitionSet::default();
    let registry = TypeRegistry::new();
    assert!(defined.put(&registry, &definition));
    assert!(!defined.put(&registry, &definition), "it is known");
    let types = defined.merged_with(&registry).unwrap();
    let album = types.get(&"demo.v1.Album".parse().unwrap()).unwrap();
    assert_eq!(album.definition.as_ref(), Some(definition.id()));
    let check = |bytes: &[u8], expect: &str| {
        let result = album.hooks.check_data(&Data::new(&album.resource_type, bytes.to_vec()));
        assert_eq!(result.map_err(|error| error.to_string()).err().unwrap_or_default(), expect, "{bytes:?}");
    };
    let unknown = "is 7, which is not a value of converge.demo.v1.Genre";
    check(&[], "");
    check(&[0x08, 1], "");
    check(&[0x08, 7], &format!("converge.demo.v1.Album.genre {unknown}"));
    check(&[0x1a, 2, 1, 7], &format!("converge.demo.v1.Album.more {unknown}"));
    check(&[0x22, 4, 0x0a, 0, 0x10, 7], &format!("converge.demo.v1.Album.of {unknown}"));
    check(&[0x2a, 2, 0x08, 7], &format!("converge.demo.v1.Album.genre {unknown}"));
    check(&[0x12, 2, 0x08, 1], "");
    // A time after the year 9999.
    let mut late = vec![0x12, 7, 0x08];
    late.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    check(&late, "timestamp out of range");
    check(
        &[0x0a, 5, 1],
        "failed to decode Protobuf message: invalid wire type: LengthDelimited (expected Varint)",
    );
}

#[test]
fn files_of_all_definitions_stand_side_by_side() {
    let mut defined = DefinitionSet::default();
    let registry = TypeRegistry::new();
    let text = album("  string title = 1;\n");
    for group in ["demo", "music", "google"] {
        let text = text.replace("converge.demo", &format!("converge.{group}"));
        assert!(defined.put(&registry, &resource(group, files([("protobuf/any.proto", &text)]))));
    }
    let mut pool = DescriptorPool::new();
    defined.files().extend(&mut pool).unwrap();
    let names: Vec<_> =
        pool.files().map(|file| file.name().to_owned()).filter(|name| name.starts_with(FOLDER)).collect();
    let expect = ["demo", "google", "music"].map(|group| format!("definitions/{group}/protobuf/any.proto"));
    assert_eq!(names, expect);
    // The options are preserved.
    let album = pool.get_message_by_name("converge.music.v1.Album").unwrap();
    let spec = pool.get_extension_by_name("converge.resource.spec").unwrap();
    assert!(album.options().has_extension(&spec));
    assert!(defined.remove(&"music".parse().unwrap()));
    assert!(!defined.remove(&"music".parse().unwrap()));
    assert!(defined.keep(&["demo".parse().unwrap()]));
    assert!(!defined.keep(&["demo".parse().unwrap()]));
}

/// A newer program may add types to a group that somebody has already defined.
#[test]
fn a_group_of_the_program_is_not_for_others() {
    let mut registry = TypeRegistry::new();
    registry.register::<TypeDefinition>().unwrap();
    let text = album("").replace("converge.demo", "converge.converge");
    let definition = TypeDefinition { files: files([("a.proto", &text)]), ..TypeDefinition::default() };
    let refused = accept(&registry, &"converge".parse().unwrap(), &definition).unwrap_err();
    assert_eq!(
        refused[0].to_string(),
        "the group converge is reserved for types of the server, such as converge.v1.TypeDefinition \
         (converge_server::definitions::definition::TypeDefinition): take another group"
    );
    let mut defined = DefinitionSet::default();
    assert!(defined.put(&registry, &resource("converge", definition.files)));
    assert_eq!(defined.merged_with(&registry).unwrap().iter().count(), 1);
}
