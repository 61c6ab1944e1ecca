use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, Platform, System};

use super::InstallPreparer;
use crate::package::apt::tests::model::machine;
use crate::testing::{Written, apply, plan};

/// Returns a platform with this id and these related ids.
fn platform(id: &str, like: &str) -> Platform {
    let mut platform = Platform::new("linux");
    id.clone_into(&mut platform.linux_distribution);
    like.clone_into(&mut platform.linux_lsb_like);
    id.clone_into(&mut platform.pretty_name);
    platform
}

fn debian() -> ModelSystem {
    machine().with_platform(platform("debian", ""))
}

fn named(name: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("name", Value::from(name))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn the_platform_decides() {
    let check = async |id: &str, like: &str, expect: &str| {
        let format = "%{NAME}\\t%{EPOCHNUM}\\t%{VERSION}\\t%{RELEASE}\\t%{ARCH}\\n";
        let rpm = ["rpm", "--query", "--queryformat", format, "--", "hello"];
        let answer = Output::success("hello\t0\t2.0\t1\tnoarch\n");
        let model = machine().with_query(rpm, answer).with_platform(platform(id, like));
        let output = plan::<InstallPreparer>(&(Arc::new(model) as _), &named("hello", &[])).await;
        assert!(output.starts_with(expect), "{id} {like}: {output}");
    };
    let apt = "will change\nhello: \"absent\" => \"present\"";
    check("debian", "", apt).await;
    check("linuxmint", "ubuntu debian", apt).await;
    check("fedora", "", "no change").await;
    check("rocky", "rhel centos fedora", "no change").await;
    check("opensuse-leap", "suse opensuse", "no change").await;
    let refused = "error: package.install is not supported on arch: it is known for Debian,";
    check("arch", "", refused).await;
}

#[tokio::test]
async fn packages_of_debian() {
    let check = async |name: &str, more: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(debian());
        let actual = apply::<InstallPreparer>(&system, &named(name, more)).await;
        assert_eq!(actual, expect, "{name} {more:?}");
    };
    check("hello", &[], "will change\nhello: \"absent\" => \"present\"").await;
    check("hello=1.0", &[], "will change\nhello: \"absent\" => \"1.0\"").await;
    check("hello", &[("version", "1.0".into())], "will change\nhello: \"absent\" => \"1.0\"").await;
    check("hello", &[("state", "absent".into())], "no change").await;
    let version = ("version", Value::from("2"));
    check("hello=1.0", std::slice::from_ref(&version), "error: version: `name` has a version already").await;
    check(
        "hello",
        &[version, ("state", "absent".into())],
        "error: state: an absent package has no version: leave the version out to remove any version",
    )
    .await;
    check("hello", &[("version", "-1".into())], "error: version: it is not an exact version, such as 1.2-3")
        .await;
    let latest = ("latest", Value::from(true));
    let absent = [latest.clone(), ("state", "absent".into())];
    check("hello", &absent, "error: latest: an absent package cannot be upgraded").await;
    let message = "error: latest: it is for packages in `name` without a version";
    check("hello=1.0", &[latest], message).await;
    for name in ["", "-y", "a b", "a=", "a=-1", "m*"] {
        let system: Arc<dyn System> = Arc::new(debian());
        let output = plan::<InstallPreparer>(&system, &named(name, &[])).await;
        assert!(output.starts_with("error: name: "), "{name}: {output}");
    }
    // Only the other package manager accepts this name.
    let system: Arc<dyn System> = Arc::new(debian());
    let output = plan::<InstallPreparer>(&system, &named("PackageKit", &[])).await;
    assert!(
        output.starts_with("error: name: \"PackageKit\" is not the name of a Debian package"),
        "{output}"
    );
}

#[tokio::test]
async fn newer_versions() {
    let latest = named("hello", &[("latest", true.into())]);
    let check = async |model: ModelSystem, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(apply::<InstallPreparer>(&system, &latest).await, expect);
        assert_eq!(plan::<InstallPreparer>(&system, &latest).await, "no change");
    };
    let older = || debian().with_file("/model/dpkg/hello", "install installed 1.0");
    check(older(), "will change\nhello: \"1.0\" => \"2.0\"").await;
    check(debian(), "will change\nhello: \"absent\" => \"present\"").await;
    check(debian().with_file("/model/dpkg/hello", "install installed 2.0"), "no change").await;
    let upgrade_only = named("hello", &[("only_upgrade", true.into())]);
    let system: Arc<dyn System> = Arc::new(debian());
    let left = "no change\n# hello is not installed, and only installed packages are upgraded";
    assert_eq!(apply::<InstallPreparer>(&system, &upgrade_only).await, left);
    let system: Arc<dyn System> = Arc::new(older());
    assert_eq!(
        apply::<InstallPreparer>(&system, &upgrade_only).await,
        "will change\nhello: \"1.0\" => \"2.0\""
    );
    // Without the field, installed packages stay at their version.
    let system: Arc<dyn System> = Arc::new(older());
    assert_eq!(plan::<InstallPreparer>(&system, &named("hello", &[])).await, "no change");
}

laws!(
    InstallPreparer,
    start = debian,
    start = || debian().with_file("/model/dpkg/hello", "install installed 2.0"),
    values = ("name", ["hello", "appa", "hello=1.0"]),
    beside = ("/var", "apt keeps its lists there"),
    beside = ("/model", "what apt and dpkg have, dependencies among it"),
    values = ("version", ["1.0"])
);
