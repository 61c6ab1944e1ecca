use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::RpmPreparer;
use crate::testing::{Written, apply, context, plan, plan_pending, prepare, show};

/// Returns a host with a model of rpm and dnf, sufficient to test the decisions of the resource.
///
/// `/model/rpm/NAME` has the installed version, and `/model/repository/NAME` those that dnf knows. A package
/// file has its name and version in it.
fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_file("/usr/bin/dnf", "")
        .with_file("/model/repository/hello", "2.0 1.0")
        .with_file("/model/rpm/old", "1.0")
        .with_file("/srv/file.rpm", "filed 3.0")
        .with_file("/srv/none.rpm", "")
        .with_program(answer)
}

fn bare() -> ModelSystem {
    ModelSystem::new().with_file("/srv/file.rpm", "filed 3.0").with_program(answer)
}

fn read(machine: &Machine, path: impl AsRef<Path>) -> Option<String> {
    Some(String::from_utf8_lossy(machine.file(path)?).into_owned())
}

/// Returns name and version of a package, given by its name, by its name and version, or by its file.
fn find(machine: &Machine, text: &str) -> Option<(String, String)> {
    if text.starts_with('/') {
        return read(machine, text)?
            .split_once(' ')
            .map(|(name, version)| (name.to_owned(), version.to_owned()));
    }
    let (name, version) = text.split_once('-').map_or((text, None), |(name, version)| (name, Some(version)));
    let available = read(machine, format!("/model/repository/{name}"))?;
    let chosen =
        available.split(' ').find(|candidate| version.is_none_or(|version| version == *candidate))?;
    Some((name.to_owned(), chosen.to_owned()))
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let line = |name: &str, version: &str| Output::success(format!("{name}\t0\t{version}\t1\tnoarch\n"));
    let subject = *args.last()?;
    let names: Vec<&str> = args.iter().copied().filter(|arg| !arg.starts_with('-')).collect();
    match (command.program.as_str(), args.as_slice()) {
        ("rpm", ["--query", "--package", ..]) => Some(match find(machine, subject) {
            Some((name, version)) => line(&name, &version),
            None => Output::failure(1, "error: not an rpm package\n"),
        }),
        ("rpm", ["--query", ..]) => Some(match read(machine, format!("/model/rpm/{subject}")) {
            Some(version) => line(subject, &version),
            None => Output::failure(1, ""),
        }),
        ("rpm", ["--erase", "--test", ..]) => Some(Output::success("")),
        ("dnf", _) if args.contains(&"repoquery") => Some(Output::success(asked(machine, &args))),
        ("rpm", ["--eval", ..]) => Some(Output::success("/var/lib/rpm/.rpm.lock\n")),
        ("stat", _) => Some(Output::success("42\n")),
        ("rpm" | "dnf", _) if args.contains(&"remove") || args.contains(&"--erase") => {
            for name in &names {
                machine.remove(format!("/model/rpm/{name}"));
            }
            Some(Output::success(""))
        }
        ("rpm" | "dnf", _) => {
            let upgrades: Vec<String> = if args.last() == Some(&"upgrade") {
                let lines = asked(machine, &["repoquery", "--upgrades"]);
                lines
                    .lines()
                    .filter_map(|line| line.split_once('|'))
                    .map(|(name, _)| name.to_owned())
                    .collect()
            } else {
                Vec::new()
            };
            let names = names.iter().copied().chain(upgrades.iter().map(String::as_str));
            for name in names.filter(|name| !["install", "downgrade", "upgrade"].contains(name)) {
                let Some((package, version)) = find(machine, name) else {
                    return Some(Output::failure(1, format!("Error: Unable to find a match: {name}\n")));
                };
                let have = read(machine, format!("/model/rpm/{package}"));
                if args.contains(&"downgrade") || have.is_none_or(|have| have < version) {
                    machine.put_file(format!("/model/rpm/{package}"), version);
                }
            }
            Some(Output::success(""))
        }
        _ => None,
    }
}

/// Returns the output of `dnf repoquery`. `/model/unneeded/NAME` marks a package that nothing needs.
fn asked(machine: &Machine, args: &[&str]) -> String {
    let line = |name: &str, version: &str| format!("{name}|0|{version}|1|noarch\n\n");
    let names: Vec<&str> = args.iter().skip_while(|arg| **arg != "repoquery").skip(1).copied().collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.starts_with('-')).collect();
    let installed: Vec<(String, String)> = machine
        .entries()
        .into_keys()
        .filter_map(|path| {
            let name = path.strip_prefix("/model/rpm").ok()?.to_str()?.to_owned();
            Some((name, read(machine, &path)?))
        })
        .collect();
    let versions = |name: &str| read(machine, format!("/model/repository/{name}")).unwrap_or_default();
    if args.contains(&"--unneeded") {
        let unneeded = |name: &str| read(machine, format!("/model/unneeded/{name}")).is_some();
        return installed
            .iter()
            .filter(|(name, _)| unneeded(name))
            .map(|(name, version)| line(name, version))
            .collect();
    }
    if args.contains(&"--upgrades") {
        let newest = |name: &str| versions(name).split(' ').next().unwrap_or_default().to_owned();
        let is_asked = |name: &str| names.is_empty() || names.contains(&name);
        return installed
            .iter()
            .filter(|(name, version)| is_asked(name) && newest(name) > *version)
            .map(|(name, _)| line(name, &newest(name)))
            .collect();
    }
    let available = versions(names[0]);
    available
        .split(' ')
        .filter(|candidate| !candidate.is_empty())
        .map(|version| line(names[0], version))
        .collect()
}

fn named(name: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("name", Value::from(name))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |name: &str, more: Written<'_>, expect: &str| {
        assert_eq!(plan::<RpmPreparer>(&system, &named(name, more)).await, expect, "{name} {more:?}");
    };
    let absent = ("state", Value::from("absent"));
    check("old", &[], "no change").await;
    check("old=1.0", &[], "no change").await;
    check("old", &[("version", "0:1.0-1".into())], "no change").await;
    check(
        "old=2.0",
        &[],
        "can't change\nold: \"1.0-1\" => \"2.0\"\nerror: dnf finds no package old in its repositories",
    )
    .await;
    check(
        "hello=3.0",
        &[],
        "can't change\nhello: \"absent\" => \"3.0\"\nerror: dnf knows no version \"3.0\" of hello: it knows 2.0-1, 1.0-1",
    )
    .await;
    check("hello", &[], "will change\nhello: \"absent\" => \"present\"").await;
    check("hello=1.0", &[], "will change\nhello: \"absent\" => \"1.0\"").await;
    check("hello", std::slice::from_ref(&absent), "no change").await;
    check("old", std::slice::from_ref(&absent), "will change\nold: \"present\" => \"absent\"").await;
    check("/srv/file.rpm", &[], "will change\n/srv/file.rpm: \"absent\" => \"3.0-1\"").await;
    check("/srv/file.rpm", &[absent], "no change").await;
    check("/srv/gone.rpm", &[], "error: file \"/srv/gone.rpm\" does not exist").await;
    check(
        "/srv/none.rpm",
        &[],
        "error: /srv/none.rpm cannot be read as a package:\nerror: not an rpm package",
    )
    .await;
}

#[tokio::test]
async fn a_machine_that_has_only_rpm_installs_files() {
    let system: Arc<dyn System> = Arc::new(bare());
    assert_eq!(
        plan::<RpmPreparer>(&system, &named("hello", &[])).await,
        "can't change\nhello: \"absent\" => \"present\"\nerror: hello cannot be installed by its name, as this machine has \
         none of dnf, yum, zypper, microdnf: name the path or the URL of its file, which `rpm` installs"
    );
    assert_eq!(
        apply::<RpmPreparer>(&system, &named("/srv/file.rpm", &[])).await,
        "will change\n/srv/file.rpm: \"absent\" => \"3.0-1\""
    );
}

#[tokio::test]
async fn what_is_missing_may_come_with_a_pending_change() {
    let check = async |machine: ModelSystem, name: &str, expect: &str| {
        let system: Arc<dyn System> = Arc::new(machine);
        assert_eq!(plan_pending::<RpmPreparer>(&system, &named(name, &[])).await, expect, "{name}");
    };
    check(ModelSystem::new(), "hello", "may change\n# rpm does not exist yet").await;
    check(bare(), "/srv/new.rpm", "may change\n# the file /srv/new.rpm does not exist yet").await;
    check(
        bare(),
        "hello",
        "may change\nhello: \"absent\" => \"present\"\n# no package manager that can fetch hello is installed yet",
    )
    .await;
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<RpmPreparer>(&system, &named("hello", &[])).await;
    assert!(
        output.contains("package.rpm is not supported on ") && output.contains("there is no rpm"),
        "{output}"
    );
}

#[tokio::test]
async fn fields() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<RpmPreparer>(&system, written).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    let list = |names: &[&str]| Value::List(names.iter().map(|name| Value::from(*name)).collect());
    let version = ("version", Value::from("1.0"));
    check(&[("name", "".into())], "error: name: \"\" is neither the name of a package").await;
    check(&[("name", list(&["hello", "hello=1.0"]))], "error: name[1]: hello is named twice").await;
    check(&[("name", list(&["hello", "old"])), version.clone()], "error: version: it is for one package")
        .await;
    check(&[("name", "hello=1.0".into()), version.clone()], "error: version: `name` has a version already")
        .await;
    check(&[("name", "/srv/file.rpm".into()), version.clone()], "error: version: `name` is a file").await;
    check(
        &[("name", "hello".into()), version, ("state", "absent".into())],
        "error: state: an absent package",
    )
    .await;
    check(&[("names", list(&["hello", "old"]))], "will change\nhello: \"absent\" => \"present\"").await;
}

#[tokio::test]
async fn exports() {
    let cx = context(Arc::new(machine()), RunMode::Plan);
    let mut task = prepare::<RpmPreparer>(&cx, &named("old", &[])).await.unwrap();
    show(&task.check(&cx, &FakeRenderer::new()).await);
    let exports = task.exports();
    let exports_read = ["name", "state", "version"].map(|name| exports.get(&[name]).cloned().unwrap());
    assert_eq!(exports_read, ["old".into(), "present".into(), "1.0-1".into()]);
}

#[tokio::test]
async fn packages_that_no_repository_has() {
    let system: Arc<dyn System> = Arc::new(machine());
    assert_eq!(
        apply::<RpmPreparer>(&system, &named("nothere", &[])).await,
        "will change\nnothere: \"absent\" => \"present\"\nerror: dnf finds no package nothere in its repositories"
    );
}

#[tokio::test]
async fn locks_are_waited_for() {
    let locked_machine = machine()
        .with_file("/proc/locks", "1: POSIX  ADVISORY  WRITE 7 00:44:42 0 EOF\n")
        .with_file("/proc/7/comm", "zypper\n")
        .with_flowing_time();
    let system: Arc<dyn System> = Arc::new(locked_machine);
    assert_eq!(
        apply::<RpmPreparer>(&system, &named("hello", &[("lock_timeout", "3s".into())])).await,
        "will change\nhello: \"absent\" => \"present\"\nerror: process 7 (zypper) has held the lock \
         /var/lib/rpm/.rpm.lock for more than 3s: end it, or give it more time with `lock_timeout`"
    );
}

#[tokio::test]
async fn newer_versions_are_shown_and_installed() {
    let older = || machine().with_file("/model/rpm/hello", "1.0").with_file("/model/unneeded/old", "");
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str, expect_calls: &[&str]| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert_eq!(plan::<RpmPreparer>(&system, written).await, expect, "{written:?}");
        assert_eq!(apply::<RpmPreparer>(&system, written).await, expect, "{written:?}");
        let is_change = |command: &&Command| {
            command.program == "dnf" && !command.args.iter().any(|arg| arg == "repoquery")
        };
        let commands = model.commands();
        let calls: Vec<String> =
            commands.iter().filter(is_change).map(|command| command.args.join(" ")).collect();
        assert_eq!(calls, expect_calls, "{written:?}");
    };
    let yes_value = Value::from(true);
    let upgraded = "will change\nhello: \"1.0-1\" => \"2.0-1\"";
    let start = "-y --setopt=exit_on_lock=True";
    check(
        older(),
        &named("hello", &[("latest", yes_value.clone())]),
        upgraded,
        &[&format!("{start} upgrade hello")],
    )
    .await;
    check(older(), &named("old", &[("latest", yes_value.clone())]), "no change", &[]).await;
    let upgrade_only = named("hello", &[("only_upgrade", yes_value.clone())]);
    check(older(), &upgrade_only, upgraded, &[&format!("{start} upgrade hello")]).await;
    let left = "no change\n# hello is not installed, and only installed packages are upgraded";
    check(machine(), &upgrade_only, left, &[]).await;
    check(
        older(),
        &[("upgrade_all", yes_value.clone()), ("update", yes_value.clone())],
        upgraded,
        &[&format!("--refresh {start} upgrade hello")],
    )
    .await;
    let options = ("options", Value::List(vec!["--enablerepo=x".into()]));
    check(
        older(),
        &[("autoremove", yes_value.clone()), options, ("cache_max_age", "1h".into())],
        "will change\nold: \"1.0-1\" => \"absent\"",
        &[&format!("--setopt=metadata_expire=3600 --enablerepo=x {start} remove --noautoremove old")],
    )
    .await;
    check(machine(), &[("upgrade_all", yes_value.clone())], "no change", &[]).await;
    let zypper = ModelSystem::new().with_file("/usr/bin/zypper", "").with_program(answer);
    let refused = "can't change\nerror: zypper has nothing for `autoremove`";
    check(zypper, &[("autoremove", yes_value)], refused, &[]).await;
}

#[tokio::test]
async fn packages_that_are_files() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let fields: Vec<_> =
            [("file", Value::from("/srv/file.rpm"))].into_iter().chain(more.iter().cloned()).collect();
        let output = apply::<RpmPreparer>(&system, &fields).await;
        assert!(output.starts_with(expect), "{more:?}: {output}");
    };
    let installed = "will change\n/srv/file.rpm: \"absent\" => \"3.0-1\"";
    check(machine(), &[], installed).await;
    check(bare(), &[], installed).await;
    check(machine().with_file("/model/rpm/filed", "3.0"), &[], "no change").await;
    let older = "will change\n/srv/file.rpm: \"4.0-1\" => \"3.0-1\"";
    check(machine().with_file("/model/rpm/filed", "4.0"), &[], older).await;
    check(machine(), &[("hash", "ab".repeat(32).into())], "error: /srv/file.rpm has the sha256 ").await;
    let broken = "error: /srv/file.rpm cannot be read as a package:\nerror: not an rpm package";
    check(machine().with_file("/srv/file.rpm", "x"), &[], broken).await;
}

laws!(
    RpmPreparer,
    start = machine,
    start = bare,
    start = || machine().with_file("/model/rpm/hello", "2.0"),
    start = || machine().with_file("/model/rpm/hello", "1.0").with_file("/model/unneeded/old", ""),
    values = ("name", ["hello", "old", "/srv/file.rpm", "hello=1.0"]),
    values = ("file", ["/srv/file.rpm", "/srv/gone.rpm"]),
    values = ("hash", ["00"]),
    values = ("options", [Vec::<String>::new(), vec!["--enablerepo=x".to_owned()]]),
    values = ("version", ["1.0"])
);
