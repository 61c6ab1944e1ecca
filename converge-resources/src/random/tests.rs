//! Tests of the behaviour that all types share: drawing and storing values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};

use super::integer::IntegerPreparer;
use super::password::PasswordPreparer;
use super::{draw, keepers};
use crate::testing::{KEPT, Written, apply, context, plan, prepare};

/// Returns a host whose random source has this seed.
fn machine(seed: u64) -> (Arc<ModelSystem>, Arc<dyn System>) {
    let model = Arc::new(ModelSystem::new().with_seed(seed));
    (Arc::clone(&model), model)
}

/// Returns the files with stored values.
fn kept(model: &ModelSystem) -> Vec<PathBuf> {
    let paths = model.snapshot().into_keys();
    paths.filter(|path| path.starts_with(KEPT) && path.extension().is_some()).collect()
}

/// The counts are deterministic, because the random source is fixed.
///
/// Each is within four standard deviations of the expected count.
#[tokio::test]
async fn each_is_as_likely_as_any_other() {
    const DRAWS: usize = 12_000;
    let (_, system) = machine(7);
    let cx = context(system, RunMode::Apply);
    let check = |what: &str, counts: &BTreeMap<String, usize>, kinds: usize| {
        assert_eq!(counts.len(), kinds, "{what}: {counts:?}");
        for (kind, count) in counts {
            // The comparison uses squares to avoid fractions: the deviation is the root of draws * (kinds -
            // 1) / kinds².
            let deviation = (count * kinds).abs_diff(DRAWS);
            assert!(
                deviation * deviation <= 16 * DRAWS * (kinds - 1),
                "{what}: {kind} is there {count} times of {DRAWS}"
            );
        }
    };
    for kinds in [2_usize, 3, 7, 10, 26] {
        let mut counts = BTreeMap::new();
        for _ in 0..DRAWS {
            *counts.entry(draw::index(&cx, kinds).await.unwrap().to_string()).or_default() += 1;
        }
        check("index", &counts, kinds);
    }
    for (min, max) in [(-2, 2), (i64::MAX - 3, i64::MAX), (0, 0)] {
        let mut counts = BTreeMap::new();
        for _ in 0..DRAWS {
            let sample = draw::between(&cx, min, max).await.unwrap();
            *counts.entry(sample.to_string()).or_default() += 1;
        }
        check("between", &counts, usize::try_from(max.abs_diff(min)).unwrap() + 1);
    }
    // All orders of three items, and all choices of two.
    for (count, kinds) in [(3, 6), (2, 6)] {
        let mut counts = BTreeMap::new();
        for _ in 0..DRAWS {
            let sample = draw::some(&cx, vec!["a", "b", "c"], count).await.unwrap();
            *counts.entry(sample.concat()).or_default() += 1;
        }
        check("some", &counts, kinds);
    }
    // In the full range, half of the numbers are negative.
    let mut signs = BTreeMap::new();
    for _ in 0..DRAWS {
        let sample = draw::between(&cx, i64::MIN, i64::MAX).await.unwrap();
        *signs.entry((sample < 0).to_string()).or_default() += 1;
    }
    check("any", &signs, 2);
}

const NUMBER: [(&str, i64); 2] = [("min", 100), ("max", 999)];

fn number(extra: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    NUMBER.iter().map(|(name, value)| (*name, Value::from(*value))).chain(extra.iter().cloned()).collect()
}

async fn value(system: &Arc<dyn System>, fields: Written<'_>) -> Value {
    let cx = context(Arc::clone(system), RunMode::Plan);
    let mut task = prepare::<IntegerPreparer>(&cx, fields).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    task.exports().get(&["value"]).cloned().unwrap_or_default()
}

#[tokio::test]
async fn it_is_drawn_once() {
    let (model, system) = machine(1);
    let fields = number(&[]);
    assert_eq!(
        plan::<IntegerPreparer>(&system, &fields).await,
        "will change\nvalue: \"(none)\" => \"(known after apply)\""
    );
    assert!(kept(&model).is_empty(), "a plan draws nothing");
    assert_eq!(
        apply::<IntegerPreparer>(&system, &fields).await,
        "will change\nvalue: \"(none)\" => \"(known after apply)\""
    );
    let number_drawn = value(&system, &fields).await;
    assert!(matches!(number_drawn, Value::Int(100..=999)), "{number_drawn:?}");
    for _ in 0..3 {
        assert_eq!(plan::<IntegerPreparer>(&system, &fields).await, "no change");
        assert_eq!(apply::<IntegerPreparer>(&system, &fields).await, "no change");
        assert_eq!(value(&system, &fields).await, number_drawn);
    }
    let files = kept(&model);
    assert_eq!(files.len(), 1);
    let metadata =
        system.files().metadata(&files[0], converge_sdk::system::Follow::Never).await.unwrap().unwrap();
    assert_eq!(metadata.mode & 0o7777, 0o600);
}

#[tokio::test]
async fn it_is_drawn_again() {
    let (_, system) = machine(1);
    let keepers = |of: &str| {
        number(&[("keepers", Value::Map([("of".to_owned(), Value::from(of))].into_iter().collect()))])
    };
    apply::<IntegerPreparer>(&system, &number(&[])).await;
    let first = value(&system, &number(&[])).await;
    let check = async |written: Written<'_>, why: &str| {
        let before = value(&system, &number(&[])).await;
        let output = plan::<IntegerPreparer>(&system, written).await;
        assert!(output.starts_with("will change\nvalue: \"") && output.ends_with(why), "{output}");
        apply::<IntegerPreparer>(&system, written).await;
        assert_eq!(plan::<IntegerPreparer>(&system, written).await, "no change");
        before
    };
    let others = "another value is drawn: `keepers` have changed since the value was drawn";
    check(&keepers("a"), others).await;
    let second = value(&system, &keepers("a")).await;
    check(&keepers("b"), others).await;
    let third = value(&system, &keepers("b")).await;
    check(&number(&[]), others).await;
    let fourth = value(&system, &number(&[])).await;
    let distinct: std::collections::BTreeSet<String> =
        [first, second, third, fourth].iter().map(|value| format!("{value:?}")).collect();
    assert_eq!(distinct.len(), 4, "of this machine: {distinct:?}");
    // A value that fits stays; another is drawn again.
    let wider = [("min", 0.into()), ("max", 5000.into())];
    assert_eq!(plan::<IntegerPreparer>(&system, &wider).await, "no change");
    let narrower = [("min", 5.into()), ("max", 6.into())];
    check(&narrower, "another value is drawn: it is not between 5 and 6").await;
}

#[tokio::test]
async fn it_is_forgotten_when_that_is_said() {
    let (model, system) = machine(1);
    let absent = number(&[("state", "absent".into())]);
    assert_eq!(plan::<IntegerPreparer>(&system, &absent).await, "no change");
    apply::<IntegerPreparer>(&system, &number(&[])).await;
    assert_eq!(
        plan::<IntegerPreparer>(&system, &absent).await,
        "will change\nstate: \"present\" => \"absent\""
    );
    assert_eq!(kept(&model).len(), 1, "a plan forgets nothing");
    apply::<IntegerPreparer>(&system, &absent).await;
    assert_eq!(plan::<IntegerPreparer>(&system, &absent).await, "no change");
    assert!(kept(&model).is_empty());
}

/// No output shows a password or its keepers, and keepers are not stored in plain form.
#[tokio::test]
async fn secrets_are_not_told() {
    let (model, system) = machine(3);
    let keepers: Value = Value::Map([("pin".to_owned(), Value::from("4711"))].into_iter().collect());
    let fields = [("length", 12.into()), ("keepers", keepers.into_secret())];
    apply::<PasswordPreparer>(&system, &fields).await;
    let path = kept(&model).remove(0);
    let file = String::from_utf8(model.machine().file(&path).unwrap().to_vec()).unwrap();
    let text: serde_json::Value = serde_json::from_str(&file).unwrap();
    let record: serde_json::Value = serde_json::from_str(text["text"].as_str().unwrap()).unwrap();
    let password = record["value"].as_str().unwrap();
    assert_eq!(password.chars().count(), 12);
    assert!(!file.contains("4711"), "{file}");
    let longer = [("length", 14.into())];
    for output in [
        plan::<PasswordPreparer>(&system, &fields).await,
        plan::<PasswordPreparer>(&system, &longer).await,
        apply::<PasswordPreparer>(&system, &longer).await,
    ] {
        assert!(!output.contains(password), "{output}");
    }
    let cx = context(Arc::clone(&system), RunMode::Plan);
    let mut task = prepare::<PasswordPreparer>(&cx, &longer).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    let Some(Value::Secret(value)) = task.exports().get(&["value"]).cloned() else {
        panic!("it is a secret")
    };
    let Value::String(text) = &**value.expose() else { panic!("it is a text") };
    assert!(!format!("{task:?}").contains(&**text));
    let text_around = format!("a {text} b");
    assert!(!cx.redactor().redact(&text_around).contains(&**text), "it is hidden by its value, too");
}

/// A value that cannot be read is not drawn again, because others rely on it.
#[tokio::test]
async fn what_is_damaged_is_an_error() {
    let (model, system) = machine(1);
    apply::<IntegerPreparer>(&system, &number(&[])).await;
    let path = kept(&model).remove(0);
    let valid = String::from_utf8(model.machine().file(&path).unwrap().to_vec()).unwrap();
    let check = async |text: &str, expect: &str| {
        model.alter(|machine| machine.put_file(&path, text.as_bytes()));
        let output = apply::<IntegerPreparer>(&system, &number(&[])).await;
        assert!(output.contains(expect), "{output}");
        assert_eq!(model.machine().file(&path), Some(text.as_bytes()), "it is left as it is");
    };
    let advice = "restore the file, or remove it to generate a new value";
    check(
        "",
        &format!("but it is not a record of it (EOF while parsing a value at line 1 column 0); {advice}"),
    )
    .await;
    check(&valid[..valid.len() / 2], "is not a record of it").await;
    check(
        &valid.replace("\"format\": 1", "\"format\": 2"),
        "has the format 2, which this version does not know",
    )
    .await;
    check(&valid.replace("root/", "root/other."), "is about `root/other.resource.tested` of test").await;
    check(&valid.replace("\\\"value\\\":", "\\\"valu\\\":"), "the stored value is not of this type").await;
    model.alter(|machine| machine.put_file(&path, valid.as_bytes()));
    assert_eq!(plan::<IntegerPreparer>(&system, &number(&[])).await, "no change");
}

#[tokio::test]
async fn a_full_disk_leaves_nothing_that_was_not_kept() {
    let model = Arc::new(ModelSystem::new().with_dir(KEPT).with_disk(KEPT, Disk::Full));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<IntegerPreparer>(&system, &number(&[])).await;
    assert!(output.contains("error: "), "{output}");
    assert!(kept(&model).is_empty());
    assert_eq!(value(&system, &number(&[])).await, Value::Null, "nobody sees what is not kept");
}

/// Without a state, a plan shows the work of an apply, and an apply refuses before anything is drawn.
#[tokio::test]
async fn without_a_state_nothing_is_drawn() {
    use converge_core::engine::Engine;
    use converge_core::load::Loader;

    let registry = crate::registry().unwrap();
    let text = "random.integer \"it\" {\n  min = 1\n  max = 2\n}\n";
    let graph = Loader::new(&registry).load_text("m.hcl", text).into_graph().unwrap();
    let engine = Engine::new(Arc::new(ModelSystem::new()));
    let plan = engine.make_plan(&graph).await.unwrap();
    assert_eq!(plan.report.resources.len(), 1);
    let report = engine.apply_for_report(&graph).await.unwrap();
    let debug_text = format!("{report:?}");
    assert!(debug_text.contains("this run has no state; name a folder with `--state-dir`"), "{debug_text}");
}

#[tokio::test]
async fn marks_of_keepers() {
    let (_, system) = machine(1);
    let cx = context(system, RunMode::Apply);
    let map_of = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let maps = [
        map_of(&[]),
        map_of(&[("a", "b")]),
        map_of(&[("a", "b"), ("c", "")]),
        map_of(&[("ab", "")]),
        map_of(&[("a", "bc")]),
        map_of(&[("", "ab")]),
    ];
    for (index, map) in maps.iter().enumerate() {
        let mark = keepers::mark(&cx, map).await.unwrap();
        for (other_at, other_map) in maps.iter().enumerate() {
            assert_eq!(keepers::has_mark(other_map, &mark), index == other_at, "{map:?} {other_map:?}");
        }
    }
    let marks = [keepers::mark(&cx, &maps[1]).await.unwrap(), keepers::mark(&cx, &maps[1]).await.unwrap()];
    assert_ne!(marks[0], marks[1], "who sees two cannot tell that they are the same");
}

/// Whatever fails, and wherever a run is killed, a value that others have seen is stored.
#[cfg(feature = "file")]
#[test]
fn a_run_that_is_killed_anywhere_is_finished_by_the_next() {
    use converge_core::testing::simulation::Simulation;

    let registry = crate::registry().unwrap();
    let module = r#"
        random.password "it" { length = 16 }
        file.content "one" {
          destination = "/etc/one"
          content     = random.password.it.value
        }
        file.content "two" {
          destination = "/etc/two"
          content     = "{{lookup `random.password.it.value`}}"
        }
    "#;
    Simulation::new(&registry, module)
        .start(|| ModelSystem::new().with_dir("/etc"))
        .holds(|runs| match (runs.machine().file("/etc/one"), runs.machine().file("/etc/two")) {
            (Some(one), Some(two)) if one == two && one.len() == 16 => Ok(()),
            _ => Err("the files have not the one password".to_owned()),
        })
        .run();
}
