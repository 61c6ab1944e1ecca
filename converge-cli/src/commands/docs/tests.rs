use crate::args::{PluginArgs, SourceArgs};
use converge_core::load::TypeTable;
use converge_core::schema::{BlockKind, Condition, ExportField, Field, Rule, Schema, Shape};
use converge_core::value::{ModuleFunction, Value};
use converge_core::{Registry, RegistryBuilder};
use insta::assert_snapshot;

use super::{DocsArgs, Format, human, markdown};
use crate::console::Paint;

/// Returns arguments with this name and format, and defaults for all others.
fn docs_args(name: Option<&str>, format: Format) -> DocsArgs {
    DocsArgs {
        name: name.map(str::to_owned),
        module: None,
        format,
        sources: SourceArgs::default(),
        plugins: PluginArgs::default(),
    }
}

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
        Rule::RequiredIf {
            field: "password",
            when: vec![Condition::is("state", "present", |_, _| false), Condition::written("retries")],
        },
        Rule::RequiredUnless {
            field: "retries",
            unless: vec![Condition::is("state", "absent", |_, _| false)],
        },
    ];
    let export = |name, computed, shape| ExportField { name, doc: "What it is.", computed, shape };
    let exports = vec![
        export("mode", false, Shape::Plain),
        export("env", false, Shape::Open),
        export("status", true, Shape::Struct(vec![export("stdout", true, Shape::Plain)])),
    ];
    let block = BlockKind { fields: vec![name, mode, state, password, retries], rules };
    Schema::new(
        "test.everything",
        "Shows everything.\n\nIn two paragraphs.\n\n# Caveats\n\nNone.",
        block,
        exports,
    )
}

#[test]
fn a_type_is_described_in_full() {
    let mut schema = everything();
    schema.example = "# Shows it.\n\ntest.everything \"it\" {\n  name = \"a\"\n}\n";
    let facts = ["It can do this.".to_owned(), "And that.".to_owned()];
    assert_snapshot!("everything", human::page(&schema, &facts, PLAIN));
    assert_snapshot!("everything_as_markdown", markdown::page(&schema, &facts));
}

/// Returns a registry whose program has functions of its own.
fn with_functions() -> Registry {
    let ip = |name: String, site: u8| format!("10.0.{site}.{}", name.len());
    let functions = [
        ModuleFunction::pure("fleet_ip", "The address of a host.", ip),
        ModuleFunction::in_run("lease", "Who has it, or | nobody.", || "nobody".to_owned()),
    ];
    let builder = functions.into_iter().fold(Registry::builder(), RegistryBuilder::with_function);
    builder.build().unwrap()
}

#[test]
fn functions_of_the_program_and_of_the_language_are_listed() {
    let text = |format| {
        let args = docs_args(Some("functions"), format);
        args.text(&with_functions(), PLAIN).map_err(|error| error.to_string())
    };
    let check = |format, expect: &[&str]| {
        let text = text(format).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for line in expect {
            assert!(lines.contains(line), "{line}\n{text}");
        }
    };
    check(
        Format::Human,
        &[
            "fleet_ip(string, integer)",
            "    The address of a host.",
            "    Called when a module is loaded, too.",
            "    Called in a plan or an apply only; not known before.",
            "upper(string)  {{string | upper}}",
            "{{split SEPARATOR TEXT}}",
        ],
    );
    let lease =
        "| `lease()` | | Who has it, or \\| nobody. | Called in a plan or an apply only; not known before. |";
    check(
        Format::Markdown,
        &[
            lease,
            "| `upper(string)` | `string \\| upper` | The text in upper case. | `upper(\"ada\")` is `\"ADA\"` |",
            "| | `param NAME` | The parameter. | ``{{param `user`}}`` is `ada` |",
        ],
    );
    check(
        Format::Json,
        &[
            r#"{"name":"fleet_ip","signature":"fleet_ip(string, integer)","doc":"The address of a host.","purity":"pure"}"#,
            r#"{"name":"upper","signature":"upper(string)","pipe":"string | upper","doc":"The text in upper case.","example":"upper(\"ada\")","result":"\"ADA\""}"#,
            r#"{"name":"param","signature":"param NAME","templates":"only","doc":"The parameter.","example":"{{param `user`}}","result":"ada"}"#,
        ],
    );
    let refused = Err("functions have no JSON Schema: ask for `--format json`".to_owned());
    assert_eq!(text(Format::JsonSchema), refused);
}

#[test]
fn the_list_has_one_line_for_each_type_and_the_meta_arguments() {
    assert_snapshot!("list", human::list(&TypeTable::new(&Registry::new()), PLAIN));
    assert_snapshot!("list_as_markdown", markdown::index(&TypeTable::new(&Registry::new())));
}

#[test]
fn every_built_in_type_can_be_described() {
    let registry = converge_resources::registry().unwrap();
    for entry in TypeTable::new(&registry).iter() {
        for format in [Format::Human, Format::Json, Format::Markdown, Format::JsonSchema] {
            let args = docs_args(Some(entry.name()), format);
            let text = args.text(&registry, PLAIN).unwrap();
            assert!(text.contains(entry.name()) && text.ends_with('\n'), "{text}");
        }
    }
}

#[test]
fn what_is_for_programs_is_json() {
    let registry = converge_resources::registry().unwrap();
    let check = |name: Option<&str>, format: Format| {
        let args = docs_args(name, format);
        let text = args.text(&registry, PLAIN).unwrap();
        match format {
            Format::Json => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            _ => vec![serde_json::from_str::<serde_json::Value>(&text).unwrap()],
        }
    };
    let types = check(None, Format::Json);
    let table = TypeTable::new(&registry);
    assert_eq!(types.len(), table.iter().count());
    assert_eq!(types[0]["name"], table.iter().next().unwrap().name());
    assert_eq!(check(Some("param"), Format::Json)[0]["refreshes"], false);
    assert_eq!(check(Some("param"), Format::JsonSchema)[0]["title"], "param");
    assert!(check(None, Format::JsonSchema)[0]["properties"]["param"].is_object());
}

#[test]
fn an_unknown_type_is_an_error_with_a_suggestion() {
    let registry = Registry::new().with_absent("docker.image", "the feature `docker` of converge-resources");
    let check = |name: &str, expect: &str| {
        let args = docs_args(Some(name), Format::Human);
        assert_eq!(args.text(&registry, PLAIN).unwrap_err().to_string(), expect);
    };
    check("parm", "there is no resource type `parm`; did you mean `param`?");
    check("zzz", "there is no resource type `zzz`");
    check(
        "docker.image",
        "`docker.image` is not available: this program was built without the feature `docker` of converge-resources",
    );
}
