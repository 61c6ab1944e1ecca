use std::time::Duration;

use serde_json::json;

use super::*;
use crate::sdk::context::RunMode;
use crate::types::convert::FromValue;
use crate::types::schema::{Condition, Field, Kind, Rule};
use converge_engine::EventKind;
use converge_system::OutputStream;

fn field<T: FromValue>(change: impl FnOnce(&mut Field)) -> Field {
    let mut field = Field::new::<T>("f", "");
    change(&mut field);
    field
}

fn expression() -> Value {
    json!({ "$ref": "#/$defs/expression" })
}

#[test]
fn what_a_field_takes() {
    let check = |field: Field, expect: Value| assert_eq!(values::field(&field), expect, "{field:?}");
    check(field::<String>(|_| {}), json!({ "type": ["string", "number", "boolean"] }));
    check(
        field::<String>(|field| (field.nonempty, field.doc) = (true, "Its name.")),
        json!({ "type": ["string", "number", "boolean"], "minLength": 1, "description": "Its name." }),
    );
    check(
        field::<String>(|field| field.pattern = Some("^a$")),
        json!({ "anyOf": [{ "type": ["string", "number", "boolean"], "pattern": "^a$" }, expression()] }),
    );
    check(
        field::<String>(|field| field.valid_values = &["a", "b"]),
        json!({ "anyOf": [{ "enum": ["a", "b"] }, expression()] }),
    );
    check(
        field::<u8>(|field| field.valid_values = &["1", "8"]),
        json!({ "anyOf": [{ "enum": [1, 8, "1", "8"] }, expression()] }),
    );
    check(
        field::<bool>(|field| field.default = Some(crate::types::value::Value::Bool(false))),
        json!({ "type": ["boolean", "string"], "default": false }),
    );
    check(field::<u16>(|_| {}), json!({ "type": ["integer", "string"], "minimum": 0, "maximum": 65535 }));
    check(field::<i64>(|_| {}), json!({ "type": ["integer", "string"] }));
    check(
        field::<u16>(|field| (field.min, field.nonempty) = (Some(0.0), true)),
        json!({ "type": ["integer", "string"], "minimum": 0, "maximum": 65535, "not": { "const": 0 } }),
    );
    check(
        field::<f64>(|field| (field.min, field.max) = (Some(0.5), Some(2.0))),
        json!({ "type": ["number", "string"], "minimum": 0.5, "maximum": 2 }),
    );
    check(field::<Duration>(|_| {}), json!({ "type": ["string", "integer"], "minimum": 0 }));
    check(field::<jiff::Timestamp>(|_| {}), json!({ "type": "string" }));
    check(field::<crate::types::value::Value>(|_| {}), json!({}));
    check(
        field::<Vec<bool>>(|field| field.nonempty = true),
        json!({ "anyOf": [{ "type": "array", "items": { "type": ["boolean", "string"] } }, expression()], "minItems": 1 }),
    );
    let words = json!({ "anyOf": [{ "enum": ["a", "b"] }, expression()] });
    check(
        field::<Vec<String>>(|field| (field.valid_values, field.nonempty) = (&["a", "b"], true)),
        json!({ "anyOf": [{ "type": "array", "items": words }, expression()], "minItems": 1 }),
    );
    check(
        field::<std::collections::BTreeMap<String, u8>>(|field| {
            (field.min, field.nonempty) = (Some(1.0), true);
        }),
        json!({
            "anyOf": [
                { "type": "object", "additionalProperties": { "type": ["integer", "string"], "minimum": 1, "maximum": 255 } },
                expression(),
            ],
            "minProperties": 1,
        }),
    );
    check(
        field::<std::collections::BTreeMap<String, bool>>(|_| {}),
        json!({ "anyOf": [
            { "type": "object", "additionalProperties": { "type": ["boolean", "string"] } },
            expression(),
        ] }),
    );
    check(
        field::<String>(|field| (field.sensitive, field.deprecated) = (true, Some("use `g`"))),
        json!({ "type": ["string", "number", "boolean"], "deprecated": true, "writeOnly": true }),
    );
    let mut words = field::<String>(|_| {});
    words.kind = Kind::Enum(&["present", "absent"]);
    check(words, json!({ "anyOf": [{ "enum": ["present", "absent"] }, expression()] }));
    let mut several = field::<String>(|_| {});
    several.kind = Kind::OneOrMany(Box::new(Kind::Bool));
    let single = json!({ "type": ["boolean", "string"] });
    check(several, json!({ "anyOf": [single, { "type": "array", "items": single }, expression()] }));
    let mut blocks = field::<String>(|_| {});
    let inner = BlockKind { fields: vec![field::<bool>(|field| field.required = true)], rules: Vec::new() };
    blocks.kind = Kind::List(Box::new(Kind::Block(Box::new(inner))));
    let inner = json!({
        "type": "object",
        "properties": { "f": { "type": ["boolean", "string"] } },
        "additionalProperties": false,
        "required": ["f"],
    });
    check(blocks, json!({ "anyOf": [inner, { "type": "array", "items": inner }] }));
}

#[test]
fn rules_between_fields() {
    let mut fields: Vec<_> = ["a", "b", "c"].map(|name| Field::new::<bool>(name, "")).into();
    fields[2].aliases = &["old"];
    let check = |rule: Rule, expect: &[Value]| {
        let block = BlockKind { fields: fields.clone(), rules: vec![rule] };
        assert_eq!(rules::all(&block).collect::<Vec<_>>(), expect, "{block:?}");
    };
    let requires = |name: &str| json!({ "required": [name] });
    let has_c = || json!({ "anyOf": [requires("c"), requires("old")] });
    let not_both = |first: Value, second: Value| json!({ "not": { "allOf": [first, second] } });
    check(
        Rule::MutuallyExclusive(&["a", "b", "c"]),
        &[
            not_both(requires("a"), requires("b")),
            not_both(requires("a"), has_c()),
            not_both(requires("b"), has_c()),
        ],
    );
    check(Rule::ConflictsWith { field: "a", other: "b" }, &[not_both(requires("a"), requires("b"))]);
    check(
        Rule::RequiredOneOf(&["a", "c"]),
        &[json!({ "anyOf": [requires("a"), requires("c"), requires("old")] })],
    );
    check(Rule::Requires { field: "a", needs: "c" }, &[json!({ "if": requires("a"), "then": has_c() })]);
    check(
        Rule::RequiredTogether(&["a", "b"]),
        &[
            json!({ "if": requires("a"), "then": requires("b") }),
            json!({ "if": requires("b"), "then": requires("a") }),
        ],
    );
    let is = |word, holds| Condition::is("b", word, holds);
    let without_value = |word| is(word, |_, _| false);
    let absent = |word| is(word, |value, _| value.is_none());
    let b = |words: Value| json!({ "properties": { "b": { "enum": words } } });
    check(
        Rule::RequiredIf { field: "a", when: vec![Condition::written("c"), without_value("x")] },
        &[
            json!({ "if": { "anyOf": [has_c(), { "allOf": [requires("b"), b(json!(["x"]))] }] }, "then": requires("a") }),
        ],
    );
    // A field that is not written counts as true.
    check(
        Rule::RequiredIf { field: "a", when: vec![absent("true")] },
        &[json!({ "if": { "anyOf": [b(json!(["true", true]))] }, "then": requires("a") })],
    );
    check(
        Rule::RequiredUnless { field: "a", unless: vec![without_value("x")] },
        &[json!({ "anyOf": [requires("a"), requires("b")] })],
    );
    check(Rule::RequiredUnless { field: "a", unless: vec![absent("x")] }, &[]);
}

#[test]
fn a_required_field_may_have_its_former_name() {
    let mut aliased = field::<bool>(|field| field.required = true);
    aliased.aliases = &["old"];
    let object = Value::Object(block(&BlockKind { fields: vec![aliased], rules: Vec::new() }));
    let expect = json!({
        "type": "object",
        "properties": {
            "f": { "type": ["boolean", "string"] },
            "old": { "type": ["boolean", "string"], "description": "A former name of `f`.", "deprecated": true },
        },
        "additionalProperties": false,
        "allOf": [{ "anyOf": [{ "required": ["f"] }, { "required": ["old"] }] }],
    });
    assert_eq!(object, expect);
}

#[test]
fn a_module_has_its_types_by_name() {
    let schema = module(&Registry::new());
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let map_of = |inner: Value| json!({ "type": "object", "additionalProperties": inner });
    assert_eq!(schema["$schema"], DRAFT);
    assert_eq!(
        schema["properties"],
        json!({
            "module": map_of(map_of(reference("module"))),
            "output": map_of(reference("output")),
            "param": map_of(reference("param")),
            "plugin": map_of(reference("plugin")),
            "switch": map_of(reference("cases")),
            "locals": { "type": "object", "description": "Values with names, made of anything." },
        })
    );
    assert_eq!(schema["$defs"]["module"]["properties"]["depends"], reference("meta.depends"));
    assert_eq!(schema["$defs"]["module"]["properties"].get("timeout"), None);
    assert_eq!(schema["$defs"]["param"]["properties"].get("depends"), None);
    assert_eq!(schema["$defs"]["output"]["properties"]["depends"], reference("meta.depends"));
    assert_eq!(schema["$defs"]["output"]["properties"].get("when"), None);
    assert_eq!(schema["$defs"]["cases"]["properties"]["default"], reference("resources"));
    assert_eq!(schema["$defs"]["resources"]["properties"], json!({}));
}

/// Every reference must have a definition.
#[test]
fn references_lead_somewhere() {
    fn walk(value: &Value, root: &Value, count: &mut usize) {
        match value {
            Value::Object(object) => {
                if let Some(Value::String(reference)) = object.get("$ref") {
                    let name = reference.strip_prefix("#/$defs/").unwrap();
                    assert!(root["$defs"].get(name).is_some(), "{reference}");
                    *count += 1;
                }
                object.values().for_each(|value| walk(value, root, count));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, root, count)),
            _ => {}
        }
    }
    let registry = Registry::new();
    let mut schemas = vec![module(&registry)];
    schemas.extend(registry.iter().map(|entry| resource_type(entry)));
    for schema in schemas {
        let mut count = 0;
        walk(&schema, &schema, &mut count);
        assert!(count > 0);
    }
}

/// Returns events of all kinds.
///
/// A new kind must be listed here, and the schema must then contain it.
fn events() -> Vec<EventKind> {
    use crate::graph::NodeId;
    use converge_engine::state::Holder;
    use converge_engine::{
        HeldBy, InterruptKind, LockKind, Outcome, OutputReport, OutputValue, ResourceReport, Stage, Summary,
    };

    let id = || NodeId::root().child("task.a");
    let text = String::new;
    let start = jiff::Timestamp::UNIX_EPOCH;
    let holder = || Holder::Run { pid: 1, module: text(), since: start };
    let mut output = OutputReport::new("o", OutputValue::Known(crate::types::value::Value::Int(1)));
    output.description = Some(text());
    let kinds_of_events = vec![
        EventKind::Waiting { holder: holder() },
        EventKind::ApplyUnderWay { holder: holder() },
        EventKind::RefreshForgotten { node: text(), module: text(), since: text(), causes: Vec::new() },
        EventKind::RunStarted { mode: RunMode::Plan, resources: 1 },
        EventKind::InstancesKnown { id: id(), resources: 1, unknown: 1 },
        EventKind::ResourceStarted { id: id() },
        EventKind::ResourceWaiting {
            id: id(),
            lock: LockKind::Group,
            name: Some(text()),
            held_by: HeldBy::AnotherRun,
        },
        EventKind::ResourceStage { id: id(), stage: Stage::CheckAfterApply },
        EventKind::ResourceBytes { id: id(), done: 1, total: Some(2) },
        EventKind::ResourceStep { id: id(), text: text() },
        EventKind::ResourceOutput { id: id(), stream: OutputStream::Stderr, line: text(), left_out: 1 },
        EventKind::AttemptFailed {
            id: id(),
            attempt: 1,
            attempts: 2,
            wait: std::time::Duration::ZERO,
            reason: text(),
        },
        EventKind::ProgressLeftOut { events: 1 },
        EventKind::ResourceFinished(Box::new(ResourceReport::new(id(), Outcome::Changed))),
        EventKind::ResourceUndone {
            by: id(),
            was: Outcome::Changed,
            report: Box::new(ResourceReport::new(id(), Outcome::Failed)),
        },
        EventKind::Interrupted { interrupt: InterruptKind::Finish, running: Vec::new() },
        EventKind::Output(output),
        EventKind::RunFinished { summary: Summary::default() },
    ];
    assert_eq!(kinds_of_events.len(), declared_variants(), "a kind of event is not listed");
    kinds_of_events
}

/// Returns the number of variants in the source of `EventKind`, which other crates cannot match whole.
fn declared_variants() -> usize {
    let source = include_str!("../../../engine/src/events/event.rs");
    let (_, declaration) = source.split_once("pub enum EventKind {").unwrap();
    let (variants, _) = declaration.split_once("\n}").unwrap();
    let is_variant = |line: &&str| {
        line.strip_prefix("    ")
            .is_some_and(|line| line.starts_with(|first: char| first.is_ascii_uppercase()))
    };
    variants.lines().filter(is_variant).count()
}

#[test]
fn the_schema_of_events_has_all_kinds_with_all_fields() {
    let mut kinds = event::kinds();
    for event in events() {
        let json = serde_json::to_value(&event).unwrap();
        let name = json["event"].as_str().unwrap();
        let position =
            kinds.iter().position(|(kind, _)| *kind == name).unwrap_or_else(|| panic!("{name} is not there"));
        let (_, fields) = kinds.remove(position);
        for field in json.as_object().unwrap().keys().filter(|field| *field != "event") {
            assert!(fields.iter().any(|(known, ..)| known == field), "{name} has {field}");
        }
        for (field, ..) in fields.iter().filter(|(.., always)| *always) {
            assert!(json.get(field).is_some(), "{name} has no {field}");
        }
    }
    let left: Vec<&str> = kinds.into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, ["module", "diagnostic"]);
}

const PARAMS: &str = r#"
param "port" {
  type        = "number"
  description = "Where it listens."
  default     = 8080
  validation {
    condition = param.port > 1023
    message   = "only root listens there"
  }
}

param "password" {
  sensitive = true
  default   = "hunter22"
}

param "tags" {
  type    = list(string)
  default = ["a"]
}

param "zones" {
  type = map(list(number))
}

param "url" {
  default = "http://{{param `host`}}/"
}

param "host" {}
"#;

#[test]
fn parameters_of_a_module() {
    let registry = Registry::new();
    let loaded = converge_load::Loader::new(&registry).for_inspection().load_text("site.hcl", PARAMS);
    let schema = params("site.hcl", loaded.partial_graph());
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap(), @r#"
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Parameters of site.hcl",
      "type": "object",
      "properties": {
        "$schema": {
          "type": "string",
          "description": "Where this schema is. It is not a parameter."
        },
        "host": {},
        "password": {
          "writeOnly": true
        },
        "port": {
          "type": [
            "number",
            "string"
          ],
          "description": "Where it listens.\n\nRefused with: only root listens there",
          "default": 8080
        },
        "tags": {
          "type": "array",
          "items": {
            "type": [
              "string",
              "number",
              "boolean"
            ]
          },
          "default": [
            "a"
          ]
        },
        "url": {},
        "zones": {
          "type": "object",
          "additionalProperties": {
            "type": "array",
            "items": {
              "type": [
                "number",
                "string"
              ]
            }
          }
        }
      },
      "required": [
        "host",
        "zones"
      ],
      "additionalProperties": false
    }
    "#);
}
