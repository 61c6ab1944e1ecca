mod batch;

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Acl, AclTag, Effect, EntryKind, ModelSystem, Output, System, WriteFile};

use super::ContentPreparer;
use crate::testing::{
    Written, apply, context, is_root, local, output_lines, plan, plan_behind, plan_pending, prepare, show,
};

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/etc/motd", "hello\n")
        .with_mode("/etc/motd", 0o640)
        .with_owner("/etc/motd", 1, 1)
        .with_file("/etc/logo", [0x89, b'P', 0, 1])
        .with_symlink("/etc/link", "/etc/motd")
}

fn at(destination: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("destination", Value::from(destination))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan::<ContentPreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    let hello = || ("content", Value::from("hello\n"));
    check("/etc/motd", &[hello()], "no change").await;
    check("/etc/link", &[hello()], "no change").await;
    check("/etc/motd", &[("content", "bye".into())], "will change\ncontent: \"hello\\n\" => \"bye\"").await;
    check("/etc/motd", &[], "will change\ncontent: \"hello\\n\" => \"\"").await;
    check(
        "/etc/new",
        &[hello()],
        "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"hello\\n\"",
    )
    .await;
    check("/etc/new", &[], "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"\"").await;
    check(
        "/etc/new",
        &[("mode", Value::Int(0o644)), ("owner", "daemon".into()), ("group", "0".into())],
        "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"\"\nmode: \"\" => \"0644\"\n\
         owner: \"\" => \"daemon\"\ngroup: \"\" => \"0\"",
    )
    .await;
    check(
        "/etc/motd",
        &[hello(), ("mode", "0644".into()), ("owner", "root".into())],
        "will change\nmode: \"0640\" => \"0644\"\nowner: \"daemon\" => \"root\"",
    )
    .await;
    check("/etc/motd", &[hello(), ("mode", "u+r".into()), ("owner", "1".into())], "no change").await;
    check("/etc/motd", &[hello(), ("backup", true.into())], "no change").await;
    check(
        "/etc/motd",
        &[("backup", true.into())],
        "will change\ncontent: \"hello\\n\" => \"\"\n# the old file is kept as /etc/motd.bak",
    )
    .await;
}

#[tokio::test]
async fn what_is_there_already_can_stay() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let first_content = || [("content", Value::from("first")), ("only_if_missing", true.into())];
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let fields = at(destination, &[&first_content()[..], more].concat());
        assert_eq!(apply::<ContentPreparer>(&system, &fields).await, expect, "{destination} {more:?}");
        assert_eq!(plan::<ContentPreparer>(&system, &fields).await, "no change");
    };
    check("/etc/motd", &[], "no change").await;
    check("/etc/link", &[("backup", true.into())], "no change").await;
    check("/etc/motd", &[("mode", "0600".into())], "will change\nmode: \"0640\" => \"0600\"").await;
    assert_eq!(model.machine().file("/etc/motd"), Some(&b"hello\n"[..]));
    let creation = "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"first\"";
    check("/etc/new", &[], creation).await;
    let output = plan::<ContentPreparer>(&system, &at("/etc", &first_content())).await;
    assert_eq!(output, "error: cannot read /etc: is a directory");
}

/// A host with a file whose list lets daemon write, and a link to it.
fn listed() -> ModelSystem {
    let mut acl = Acl::from_mode(0o640);
    acl.entries.extend([(AclTag::User(1), 6), (AclTag::Mask, 6)]);
    ModelSystem::new()
        .with_file("/listed", "old\n")
        .with_mode("/listed", 0o640)
        .with_symlink("/link", "/listed")
        .with(|machine| {
            machine.put_attribute("/listed", Acl::ACCESS, &acl.to_bytes());
            machine.put_attribute("/listed", "user.note", b"mine");
        })
}

#[tokio::test]
async fn lists_and_attributes_are_kept() {
    let check = async |more: Written<'_>, expect: &str, mode: u32| {
        let model = Arc::new(listed());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = at("/listed", &[&[("content", "new\n".into()), ("backup", true.into())], more].concat());
        assert_eq!(apply::<ContentPreparer>(&system, &fields).await, expect, "{more:?}");
        assert_eq!(plan::<ContentPreparer>(&system, &fields).await, "no change", "{more:?}");
        let machine = model.machine();
        let acl = Acl::from_bytes(machine.attribute("/listed", Acl::ACCESS).unwrap()).unwrap();
        assert_eq!((acl.mode(), acl.entries[&AclTag::Group], acl.entries[&AclTag::User(1)]), (mode, 4, 6));
        assert_eq!(machine.entry("/listed").map(|entry| entry.mode), Some(mode));
        assert_eq!(machine.attribute("/listed", "user.note"), Some(&b"mine"[..]));
        // The backup has no list, so its group gets no more than it had.
        assert_eq!(machine.entry("/listed.bak").map(|entry| entry.mode), Some(0o640));
    };
    let content = "will change\ncontent: \"old\\n\" => \"new\\n\"";
    let backup = "# the old file is kept as /listed.bak";
    check(&[], &format!("{content}\n{backup}"), 0o660).await;
    let mask = "# the mode sets the mask of the access control list: its users and groups get at most r--";
    let with_mode = format!("{content}\nmode: \"0660\" => \"0644\"\n{backup}\n{mask}");
    check(&[("mode", "0644".into())], &with_mode, 0o644).await;
}

#[tokio::test]
async fn a_link_can_be_replaced() {
    let model = Arc::new(listed().with_symlink("/dangling", "/none"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    for (path, target) in [("/link", "/listed"), ("/dangling", "/none")] {
        let fields =
            at(path, &[("content", "new".into()), ("follow", false.into()), ("backup", true.into())]);
        let expect =
            format!("will change\nstate: \"a link to {target}\" => \"present\"\ncontent: \"\" => \"new\"");
        assert_eq!(apply::<ContentPreparer>(&system, &fields).await, expect);
        assert_eq!(plan::<ContentPreparer>(&system, &fields).await, "no change");
        let entry = model.machine().entry(path).unwrap();
        assert_eq!((entry.kind, entry.mode), (EntryKind::File(b"new".to_vec()), 0o600));
    }
    assert_eq!(model.machine().file("/listed"), Some(&b"old\n"[..]));
    let first =
        at("/link", &[("content", "x".into()), ("follow", false.into()), ("only_if_missing", true.into())]);
    assert_eq!(plan::<ContentPreparer>(&system, &first).await, "no change");
}

#[tokio::test]
async fn binary_content_is_not_shown() {
    let system: Arc<dyn System> = Arc::new(model());
    insta::assert_snapshot!(
        plan::<ContentPreparer>(&system, &at("/etc/logo", &[("content", "text".into())])).await,
        @r#"
    will change
    content: "4 bytes, sha256 0c2cb7455efc8c518dfcf5921c1c9b4c55c319f72de8a7f64b9a398151e91ec3" => "4 bytes, sha256 982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
    "#
    );
    insta::assert_snapshot!(
        plan::<ContentPreparer>(&system, &at("/etc/new", &[("content", "a\0b".into())])).await,
        @r#"
    will change
    state: "absent" => "present"
    content: "" => "3 bytes, sha256 59b271ae1bbcb1d31d41929817f4b16fb439eb4f31520b5ad1d5ce98920a7138"
    "#
    );
}

/// Content larger than the display limit, which is compared in pieces.
#[tokio::test]
async fn large_content() {
    let content = "x".repeat(200_000);
    let summary = |content: &str| {
        use sha2::Digest as _;
        let hash = sha2::Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
        format!("{} bytes, sha256 {}", content.len(), hash.concat())
    };
    let check = async |before: String, declared: Value, expect: &str| {
        let model = Arc::new(ModelSystem::new().with_file("/file", before.clone()));
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = at("/file", &[("content", declared), ("backup", true.into())]);
        let actual = plan::<ContentPreparer>(&system, &fields).await;
        let expect = expect.replace("{backup}", "\n# the old file is kept as /file.bak");
        assert_eq!(actual, expect, "{} bytes before", before.len());
        apply::<ContentPreparer>(&system, &fields).await;
        assert_eq!(model.machine().file("/file"), Some(content.as_bytes()));
        let old_copy = (actual != "no change").then_some(before.as_bytes());
        assert_eq!(model.machine().file("/file.bak"), old_copy);
        assert_eq!(plan::<ContentPreparer>(&system, &fields).await, "no change");
    };
    let declared = || Value::from(content.clone());
    let after = summary(&content);
    check(content.clone(), declared(), "no change").await;
    for shorter in [content[1..].to_owned(), format!("{}y", &content[1..]), format!("y{}", &content[1..])] {
        let expect = format!("will change\ncontent: {:?} => {after:?}{{backup}}", summary(&shorter));
        check(shorter, declared(), &expect).await;
    }
    let longer = format!("will change\ncontent: \"200001 bytes\" => {after:?}{{backup}}");
    check(format!("{content}x"), declared(), &longer).await;
    let secret = "will change\ncontent: \"(sensitive)\" => \"(sensitive)\"{backup}";
    check("y".repeat(200_000), declared().into_secret(), secret).await;
}

#[tokio::test]
async fn a_deadline_passes_while_a_large_file_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    // The difference is only at the end.
    let content = "x".repeat(64 << 20);
    #[expect(clippy::disallowed_methods, reason = "the test makes what the resource works on")]
    std::fs::write(&path, format!("{}y", &content[1..])).unwrap();
    let fields = at(path.to_str().unwrap(), &[("content", content.into())]);
    let cx = context(local(), RunMode::Plan);
    let mut task = prepare::<ContentPreparer>(&cx, &fields).await.unwrap();
    let renderer = converge_core::testing::FakeRenderer::new();
    let deadline = std::time::Duration::from_millis(1);
    tokio::time::timeout(deadline, task.check(&cx, &renderer)).await.map(drop).expect_err("it takes longer");
    // Cancelling the run ends the check as well.
    let checked = tokio::join!(task.check(&cx, &renderer), async { cx.cancellation().cancel() }).0;
    assert_eq!(show(&checked), "error: cancelled");
}

#[tokio::test]
async fn secret_content_is_not_shown() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, content: &str, expect: &str| {
        let fields = at(destination, &[("content", Value::from(content).into_secret())]);
        assert_eq!(plan::<ContentPreparer>(&system, &fields).await, expect);
        let task = prepare::<ContentPreparer>(&context(Arc::clone(&system), RunMode::Plan), &fields).await;
        let task = task.unwrap();
        let debug_text = format!("{task:?} {:?}", task.exports().into_value());
        assert!(!debug_text.contains(content.trim()) && debug_text.contains("(sensitive)"), "{debug_text}");
    };
    let hidden = "content: \"(sensitive)\" => \"(sensitive)\"";
    check("/etc/motd", "hello\n", "no change").await;
    check("/etc/motd", "hunter2", &format!("will change\n{hidden}")).await;
    check("/etc/new", "hunter2", &format!("will change\nstate: \"absent\" => \"present\"\n{hidden}")).await;
}

#[tokio::test]
async fn what_cannot_be_written_is_said_by_the_check() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let output = plan::<ContentPreparer>(&system, &at(destination, more)).await;
        assert_eq!(output, format!("error: {expect}"), "{destination} {more:?}");
    };
    check(
        "/none/at/all",
        &[],
        "the directory /none/at does not exist: declare it with `file.directory`, and name it in `depends`",
    )
    .await;
    check("/etc", &[], "cannot read /etc: is a directory").await;
    check("/etc/motd/x", &[], "cannot write /etc/motd/x: not a directory").await;
    check("/etc/motd", &[("owner", "ghost".into())], "user \"ghost\" does not exist").await;
    check("/etc/motd", &[("group", "ghosts".into())], "group \"ghosts\" does not exist").await;
    check("", &[], "destination: `destination` must not be empty").await;
    check(
        "/etc/motd",
        &[("validate", "visudo -cf".into())],
        "validate: the command never names the file: write `{}` where its path goes",
    )
    .await;
}

#[tokio::test]
async fn an_apply_says_the_same_of_a_directory_as_a_plan() {
    let dir = tempfile::tempdir().unwrap();
    let file = WriteFile::new(b"");
    local().files().write(&dir.path().join("file"), file).await.unwrap();
    for destination in ["none/at/all", "file/x"] {
        let destination = dir.path().join(destination).display().to_string();
        for extra in [&[][..], &[("validate", Value::from("true {}"))]] {
            let fields = at(&destination, extra);
            let planned = plan::<ContentPreparer>(&local(), &fields).await;
            assert!(planned.starts_with("error: "), "{planned}");
            let applied = apply::<ContentPreparer>(&local(), &fields).await;
            assert!(applied.ends_with(&planned), "{destination} {extra:?}: {applied}");
        }
    }
}

#[tokio::test]
async fn what_is_missing_may_be_made_by_a_pending_change() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan_pending::<ContentPreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    check(
        "/none/motd",
        &[("content", "hi".into())],
        "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"hi\"\n\
         # the directory /none does not exist yet",
    )
    .await;
    check(
        "/etc/motd",
        &[("content", "hello\n".into()), ("owner", "ghost".into())],
        "may change\nowner: \"daemon\" => \"ghost\"\n# the user \"ghost\" does not exist yet",
    )
    .await;
    check(
        "/etc/motd",
        &[("content", "bye\n".into()), ("owner", "ghost".into())],
        "will change\ncontent: \"hello\\n\" => \"bye\\n\"\nowner: \"daemon\" => \"ghost\"\n\
         # the user \"ghost\" does not exist yet",
    )
    .await;
}

#[tokio::test]
async fn an_account_that_is_about_to_change_may_get_the_id_that_the_file_has() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |dependency: &str, more: Written<'_>, expect: &str| {
        let fields = at("/etc/motd", &[&[("content", "hello\n".into())], more].concat());
        let output = plan_behind::<ContentPreparer>(dependency, &system, &fields).await;
        assert_eq!(output.lines().next(), Some(expect), "{dependency} {more:?}: {output}");
    };
    let (owner, mode) = (("owner", Value::from("root")), ("mode", Value::from("0600")));
    check("user.user.admin", std::slice::from_ref(&owner), "may change").await;
    check("user.user.admin[\"a.b\"]", std::slice::from_ref(&owner), "may change").await;
    check("user.group.admin", std::slice::from_ref(&owner), "will change").await;
    check("user.user.admin", &[owner.clone(), mode], "will change").await;
    check("task.query.first", &[owner], "will change").await;
}

/// Returns a host on which `validate = "check {}"` accepts content with `good` in it.
fn with_validator() -> ModelSystem {
    model().with_program(|command, machine| {
        let script = command.args.last()?;
        let path = script.strip_prefix("check '")?.strip_suffix('\'')?;
        let content = String::from_utf8_lossy(machine.file(path)?).into_owned();
        if content.contains("good") {
            return Some(Output::success("fine"));
        }
        Some(Output { stdout: b"looking\n".to_vec(), ..Output::failure(3, format!("line 1: {content}?\n")) })
    })
}

#[tokio::test]
async fn content_that_is_refused_is_not_written() {
    let model = Arc::new(with_validator());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |content: Value, command: &str, expect: &str| {
        let fields = at("/etc/motd", &[("content", content), ("validate", command.into())]);
        let output = apply::<ContentPreparer>(&system, &fields).await;
        assert_eq!(output.split_once("\nerror: ").map(|(_, error)| error), Some(expect));
        assert_eq!(model.machine().file("/etc/motd"), Some(&b"hello\n"[..]));
        assert!(!model.snapshot().contains_key(Path::new("/etc/.converge-validate.motd")));
    };
    let refused =
        "the new content was refused by `check {}`, which ended with exit code 3:\nlooking\nline 1: bad?";
    check("bad".into(), "check {}", refused).await;
    check("bad".into(), "check %s", &refused.replace("{}", "%s")).await;
    let hidden = "the new content was refused by `check {}`, which ended with exit code 3:\n(sensitive)";
    check(Value::from("bad").into_secret(), "check {}", hidden).await;
}

#[tokio::test]
async fn what_a_validation_prints_is_told_unless_it_may_show_a_secret() {
    let check = async |content: Value, command: Value, expect: &[&str]| {
        let system: Arc<dyn System> = Arc::new(with_validator());
        let fields = at("/etc/motd", &[("content", content), ("validate", command)]);
        assert_eq!(output_lines::<ContentPreparer>(&system, &fields).await, expect);
    };
    check("good".into(), "check {}".into(), &["fine"]).await;
    check("bad".into(), "check {}".into(), &["looking", "! line 1: bad?"]).await;
    check(Value::from("bad").into_secret(), "check {}".into(), &[]).await;
    check("bad".into(), Value::from("check {}").into_secret(), &[]).await;
}

#[tokio::test]
async fn effects() {
    let check = async |more: Written<'_>, expect: &[&str]| {
        let model = Arc::new(with_validator());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<ContentPreparer>(&system, &at("/etc/motd", more)).await;
        let effects: Vec<String> = model
            .effects()
            .into_iter()
            .map(|effect| match effect {
                Effect::WriteFile { path } => format!("write {}", path.display()),
                Effect::RemoveFile { path } => format!("remove {}", path.display()),
                Effect::SetMode { mode, .. } => format!("mode {mode:o}"),
                Effect::SetOwnership { ownership, .. } => format!("owner {:?}", ownership.uid),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(effects, expect, "{more:?}");
    };
    let hello = || ("content", Value::from("hello\n"));
    let valid = || ("content", Value::from("good"));
    check(&[valid()], &["write /etc/motd"]).await;
    check(&[valid(), ("mode", "0600".into()), ("owner", "root".into())], &["write /etc/motd"]).await;
    check(&[valid(), ("backup", true.into())], &["write /etc/motd.bak", "write /etc/motd"]).await;
    check(&[hello(), ("backup", true.into()), ("mode", "0600".into())], &["mode 600"]).await;
    check(&[hello(), ("mode", "4755".into()), ("owner", "root".into())], &["owner Some(0)", "mode 4755"])
        .await;
    check(
        &[valid(), ("validate", "check {}".into())],
        &["write /etc/.converge-validate.motd", "remove /etc/.converge-validate.motd", "write /etc/motd"],
    )
    .await;
}

#[tokio::test]
async fn mode_and_owner_stay_unless_they_are_given() {
    let check = async |destination: &str, more: Written<'_>, expect: (u32, u32, u32)| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<ContentPreparer>(&system, &at(destination, more)).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        let machine = model.snapshot();
        let entry = &machine[Path::new(destination)];
        assert_eq!((entry.mode, entry.uid, entry.gid), expect, "{destination} {more:?}");
    };
    check("/etc/motd", &[], (0o640, 1, 1)).await;
    check("/etc/motd", &[("mode", "0644".into())], (0o644, 1, 1)).await;
    check("/etc/motd", &[("owner", "root".into())], (0o640, 0, 1)).await;
    check("/etc/new", &[], (0o600, 0, 0)).await;
    check("/etc/new", &[("mode", "go+r".into()), ("group", "daemon".into())], (0o644, 0, 1)).await;
    // The copy has the attributes of the old file.
    let model = Arc::new(self::model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let extra = [("backup", Value::from(true)), ("mode", "0644".into()), ("owner", "root".into())];
    apply::<ContentPreparer>(&system, &at("/etc/motd", &extra)).await;
    let machine = model.snapshot();
    let copy = &machine[Path::new("/etc/motd.bak")];
    assert_eq!((copy.mode, copy.uid, copy.gid), (0o640, 1, 1));
    assert_eq!(model.machine().file("/etc/motd.bak"), Some(&b"hello\n"[..]));
}

#[tokio::test]
async fn a_secret_is_not_for_who_made_a_file_first() {
    let check = async |path: &str, content: Value, expect: (u32, u32)| {
        let model = Arc::new(
            self::model()
                .with_dir("/tmp")
                .with_mode("/tmp", 0o1777)
                .with_dir("/home/jo")
                .with_owner("/home/jo", 1000, 1000)
                .with_file(path, "squat")
                .with_owner(path, 1000, 1000),
        );
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = at(path, &[("content", content)]);
        let output = apply::<ContentPreparer>(&system, &fields).await;
        assert_eq!(output.contains("somebody else"), expect.0 == 0, "{output}");
        assert_eq!(apply::<ContentPreparer>(&system, &fields).await, "no change");
        let entry = &model.snapshot()[Path::new(path)];
        assert_eq!((entry.uid, entry.mode), expect, "{path}");
    };
    let secret = || Value::from("hidden").into_secret();
    check("/tmp/a", secret(), (0, 0o600)).await;
    check("/tmp/a", "open".into(), (0, 0o600)).await;
    check("/home/jo/a", secret(), (0, 0o600)).await;
    check("/home/jo/a", "open".into(), (1000, 0o644)).await;
    check("/etc/a", secret(), (1000, 0o644)).await;
}

#[tokio::test]
async fn nothing_beside_the_file_is_written_through_a_link() {
    let model =
        Arc::new(with_validator().with_file("/etc/shadow", "kept").with_symlink("/etc/motd.bak", "shadow"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let extra = [("content", Value::from("good")), ("backup", true.into())];
    apply::<ContentPreparer>(&system, &at("/etc/motd", &extra)).await;
    assert_eq!(model.machine().file("/etc/shadow"), Some(&b"kept"[..]));
    assert_eq!(model.machine().file("/etc/motd.bak"), Some(&b"hello\n"[..]));
}

#[tokio::test]
async fn names_of_255_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = |length: usize| dir.path().join("x".repeat(length)).display().to_string();
    let valid = || ("content", Value::from("good"));
    let validate = || ("validate", Value::from("grep -q good {}"));
    for _ in 0..2 {
        let output = apply::<ContentPreparer>(&local(), &at(&path(255), &[valid(), validate()])).await;
        assert!(!output.contains("error"), "{output}");
    }
    let output =
        apply::<ContentPreparer>(&local(), &at(&path(251), &[valid(), ("backup", true.into())])).await;
    assert!(!output.contains("error"), "{output}");
    let output =
        apply::<ContentPreparer>(&local(), &at(&path(252), &[valid(), ("backup", true.into())])).await;
    assert!(
        output.contains("backup") && output.contains("too long for one with `.bak` after it"),
        "{output}"
    );
}

#[tokio::test]
async fn a_stale_link_in_the_place_of_the_temporary_file_is_not_followed() {
    let model = Arc::new(with_validator().with_symlink("/etc/.converge-validate.motd", "/etc/logo"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let extra = [("content", Value::from("good")), ("validate", "check {}".into())];
    apply::<ContentPreparer>(&system, &at("/etc/motd", &extra)).await;
    assert_eq!(model.machine().file("/etc/logo"), Some(&[0x89, b'P', 0, 1][..]));
    assert_eq!(model.machine().file("/etc/motd"), Some(&b"good"[..]));
}

#[tokio::test]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it's a file.conf");
    let destination = path.to_str().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let check = async |more: Written<'_>, expect: &str| {
        let output = apply::<ContentPreparer>(&local(), &at(destination, more)).await;
        assert_eq!(output.lines().last(), Some(expect), "{output}");
    };
    let validated = |content: &'static str| {
        [("content", content.into()), ("validate", "grep -q good {}".into()), ("backup", true.into())]
    };
    check(&validated("good"), "content: \"\" => \"good\"").await;
    check(&validated("good"), "no change").await;
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let refused = "error: the new content was refused by `grep -q good {}`, which ended with exit code 1";
    check(&validated("bad"), refused).await;
    assert_eq!(read(&path), "good");
    let help = format!("# the old file is kept as {destination}.bak");
    check(&validated("very good"), &help).await;
    assert_eq!(read(&path), "very good");
    assert_eq!(read(&dir.path().join("it's a file.conf.bak")), "good");
}

#[tokio::test]
async fn the_owner_is_set_on_the_real_machine() {
    if !is_root("file.content with an owner on the real machine") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let extra = [("owner", Value::from("1")), ("group", Value::from("2")), ("mode", Value::from("0640"))];
    apply::<ContentPreparer>(&local(), &at(path.to_str().unwrap(), &extra)).await;
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let metadata = path.metadata().unwrap();
    assert_eq!((metadata.mode() & 0o7777, metadata.uid(), metadata.gid()), (0o640, 1, 2));
}

laws!(ContentPreparer, start = || with_validator().with_dir("/srv"), values = ("validate", ["check {}"]));
