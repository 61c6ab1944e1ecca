use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::SudoersPreparer;
use crate::testing::{Written, apply, plan, plan_pending};

const FILE: &str = "/etc/sudoers.d/operators";
const RULE: &str = "%operators ALL=(root) NOPASSWD: /usr/bin/true\n";

/// Runs a model of `visudo`, which refuses rules that begin with `oops`.
fn visudo(command: &Command, machine: &mut Machine) -> Option<Output> {
    let path = command.args.last().filter(|_| command.program.ends_with("/visudo"))?;
    let text = machine.file(path).unwrap_or_default();
    let refused = || Output::failure(1, format!("{path}:1:6: syntax error\n"));
    Some(if text.starts_with(b"oops") { refused() } else { Output::success("parsed OK\n") })
}

fn bare() -> ModelSystem {
    ModelSystem::new().with_dir("/etc/sudoers.d").with_program(visudo)
}

fn model() -> ModelSystem {
    bare().with_file("/usr/sbin/visudo", "")
}

fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    let usual = [("name", Value::from("operators")), ("content", RULE.into())];
    let others = usual.into_iter().filter(|(name, _)| fields.iter().all(|(field, _)| field != name));
    others.chain(fields.iter().cloned()).collect()
}

#[tokio::test]
async fn rules() {
    let check = async |start: ModelSystem, fields: Written<'_>, said: &str, expect: Option<&str>| {
        let model = Arc::new(start);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<SudoersPreparer>(&system, &with_defaults(fields)).await;
        assert_eq!(output.replace(&format!("{RULE:?}"), "RULE"), said, "{fields:?}");
        let machine = model.machine();
        assert_eq!(machine.file(FILE), expect.map(str::as_bytes), "{fields:?}");
        let entry = machine.entry(FILE).map(|entry| (entry.uid, entry.gid, entry.mode));
        assert_eq!(entry, expect.map(|_| (0, 0, 0o440)), "{fields:?}");
    };
    let creation = "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => RULE";
    check(model(), &[], creation, Some(RULE)).await;
    check(model(), &[("content", RULE.trim_end().into())], creation, Some(RULE)).await;
    let model_with_rule = || model().with_file(FILE, RULE).with_mode(FILE, 0o440);
    check(model_with_rule(), &[], "no change", Some(RULE)).await;
    let change = "will change\ncontent: \"# none\\n\" => RULE";
    check(model_with_rule().with_file(FILE, "# none\n").with_mode(FILE, 0o440), &[], change, Some(RULE))
        .await;
    let loose = "will change\nmode: \"0666\" => \"0440\"\nowner: \"4100:0\" => \"0:0\"";
    check(model_with_rule().with_mode(FILE, 0o666).with_owner(FILE, 4100, 0), &[], loose, Some(RULE)).await;
    let absent = ("state", Value::from("absent"));
    check(
        model_with_rule(),
        std::slice::from_ref(&absent),
        "will change\nstate: \"present\" => \"absent\"",
        None,
    )
    .await;
    check(bare(), &[absent], "no change", None).await;
}

#[tokio::test]
async fn what_is_refused() {
    let check = async |model: ModelSystem, fields: Written<'_>, expect: &str| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        for output in [
            plan::<SudoersPreparer>(&system, &with_defaults(fields)).await,
            apply::<SudoersPreparer>(&system, &with_defaults(fields)).await,
        ] {
            assert!(output.contains(&format!("error: {expect}")), "{fields:?}: {output}");
        }
        assert!(model.effects().is_empty(), "{fields:?}");
    };
    let syntax = "`visudo` ended with exit code 1: /etc/sudoers.d/operators:1:6: syntax error";
    check(model(), &[("content", "oops".into())], syntax).await;
    check(bare(), &[], "`visudo` is not installed; it comes with the package `sudo`").await;
    let folder = model().with(|machine| machine.remove("/etc/sudoers.d"));
    check(folder, &[], "the directory /etc/sudoers.d does not exist").await;
    check(model().with_dir(FILE), &[], "/etc/sudoers.d/operators is a folder").await;
    check(model().with_symlink(FILE, "/etc/shadow"), &[], "/etc/sudoers.d/operators is a link").await;
    for name in ["", "a.b", "a~", "../a", "a/b", "-a", "a b", "."] {
        check(model(), &[("name", name.into())], "name: ").await;
    }
    check(model(), &[("content", "a\0b".into())], "content: it is not text").await;
    let system: Arc<dyn System> = Arc::new(bare());
    let output = plan_pending::<SudoersPreparer>(&system, &with_defaults(&[])).await;
    assert!(output.starts_with("may change\n# not possible yet: `visudo` is not installed"), "{output}");
}

laws!(
    SudoersPreparer,
    start = model,
    beside = (FILE, "the name is only a part of the path"),
    values = ("name", ["operators"]),
    values = ("content", [RULE, "# nothing\n"])
);
