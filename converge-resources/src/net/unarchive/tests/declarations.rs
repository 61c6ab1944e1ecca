//! Tests of permissions and owners that a module declares.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::super::UnarchivePreparer;
use super::{Made, directory, file, hard_link, symlink, tar};
use crate::testing::{Written, apply, obeys_the_laws, plan, plan_pending};

fn written(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let base = [("source", Value::from("/a")), ("destination", "/srv".into())];
    base.into_iter().chain(extra.iter().cloned()).collect()
}

fn entries() -> Vec<Made> {
    vec![
        directory("own/").mode(0o750),
        file("own/x", "x").mode(0o640),
        file("implied/tool", "t").mode(0o755),
        symlink("link", "own/x"),
        hard_link("again", "own/x"),
    ]
}

fn model() -> ModelSystem {
    ModelSystem::new().with_file("/a", tar(&entries())).with_dir("/srv").with_user("ada", 1000, 1000)
}

/// Returns mode and owner of everything below `/srv`.
fn shown(model: &ModelSystem) -> String {
    let snapshot = model.snapshot();
    let entries = snapshot.iter().filter_map(|(path, entry)| Some((path.strip_prefix("/srv").ok()?, entry)));
    let entries = entries.filter(|(path, _)| !path.as_os_str().is_empty());
    let lines = entries
        .map(|(path, entry)| format!("{} {:o} {}:{}", path.display(), entry.mode, entry.uid, entry.gid));
    lines.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn what_an_apply_makes() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = model.clone();
        let output = apply::<UnarchivePreparer>(&system, &written(more)).await;
        assert!(
            output.starts_with("will change") && !output.contains("error") && !output.contains("after"),
            "{output}"
        );
        assert_eq!(shown(&model), expect, "{more:?}");
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, "no change", "{more:?}");
    };
    let modes = [("mode", Value::from("0600")), ("dir_mode", "u=rwx,go=".into())];
    check(
        model(),
        &modes,
        "again 600 0:0, implied 700 0:0, implied/tool 600 0:0, link 777 0:0, own 700 0:0, own/x 600 0:0",
    )
    .await;
    let executable = [("mode", Value::from("u=rwX,go=rX"))];
    check(
        model(),
        &executable,
        "again 644 0:0, implied 755 0:0, implied/tool 755 0:0, link 777 0:0, own 750 0:0, own/x 644 0:0",
    )
    .await;
    let owners = [("owner", Value::from("ada")), ("group", "7".into())];
    let expect_entries = "again 640 1000:7, implied 755 1000:7, implied/tool 755 1000:7, link 777 1000:7, own 750 1000:7, \
               own/x 640 1000:7";
    check(model(), &owners, expect_entries).await;
    // The host has all entries except for a directory without an entry of its own.
    let model_in_place = || {
        model()
            .with_dir("/srv/own")
            .with_file("/srv/own/x", "x")
            .with_dir("/srv/implied")
            .with_symlink("/srv/link", "own/x")
    };
    check(model_in_place(), &owners, &expect_entries.replace("implied 755 1000:7", "implied 755 0:0")).await;
    let special = [("mode", Value::from("4755")), ("dir_mode", "2755".into()), ("owner", "ada".into())];
    check(
        model_in_place(),
        &special,
        "again 4755 1000:0, implied 755 0:0, implied/tool 4755 1000:0, link 777 1000:0, own 2755 1000:0, \
         own/x 4755 1000:0",
    )
    .await;
}

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |more: Written<'_>, expect: &str| {
        let model_in_place = model().with_dir("/srv/own").with_mode("/srv/own", 0o750);
        let model_in_place = model_in_place.with_file("/srv/own/x", "x").with_mode("/srv/own/x", 0o640);
        let model_in_place = model_in_place.with_file("/srv/again", "x").with_mode("/srv/again", 0o640);
        let model_in_place =
            model_in_place.with_file("/srv/implied/tool", "t").with_mode("/srv/implied/tool", 0o755);
        let system: Arc<dyn System> = Arc::new(model_in_place.with_symlink("/srv/link", "own/x"));
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, expect, "{more:?}");
    };
    check(&[], "no change").await;
    let modes = "will change\nmode: \"3: again, implied/tool, own/x (of 6)\" => \"as declared\"";
    check(&[("mode", "g-r".into()), ("only_if_missing", false.into())], modes).await;
    let owners = "will change\nowner: \"5: again, implied/tool, link, own, own/x (of 6)\" => \"as declared\"";
    check(&[("owner", "ada".into())], owners).await;
    check(&[("owner", "ada".into()), ("only_if_missing", true.into())], "no change").await;
    check(&[("owner", "eve".into())], "error: user \"eve\" does not exist").await;
    let pending = written(&[("group", "later".into())]);
    let output = plan_pending::<UnarchivePreparer>(&(Arc::new(model()) as _), &pending).await;
    assert_eq!(output, "may change\n# the group \"later\" does not exist yet");
}

#[tokio::test]
async fn the_laws_with_owners() {
    let owned = [("owner", Value::from("ada")), ("mode", "0600".into()), ("dir_mode", "0700".into())];
    obeys_the_laws::<UnarchivePreparer>(model, &written(&owned)).await;
    let model_in_place = || model().with_file("/srv/own/x", "other").with_file("/srv/again", "x");
    let forced = [&owned[..], &[("force", true.into())]].concat();
    obeys_the_laws::<UnarchivePreparer>(model_in_place, &written(&forced)).await;
}
