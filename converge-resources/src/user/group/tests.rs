use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Exit, Group, ModelSystem, Output, Platform, System};

use super::GroupPreparer;
use crate::testing::{Written, apply, context, output_lines, plan, plan_pending, prepare, show};
use crate::user::model::machine;

fn model() -> ModelSystem {
    machine().with_group("crew", 4100).with_group("team", 4200).with_user("ada", 1000, 4200)
}

fn written(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    [("name", Value::from("crew"))].into_iter().chain(fields.iter().cloned()).collect()
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |name: &str, fields: Written<'_>, expect: &str| {
        let all_fields: Vec<_> =
            [("name", Value::from(name))].into_iter().chain(fields.iter().cloned()).collect();
        assert_eq!(plan::<GroupPreparer>(&system, &all_fields).await, expect, "{name} {fields:?}");
    };
    let absent = || ("state", Value::from("absent"));
    check("crew", &[], "no change").await;
    check("crew", &[("gid", 4100.into())], "no change").await;
    check("crew", &[("gid", 4300.into())], "will change\ngid: \"4100\" => \"4300\"").await;
    check("crew", &[("new_name", "".into())], "error: new_name: `new_name` must not be empty").await;
    check("crew", &[("new_name", "crew".into())], "no change").await;
    check("crew", &[("new_name", "staff".into())], "will change\nname: \"crew\" => \"staff\"").await;
    check("gone", &[("new_name", "crew".into())], "no change").await;
    check(
        "gone",
        &[("new_name", "crew".into()), ("gid", 4300.into())],
        "will change\ngid: \"4100\" => \"4300\"",
    )
    .await;
    check("new", &[], "will change\nstate: \"absent\" => \"present\"\nname: \"\" => \"new\"").await;
    check(
        "new",
        &[("gid", 4300.into()), ("new_name", "newer".into())],
        "will change\nstate: \"absent\" => \"present\"\nname: \"\" => \"newer\"\ngid: \"\" => \"4300\"",
    )
    .await;
    check("crew", &[absent()], "will change\nstate: \"present\" => \"absent\"").await;
    check("crew", &[absent(), ("gid", 4100.into())], "will change\nstate: \"present\" => \"absent\"").await;
    check("new", &[absent()], "no change").await;
    check(
        "new",
        &[absent(), ("new_name", "crew".into())],
        "no change\nwarning: `new_name` means nothing with `state = \"absent\"`",
    )
    .await;
}

#[tokio::test]
async fn members() {
    let model = || {
        let model = model().with_user("grace", 1001, 4100).with_user("mary", 1002, 4100);
        model.with(|machine| {
            let group = machine.group("team").cloned().unwrap();
            machine.put_group(Group { members: vec!["grace".to_owned()], ..group });
        })
    };
    let check = async |name: &str, members: &[&str], exact: bool, expect: &str, after: &[&str]| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let members: Value = members.iter().map(|name| Value::from(*name)).collect::<Vec<_>>().into();
        let fields = [("name", name.into()), ("members", members), ("exact", exact.into())];
        let apply_output = apply::<GroupPreparer>(&system, &fields).await;
        assert!(apply_output.contains(expect), "{fields:?}: {apply_output}");
        let members_found = model.machine().group(name).map(|group| group.members.clone());
        assert_eq!(members_found.unwrap_or_default(), after, "{fields:?}");
        assert_eq!(apply::<GroupPreparer>(&system, &fields).await, "no change", "{fields:?}");
    };
    check("team", &["grace"], false, "no change", &["grace"]).await;
    check("team", &[], false, "no change", &["grace"]).await;
    check("team", &["ada"], false, "members: \"grace\" => \"grace, ada\"", &["grace", "ada"]).await;
    check("team", &["ada"], true, "members: \"grace\" => \"ada\"", &["ada"]).await;
    check("team", &[], true, "members: \"grace\" => \"\"", &[]).await;
    check("new", &["mary", "ada", "mary"], true, "members: \"\" => \"mary, ada\"", &["mary", "ada"]).await;

    let system: Arc<dyn System> = Arc::new(model());
    let fields_with =
        |name: &str| [("name", Value::from("team")), ("members", Value::from(vec![Value::from(name)]))];
    let ghost = "members: \"grace\" => \"grace, ghost\"";
    assert_eq!(
        plan::<GroupPreparer>(&system, &fields_with("ghost")).await,
        format!("can't change\n{ghost}\nerror: user \"ghost\" does not exist")
    );
    assert_eq!(
        plan_pending::<GroupPreparer>(&system, &fields_with("ghost")).await,
        format!("may change\n{ghost}\n# not possible yet: user \"ghost\" does not exist")
    );
    for name in ["", "-a", "a,b", "a b", "root:x"] {
        let plan_output = plan::<GroupPreparer>(&system, &fields_with(name)).await;
        assert!(plan_output.starts_with("error: members: "), "{name}: {plan_output}");
    }
}

#[tokio::test]
async fn what_is_in_the_way() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |fields: Written<'_>, alone: &str, pending: &str| {
        let fields_written = written(fields);
        let alone_expect = format!("can't change\n{alone}");
        let pending_expect = format!("may change\n{pending}");
        let output =
            plan::<GroupPreparer>(&system, &fields_written).await.replacen("fatal\n", "can't change\n", 1);
        assert_eq!(output, alone_expect, "{fields:?}");
        assert_eq!(
            plan_pending::<GroupPreparer>(&system, &fields_written).await,
            pending_expect,
            "{fields:?}"
        );
    };
    check(
        &[("gid", 4200.into())],
        "gid: \"4100\" => \"4200\"\nerror: the gid 4200 belongs to the group \"team\"",
        "gid: \"4100\" => \"4200\"\n# not possible yet: the gid 4200 belongs to the group \"team\"",
    )
    .await;
    check(
        &[("new_name", "team".into())],
        "error: \"crew\" cannot be renamed to \"team\": there is a group of either name",
        "# not possible yet: \"crew\" cannot be renamed to \"team\": there is a group of either name",
    )
    .await;
    check(
        &[("state", "absent".into()), ("gid", 1.into())],
        "state: \"present\" => \"absent\"\nerror: the group \"crew\" has the gid 4100 and not 1, so it is not removed",
        "state: \"present\" => \"absent\"\n# not possible yet: the group \"crew\" has the gid 4100 and not 1, so it is not removed",
    )
    .await;
}

#[tokio::test]
async fn a_primary_group_stays() {
    let check = async |users: &[&str], expect: &str| {
        let model = users
            .iter()
            .zip(1000..)
            .fold(machine().with_group("crew", 4100), |model, (name, uid)| model.with_user(name, uid, 4100));
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<GroupPreparer>(&system, &written(&[("state", "absent".into())])).await;
        assert_eq!(output, format!("can't change\nstate: \"present\" => \"absent\"\nerror: {expect}"));
    };
    check(&["ada"], "the group \"crew\" is the primary group of \"ada\"").await;
    check(
        &["f", "e", "d", "c", "b", "a"],
        "the group \"crew\" is the primary group of \"a\", \"b\", \"c\", \"d\", \"e\" and 1 more",
    )
    .await;
}

#[tokio::test]
async fn names_that_no_program_would_take() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |name: &str| {
        let output = plan::<GroupPreparer>(&system, &[("name", name.into())]).await;
        assert!(output.starts_with("error: name: "), "{name}: {output}");
    };
    for name in ["", "-r", "a:b", "a b", "a\nb", "a,b", "+a", "~a"] {
        check(name).await;
    }
    let output = plan::<GroupPreparer>(&system, &written(&[("gid", 4_294_967_295_i64.into())])).await;
    assert!(output.starts_with("error: gid: 4294967295 is out of range"), "{output}");
}

#[tokio::test]
async fn a_rename_of_what_is_not_there_yet() {
    let system: Arc<dyn System> = Arc::new(model());
    let fields = [("name", Value::from("new")), ("new_name", Value::from("newer"))];
    insta::assert_snapshot!(plan_pending::<GroupPreparer>(&system, &fields).await, @r#"
    may change
    state: "absent" => "present"
    name: "" => "newer"
    # there is no group "new" to rename yet
    "#);
}

#[tokio::test]
async fn without_the_programs() {
    let without_programs: Arc<dyn System> = Arc::new(ModelSystem::new().with_group("crew", 4100));
    insta::assert_snapshot!(plan::<GroupPreparer>(&without_programs, &written(&[("gid", 7.into())])).await, @r#"
    can't change
    gid: "4100" => "7"
    error: `groupmod` is not installed; it comes with the package `passwd` (Debian), `shadow-utils` (Fedora) or `shadow` (Arch, SUSE)
    "#);
    insta::assert_snapshot!(plan_pending::<GroupPreparer>(&without_programs, &written(&[("gid", 7.into())])).await, @r#"
    may change
    gid: "4100" => "7"
    # not possible yet: `groupmod` is not installed; it comes with the package `passwd` (Debian), `shadow-utils` (Fedora) or `shadow` (Arch, SUSE)
    "#);
    assert_eq!(plan::<GroupPreparer>(&without_programs, &written(&[])).await, "no change");
    let mac: Arc<dyn System> = Arc::new(machine().with_platform(Platform::new("darwin")));
    insta::assert_snapshot!(plan::<GroupPreparer>(&mac, &written(&[])).await, @"error: user.group is not supported on darwin: users and groups are changed with `useradd` and its like, which only Linux has");
}

#[tokio::test]
async fn what_the_program_says_is_shown() {
    let check = async |exit: Exit, stderr: &str, expect: &str| {
        let output = Output { exit, ..Output::failure(0, stderr) };
        let answer = move |command: &converge_sdk::system::Command, _: &mut _| {
            command.program.ends_with("groupadd").then(|| output.clone())
        };
        let model = ModelSystem::new().with_file("/opt/bin/groupadd", "").with_env("PATH", "bin:/opt/bin");
        let system: Arc<dyn System> = Arc::new(model.with_program(answer));
        let text = apply::<GroupPreparer>(&system, &written(&[])).await;
        assert_eq!(text.split_once("\nerror: ").map(|(_, error)| error), Some(expect), "{text}");
        // The output is also sent as progress events.
        let lines: Vec<String> = stderr.lines().map(|line| format!("! {line}")).collect();
        assert_eq!(output_lines::<GroupPreparer>(&system, &written(&[])).await, lines);
    };
    check(
        Exit::Code(10),
        "groupadd: Permission denied.\ngroupadd: cannot lock /etc/group; try again later.\n",
        "`groupadd` ended with exit code 10: groupadd: Permission denied.\n\
         groupadd: cannot lock /etc/group; try again later.",
    )
    .await;
    check(Exit::Signal(9), "", "`groupadd` was ended by signal 9").await;
    check(Exit::TimedOut, "", "`groupadd` did not end in time and was killed").await;
}

#[tokio::test]
async fn a_change_after_the_check_is_noticed() {
    let system: Arc<dyn System> = Arc::new(model());
    let cx = context(Arc::clone(&system), RunMode::Apply);
    let mut task = prepare::<GroupPreparer>(&cx, &written(&[("gid", 4300.into())])).await.unwrap();
    show(&task.check(&cx, &FakeRenderer::new()).await);
    apply::<GroupPreparer>(&system, &written(&[("state", "absent".into())])).await;
    insta::assert_snapshot!(show(&task.apply(&cx).await), @r#"error: the group "crew" was changed by somebody else after it was checked; run again"#);
}

#[tokio::test]
async fn exports() {
    let check = async |name: &str, fields: Written<'_>, gid: Value| {
        let cx = context(Arc::new(model()), RunMode::Plan);
        let all_fields: Vec<_> =
            [("name", Value::from(name))].into_iter().chain(fields.iter().cloned()).collect();
        let mut task = prepare::<GroupPreparer>(&cx, &all_fields).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        assert_eq!(task.exports().get(&["gid"]), Some(&gid), "{name} {fields:?}");
        assert_eq!(task.exports().get(&["name"]), Some(&Value::from(name)), "{name} {fields:?}");
    };
    check("crew", &[], 4100.into()).await;
    check("crew", &[("gid", 7.into())], 7.into()).await;
    check("gone", &[("new_name", "crew".into())], 4100.into()).await;
    check("new", &[], Value::unknown("groupadd")).await;
    check("new", &[("gid", 7.into())], 7.into()).await;
    check("new", &[("state", "absent".into())], Value::Null).await;
}

laws!(
    GroupPreparer,
    start = model,
    values = ("name", ["new", "crew", "team"]),
    values = (
        "members",
        [Vec::<String>::new(), vec!["ada".to_owned()], vec!["root".to_owned(), "ada".to_owned()]]
    )
);
