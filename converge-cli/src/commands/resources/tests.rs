use converge_core::schema::{BlockKind, ExportField, Field, Rule, Schema, Shape};
use converge_core::{Registry, Value};
use insta::assert_snapshot;

use super::ResourcesArgs;
use super::describe::{describe, list};
use crate::args::Format;
use crate::output::Paint;

const PLAIN: Paint = Paint { color: false };

fn everything() -> Schema {
    let mut mode = Field::new::<u32>("mode", "Permissions.\n\nAs `chmod` takes them.");
    mode.base = Some(8);
    mode.default = Some(Value::Int(0o644));
    mode.aliases = &["permissions"];
    let mut name = Field::new::<String>("name", "Its name.");
    (name.required, name.nonempty) = (true, true);
    name.pattern = Some("[a-z]+");
    let mut state = Field::new::<String>("state", "Whether it is there.");
    state.valid_values = &["present", "absent"];
    state.deprecated = Some("use `ensure`");
    let mut password = Field::new::<String>("password", "A secret.");
    password.sensitive = true;
    let mut retries = Field::new::<Vec<u8>>("retries", "How often.");
    (retries.min, retries.max) = (Some(1.0), Some(9.5));
    let rules = vec![
        Rule::MutuallyExclusive(&["mode", "state"]),
        Rule::RequiredOneOf(&["name", "state"]),
        Rule::RequiredTogether(&["name", "password"]),
        Rule::Requires { field: "state", needs: "name" },
        Rule::ConflictsWith { field: "state", other: "retries" },
    ];
    let export = |name, computed, shape| ExportField { name, doc: "What it is.", computed, shape };
    let exports = vec![
        export("mode", false, Shape::Plain),
        export("env", false, Shape::Open),
        export("status", true, Shape::Struct(vec![export("stdout", true, Shape::Plain)])),
    ];
    let block = BlockKind { fields: vec![name, mode, state, password, retries], rules };
    Schema::new("test.everything", "Shows everything.\n\nIn two paragraphs.", block, exports)
}

#[test]
fn a_type_is_described_in_full() {
    assert_snapshot!("everything", describe(&everything(), PLAIN));
}

#[test]
fn the_list_has_one_line_for_each_type() {
    assert_snapshot!(list(&Registry::new(), PLAIN), @r"
    module  Uses another module.
    param   A value that the module takes from outside, with a default or without.
    switch  Chooses between resources.
    ");
}

#[test]
fn built_in_types_are_there() {
    let registry = crate::commands::registry().unwrap();
    for name in ["param", "file.content", "file.owner", "task", "task.query"] {
        assert!(registry.get(name).is_some(), "{name}");
    }
}

#[test]
fn every_built_in_type_can_be_described() {
    let registry = crate::commands::registry().unwrap();
    for known in registry.iter() {
        for format in [Format::Human, Format::Json] {
            let args = ResourcesArgs { name: Some(known.name().into()), format };
            let text = args.text(&registry, PLAIN).unwrap();
            assert!(text.contains(known.name()) && text.ends_with('\n'), "{text}");
        }
    }
}

#[test]
fn an_unknown_type_is_an_error_with_a_suggestion() {
    let check = |name: &str, expect: &str| {
        let args = ResourcesArgs { name: Some(name.into()), format: Format::Human };
        let error = args.text(&Registry::new(), PLAIN).unwrap_err();
        assert_eq!(error.to_string(), expect);
    };
    check("parm", "there is no resource type `parm`; did you mean `param`?");
    check("zzz", "there is no resource type `zzz`");
}
