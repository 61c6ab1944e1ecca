use std::collections::BTreeMap;
use std::sync::Arc;

use boon::{Compiler, SchemaIndex, Schemas};
use converge_controller::protobuf::Message as _;
use converge_controller::registry::RegistryError;
use converge_controller::storage::Memory;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{
    Data, Id, Ref, Resource, Scope, StoredEnum, StoredMessage, StoredOneof, StoredResource, Typed,
};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::content::Content;
use crate::json::Codec;

/// The loudness of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Volume {
    Unspecified = 0,
    Quiet = 1,
}

/// A part that may contain parts.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Part {
    #[stored(tag = 1)]
    parts: Vec<Part>,
    #[stored(tag = 2)]
    volume: Volume,
}

/// A source.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    /// An address.
    #[stored(tag = 11)]
    Address(String),
    #[stored(tag = 12)]
    Inside(Part),
    #[stored(tag = 13)]
    Count(u32),
}

/// One field of each kind.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Kinds::check)]
struct Kinds {
    /// A text.
    #[stored(tag = 1)]
    text: String,
    #[stored(tag = 2)]
    large: u64,
    #[stored(tag = 3)]
    bytes: Vec<u8>,
    #[stored(tag = 4)]
    maybe: Option<bool>,
    #[stored(tag = 5)]
    list: Vec<i32>,
    #[stored(tag = 6)]
    map: BTreeMap<String, f64>,
    #[stored(tag = 7)]
    reference: Option<Ref<Kinds>>,
    #[stored(tag = 8)]
    part: Option<Part>,
    #[stored(tag = 9)]
    signed: i64,
    #[stored(tag = 10)]
    small: u32,
    /// The source.
    #[stored(oneof(11, 12, 13))]
    source: Option<Source>,
}

impl Kinds {
    fn check(kinds: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("text").require(!kinds.text.is_empty(), Cause::Empty);
        invalid.finish()
    }
}

/// A type without fields.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = cluster)]
struct Nothing {}

/// Creates a registry with these types and those of every server.
fn types(register: fn(&mut TypeRegistry) -> Result<(), RegistryError>) -> TypeRegistry {
    let mut content = Content::default();
    content.add_types(register);
    content.service(Arc::new(Memory::new())).unwrap().own_types().clone()
}

fn build_document(types: &TypeRegistry) -> Value {
    document(types, Codec::new(types).unwrap().pool()).unwrap()
}

fn kinds() -> TypeRegistry {
    types(|types| {
        types.register::<Kinds>()?;
        types.register::<Nothing>()
    })
}

/// Compiled schemas of an independent validator, with a selected schema.
struct Schema(Schemas, SchemaIndex);

impl Schema {
    fn new(schema: Value, at: &str) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("test:schema", schema).unwrap();
        let index = compiler.compile(&format!("test:schema{at}"), &mut schemas).unwrap();
        Self(schemas, index)
    }

    #[track_caller]
    fn accept(&self, value: &Value) {
        self.0.validate(value, self.1).map_err(|error| format!("{error:#}")).unwrap();
    }

    fn accepts(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

#[test]
fn it_is_a_document_of_openapi() {
    // The published meta-schema of the specification.
    let specification = Schema::new(serde_json::from_str(include_str!("oas-3.1.json")).unwrap(), "");
    assert!(!specification.accepts(&json!({ "openapi": "3.1.0", "info": {} })));
    for types in [kinds(), types(|_| Ok(()))] {
        let document = build_document(&types);
        specification.accept(&document);
        let mut names = Vec::new();
        references(&document, &mut names);
        assert!(!names.is_empty());
        for name in names {
            assert!(document.pointer(name.strip_prefix('#').unwrap()).is_some(), "nothing is at {name}");
        }
    }
}

/// Collects all references.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(words) => {
            found.extend(words.get("$ref").and_then(Value::as_str).map(str::to_owned));
            words.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_type_is_in_it_with_its_documentation() {
    let document = build_document(&kinds());
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["converge.demo.v2.Kinds"]["properties"]["text"]["description"], "A text.");
    assert_eq!(
        schemas["converge.demo.v2.Part"]["properties"]["parts"]["items"]["$ref"],
        "#/components/schemas/converge.demo.v2.Part"
    );
    assert_eq!(schemas["converge.demo.v2.Volume"]["enum"], json!(["VOLUME_UNSPECIFIED", "VOLUME_QUIET"]));
    let kinds = &schemas["converge.demo.v2.Kinds"];
    assert_eq!(kinds["properties"]["address"], json!({ "type": "string", "description": "An address." }));
    assert_eq!(kinds["properties"]["source"], Value::Null);
    let names = ["address", "inside", "count"].map(|name| json!({ "required": [name] }));
    let [address, inside, count] = &names;
    assert_eq!(
        kinds["allOf"],
        json!([{ "description": "The source.", "oneOf": [address, inside, count, { "not": { "anyOf": names } }] }])
    );
    let parameters = |path: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap().clone();
        parameters.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        parameters("/v1/resources/demo/v2/kinds/{name}"),
        ["partition", "namespace", "uid", "consistent"]
    );
    assert_eq!(parameters("/v1/resources/demo/v2/nothing/{name}"), ["uid", "consistent"]);
    let types = document["x-converge-types"].as_array().unwrap();
    let own = types.iter().filter(|one| one["type"]["group"] == "demo");
    let found: Vec<_> = own.map(|one| (&one["type"]["kind"], &one["scope"])).collect();
    assert_eq!(found, [(&json!("Kinds"), &json!("namespace")), (&json!("Nothing"), &json!("cluster"))]);
}

proptest! {
    #[test]
    fn what_is_shown_fits_its_schema(
        text: String, large: u64, bytes: Vec<u8>, maybe: Option<bool>, list: Vec<i32>, signed: i64, small: u32,
        map in prop::collection::btree_map(any::<String>(), any::<f64>(), 0..4), refers: bool, parts in 0..3usize,
        source in 0..4,
    ) {
        thread_local! {
            static TOOLS: (Codec, Schema) = {
                let types = kinds();
                (Codec::new(&types).unwrap(), Schema::new(build_document(&types), "#/components/schemas/demo.v2.Kinds"))
            };
        }
        let reference = refers.then(|| Ref::new(Scope::Namespace.default_tenancy(), "other".parse().unwrap()));
        let quiet = Part { parts: Vec::new(), volume: Volume::Quiet };
        let part = Some(Part { parts: vec![quiet; parts], volume: Volume::Unspecified });
        let source = match source {
            0 => Some(Source::Address(text.clone())),
            1 => Some(Source::Inside(Part::default())),
            2 => Some(Source::Count(0)),
            _ => None,
        };
        let is_there = source.is_some();
        let kinds = Kinds { text, large, bytes, maybe, list, map, reference, part, signed, small, source };
        let id = Id::new(Kinds::resource_type().clone(), Scope::Namespace.default_tenancy(), "one".parse().unwrap());
        let data = Some(Data::new(Kinds::resource_type(), kinds.encode_to_vec()));
        let resource = Resource { data, ..Resource::new(id) };
        TOOLS.with(|(codec, schema)| {
            let mut json = codec.encode(&resource).unwrap();
            schema.accept(&json);
            // A second field of the same `oneof`.
            let mut more = json.clone();
            let other = if more["data"]["count"].is_null() { "count" } else { "address" };
            more["data"][other] = if other == "count" { json!(1) } else { json!("there") };
            assert_eq!(schema.accepts(&more), !is_there);
            json["data"]["unknown"] = json!(1);
            assert!(!schema.accepts(&json));
        });
    }
}
