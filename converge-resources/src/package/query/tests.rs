use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, System};

use super::QueryPreparer;
use crate::testing::{context, plan, plan_pending, prepare, show};

const DPKG: [&str; 5] =
    ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${db:Status-Eflag} ${Version}\\n", "--", "mc"];
const RPM: [&str; 6] =
    ["rpm", "--query", "--queryformat", "%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n", "--", "mc"];

fn model() -> ModelSystem {
    ModelSystem::new().with_query(DPKG, Output::success("installed ok 3:4.8.29-2\n"))
}

#[tokio::test]
async fn what_is_installed() {
    let check = async |model: ModelSystem, expect: &str| {
        let cx = context(Arc::new(model), RunMode::Plan);
        let mut task = prepare::<QueryPreparer>(&cx, &[("name", "mc".into())]).await.unwrap();
        let output = show(&task.check(&cx, &FakeRenderer::new()).await);
        let exports = task.exports();
        let value = |name: &str| match exports.get(&[name]) {
            Some(Value::String(text)) => text.to_string(),
            Some(value) => value.to_string(),
            None => "none".to_owned(),
        };
        let actual = ["installed", "version", "versions", "database"].map(value).join(" ");
        let actual = if output == "no change" { actual } else { output };
        assert_eq!(actual, expect);
    };
    let dpkg = |printed: &str| ModelSystem::new().with_query(DPKG, Output::success(printed));
    let rpm = |printed: &str| ModelSystem::new().with_query(RPM, Output::success(printed));
    check(model(), "true 3:4.8.29-2 [\"3:4.8.29-2\"] dpkg").await;
    check(dpkg("installed ok 1\ninstalled ok 2\n"), "true 2 [\"1\", \"2\"] dpkg").await;
    check(dpkg("config-files ok 1\n"), "false null [] dpkg").await;
    check(dpkg("half-installed reinstreq 1\n"), "false null [] dpkg").await;
    check(dpkg("not-installed ok \n"), "false null [] dpkg").await;
    let unknown = Output::failure(1, "dpkg-query: no packages found matching mc\n");
    check(ModelSystem::new().with_query(DPKG, unknown), "false null [] dpkg").await;
    check(rpm("0:4.8.29-2\n"), "true 4.8.29-2 [\"4.8.29-2\"] rpm").await;
    check(rpm("1:4.8.29-2\n"), "true 1:4.8.29-2 [\"1:4.8.29-2\"] rpm").await;
    check(rpm("0:5.14-1\n0:5.14-2\n"), "true 5.14-2 [\"5.14-1\", \"5.14-2\"] rpm").await;
    let unknown = Output { stdout: b"package mc is not installed\n".into(), ..Output::failure(1, "") };
    check(ModelSystem::new().with_query(RPM, unknown), "false null [] rpm").await;
    let broken = Output::failure(2, "dpkg-query: error: cannot read\n");
    check(
        ModelSystem::new().with_query(DPKG, broken),
        "error: dpkg-query failed:\ndpkg-query: error: cannot read",
    )
    .await;
    check(dpkg("what\n"), "error: the package database returned an invalid line: \"what\"").await;
}

#[tokio::test]
async fn without_a_database() {
    let without_database: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields = [("name", Value::from("mc"))];
    let output = plan::<QueryPreparer>(&without_database, &fields).await;
    assert!(output.ends_with("neither dpkg-query nor rpm is installed"), "{output}");
    let output = plan_pending::<QueryPreparer>(&without_database, &fields).await;
    assert_eq!(output, "may change\n# neither dpkg-query nor rpm exists yet");
}

#[tokio::test]
async fn names_that_are_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    for name in ["", "-a", "mc=1", "m*", "a b", "/srv/mc.deb"] {
        let output = plan::<QueryPreparer>(&system, &[("name", name.into())]).await;
        assert!(output.starts_with("error: name: "), "{name}: {output}");
    }
}

laws!(QueryPreparer, start = model, values = ("name", ["mc"]), only_looks = "a query has no changes");
