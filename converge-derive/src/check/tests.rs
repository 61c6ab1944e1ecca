//! Tests of the attribute combinations and field types in the table of the guide.

use std::path::Path;

use syn::DeriveInput;

use crate::attr::names::HCL_FIELD;
use crate::expand::preparer;

/// The types of values, with their names in the guide.
const TYPES: [(&str, &str); 6] = [
    ("String", "text"),
    ("u32", "whole numbers"),
    ("f64", "numbers"),
    ("bool", "truth"),
    ("Duration", "durations"),
    ("Timestamp", "times"),
];

/// Returns the ways to write an attribute, for various types.
fn samples(attribute: &str) -> Vec<&'static str> {
    match attribute {
        "name" => vec![r#"name = "called""#],
        "alias" => vec![r#"alias = "old""#],
        "mutually_exclusive" => {
            vec![r#"mutually_exclusive = "it,other""#, r#"mutually_exclusive = "called,other""#]
        }
        "required_one_of" => vec![r#"required_one_of = "it,other""#, r#"required_one_of = "called,other""#],
        "required_together" => {
            vec![r#"required_together = "it,other""#, r#"required_together = "called,other""#]
        }
        "requires" => vec![r#"requires = "other""#],
        "conflicts_with" => vec![r#"conflicts_with = "third""#],
        "required_if" => vec![r#"required_if = "third=a""#],
        "required_unless" => vec![r#"required_unless = "other""#],
        "valid_values" => {
            vec![
                r#"valid_values = "a,b""#,
                r#"valid_values = "1,2""#,
                r#"valid_values = "true""#,
                r#"valid_values = "1s""#,
            ]
        }
        "base" => vec!["base = 8"],
        "default" => {
            vec!["default", r#"default = "a""#, "default = 1", "default = true", r#"default = "1s""#]
        }
        "min" => vec!["min = 0"],
        "max" => vec!["max = 7"],
        "pattern" => vec![r#"pattern = "^a$""#],
        "expects" => vec![r#"expects = "an a""#],
        "deprecated" => vec![r#"deprecated = "use other""#],
        "manages" => vec![r#"manages = "thing""#],
        "ensures" => vec![r#"ensures = "thing""#],
        "needs" => vec![r#"needs = "thing""#],
        "touches" => vec![r#"touches = "thing""#],
        "removes" => {
            vec![r#"removes = "a""#, r#"removes = "1""#, r#"removes = "true""#, r#"removes = "1s""#]
        }
        flag => vec![HCL_FIELD.find(flag).expect("it is known").name],
    }
}

/// Whether a field of the type accepts these attributes in some form.
fn is_accepted(ty: &str, attributes: &[&str]) -> bool {
    let mut lists = vec![Vec::new()];
    // `expects` is only valid beside a pattern.
    let pattern = (attributes.contains(&"expects") && !attributes.contains(&"pattern")).then_some("pattern");
    for attribute in attributes.iter().copied().chain(pattern) {
        let lists_with = |sample: &str| {
            lists.iter().map(|list| [list.clone(), vec![sample.to_owned()]].concat()).collect()
        };
        let next: Vec<Vec<_>> = samples(attribute).into_iter().map(lists_with).collect();
        lists = next.concat();
    }
    lists.iter().any(|list| {
        let ty = if attributes.contains(&"sensitive") { format!("Secret<{ty}>") } else { ty.to_owned() };
        let input: DeriveInput = syn::parse_str(&format!(
            "#[preparer(name = \"test\", task = Done)] struct Test {{ /// One.
            #[hcl({})] it: {ty}, /// Two.
            other: Option<String>, /// Three.
            third: Option<String> }}",
            list.join(", ")
        ))
        .expect("a struct");
        !preparer::expand(&input).to_string().contains("compile_error")
    })
}

/// Returns the row of the guide for an attribute.
fn row(attribute: &str) -> String {
    let types: Vec<_> =
        TYPES.iter().filter(|(ty, _)| is_accepted(ty, &[attribute])).map(|(_, words)| *words).collect();
    let types = if attribute == "embed" {
        // Only the compiler knows whether a type is a block.
        "blocks".to_owned()
    } else if types.len() == TYPES.len() {
        "all".to_owned()
    } else {
        types.join(", ")
    };
    let goes_with = |other: &str| TYPES.iter().any(|(ty, _)| is_accepted(ty, &[attribute, other]));
    let others =
        HCL_FIELD.known.iter().map(|attribute_spec| attribute_spec.name).filter(|name| *name != attribute);
    let (compatible, incompatible): (Vec<_>, Vec<_>) = others.partition(|name| goes_with(name));
    let conflicts: Vec<_> = incompatible.iter().map(|name| format!("`{name}`")).collect();
    let conflicts = match (compatible.is_empty(), conflicts.is_empty()) {
        (true, _) => "anything".to_owned(),
        (_, true) => String::new(),
        // `embed` and `skip` exclude all others, which their own rows say.
        _ => conflicts
            .into_iter()
            .filter(|name| name != "`embed`" && name != "`skip`")
            .collect::<Vec<_>>()
            .join(", "),
    };
    format!("| `{attribute}` | {types} | {conflicts} |")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the guide belongs to another package, which a test of this one reads where it is"
)]
fn the_guide_has_a_table_of_what_goes_together() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../converge-core/docs/guide/preparer.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let rows: Vec<_> = HCL_FIELD.known.iter().map(|spec| row(spec.name)).collect();
    let table = ["| attribute | values | not beside |".to_owned(), "| --- | --- | --- |".to_owned()];
    let table = [table.to_vec(), rows].concat().join("\n");
    assert!(guide.contains(&table), "the table in converge-core/docs/guide/preparer.md has to be:\n{table}");
}

#[test]
fn what_is_about_values_is_about_those_in_lists_and_maps() {
    for (ty, _) in TYPES {
        for attribute in ["valid_values", "base", "min", "max", "pattern"] {
            let is_single_accepted = is_accepted(ty, &[attribute]);
            for wrapper in
                ["Option", "Vec", "OneOrMany", "BTreeSet", "BTreeMap<String,", "Option<Vec", "Vec<Option"]
            {
                let open = wrapper.matches('<').count() + 1;
                let nested = if wrapper.ends_with(',') {
                    format!("{wrapper} {ty}>")
                } else {
                    format!("{wrapper}<{ty}{}", ">".repeat(open))
                };
                assert_eq!(is_accepted(&nested, &[attribute]), is_single_accepted, "{attribute} on {nested}");
            }
        }
    }
}
