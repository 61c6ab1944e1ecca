use converge_client::PathStep;
use converge_core::diagnostic::SourceMap;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::*;

/// Reads a text, and returns its nodes and mistakes with positions.
fn read_text(language: Language, text: &str) -> (Vec<Node>, Vec<String>) {
    let mut sources = SourceMap::new();
    let file = sources.add("f", text);
    let (nodes, diagnostics) = read(language, file, text);
    let errors = diagnostics.iter().map(|diagnostic| diagnostic.one_line(&sources)).collect();
    (nodes, errors)
}

/// Converts a tree by a schema, and returns the JSON and the mistakes.
fn convert(node: &Node, text: &str, schema: &Json, schemas: Json) -> (Json, Vec<String>) {
    let mut sources = SourceMap::new();
    let file = sources.add("f", text);
    let Json::Object(schemas) = schemas else { panic!("schemas have names") };
    let schemas = Schemas(schemas);
    let mut diagnostics = Diagnostics::new();
    let json = Walk { schemas: &schemas, file, diagnostics: &mut diagnostics }.convert("data", node, schema);
    (json, diagnostics.iter().map(|diagnostic| diagnostic.one_line(&sources)).collect())
}

fn plain(node: &Node) -> Json {
    convert(node, "", &json!(true), json!({})).0
}

const HCL: &str = r#"
# A resource.
demo.v2.Artist "korn" {
  metadata = { team = "web" }
  data {
    genre  = "metal"
    number = 0x10
    half   = 0.5
    tags   = ["a", "b"]
    no     = null
    album { title = "one" }
    album { title = "two" }
  }
}
"#;

const YAML: &str = "
# A resource.
type: demo.v2.Artist
name: korn
metadata: {team: web}
data:
  genre: metal
  number: 0x10
  half: 0.5
  tags: [a, 'b']
  no: ~
  album:
  - title: one
  - title: two
";

const JSON: &str = r#"{"type": "demo.v2.Artist", "name": "korn", "metadata": {"team": "web"}, "data": {
  "genre": "metal", "number": 16, "half": 5e-1, "tags": ["a", "\u0062"], "no": null,
  "album": [{"title": "one"}, {"title": "two"}]
}}"#;

/// Returns a schema whose data have a list of albums.
fn with_albums() -> Json {
    let albums = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Album" } });
    json!({ "properties": { "data": { "properties": { "album": albums } } } })
}

#[test]
fn one_resource_in_three_languages() {
    for (language, text) in [(Language::Hcl, HCL), (Language::Yaml, YAML), (Language::Json, JSON)] {
        let (nodes, errors) = read_text(language, text);
        assert_eq!((nodes.len(), errors), (1, vec![]), "{language:?}");
        let (json, errors) =
            convert(&nodes[0], text, &with_albums(), json!({ "Album": { "type": "object" } }));
        let data = json!({ "genre": "metal", "number": 16, "half": 0.5, "tags": ["a", "b"], "no": null,
            "album": [{ "title": "one" }, { "title": "two" }] });
        let expect =
            json!({ "type": "demo.v2.Artist", "name": "korn", "metadata": { "team": "web" }, "data": data });
        assert_eq!((json, errors), (expect, vec![]), "{language:?}");
        assert_eq!(Language::from_content(text), language);
    }
}

#[test]
fn several_in_one_file() {
    #[track_caller]
    fn check(language: Language, text: &str, expect: &[&str]) {
        let (nodes, errors) = read_text(language, text);
        let names: Vec<_> =
            nodes.iter().map(|node| node.entry("name").unwrap().node.text().unwrap()).collect();
        assert_eq!((names.as_slice(), errors), (expect, vec![]), "{text:?}");
    }
    check(Language::Hcl, "a \"x\" {}\nb \"y\" {}\n", &["x", "y"]);
    check(Language::Yaml, "---\nname: x\n---\n---\nname: y\n...\n", &["x", "y"]);
    check(Language::Yaml, "- name: x\n- name: y\n", &["x", "y"]);
    check(Language::Json, "{\"name\":\"x\"}\n{\"name\":\"y\"}\n", &["x", "y"]);
    check(Language::Json, "\u{feff}{\"resources\":[{\"name\":\"x\"},{\"name\":\"y\"}]}", &["x", "y"]);
    for language in [Language::Hcl, Language::Yaml, Language::Json] {
        check(language, "", &[]);
    }
}

#[test]
fn what_cannot_be_read_has_its_place() {
    #[track_caller]
    fn check(language: Language, text: &str, expect: &str) {
        let (_, errors) = read_text(language, text);
        assert_eq!(errors, [expect], "{text:?}");
    }
    check(
        Language::Hcl,
        "a = 1\n",
        "f:1:1: error[not-a-resource]: a resource is a block: `group.version.Kind \"name\" { .. }`",
    );
    check(
        Language::Hcl,
        "a {\n}\n",
        "f:1:1: error[not-a-resource]: the block of a resource has one label, its name; this one has 0",
    );
    check(
        Language::Hcl,
        "a \"x\" {\n  d { l = upper(\"x\") }\n}\n",
        "f:2:11: error[computed]: write a literal value: stored data are not computed",
    );
    check(
        Language::Hcl,
        "a \"x\" {\n  name = \"y\"\n}\n",
        "f:2:3: error[said-twice]: `name` is already given by the first line of the block",
    );
    check(
        Language::Hcl,
        "a \"x\" {\n  l \"y\" {}\n}\n",
        "f:2:5: error[label]: a block within a resource has no label: write `name = { .. }` for a map",
    );
    check(Language::Yaml, "a: 1\na: 2\n", "f:2:1: error[yaml]: `a` is written twice");
    check(Language::Yaml, "é: 1\n<<: {}\n", "f:2:1: error[yaml]: `<<` is not supported");
    check(Language::Yaml, "a: !x 1\n", "f:1:4: error[yaml]: tags are not supported");
    check(Language::Yaml, "just text\n", "f:1:1: error[not-a-resource]: a resource is a map, got a text");
    check(Language::Json, "{\"é\": 1, \"é\": 2}", "f:1:10: error[json]: `é` is written twice");
    check(Language::Json, "{\n  \"a\": nul\n}", "f:2:8: error[json]: \"nul\" is not a value");
    check(Language::Json, "{\"a\" 1}", "f:1:6: error[json]: expected `:`, got '1'");
    check(Language::Json, "{\"a\": \"x", "f:1:7: error[json]: the string is not closed");
    check(Language::Json, "[1]", "f:1:2: error[not-a-resource]: a resource is a map, got a number");
    for language in [Language::Json, Language::Yaml] {
        let (_, errors) = read_text(language, &"[".repeat(100));
        assert!(errors[0].contains("more than 64 levels of nesting"), "{errors:?}");
        // Deep nesting must neither overflow the stack nor take long.
        let (_, errors) = read_text(language, &"[".repeat(100_000));
        assert_eq!(errors.len(), 1);
    }
}

#[test]
fn a_short_text_cannot_mean_a_very_long_one() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text.extend([format!("a{level}: &a{level} [{aliases}]\n")]);
    }
    let (_, errors) = read_text(Language::Yaml, &text);
    assert!(errors[0].contains("it has too many values"), "{errors:?}");
    let (nodes, errors) = read_text(Language::Yaml, "a: &x {b: 1}\nc: *x\n");
    assert_eq!((plain(&nodes[0]), errors), (json!({ "a": { "b": 1 }, "c": { "b": 1 } }), vec![]));
}

#[test]
fn mistakes_by_the_schema_have_their_place() {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
        "genre": { "type": "string" }, "sold": { "type": ["string", "integer"] }, "live": { "type": "boolean" },
        "volume": { "type": "string", "enum": ["QUIET", "LOUD"] }, "share": { "anyOf": [{ "type": "number" }, { "type": "string" }] },
        "tracks": { "type": "array", "items": { "$ref": "#/components/schemas/Track" } },
        "label": { "$ref": "#/components/schemas/Track" },
        "notes": { "type": "object", "additionalProperties": { "type": "string" } },
    } });
    let track = json!({ "type": "object", "additionalProperties": false, "properties": { "title": { "type": "string" } } });
    let check = |text: &str, expect: &[&str]| {
        let (nodes, errors) = read_text(Language::Yaml, text);
        assert_eq!(errors, [""; 0]);
        let (_, errors) = convert(&nodes[0], text, &schema, json!({ "Track": track }));
        assert_eq!(errors, expect, "{text:?}");
    };
    check(
        "{genre: x, sold: '1', live: true, volume: LOUD, share: 1, tracks: [{title: x}], label: {}, notes: {a: b}}\n",
        &[],
    );
    check("genre:\nsold: 7\nshare: .5\ntracks:\n", &[]);
    check(
        "genre: 7\nlive: yes\n",
        &[
            "f:1:8: error[wrong-kind]: `data.genre` must be a text, got a number",
            "f:2:7: error[wrong-kind]: `data.live` must be a boolean, got a text",
        ],
    );
    check(
        "sold: 1.5\n",
        &[
            "f:1:7: error[wrong-kind]: `data.sold` must be a text or a whole number, got a number with a fraction",
        ],
    );
    check(
        "volume: LOUT\n",
        &["f:1:9: error[unknown-word]: `data.volume` must be one of QUIET, LOUD, got \"LOUT\""],
    );
    check(
        "tracks:\n- title: x\n- tilte: y\n",
        &["f:3:3: error[unknown-field]: `data.tracks[1]` has no field `tilte`"],
    );
    check("notes: {a: [b]}\n", &["f:1:12: error[wrong-kind]: `data.notes.a` must be a text, got a list"]);
}

#[test]
fn fields_that_exclude_each_other_are_told_at_the_second() {
    let choices = json!([{ "required": ["text"] }, { "required": ["source"] }]);
    let schema = json!({ "type": "object", "additionalProperties": false,
        "properties": { "text": { "type": "string" }, "source": { "type": "object" }, "mode": { "type": "string" } },
        "allOf": [{ "oneOf": [choices[0], choices[1], { "not": { "anyOf": choices } }] }] });
    let check = |language: Language, text: &str, expect: &[&str]| {
        let (nodes, errors) = read_text(language, text);
        assert_eq!(errors, [""; 0]);
        let node = nodes[0].entry("data").map_or(&nodes[0], |data| &data.node);
        let (_, errors) = convert(node, text, &schema, json!({}));
        assert_eq!(errors, expect, "{text:?}");
    };
    check(Language::Yaml, "mode: a\n", &[]);
    check(Language::Yaml, "mode: a\ntext: b\nsource: ~\n", &[]);
    check(Language::Json, "{\"source\": {}}", &[]);
    check(
        Language::Yaml,
        "text: b\nmode: a\nsource: {}\n",
        &["f:3:1: error[exclusive]: `data.text` and `source` exclude each other"],
    );
    check(
        Language::Hcl,
        "a \"x\" {\n  data {\n    source { a = 1 }\n    text = \"b\"\n  }\n}\n",
        &["f:4:5: error[exclusive]: `data.source` and `text` exclude each other"],
    );
}

#[test]
fn a_block_is_a_value_or_a_list_as_the_schema_says() {
    let check = |text: &str, schema: Json, expect: Result<Json, &str>| {
        let (nodes, errors) = read_text(Language::Hcl, text);
        assert_eq!(errors, [""; 0]);
        let data = &nodes[0].entry("data").unwrap().node;
        let (json, errors) =
            convert(data, text, &json!({ "type": "object", "properties": { "part": schema } }), json!({}));
        assert_eq!(errors.first().map_or(Ok(json), |error| Err(error.as_str())), expect, "{text:?}");
    };
    let single = "a \"x\" {\n  data {\n    part { a = 1 }\n  }\n}\n";
    let two = "a \"x\" {\n  data {\n    part { a = 1 }\n    part { a = 2 }\n  }\n}\n";
    check(single, json!({ "type": "object" }), Ok(json!({ "part": { "a": 1 } })));
    check(single, json!({ "type": "array" }), Ok(json!({ "part": [{ "a": 1 }] })));
    check(two, json!({ "type": "array" }), Ok(json!({ "part": [{ "a": 1 }, { "a": 2 }] })));
    check(
        two,
        json!({ "type": "object" }),
        Err("f:3:5: error[wrong-kind]: `data.part` must be a map, got several blocks"),
    );
}

#[test]
fn a_path_leads_to_the_innermost_part_that_is_there() {
    let text = "name: x\ndata:\n  tracks:\n  - title: a\n  - {}\n";
    let (nodes, _) = read_text(Language::Yaml, text);
    let check = |path: Json, expect: &str| {
        let path: Vec<PathStep> = serde_json::from_value(path).unwrap();
        assert_eq!(&text[nodes[0].place(&path)], expect);
    };
    check(json!(["data", "tracks", 0, "title"]), "a");
    check(json!(["data", "tracks"]), "tracks");
    check(json!(["data", "nothing"]), "data");
    check(json!(["data", "tracks", 7, "title"]), "tracks");
    // The beginning is enough to detect the language.
    check(json!([]), "");
}

#[test]
fn texts_that_mean_something_else_without_quotes_have_them() {
    let check = |text: &str, expect: &str| assert_eq!(to_yaml(&json!(text)), format!("{expect}\n"));
    check("metal", "metal");
    check("for the web", "for the web");
    check("true", "\"true\"");
    check("7", "\"7\"");
    check("no", "\"no\"");
    check("", "\"\"");
    check("a: b", "\"a: b\"");
    check("x ", "\"x \"");
    check("\u{9b}2J\u{2028}", "\"\\u009b2J\\u2028\"");
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any::<String>().prop_map(Json::from),
        "[0-9+.eEx~yn:# -]{0,6}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|fields| Json::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(value in value()) {
        let resource = json!({ "data": value });
        for (language, text) in [(Language::Yaml, to_yaml(&resource)), (Language::Json, resource.to_string())] {
            let (nodes, errors) = read_text(language, &text);
            prop_assert_eq!(errors, Vec::<String>::new(), "{}", text);
            prop_assert_eq!(plain(&nodes[0]), resource.clone(), "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(pieces in prop::collection::vec(
        prop_oneof![any::<String>(), prop::sample::select(vec![
            "a", ": ", "\n", "  ", "- ", "{", "}", "[", "]", "\"", "&a ", "*a", "---\n", "1", "\\", ",", "'", "|\n", "? ", "é",
        ]).prop_map(str::to_owned)], 0..40)) {
        let text = pieces.concat();
        for language in [Language::Hcl, Language::Yaml, Language::Json] {
            let (nodes, errors) = read_text(language, &text);
            prop_assert!(errors.iter().all(|error| error.starts_with("f:")), "{:?}", errors);
            for node in &nodes {
                plain(node);
            }
        }
    }
}
