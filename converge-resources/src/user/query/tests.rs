use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Group, ModelSystem};

use super::QueryPreparer;
use crate::testing::{context, prepare, show};
use crate::user::model::machine;

fn model() -> ModelSystem {
    machine().with_user("ada", 4100, 4200).with_group("team", 4200).with_user("lone", 4300, 4999).with(
        |machine| {
            machine.put_group(Group { name: "crew".into(), gid: 4100, members: vec!["ada".into()] });
        },
    )
}

#[tokio::test]
async fn what_is_known() {
    let check = async |name: &str, expect: &str| {
        let cx = context(Arc::new(model()), RunMode::Plan);
        let mut task = prepare::<QueryPreparer>(&cx, &[("name", name.into())]).await.unwrap();
        assert_eq!(show(&task.check(&cx, &FakeRenderer::new()).await), "no change", "{name}");
        let exports = task.exports();
        let value = |name: &str| match exports.get(&[name]) {
            Some(Value::String(text)) => text.to_string(),
            Some(value) => value.to_string(),
            None => "none".to_owned(),
        };
        let names = ["exists", "uid", "gid", "group", "groups", "gecos", "home", "shell"];
        assert_eq!(names.map(value).join(" "), expect, "{name}");
    };
    check("ada", "true 4100 4200 team [\"crew\", \"team\"]  /home/ada /bin/sh").await;
    check("lone", "true 4300 4999 null []  /home/lone /bin/sh").await;
    check("ghost", "false null null null [] null null null").await;
}

laws!(
    QueryPreparer,
    start = model,
    values = ("name", ["ada", "ghost"]),
    only_looks = "a query has no changes"
);
