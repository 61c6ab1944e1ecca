use std::sync::Arc;

use super::*;
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use converge_engine::Skipped;
use converge_load::Loader;

/// A thing with a health.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "thing", task = Thing, register = false)]
struct ThingPreparer {}

#[derive(Debug, converge_sdk::Export)]
struct Thing {}

impl Resource for ThingPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Thing> {
        Ok(Thing {})
    }
}

impl Task for Thing {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn graph(text: &str) -> Arc<Graph> {
    let registry = Registry::new().with::<ThingPreparer>().unwrap();
    Loader::new(&registry).load_text("web.hcl", text).into_graph().unwrap()
}

/// Returns a report with the changes that `set` makes.
fn report(id: &str, outcome: Outcome, set: impl FnOnce(&mut ResourceReport)) -> (NodeId, ResourceReport) {
    let id = id.split('/').fold(NodeId::root(), |id, part| id.child(part));
    let mut report = ResourceReport::new(id.clone(), outcome);
    set(&mut report);
    (id, report)
}

fn skipped(cause: &str) -> impl FnOnce(&mut ResourceReport) {
    let cause = NodeId::root().child(cause);
    move |report| report.skipped = Some(Skipped { cause, reason: String::new() })
}

/// Compares the assessments, one line each: `ID HEALTH <- FAILING HEALTH, ..`.
fn check(text: &str, reports: impl IntoIterator<Item = (NodeId, ResourceReport)>, expect: &[&str]) {
    let (graph, reports) = (graph(text), Reports::from_iter(reports));
    let actual = assess(&graph, &reports).into_iter().map(|assessment| {
        let failing: Vec<_> = assessment
            .failing
            .iter()
            .map(|failing| format!("{} {}", failing.id.short(), failing.health))
            .collect();
        let arrow = if failing.is_empty() { "" } else { " <- " };
        format!("{} {}{arrow}{}", assessment.id.short(), assessment.health, failing.join(", "))
    });
    assert_eq!(actual.collect::<Vec<_>>(), expect, "{text}");
}

#[test]
fn outcomes_are_health() {
    let check_single = |outcome, set: fn(&mut ResourceReport), expect: &[&str]| {
        check("thing \"a\" {}", [report("thing.a", outcome, set)], expect);
    };
    check_single(Outcome::Unchanged, |_| {}, &["thing.a healthy"]);
    check_single(Outcome::Unchanged, |report| report.warnings.push("careful".into()), &["thing.a warning"]);
    check_single(Outcome::WillChange, |_| {}, &["thing.a warning"]);
    check_single(Outcome::MayChange, |_| {}, &["thing.a warning"]);
    check_single(Outcome::Failed, |_| {}, &["thing.a error"]);
    check_single(Outcome::NotRun, |_| {}, &["thing.a error"]);
    check_single(Outcome::NotTaken, |_| {}, &[]);
    // The health that the check sets takes precedence.
    check_single(Outcome::Failed, |report| report.optional = true, &["thing.a warning"]);
    check_single(Outcome::Failed, |report| report.health = Some(Health::Warning), &["thing.a warning"]);
    check_single(Outcome::WillChange, |report| report.health = Some(Health::Error), &["thing.a error"]);
}

const CHAIN: &str = "thing \"a\" {}\nthing \"b\" { depends = [\"thing.a\"] }\n\
                     thing \"c\" { depends = [\"thing.b\"] }\nthing \"d\" {}\n";

#[test]
fn failing_dependencies_are_named() {
    let failed = |set: fn(&mut ResourceReport)| {
        [
            report("thing.a", Outcome::Failed, set),
            report("thing.b", Outcome::Skipped, skipped("thing.a")),
            report("thing.c", Outcome::Skipped, skipped("thing.a")),
            report("thing.d", Outcome::Unchanged, |_| {}),
        ]
    };
    let expect = [
        "thing.a error",
        "thing.b error <- thing.a error",
        "thing.c error <- thing.b error",
        "thing.d healthy",
    ];
    check(CHAIN, failed(|_| {}), &expect);
    // A skipped resource is as healthy as the cause of the skip.
    let expect = [
        "thing.a warning",
        "thing.b warning <- thing.a warning",
        "thing.c warning <- thing.b warning",
        "thing.d healthy",
    ];
    check(CHAIN, failed(|report| report.health = Some(Health::Warning)), &expect);
    // Healthy resources are left out.
    let reports = [
        report("thing.a", Outcome::WillChange, |_| {}),
        report("thing.b", Outcome::Unchanged, |_| {}),
        report("thing.c", Outcome::MayChange, |_| {}),
    ];
    check(CHAIN, reports, &["thing.a warning", "thing.b healthy", "thing.c warning"]);
}

#[test]
fn structure_and_parameters_are_seen_through() {
    let text = "param \"p\" { default = 1 }\nparam \"q\" { default = \"{{param `p`}}\" }\n\
                switch \"s\" {\n  case \"eq 1 1\" \"c\" {\n    thing \"a\" {}\n    thing \"ok\" {}\n  }\n}\n\
                thing \"z\" { depends = [\"switch.s\", \"param.q\"] }\n";
    let reports = [
        report("param.p", Outcome::Failed, |_| {}),
        report("switch.s/case.c/thing.a", Outcome::WillChange, |_| {}),
        report("switch.s/case.c/thing.ok", Outcome::Unchanged, |_| {}),
        report("thing.z", Outcome::Skipped, skipped("param.p")),
    ];
    let expect = [
        "param.p error",
        "switch.s/case.c/thing.a warning",
        "switch.s/case.c/thing.ok healthy",
        "thing.z error <- param.p error, switch.s/case.c/thing.a warning",
    ];
    check(text, reports, &expect);
}
