//! Tests of modules from their text to the result.

use super::*;
use converge_load::Loader;

/// Runs a module and returns each resource with its outcome.
///
/// A resource that failed or was not taken has its reason.
async fn run_text(world: &Arc<World>, mode: RunMode, text: &str) -> Vec<String> {
    let registry = registry();
    let loaded = Loader::new(&registry).load_text("site.hcl", text);
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    let run = run_with(engine(world, 2), mode, &loaded.into_graph().unwrap(), &Stop::new()).await;
    let mut lines: Vec<String> = run
        .events
        .iter()
        .filter_map(|event| match event {
            EventKind::ResourceFinished(report) => {
                let reason = report.skipped.as_ref().map(|skipped| skipped.reason.clone());
                let reason =
                    reason.or_else(|| report.failure.as_ref().map(|failure| failure.message.clone()));
                let reason = reason.map_or(String::new(), |why| format!(": {why}"));
                Some(format!("{} {:?}{reason}", report.id.short(), report.outcome))
            }
            _ => None,
        })
        .collect();
    lines.sort();
    lines
}

async fn check(mode: RunMode, text: &str, expect: &[&str]) {
    assert_eq!(run_text(&World::new(), mode, text).await, expect, "{text}");
}

const LANGUAGE: &str = r#"
param "lang" {
  default = "es"
}

switch "lang" {
  case "eq `es` `{{param `lang`}}`" "spanish" {
    toy "greeting" { state = "hola" }
  }
  case "eq (param `lang`) `fr`" "french" {
    toy "greeting" { state = "salut" }
    toy "extra" { state = "oui" }
  }
  default {
    toy "greeting" { state = "hello" }
  }
}
"#;

#[tokio::test]
async fn a_switch_on_a_parameter() {
    check(
        RunMode::Plan,
        LANGUAGE,
        &[
            "switch.lang/case.default/toy.greeting NotTaken: another case, `spanish`, was taken",
            "switch.lang/case.french/toy.extra NotTaken: another case, `spanish`, was taken",
            "switch.lang/case.french/toy.greeting NotTaken: another case, `spanish`, was taken",
            "switch.lang/case.spanish/toy.greeting WillChange",
        ],
    )
    .await;
    check(
        RunMode::Apply,
        &LANGUAGE.replace("default = \"es\"", "default = \"de\""),
        &[
            "switch.lang/case.default/toy.greeting Changed",
            "switch.lang/case.french/toy.extra NotTaken: `eq (param `lang`) `fr`` is false",
            "switch.lang/case.french/toy.greeting NotTaken: `eq (param `lang`) `fr`` is false",
            "switch.lang/case.spanish/toy.greeting NotTaken: `eq `es` `{{param `lang`}}`` is false",
        ],
    )
    .await;
}

#[tokio::test]
async fn lookups_into_cases() {
    let world = World::new();
    let text = format!(
        "{LANGUAGE}{}",
        r#"
toy "heard" { state = toy.greeting.state }
toy "old"   { state = "{{lookup `toy.greeting.state`}}" }
toy "lost"  { state = "{{lookup `switch.lang.case.french.toy.extra.state`}}" }
"#
    );
    let lines = run_text(&world, RunMode::Apply, &text).await;
    assert_eq!(world.state("heard"), "hola");
    assert_eq!(world.state("old"), "hola");
    assert_eq!(
        lines.iter().find(|line| line.starts_with("toy.lost")).map(String::as_str),
        Some(
            "toy.lost Failed: lookup: `switch.lang.case.french.toy.extra.state` has no value: `case \"french\"` of \
             `switch.lang` was not taken"
        )
    );
}

#[tokio::test]
async fn a_switch_on_what_is_known_only_when_it_runs() {
    let text = r#"
toy "first" { state = "new" }

switch "s" {
  case "eq (lookup `toy.first.out`) `out of first`" "yes" {
    toy "a" { state = "new" }
  }
  default {
    toy "b" { state = "new" }
  }
}

toy "after" { state = "x", depends = ["switch.s"] }
"#;
    let text = &text.replace(", depends", "\n  depends");
    check(
        RunMode::Plan,
        text,
        &[
            "switch.s/case.default/toy.b MayChange: whether `case \"yes\"` of `switch.s` is taken is known after apply: it waits for toy.first.out",
            "switch.s/case.yes/toy.a MayChange: whether `case \"yes\"` of `switch.s` is taken is known after apply: it waits for toy.first.out",
            "toy.after WillChange",
            "toy.first WillChange",
        ],
    )
    .await;
    check(
        RunMode::Apply,
        text,
        &[
            "switch.s/case.default/toy.b NotTaken: another case, `yes`, was taken",
            "switch.s/case.yes/toy.a Changed",
            "toy.after Changed",
            "toy.first Changed",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_switch_on_the_platform() {
    check(
        RunMode::Plan,
        r#"
switch "os" {
  case "eq platform.OS `plan9`" "plan9" {
    toy "a" {}
  }
  case "{{eq platform.OS `linux`}}" "linux" {
    toy "b" {}
  }
}
"#,
        &[
            "switch.os/case.linux/toy.b Unchanged",
            "switch.os/case.plan9/toy.a NotTaken: `eq platform.OS `plan9`` is false",
        ],
    )
    .await;
}

#[tokio::test]
async fn when_and_on_change_of_as_modules_write_them() {
    let world = World::new();
    let text = r#"
param "on" {
  default = false
}

toy "off" {
  state = "new"
  when  = param.on
}

toy "conf" {
  for_each = ["a", "b"]
  state    = "conf ${each.key}"
}

toy "reload" {
  on_change_of = ["toy.conf"]
}

toy "near" {
  state = self.mood == null ? "none" : "some"
}
"#;
    let text = &text.replace("\"conf ${each.key}\"", "format(\"conf %s\", each.key)");
    let expect = [
        "toy.conf[\"a\"] Changed",
        "toy.conf[\"b\"] Changed",
        "toy.near Changed",
        "toy.off NotTaken: `when` is false: `param.on`",
        "toy.reload Changed",
    ];
    assert_eq!(run_text(&world, RunMode::Apply, text).await, expect);
    assert_eq!(world.state("near"), "none");
    assert!(world.log().contains(&"refresh reload".to_owned()));
    let expect = expect.map(|line| line.replace("Changed", "Unchanged"));
    assert_eq!(run_text(&world, RunMode::Plan, text).await, expect);
}

#[tokio::test]
async fn a_local_is_known_when_what_it_is_made_of_is() {
    const TEXT: &str = r#"
toy "a" { state = "new" }

locals {
  now   = upper(toy.a.state)
  later = toy.a.out
  both  = "{{local `now`}} {{local `later`}}"
}

toy "now" { state = local.now }
toy "later" { state = local.both }
"#;
    check(RunMode::Plan, TEXT, &["toy.a WillChange", "toy.later MayChange", "toy.now WillChange"]).await;
    check(RunMode::Apply, TEXT, &["toy.a Changed", "toy.later Changed", "toy.now Changed"]).await;
}
