use std::collections::BTreeMap;

use converge_controller::protobuf::Message as _;
use converge_controller::{Ref, Scope, StoredMessage, StoredOneof, StoredResource};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// An enum with data.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 8)]
    WebAddress(String),
    #[stored(tag = 9)]
    Size(u32),
}

/// A message with the same enum.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Inner {
    #[stored(oneof(8, 9))]
    source: Option<Source>,
}

/// A message with one field of each kind.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Kinds {
    #[stored(tag = 1)]
    text: String,
    #[stored(tag = 2)]
    number: u64,
    #[stored(tag = 3)]
    bytes: Vec<u8>,
    #[stored(tag = 4)]
    maybe: Option<bool>,
    #[stored(tag = 5)]
    list: Vec<i32>,
    #[stored(tag = 6)]
    map: BTreeMap<String, String>,
    #[stored(tag = 7)]
    reference: Option<Ref<Kinds>>,
    #[stored(oneof(8, 9))]
    source: Option<Source>,
    #[stored(tag = 10)]
    inner: Vec<Inner>,
}

fn codec() -> Codec {
    let mut types = TypeRegistry::new();
    types.register::<Kinds>().unwrap();
    Codec::new(&types).unwrap()
}

fn resource(data: &Kinds) -> Resource {
    let resource_type = Kinds::resource_type();
    let id = Id::new(resource_type.clone(), Scope::Namespace.default_tenancy(), "one".parse().unwrap());
    Resource { data: Some(Data::new(resource_type, data.encode_to_vec())), ..Resource::new(id) }
}

#[test]
fn data_are_the_json_of_protobuf() {
    let kinds = Kinds { number: 7, bytes: vec![1, 2], maybe: Some(false), ..Kinds::default() };
    let json = codec().encode(&resource(&kinds)).unwrap();
    assert_eq!(json["data"], json!({ "number": "7", "bytes": "AQI=", "maybe": false }));
    let with_type = json!({ "@type": "type.googleapis.com/converge.demo.v2.Kinds", "number": 7 });
    assert_eq!(codec().data(Kinds::resource_type(), with_type).unwrap().value, vec![16, 7]);
}

#[test]
fn one_of_several_fields_is_there() {
    let encode = |source| codec().encode(&resource(&Kinds { source, ..Kinds::default() })).unwrap();
    assert_eq!(encode(None)["data"], json!({}));
    // A default value of a chosen field is written too.
    assert_eq!(encode(Some(Source::Size(0)))["data"], json!({ "size": 0 }));
    assert_eq!(encode(Some(Source::WebAddress(String::new())))["data"], json!({ "web_address": "" }));
    let read = |data: Value| codec().data(Kinds::resource_type(), data);
    let source = |data: Value| Kinds::decode(read(data).unwrap().value).unwrap().source;
    assert_eq!(
        source(json!({ "webAddress": "here", "size": null })),
        Some(Source::WebAddress("here".to_owned()))
    );
    let error_of = |data: Value| match read(data).unwrap_err() {
        JsonError::Data { path, source, .. } => (serde_json::to_value(path).unwrap(), source.to_string()),
        other => panic!("{other}"),
    };
    let exclude = |name: &str| format!("this and `{name}` exclude each other: write one of them");
    assert_eq!(
        error_of(json!({ "size": 1, "web_address": "here" })),
        (json!(["data", "size"]), exclude("web_address"))
    );
    assert_eq!(
        error_of(json!({ "inner": [{}, { "webAddress": "", "size": 0 }] })),
        (json!(["data", "inner", 1, "size"]), exclude("webAddress"))
    );
}

#[test]
fn durations_and_times_have_one_form() {
    let mut types = TypeRegistry::new();
    crate::fleet::register_types(&mut types).unwrap();
    let codec = Codec::new(&types).unwrap();
    let refused =
        |resource_type: &Type, data: Value| codec.data(resource_type, data).unwrap_err().to_string();
    assert_eq!(
        refused(crate::fleet::types::Module::resource_type(), json!({ "rollout": { "time_limit": "10m" } })),
        "data are not of converge.v1.Module: rollout.time_limit: write a duration as a number of seconds, as in \"90s\" or \"0.5s\""
    );
    assert_eq!(
        refused(
            crate::fleet::types::NodePlans::resource_type(),
            json!({ "plans": [{ "began": "yesterday" }] })
        ),
        "data are not of converge.v1.NodePlans: plans[0].began: write a time as in \"2026-11-27T18:30:00Z\""
    );
}

#[test]
fn what_cannot_be_shown_is_named() {
    let mut damaged = resource(&Kinds::default());
    damaged.data = Some(Data::new(Kinds::resource_type(), vec![0xff]));
    let error = codec().encode(&damaged).unwrap_err().to_string();
    assert!(error.starts_with("the data of demo.v2.Kinds/default/default/one cannot be shown"), "{error}");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let name = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "text",
            "number",
            "bytes",
            "maybe",
            "list",
            "map",
            "reference",
            "@type",
            "web_address",
            "webAddress",
            "size",
            "inner"
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(name.clone(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_shown_can_be_given_back(
        text: String, number: u64, bytes: Vec<u8>, maybe: Option<bool>, list: Vec<i32>,
        map in prop::collection::btree_map(any::<String>(), any::<String>(), 0..4), refers: bool,
        source in prop_oneof![
            Just(None), any::<String>().prop_map(|text| Some(Source::WebAddress(text))), any::<u32>().prop_map(|size| Some(Source::Size(size))),
        ],
    ) {
        let reference = refers.then(|| Ref::new(Scope::Namespace.default_tenancy(), "other".parse().unwrap()));
        let kinds = Kinds { text, number, bytes, maybe, list, map, reference, source, inner: Vec::new() };
        let json = codec().encode(&resource(&kinds)).unwrap();
        let data = codec().data(Kinds::resource_type(), json["data"].clone()).unwrap();
        prop_assert_eq!(Kinds::decode(data.value).unwrap(), kinds);
    }

    #[test]
    fn any_json_is_read_or_refused(json in value()) {
        if let Ok(data) = codec().data(Kinds::resource_type(), json) {
            // All accepted data can be converted back to JSON.
            let stored = Resource { data: Some(data), ..resource(&Kinds::default()) };
            prop_assert!(codec().encode(&stored).is_ok());
        }
    }
}
