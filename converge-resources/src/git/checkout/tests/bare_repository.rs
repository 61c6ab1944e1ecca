//! Tests of bare repositories.

use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;

use super::model::{FIRST, LONE, MAIN, NEXT, SERVER, TAG, machine};
use super::{check, text};

fn bare() -> [(&'static str, Value); 1] {
    [("bare", true.into())]
}

async fn mirror() -> ModelSystem {
    let expect = format!(
        "will change\nrepository: \"absent\" => {SERVER:?}\nrefs/heads/lone: \"absent\" => {LONE:?}\nrefs/heads/main: \"absent\" => {MAIN:?}\n\
         refs/heads/next: \"absent\" => {NEXT:?}\nrefs/tags/v1: \"absent\" => {TAG:?}\nHEAD: \"absent\" => \"refs/heads/main\""
    );
    let mirror_model = check(machine(), &bare(), &expect).await;
    let copy = machine();
    let entries = mirror_model.machine();
    copy.alter(|machine| *machine = entries);
    copy
}

#[tokio::test]
async fn all_branches_and_tags() {
    let model = mirror().await;
    assert_eq!(text(&model, "/srv/app/refs/heads/next").as_deref(), Some(NEXT));
    model.alter(|machine| {
        machine.put_file(format!("{SERVER}/refs/heads/main"), NEXT);
        machine.remove(format!("{SERVER}/refs/heads/lone"));
    });
    let expect = format!(
        "will change\nrefs/heads/lone: {LONE:?} => \"absent\"\nrefs/heads/main: {MAIN:?} => {NEXT:?}"
    );
    let model = check(model, &bare(), &expect).await;
    assert_eq!(text(&model, "/srv/app/refs/heads/lone"), None);
}

#[tokio::test]
async fn which_branch_is_its_own() {
    let next = [("revision", Value::from("next")), ("bare", true.into())];
    check(mirror().await, &next, "will change\nHEAD: \"refs/heads/main\" => \"refs/heads/next\"").await;
    for revision in ["v1", FIRST, "1111111"] {
        check(mirror().await, &[("revision", revision.into()), ("bare", true.into())], "no change").await;
    }
}

#[tokio::test]
async fn what_stays() {
    let model = mirror().await;
    model.alter(|machine| machine.remove(format!("{SERVER}/HEAD")));
    check(model, &[("update", false.into()), ("bare", true.into())], "no change").await;
}

#[tokio::test]
async fn what_was_put_there() {
    const OWN: &str = "7777777777777777777777777777777777777777";
    let pushed = async || {
        let model = mirror().await;
        model.alter(|machine| {
            machine.put_file(format!("/srv/app/objects/{OWN}"), format!("commit {MAIN} plain\na=2\n"));
            machine.put_file("/srv/app/refs/heads/main", OWN);
        });
        model
    };
    let reason = format!("the commit {OWN}, which is not on the server");
    let message = format!("error: /srv/app has {reason}: `force = true` discards that");
    check(pushed().await, &bare(), &message).await;
    let expect = format!(
        "will change\nrefs/heads/main: {OWN:?} => {MAIN:?}\nown changes: {reason:?} => \"thrown away\""
    );
    check(pushed().await, &[("bare", true.into()), ("force", true.into())], &expect).await;
}

#[tokio::test]
async fn what_is_in_the_way() {
    let tree = machine().with_file("/srv/app/.git/HEAD", "");
    let message = "error: /srv/app is a repository with files: remove `bare`, or name another directory";
    check(tree, &bare(), message).await;
    let foreign = machine().with_file("/srv/app/x", "");
    let message = "error: /srv/app is not a git repository and has other things in it, such as /srv/app/x: name another directory";
    check(foreign, &bare(), message).await;
}
