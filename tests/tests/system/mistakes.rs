//! Tests of a module with many mistakes, all of which are found in one run at their places.

use crate::run::converge;

const MODULE: &str = r#"# Twelve mistakes of different kinds.
param "user" { default = "daemon" }

file.ownr "type" {
  destination = "x"
}

file.owner "field" {
  destnation = "x"
  destination = "x"
  user = "daemon"
}

file.content "missing" {
  content = "x"
}

file.mode "number" {
  destination = "x"
  mode = 777
}

file.owner "bool" {
  destination = "x"
  user = "daemon"
  recursive = "yes"
}

file.owner "both" {
  destination = "x"
  user = "daemon"
  uid = 1
}

file.content "param" {
  destination = "{{param `usr`}}"
}

file.content "lookup" {
  destination = "x"
  content = "one\ttwo {{lookup `file.content.param.contents`}}"
}

file.content "template" {
  destination = "x"
  content = "{{if}}"
}

file.content "depends" {
  destination = "x"
  depends = ["file.content.nothing"]
}

file.content "empty" {
  destination = ""
}

file.content "syntax" {
  destination = "x
}
"#;

#[test]
fn twelve_mistakes_are_twelve_diagnostics_at_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let output = converge(folder.path(), &["validate", "--format", "json"], MODULE);
    assert_eq!(output.code, Some(1), "{output:?}");
    let actual: Vec<String> = output
        .events()
        .iter()
        .filter(|event| event["event"] == "diagnostic")
        .map(|diagnostic| {
            let label = &diagnostic["labels"][0];
            format!("{}:{} {}", label["line"], label["column"], diagnostic["code"].as_str().unwrap())
        })
        .collect();
    let expect = [
        "4:1 unknown-type",
        "9:3 unknown-field",
        "14:1 missing-field",
        "20:10 not-a-number",
        "26:15 not-a-bool",
        "32:3 mutually-exclusive",
        "36:26 unknown-param",
        "41:32 unknown-export",
        "46:18 template",
        "51:14 unknown-resource",
        "55:17 empty-value",
        "59:17 unclosed-string",
    ];
    assert_eq!(actual, expect, "{}", output.stdout);
}
