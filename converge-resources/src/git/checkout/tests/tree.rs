//! Tests of repositories with files.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, System};

use super::model::{FIRST, LONE, MAIN, NEXT, SERVER, SUB, at, machine};
use super::{check, text, with_defaults};
use crate::git::checkout::GitCheckoutPreparer;
use crate::testing::{apply, assert_refused, plan, plan_pending};

fn moves(from: &str, to: &str) -> String {
    format!("will change\ncommit: {from:?} => {to:?}")
}

fn made(commit: &str) -> String {
    format!("will change\nrepository: \"absent\" => {SERVER:?}\ncommit: \"absent\" => {commit:?}")
}

fn altered(change: impl FnOnce(&ModelSystem)) -> ModelSystem {
    let model = at(MAIN);
    change(&model);
    model
}

#[tokio::test]
async fn what_is_checked_out() {
    let model = check(machine(), &[], &made(MAIN)).await;
    assert_eq!(text(&model, "/srv/app/a").as_deref(), Some("2"));
    assert_eq!(text(&model, "/srv/app/.git/HEAD").as_deref(), Some(MAIN));
    assert_eq!(text(&model, "/srv/app/.git/config/remote.origin.url").as_deref(), Some(SERVER));
    for (revision, commit) in [("v1", MAIN), ("HEAD", MAIN), ("refs/heads/next", NEXT), (FIRST, FIRST)] {
        check(machine(), &[("revision", revision.into())], &made(commit)).await;
    }
    // Only a repository with all commits can resolve an abbreviated commit.
    let model = check(machine(), &[("revision", "1111111".into())], &made("1111111")).await;
    assert_eq!(text(&model, "/srv/app/a").as_deref(), Some("1"));
    check(at(MAIN), &[], "no change").await;
    check(at(FIRST), &[], &moves(FIRST, MAIN)).await;
    check(at(MAIN), &[("revision", "next".into())], &moves(MAIN, NEXT)).await;
    check(at(MAIN), &[("revision", "1111111".into())], &moves(MAIN, FIRST)).await;
    check(at(MAIN), &[("revision", "1111111".into()), ("depth", 1.into())], &format!(
        "error: {SERVER} has no branch and no tag \"1111111\", and with `depth` a commit must be written in full"
    ))
    .await;
    check(
        at(MAIN),
        &[("revision", "none".into())],
        &format!("error: {SERVER} has no branch and no tag \"none\""),
    )
    .await;
    let nowhere = [("revision", Value::from("9999999999999999999999999999999999999999"))];
    let system: Arc<dyn System> = Arc::new(at(MAIN));
    let output = apply::<GitCheckoutPreparer>(&system, &with_defaults(&nowhere)).await;
    assert!(
        output.contains("error: git fetch failed: remote error: upload-pack: not our ref 999999"),
        "{output}"
    );
}

#[tokio::test]
async fn what_has_moved_on_the_server() {
    let moved = |model: ModelSystem| {
        model.alter(|machine| machine.put_file(format!("{SERVER}/refs/heads/main"), NEXT));
        model
    };
    let stays = ("update", Value::from(false));
    check(moved(at(MAIN)), &[], &moves(MAIN, NEXT)).await;
    check(moved(at(MAIN)), std::slice::from_ref(&stays), "no change").await;
    check(moved(machine()), std::slice::from_ref(&stays), &made(NEXT)).await;
    check(moved(at(MAIN)), &[stays.clone(), ("revision", "next".into())], &moves(MAIN, NEXT)).await;
    // These cases need no server.
    let without_head = |model: ModelSystem| {
        model.alter(|machine| machine.remove(format!("{SERVER}/HEAD")));
        model
    };
    check(without_head(at(MAIN)), std::slice::from_ref(&stays), "no change").await;
    check(without_head(at(MAIN)), &[("revision", MAIN.into())], "no change").await;
    let message = "error: git ls-remote failed: '/srv/git/app.git' does not appear to be a git repository";
    check(without_head(at(MAIN)), &[], message).await;
}

#[tokio::test]
async fn what_would_be_lost() {
    let force = ("force", Value::from(true));
    let changed = || altered(|model| model.alter(|machine| machine.put_file("/srv/app/a", "mine")));
    let message = "error: /srv/app has changes of a: `force = true` discards that";
    check(changed(), &[], message).await;
    check(changed(), &[("revision", "next".into())], message).await;
    let model = check(
        changed(),
        std::slice::from_ref(&force),
        "will change\nown changes: \"changes of a\" => \"thrown away\"",
    )
    .await;
    assert_eq!(text(&model, "/srv/app/a").as_deref(), Some("2"));
    let own_commit = "7777777777777777777777777777777777777777";
    let committed = || {
        altered(|model| {
            model.alter(|machine| {
                machine.put_file(
                    format!("/srv/app/.git/objects/{own_commit}"),
                    format!("commit {MAIN} plain\na=2\n"),
                );
                machine.put_file("/srv/app/.git/HEAD", own_commit);
            });
        })
    };
    let reason = format!("the commit {own_commit}, which is not on the server");
    check(committed(), &[], &format!("error: /srv/app has {reason}: `force = true` discards that")).await;
    let expect = format!(
        "will change\nown changes: {reason:?} => \"thrown away\"\ncommit: {own_commit:?} => {MAIN:?}"
    );
    check(committed(), &[force], &expect).await;
}

#[tokio::test]
async fn files_that_git_does_not_know() {
    let untracked_file = altered(|model| model.alter(|machine| machine.put_file("/srv/app/own", "mine")));
    let model =
        check(untracked_file, &[("revision", "next".into()), ("force", true.into())], &moves(MAIN, NEXT))
            .await;
    assert_eq!(text(&model, "/srv/app/own").as_deref(), Some("mine"));
    let system = altered(|model| model.alter(|machine| machine.put_file("/srv/app/b", "mine")));
    let model = Arc::new(system);
    for force in [false, true] {
        let fields = with_defaults(&[("revision", "next".into()), ("force", force.into())]);
        let output = apply::<GitCheckoutPreparer>(&(Arc::clone(&model) as _), &fields).await;
        assert!(
            output.contains("'b' would be overwritten by merge: untracked files are never removed"),
            "{output}"
        );
        assert_eq!(text(&model, "/srv/app/b").as_deref(), Some("mine"));
    }
}

/// A checkout does not begin if an ignored file is in its way, and a begun one is finished.
///
/// Git does not report ignored files before a checkout begins.
#[tokio::test]
async fn files_that_git_ignores() {
    for (alteration, message) in [
        (&["x.log"][..], "x.log would be overwritten by the checkout: untracked files are never removed"),
        (&["x.log/a", "x.log/b/c"], "x.log/a, x.log/b/c would be overwritten"),
        (
            &["x.log/1", "x.log/2", "x.log/3", "x.log/4", "x.log/5", "x.log/6"],
            "x.log/1, x.log/2, x.log/3, x.log/4, x.log/5, others would",
        ),
    ] {
        let model = altered(|model| {
            model.alter(|machine| {
                for name in alteration {
                    machine.put_file(format!("/srv/app/{name}"), "mine");
                }
            });
        });
        let model = Arc::new(model);
        let fields = with_defaults(&[("revision", "next".into())]);
        let output = apply::<GitCheckoutPreparer>(&(Arc::clone(&model) as _), &fields).await;
        assert!(output.contains(message), "{output}");
        for name in alteration {
            assert_eq!(text(&model, &format!("/srv/app/{name}")).as_deref(), Some("mine"));
        }
        // If the checkout may not begin, a kill at any moment must not make the next run finish it.
        let effects = format!("{:?}", model.effects());
        assert!(!effects.contains("refs/converge/begun"), "{effects}");
    }
    // This is the first checkout.
    let empty = machine();
    empty.alter(|machine| {
        machine.put_file("/srv/app/.git/HEAD", "ref: refs/heads/main");
        machine.put_file("/srv/app/.git/objects/.keep", "");
        machine.put_file("/srv/app/.git/refs/.keep", "");
        machine.put_file("/srv/app/x.log", "mine");
    });
    let fields = with_defaults(&[("revision", "next".into())]);
    let output = apply::<GitCheckoutPreparer>(&(Arc::new(empty) as _), &fields).await;
    assert!(output.contains("x.log would be overwritten by the checkout"), "{output}");
}

/// A killed checkout leaves half written files, which hold no local changes.
#[tokio::test]
async fn what_was_interrupted_is_finished() {
    let interrupted_model = |to: &str, file: &str| {
        altered(|model| {
            model.alter(|machine| {
                machine.put_file("/srv/app/.git/refs/converge/begun", to);
                machine.put_file("/srv/app/a", file);
            });
        })
    };
    let finished = "checkout: \"interrupted\" => \"finished\"";
    let next = ("revision", Value::from("next"));
    let expect = format!("{}\n{finished}", moves(MAIN, NEXT));
    let model = check(interrupted_model(NEXT, "half"), std::slice::from_ref(&next), &expect).await;
    assert_eq!(text(&model, "/srv/app/a").as_deref(), Some("3"));
    // The declared revision has changed meanwhile, or is the same as before.
    check(interrupted_model(LONE, "half"), &[next], &expect).await;
    check(interrupted_model(NEXT, "half"), &[], &format!("will change\n{finished}")).await;
    // Only the record of the end was missing.
    check(interrupted_model(MAIN, "2"), &[], &format!("will change\n{finished}")).await;
    let message = "error: /srv/app has changes of a: `force = true` discards that";
    check(interrupted_model(MAIN, "mine"), &[], message).await;
    // This is the first checkout.
    let partial_clone = machine();
    partial_clone.alter(|machine| {
        for name in ["config", "HEAD"] {
            machine.put_file(format!("/srv/app/.git/{name}"), "ref: refs/heads/main");
        }
    });
    check(partial_clone, &[], &made(MAIN)).await;
    let locked = altered(|model| model.alter(|machine| machine.put_file("/srv/app/.git/index.lock", "")));
    let message = "error: /srv/app/.git/index.lock exists: another git is running in the repository, or was killed; remove the file when no git is running";
    check(locked, &[], message).await;
}

#[tokio::test]
async fn what_is_in_the_way() {
    let machine_with = |put: &dyn Fn(ModelSystem) -> ModelSystem| put(machine());
    let check = async |model: ModelSystem, expect: &str| {
        assert_refused::<GitCheckoutPreparer>(model, &with_defaults(&[]), expect).await;
    };
    check(machine_with(&|model| model.with_file("/srv/app", "x")), "/srv/app is not a directory").await;
    let link = "/srv/app is a symbolic link: name the directory that it leads to";
    check(machine_with(&|model| model.with_dir("/opt/app").with_symlink("/srv/app", "/opt/app")), link).await;
    check(machine_with(&|model| model.with_symlink("/srv/app", "/none")), link).await;
    let not_repository = "/srv/app is not a git repository and has other things in it, such as /srv/app/x";
    check(machine_with(&|model| model.with_file("/srv/app/x", "")), not_repository).await;
    let elsewhere =
        "/srv/app/.git is not a directory: /srv/app is part of a repository that is somewhere else";
    check(machine_with(&|model| model.with_file("/srv/app/.git", "gitdir: /etc")), elsewhere).await;
    check(machine_with(&|model| model.with_symlink("/srv/app/.git", "/etc")), elsewhere).await;
    let bare_repository = "/srv/app is a bare repository: write `bare = true`";
    let names = ["HEAD", "objects/x", "refs/x"].map(|name| format!("/srv/app/{name}"));
    check(
        machine_with(&|model| names.iter().fold(model, |model, name| model.with_file(name, ""))),
        bare_repository,
    )
    .await;
    let owned = at(MAIN).with_owner("/srv/app", 1000, 1000);
    let dubious_owner = "git rev-parse failed: detected dubious ownership in repository at '/srv/app': it belongs to another user; name the \
               owner with `user`";
    check(owned, dubious_owner).await;
    let owned = at(MAIN).with_owner("/srv/app", 1000, 1000);
    super::check(owned, &[("user", "keeper".into())], "no change").await;
}

#[tokio::test]
async fn another_server() {
    let at_old = |url: &'static str| {
        altered(|model| {
            model.alter(|machine| machine.put_file("/srv/app/.git/config/remote.origin.url", url));
        })
    };
    let expect = |url: &str| format!("will change\nrepository: {url:?} => {SERVER:?}");
    let model = check(at_old("/srv/old.git"), &[], &expect("/srv/old.git")).await;
    assert_eq!(text(&model, "/srv/app/.git/config/remote.origin.url").as_deref(), Some(SERVER));
    check(at_old("https://me:secret@host/a"), &[], &expect("https://..@host/a")).await;
    check(at_old("https://token@host/a"), &[], &expect("https://..@host/a")).await;
    check(at_old("ssh://git@host/a"), &[], &expect("ssh://git@host/a")).await;
    let changed = at_old("/srv/old.git");
    changed.alter(|machine| machine.put_file("/srv/app/a", "mine"));
    check(changed, &[], "error: /srv/app has changes of a: `force = true` discards that").await;
}

#[tokio::test]
async fn submodules() {
    let fields = [("submodules", Value::from(true))];
    let model = check(machine(), &fields, &made(MAIN)).await;
    assert_eq!(text(&model, "/srv/app/sub/at").as_deref(), Some(SUB));
    let differs =
        |before: &str| format!("will change\nsubmodule sub: {before:?} => \"the commit that is recorded\"");
    check(at(MAIN), &fields, &differs("absent")).await;
    let other_commit = altered(|model| model.alter(|machine| machine.put_file("/srv/app/sub/at", FIRST)));
    check(other_commit, &fields, &differs("another commit")).await;
    check(at(FIRST), &fields, &moves(FIRST, MAIN)).await;
}

#[tokio::test]
async fn signatures() {
    let fields = |revision: &str| [("verify", Value::from(true)), ("revision", revision.into())];
    check(machine(), &fields("main"), &made(MAIN)).await;
    check(machine(), &fields("v1"), &made(MAIN)).await;
    let message =
        format!("error: lone ({LONE}) has no good signature, so it is not checked out: it has none");
    check(at(MAIN), &fields("lone"), &message).await;
    let model = Arc::new(machine());
    let output =
        apply::<GitCheckoutPreparer>(&(Arc::clone(&model) as _), &with_defaults(&fields("lone"))).await;
    assert!(output.ends_with(&message), "{output}");
    assert_eq!(text(&model, "/srv/app/c"), None);
    // The server has the same tag under the name of a newer one.
    let renamed = machine();
    renamed.alter(|machine| {
        machine.put_file(format!("{SERVER}/refs/tags/v2"), super::model::TAG);
    });
    let system: Arc<dyn System> = Arc::new(renamed);
    let output = apply::<GitCheckoutPreparer>(&system, &with_defaults(&fields("v2"))).await;
    assert!(output.ends_with("another tag under the name v2: what is signed is called \"v1\""), "{output}");
}

#[tokio::test]
async fn what_may_come() {
    let check = async |model: ModelSystem, fields: &[(&'static str, Value)], expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(
            plan::<GitCheckoutPreparer>(&system, &with_defaults(fields)).await,
            format!("error: {expect}")
        );
        let pending = format!("may change\n# what is checked out is not known yet: {expect}");
        assert_eq!(plan_pending::<GitCheckoutPreparer>(&system, &with_defaults(fields)).await, pending);
    };
    let without_git = ModelSystem::new().with_dir(SERVER);
    check(without_git, &[], "there is no `git`: install the package `git`").await;
    check(ModelSystem::new(), &[], "repository \"/srv/git/app.git\" does not exist").await;
    check(machine(), &[("user", "ghost".into())], "user \"ghost\" does not exist").await;
    let ssh = [("repository", Value::from("git@host:a")), ("key", "/none".into())];
    check(machine(), &ssh, "private key \"/none\" does not exist").await;
    let ssh = [("repository", Value::from("git@host:a")), ("known_hosts", "/none".into())];
    check(machine(), &ssh, "file of host keys \"/none\" does not exist").await;
    let slow = ModelSystem::new().with_dir(SERVER).with_program(|_, _| {
        Some(Output { exit: converge_sdk::system::Exit::TimedOut, ..Output::success("") })
    });
    let message = "git ls-remote did not end in the remaining time (0ns): the server may be slow, or the repository large";
    check(slow, &[], message).await;
}

/// Output of a server that exceeds the limit is not used.
#[tokio::test]
async fn what_is_too_much() {
    let system: Arc<dyn System> = Arc::new(machine().with_output_limit(20));
    let output = plan::<GitCheckoutPreparer>(&system, &with_defaults(&[])).await;
    assert_eq!(output, "error: cannot use the output of git: it printed more than 20 bytes");
}
