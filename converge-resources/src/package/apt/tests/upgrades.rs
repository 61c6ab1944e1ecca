//! Tests of upgrades, package files, and automatic removal.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::model::{EXTENDED_STATES, LIST, automatic, machine};
use super::{apply_batch, calls, named, with};
use crate::package::apt::AptPreparer;
use crate::testing::{Written, apply, plan, plan_pending};

fn older() -> ModelSystem {
    with(&[("hello", "install installed 1.0"), ("liba", "install installed 1.0")]).with_file(LIST, "")
}

#[tokio::test]
async fn a_package_that_is_asked_for_is_marked_as_manual() {
    let automatic = || older().with_file(EXTENDED_STATES, automatic("hello") + &automatic("liba"));
    let check = async |written: Written<'_>, expect: &str, expect_calls: &[&str]| {
        let model = Arc::new(automatic());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert_eq!(plan::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(plan::<AptPreparer>(&system, written).await, "no change", "{written:?}");
        assert_eq!(calls(&model), expect_calls, "{written:?}");
    };
    let marked = "hello is: \"automatically installed\" => \"manually installed\"";
    check(&named("hello", &[]), &format!("will change\n{marked}"), &["manual -- hello"]).await;
    let both = [("name", Value::from(vec![Value::from("appa"), "hello".into()]))];
    let installed = format!("will change\nappa: \"absent\" => \"present\"\n{marked}");
    check(&both, &installed, &["install -- appa", "manual -- hello"]).await;
    check(
        &named("hello", &[("only_upgrade", true.into())]),
        "will change\nhello: \"1.0\" => \"2.0\"",
        &["install -- hello"],
    )
    .await;
    check(
        &named("hello", &[("state", "absent".into())]),
        "will change\nhello: \"present\" => \"absent\"",
        &["install -- hello-"],
    )
    .await;
}

#[tokio::test]
async fn ranges_of_versions() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str, expect_calls: &[&str]| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert_eq!(plan::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(calls(&model), expect_calls, "{written:?}");
    };
    let has = |version: &str| with(&[("hello", &format!("install installed {version}"))]).with_file(LIST, "");
    let known = || machine().with_file(LIST, "").with_file("/model/repository/hello", "2.0 1.5 1.0 0.9");
    let newest = ["install --allow-downgrades -- hello=1.5"];
    check(known(), &named("hello>=1.0,<2", &[]), "will change\nhello: \"absent\" => \"1.5\"", &newest).await;
    let version = ("version", Value::from(">0.9, <2"));
    check(known(), &named("hello", &[version]), "will change\nhello: \"absent\" => \"1.5\"", &newest).await;
    check(has("1.2"), &named("hello>=1.0,<2", &[]), "no change", &[]).await;
    let downgraded = "will change\nhello: \"2.0\" => \"1.0\"\n# hello is downgraded, from 2.0 to 1.0";
    check(has("2.0"), &named("hello<2", &[]), downgraded, &["install --allow-downgrades -- hello=1.0"]).await;
    let unknown = "can't change\nhello: \"2.0\" => \">2.0\"\nerror: apt knows no version \">2.0\" of \"hello\": it knows 2.0, 1.0";
    let system: Arc<dyn System> = Arc::new(has("2.0"));
    assert_eq!(plan::<AptPreparer>(&system, &named("hello>2.0", &[])).await, unknown);
    let absent = named("hello>1", &[("state", "absent".into())]);
    assert!(plan::<AptPreparer>(&system, &absent).await.starts_with("error: state: "));
}

#[tokio::test]
async fn newer_versions_are_shown_and_installed() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str, expect_calls: &[&str]| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert_eq!(plan::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<AptPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(calls(&model), expect_calls, "{written:?}");
    };
    let latest = named("hello", &[("latest", true.into())]);
    let upgraded = "will change\nhello: \"1.0\" => \"2.0\"";
    check(older(), &latest, upgraded, &["install -- hello"]).await;
    check(older(), &named("liba", &[("latest", true.into())]), "no change", &[]).await;
    check(machine(), &latest, "will change\nhello: \"absent\" => \"present\"", &["install -- hello"]).await;
    let upgrade_only = named("hello", &[("only_upgrade", true.into())]);
    check(older(), &upgrade_only, upgraded, &["install -- hello"]).await;
    let left = "no change\n# hello is not installed, and only installed packages are upgraded";
    check(machine(), &upgrade_only, left, &[]).await;
    let removed = with(&[("hello", "deinstall config-files 1.0")]).with_file(LIST, "");
    check(removed, &upgrade_only, left, &[]).await;
    let on_hold = with(&[("hello", "hold installed 1.0")]).with_file(LIST, "");
    check(on_hold, &latest, "no change\nwarning: hello is on hold, so it stays at its version", &[]).await;
    let on_hold = || with(&[("hello", "hold installed 1.0")]).with_file(LIST, "");
    let held_fields = named("hello", &[("latest", true.into()), ("hold", true.into())]);
    let calls_of_both = ["install --allow-change-held-packages -- hello", "hold -- hello"];
    check(on_hold(), &held_fields, upgraded, &calls_of_both).await;
    let version = named("hello=2.0", &[("hold", false.into())]);
    let ended = "will change\nhello: \"1.0\" => \"2.0\"\nhello is: \"on hold\" => \"not on hold\"";
    let calls_of_both =
        ["install --allow-downgrades --allow-change-held-packages -- hello=2.0", "unhold -- hello"];
    check(on_hold(), &version, ended, &calls_of_both).await;
    let downgraded = "will change\nhello: \"2.0\" => \"1.0\"\n# hello is downgraded, from 2.0 to 1.0";
    let newer = || with(&[("hello", "install installed 2.0")]).with_file(LIST, "");
    check(newer(), &named("hello=1.0", &[]), downgraded, &["install --allow-downgrades -- hello=1.0"]).await;
    let only_hold = named("hello", &[("hold", false.into())]);
    check(
        on_hold(),
        &only_hold,
        "will change\nhello is: \"on hold\" => \"not on hold\"",
        &["unhold -- hello"],
    )
    .await;
    let upgrade_all = [("upgrade_all", Value::from(true))];
    check(older(), &upgrade_all, upgraded, &["upgrade --with-new-pkgs --"]).await;
    check(with(&[("liba", "install installed 1.0")]).with_file(LIST, ""), &upgrade_all, "no change", &[])
        .await;
    let unneeded = || older().with_file(EXTENDED_STATES, automatic("liba"));
    let autoremove = ("autoremove", Value::from(true));
    let removal = "will change\nliba: \"1.0\" => \"absent\"";
    check(unneeded(), std::slice::from_ref(&autoremove), removal, &["install --auto-remove --"]).await;
    check(older(), std::slice::from_ref(&autoremove), "no change", &[]).await;
    check(
        unneeded(),
        &[("upgrade_all", true.into()), autoremove],
        &format!("{upgraded}\nliba: \"1.0\" => \"absent\""),
        &["upgrade --with-new-pkgs --auto-remove --"],
    )
    .await;
    let option = [("options", Value::List(vec!["--target-release=sid".into()]))];
    check(
        machine(),
        &named("mta", &option),
        "will change\nmta: \"absent\" => \"present\"",
        &["install --target-release=sid -- mta"],
    )
    .await;
}

#[tokio::test]
async fn lists_that_are_fetched_first_may_have_newer_versions() {
    let model = Arc::new(
        with(&[("soon", "install installed 1.0")])
            .with_file("/model/repository/soon", "1.0")
            .with_file("/model/new/soon", "2.0"),
    );
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let latest = named("soon", &[("latest", true.into()), ("update", true.into())]);
    let first = "may change\n# the lists of packages are fetched first, and may have newer versions";
    assert_eq!(plan::<AptPreparer>(&system, &latest).await, first);
    assert_eq!(apply::<AptPreparer>(&system, &latest).await, format!("{first}\n# soon: 1.0 => 2.0"));
    assert_eq!(calls(&model)[1..], ["install -- soon"]);
}

#[tokio::test]
async fn packages_that_are_files() {
    let sum = "8dd92d98d9d5d3ed9f2d7b4a7b34bfa9c5b5c1b3d2b94d8cf90e3b2cfb8cf4a3";
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str, expect_call: Option<&str>| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields: Vec<_> =
            [("file", Value::from("/srv/hello.deb"))].into_iter().chain(more.iter().cloned()).collect();
        let output = apply::<AptPreparer>(&system, &fields).await;
        assert!(output.starts_with(expect), "{more:?}: {output}");
        let calls = calls(&model);
        match expect_call {
            Some(expect) => assert!(calls[0].starts_with(expect), "{calls:?}"),
            None => assert_eq!(calls, [""; 0]),
        }
    };
    let install = Some("install --allow-downgrades -- /tmp/");
    check(machine(), &[], "will change\nhello: \"absent\" => \"3.0\"", install).await;
    check(older(), &[], "will change\nhello: \"1.0\" => \"3.0\"", install).await;
    check(with(&[("hello", "install installed 3.0")]), &[], "no change", None).await;
    check(
        with(&[("hello", "install installed 4.0")]),
        &[],
        "will change\nhello: \"4.0\" => \"3.0\"",
        install,
    )
    .await;
    check(
        older(),
        &[("state", "absent".into())],
        "will change\nhello: \"present\" => \"absent\"",
        Some("install -- hello-"),
    )
    .await;
    let refused = "error: /srv/hello.deb has the sha256 ";
    check(machine(), &[("hash", sum.into())], refused, None).await;
    let broken = machine().with_file("/srv/hello.deb", "nothing");
    check(broken, &[], "error: /srv/hello.deb cannot be read as a package of Debian", None).await;
}

/// Whatever failure occurs, no copy remains, and the next run succeeds.
#[tokio::test]
async fn a_failure_leaves_no_copy_of_a_file() {
    let fields = [("file", Value::from("/srv/hello.deb"))];
    let mut failures = 0;
    for count in 0.. {
        let model = Arc::new(machine());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let before = model.snapshot().into_keys().collect::<Vec<_>>();
        model.fail_once_after(count);
        let output = apply::<AptPreparer>(&system, &fields).await;
        let left =
            model.snapshot().into_keys().filter(|path| path.starts_with("/tmp") && !before.contains(path));
        assert_eq!(left.count(), 0, "{count}: {output}");
        if !output.contains("error: ") {
            break;
        }
        failures += 1;
        let second_output = apply::<AptPreparer>(&system, &fields).await;
        assert!(!second_output.contains("error: "), "{count}: {second_output}");
        assert_eq!(plan::<AptPreparer>(&system, &fields).await, "no change", "{count}");
    }
    assert!(failures > 0);
}

#[tokio::test]
async fn a_file_that_is_fetched() {
    let url = "https://example.com/hello.deb";
    let fields = [("file", Value::from(url))];
    let with_server = |body: &'static str| machine().with_url(url, body);
    let system: Arc<dyn System> = Arc::new(with_server("hello 3.0"));
    let change = "will change\nhello: \"absent\" => \"3.0\"";
    assert_eq!(apply::<AptPreparer>(&system, &fields).await, change);
    let system: Arc<dyn System> = Arc::new(with_server("<html>"));
    let output = plan::<AptPreparer>(&system, &fields).await;
    assert!(output.starts_with(&format!("error: {url} cannot be read as a package of Debian")), "{output}");
    let system: Arc<dyn System> = Arc::new(machine());
    let output = plan_pending::<AptPreparer>(&system, &[("file", "/srv/soon.deb".into())]).await;
    assert_eq!(output, "may change\n# file \"/srv/soon.deb\" does not exist, yet");
}

#[tokio::test]
async fn what_goes_together() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<AptPreparer>(&system, written).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    let (name, yes_value) = (("name", Value::from("hello")), Value::from(true));
    check(&[], "error: name: it is missing: name a package, or write `file`").await;
    check(&[name.clone(), ("upgrade_all", yes_value.clone())], "error: upgrade_all: it is for all packages")
        .await;
    check(&[("latest", yes_value.clone()), ("autoremove", yes_value.clone())], "error: latest: it is for")
        .await;
    check(&[("name", "hello=1.0".into()), ("latest", yes_value.clone())], "error: latest: it is for").await;
    let (absent, upgrade_only) = (("state", Value::from("absent")), ("only_upgrade", yes_value.clone()));
    check(&[upgrade_only.clone(), ("autoremove", yes_value.clone())], "error: only_upgrade: it is for").await;
    check(&[name.clone(), upgrade_only, absent.clone()], "error: only_upgrade: an absent package").await;
    check(&[name.clone(), ("latest", yes_value.clone()), absent.clone()], "error: latest: an absent package")
        .await;
    check(&[name.clone(), ("autoremove", yes_value.clone())], "error: autoremove: write it alone").await;
    check(&[("autoremove", yes_value), absent], "error: state: name the packages").await;
    check(&[name.clone(), ("hash", "ab".into())], "hash").await;
    let file = |path: &str| ("file", Value::from(path));
    check(&[name.clone(), file("/srv/hello.deb")], "file").await;
    check(&[file("/srv/hello.deb"), ("hash", "ab".into())], "error: hash: \"ab\" is neither a SHA-256").await;
    check(&[file("http://example.com/x.deb")], "error: hash: a file from plain http can be").await;
    for option in ["hello", "", "-", "--", "---x", "-x\ny", "-/etc"] {
        let options = ("options", Value::List(vec![option.into()]));
        check(&[name.clone(), options], "error: options: ").await;
    }
}

#[tokio::test]
async fn what_is_open_ended_has_transactions_of_its_own() {
    let model = Arc::new(older().with_file(EXTENDED_STATES, automatic("liba")));
    let autoremove = vec![("autoremove", Value::from(true))];
    let members = [named("hello=2.0", &[]), autoremove, named("bad", &[])];
    let failed = "error: dpkg failed with bad: its script failed";
    let despite = "no change\nwarning: this was done, but apt-get failed with other packages: dpkg failed with bad: its \
                   script failed";
    assert_eq!(apply_batch(&model, &members).await, [despite, "no change", failed]);
    assert_eq!(calls(&model), ["install --allow-downgrades -- hello=2.0 bad", "install --auto-remove --"]);
}
