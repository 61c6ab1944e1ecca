//! Tests of values between resources: exports, unknowns, secrets, pending changes.

use super::*;
use crate::sdk::resource::Preparer as _;
use crate::sdk::status::{DiffValue, Status, StatusLevel};
use crate::work::attempt::differences;
use crate::{Difference, Stage};

/// Returns a difference of a field. The toy shows a missing value as `(none)`.
fn difference(field: &'static str, before: DiffValue, after: impl Into<DiffValue>) -> Difference {
    Difference { field: Some(field.into()), changes: true, ..Difference::new(field, before, after) }
}

fn none() -> DiffValue {
    DiffValue::Placeholder("(none)".to_owned())
}

#[tokio::test]
async fn lookups_give_what_was_exported() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.fresh("a", &[])
            .toy("b", &[], |toy| toy.lookup("state", "toy.a.out"))
            .toy("c", &[], |toy| toy.lookup("state", "toy.b.Status.Name").lookup("size", "toy.a.status.code"))
    });
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.summary.changed, 3);
    assert_eq!(run.report("b").differences, [difference("state", none(), "out of a")]);
    assert_eq!(run.report("c").differences, [difference("state", none(), "b")]);
    assert_eq!(run.report("c").messages, ["size Some(7), list []"]);
}

#[test]
fn differences_are_of_the_field_that_their_name_begins_with() {
    let check = |name: &str, field| {
        let mut status = Status::new();
        status.add_difference(name, "a", "b");
        assert_eq!(differences(&status, &Toy::schema())[0].field.as_deref(), field, "{name}");
    };
    check("state", Some("state"));
    check("STATE", Some("state"));
    check("list.a.b", Some("list"));
    check("states", None);
    check("/etc/state", None);
}

#[tokio::test]
async fn in_a_plan_what_is_computed_by_a_change_is_unknown() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.fresh("a", &[])
            .toy("b", &[], |toy| toy.lookup("state", "toy.a.out"))
            .toy("c", &[], |toy| toy.lookup("state", "toy.a.state"))
            .toy("d", &[], |toy| toy.lookup("state", "toy.a.status.name"))
            .toy("e", &[], |toy| toy.lookup("size", "toy.a.status.code").lookup("state", "toy.a.out"))
            .toy("f", &[], |toy| toy.lookup("state", "toy.b.status.name"))
    });
    let run = plan(&world, &graph, 2).await;
    assert_eq!(
        run.outcomes(),
        [
            ("toy.a", Outcome::WillChange),
            ("toy.b", Outcome::MayChange),
            ("toy.c", Outcome::WillChange),
            ("toy.d", Outcome::WillChange),
            ("toy.e", Outcome::MayChange),
            ("toy.f", Outcome::MayChange),
        ]
    );
    assert_eq!(run.report("b").level, StatusLevel::MayChange);
    assert_eq!(run.report("b").differences, [difference("state", "".into(), DiffValue::Unknown)]);
    assert_eq!(run.report("d").differences, [difference("state", none(), "a")]);
    assert_eq!(
        run.report("e").differences,
        [
            difference("size", "".into(), DiffValue::Unknown),
            difference("state", "".into(), DiffValue::Unknown)
        ]
    );
    assert_eq!(world.log().iter().filter(|line| *line == "check b").count(), 0, "an unknown is not checked");

    // Without a change, everything is known.
    world.set("a", "new");
    let run = plan(&world, &graph, 2).await;
    assert_eq!(run.report("a").outcome, Outcome::Unchanged);
    assert_eq!(run.report("b").differences, [difference("state", none(), "out of a")]);
}

#[tokio::test]
async fn pending_names_every_dependency_with_changes() {
    let world = World::new();
    world.set("b", "new");
    // `b` is as declared but waits for `a`; `x` is unrelated.
    let graph = toys(|toys| {
        toys.fresh("a", &[])
            .fresh("b", &["a"])
            .moody("c", &["b"], Mood::Pending)
            .moody("d", &["c", "a"], Mood::Pending)
            .fresh("x", &[])
            .moody("y", &[], Mood::Pending)
    });
    for parallelism in [1, 3] {
        let run = plan(&world, &graph, parallelism).await;
        assert_eq!(run.report("c").messages, ["after toy.a"]);
        assert_eq!(run.report("c").outcome, Outcome::MayChange);
        assert_eq!(run.report("d").messages, ["after toy.a, toy.c"]);
        assert!(run.report("y").messages.is_empty());
    }
    // An apply makes the changes, so nothing is pending.
    assert!(
        apply(&world, &graph, 2).await.report("d").messages.iter().all(|text| !text.starts_with("after"))
    );
}

#[tokio::test]
async fn a_secret_is_in_no_event() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.toy("a", &[], |toy| toy.set("state", "new").set("secret", "hunter2"))
            .toy("b", &[], |toy| toy.set("state", "new").lookup("secret", "toy.a.out"))
    });
    let run = plan(&world, &graph, 2).await;
    assert_eq!(run.report("a").differences[0], difference("secret", DiffValue::Secret, DiffValue::Secret));
    let events = serde_json::to_string(&run.events).unwrap() + &format!("{:?}", run.events);
    assert!(!events.contains("hunter2"), "{events}");
}

#[tokio::test]
async fn templates_see_parameters_and_exports() {
    let world = World::new();
    let graph = toys(|toys| {
        let toys = Toys(toys.0.resource("param", "words", |param| param.set("default", vec!["x", "y"])));
        toys.fresh("a", &[]).toy("b", &["a"], |toy| {
            toy.template("list", "{{paramList `words`}}")
                .template("state", "{{lookup `toy.a.state`}}-{{lookup (printf `toy.%s.out` `a`)}}")
        })
    });
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.report("b").differences, [difference("state", none(), "new-out of a")]);
    assert_eq!(run.report("b").messages, [r#"size None, list ["x", "y"]"#]);
}

#[tokio::test]
async fn a_computed_lookup_needs_a_dependency() {
    let graph = toys(|toys| {
        toys.fresh("a", &[])
            .toy("b", &[], |toy| toy.template("state", "{{lookup (printf `toy.%s.out` `a`)}}"))
    });
    let run = apply(&World::new(), &graph, 2).await;
    let failure = run.report("b").failure.as_ref().unwrap();
    assert_eq!(failure.diagnostics[0].code, "template");
    insta::assert_snapshot!(failure.message);
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_a_diagnostic() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.fresh("a", &[]).toy("b", &[], |toy| toy.set("state", "new").lookup("size", "toy.a.state"))
    });
    let run = apply(&world, &graph, 1).await;
    let failure = run.report("b").failure.as_ref().unwrap();
    assert_eq!(failure.stage, Stage::Render);
    assert_eq!(failure.diagnostics[0].code, "not-a-number");
    insta::assert_snapshot!(failure.message);
}

#[tokio::test(start_paused = true)]
async fn events_as_json() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.moody("a", &[], Mood::Stuck)
            .fresh("b", &["a"])
            .toy("c", &[], |toy| toy.set("state", "new").set("secret", "hunter2"))
    });
    let run = apply(&world, &graph, 1).await;
    let lines: Vec<String> = run.events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
