use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::System;
use converge_sdk::system::{Command, ModelSystem};

use super::FilesystemPreparer;
use crate::lvm::model::{after, model};
use crate::testing::{
    Written, apply, context, obeys_the_laws, output_lines, plan, plan_pending, prepare, show,
    started_elsewhere,
};

const UNIT: &str = "/etc/systemd/system/srv-web.mount";

fn written() -> Vec<(&'static str, Value)> {
    vec![("device", "/dev/sdb".into()), ("mount", "/srv/web".into()), ("fstype", "ext4".into())]
}

/// Checks the plan, without the text of the unit, which has tests of its own.
async fn check(model: ModelSystem, fields: Written<'_>, expect: &str) {
    let system: Arc<dyn System> = Arc::new(model);
    let output = plan::<FilesystemPreparer>(&system, fields).await;
    let lines: Vec<&str> = output.lines().filter(|line| !line.starts_with("srv-web.mount: ")).collect();
    assert_eq!(lines.join("\n"), expect, "{fields:?}");
}

/// Returns a host on which everything is as declared, with these lines added to the mount table.
async fn done(more_mounts: &str) -> ModelSystem {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    apply::<FilesystemPreparer>(&system, &written()).await;
    let machine = model.machine();
    let mounts = String::from_utf8(machine.file("/proc/self/mountinfo").unwrap().to_vec()).unwrap();
    crate::lvm::model::model()
        .with(|target| *target = machine)
        .with_file("/proc/self/mountinfo", mounts + more_mounts)
}

#[tokio::test]
async fn from_nothing() {
    let creation = "will change\nfile system: \"(empty)\" => \"ext4\"\nmount point: \"absent\" => \"present\"\n\
               enabled: \"false\" => \"true\"\nmounted: \"false\" => \"true\"";
    check(model(), &written(), creation).await;

    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<FilesystemPreparer>(&system, &written()).await;
    insta::assert_snapshot!(output, @r##"
    will change
    file system: "(empty)" => "ext4"
    mount point: "absent" => "present"
    srv-web.mount: "absent" => "# Managed by Converge: changes are lost.\n[Unit]\nBefore=local-fs.target\n\n[Mount]\nWhat=/dev/sdb\nWhere=/srv/web\nType=ext4\n\n[Install]\nWantedBy=local-fs.target\n"
    enabled: "false" => "true"
    mounted: "false" => "true"
    "##);
    let machine = model.machine();
    assert_eq!(machine.fact("on /dev/sdb"), Some("ext4 419430400"));
    assert_eq!(machine.entry(UNIT).unwrap().mode, 0o644);
    assert_eq!(machine.entry("/srv/web").unwrap().mode, 0o755);
    assert!(machine.entry("/etc/systemd/system/local-fs.target.wants/srv-web.mount").is_some());
}

#[tokio::test]
async fn what_making_one_prints_is_told_and_no_report_is() {
    let system: Arc<dyn System> = Arc::new(model());
    let expect = ["Writing superblocks and filesystem accounting information: done"];
    assert_eq!(output_lines::<FilesystemPreparer>(&system, &written()).await, expect);
}

#[tokio::test]
async fn part_of_it() {
    check(done("").await, &written(), "no change").await;
    let formatted = after(&["mkfs.ext4 /dev/sdb"]).with_file("/srv/web/old", "");
    let rest = "will change\nenabled: \"false\" => \"true\"\nmounted: \"false\" => \"true\"\n\
                warning: /srv/web is not empty: the mount hides its content";
    check(formatted, &written(), rest).await;
    let changed = done("").await.with_file(UNIT, "[Mount]\n");
    check(changed, &written(), "will change").await;
    let killed = done("").await.with(|machine| {
        machine.remove_fact("read srv-web.mount");
    });
    let reload = "will change\nsystemd: \"has read an older unit\" => \"has read the unit\"";
    check(killed, &written(), reload).await;
    let disabled = done("").await.with(|machine| machine.remove("/etc/systemd/system/local-fs.target.wants"));
    check(disabled, &written(), "will change\nenabled: \"false\" => \"true\"").await;
    let unmounted = done("").await.with_file("/proc/self/mountinfo", "");
    check(unmounted, &written(), "will change\nmounted: \"false\" => \"true\"").await;
}

#[tokio::test]
async fn what_would_lose_data_is_refused() {
    let changed_model = after(&["mkfs.xfs /dev/sdb"]);
    let system: Arc<dyn System> = Arc::new(changed_model);
    let output = plan::<FilesystemPreparer>(&system, &written()).await;
    let error = "error: /dev/sdb is not empty: it holds xfs, and is to hold ext4; \
                 if nothing on it is needed, empty it with `wipefs --all /dev/sdb`";
    assert!(output.starts_with("can't change\nfile system: \"xfs\" => \"ext4\""), "{output}");
    assert!(output.ends_with(error), "{output}");

    let output =
        plan::<FilesystemPreparer>(&system, &[&written()[1..], &[("device", "/dev/sdc".into())]].concat())
            .await;
    assert!(output.starts_with("will change"), "{output}");

    let occupied = done("41 22 8:3 / /srv/web rw - ext4 /dev/sdc rw\n").await;
    let error = "can't change\nmounted: \"/dev/sdc\" => \"/dev/sdb\"\nerror: /dev/sdc is mounted at /srv/web, \
                 where /dev/sdb is to be; unmount it first: `umount /srv/web`";
    check(occupied, &written(), error).await;

    let elsewhere = done("41 22 8:3 / /mnt rw - ext4 /dev/sdb rw\n").await;
    check(elsewhere, &written(), "no change\nwarning: /dev/sdb is mounted at /mnt too").await;

    let file = after(&["mkfs.ext4 /dev/sdb"]).with_file("/srv/web", "");
    let error = "error: /srv/web is not a directory, so nothing can be mounted there";
    let system: Arc<dyn System> = Arc::new(file);
    let output = plan::<FilesystemPreparer>(&system, &written()).await;
    assert!(output.ends_with(error), "{output}");
}

#[tokio::test]
async fn a_device_that_holds_something_by_the_time_of_the_apply_is_not_formatted() {
    let model = Arc::new(model());
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let mut task = prepare::<FilesystemPreparer>(&cx, &written()).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    cx.system().processes().run(Command::new("mkfs.xfs").arg("/dev/sdb")).await.unwrap();
    let applied = task.apply(&cx).await;
    let expect = "error: /dev/sdb is not empty: it holds xfs, and is to hold ext4; \
                  if nothing on it is needed, empty it with `wipefs --all /dev/sdb`";
    assert_eq!(show(&applied), expect);
}

#[tokio::test]
async fn what_is_not_there_yet() {
    let check_both = async |model: ModelSystem, written: Written<'_>, alone: &str, pending: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<FilesystemPreparer>(&system, written).await, alone);
        assert_eq!(plan_pending::<FilesystemPreparer>(&system, written).await, pending);
    };
    let fields_with = |name: &'static str, value: &str| -> Vec<_> {
        let others = written().into_iter().filter(|(written, _)| *written != name);
        others.chain([(name, Value::from(value))]).collect()
    };
    check_both(
        model(),
        &fields_with("device", "/dev/mapper/data-web"),
        "error: device \"/dev/mapper/data-web\" does not exist",
        "may change\n# /dev/mapper/data-web does not exist yet",
    )
    .await;
    check_both(
        model(),
        &fields_with("fstype", "btrfs"),
        "error: there is no `mkfs.btrfs`: install the package `btrfs-progs`",
        "may change\n# there is no `mkfs.btrfs` yet",
    )
    .await;
    check_both(
        model(),
        &fields_with("fstype", "odd"),
        "error: there is no `mkfs.odd`: install the package that has it",
        "may change\n# there is no `mkfs.odd` yet",
    )
    .await;
}

#[tokio::test]
async fn where_it_cannot_work() {
    let no_systemd = model().with(|machine| machine.remove("/run/systemd"));
    check(no_systemd, &written(), "error: filesystem is not supported on linux: systemd is not running")
        .await;
    let darwin = model().with_platform(converge_sdk::system::Platform::new("darwin"));
    let expect = "error: filesystem is not supported on darwin: it is about volumes and mounts of Linux";
    check(darwin, &written(), expect).await;
    let no_systemctl = model().with(|machine| machine.remove("/usr/sbin/systemctl"));
    check(no_systemctl, &written(), "error: there is no `systemctl`: install the package `systemd`").await;
}

#[tokio::test]
async fn exports() {
    let cx = context(Arc::new(model()), RunMode::Plan);
    let exports = prepare::<FilesystemPreparer>(&cx, &written()).await.unwrap().exports();
    let exports_read = ["device", "mount", "fstype"].map(|name| exports.get(&[name]).cloned().unwrap());
    assert_eq!(exports_read, ["/dev/sdb", "/srv/web", "ext4"].map(Value::from));
}

#[tokio::test]
async fn laws() {
    obeys_the_laws::<FilesystemPreparer>(model, &written()).await;
    let fields: Vec<_> = written()
        .into_iter()
        .chain([("wantedBy", Value::from(vec![Value::from("web.target")]))])
        .chain([("required_by", Value::from(vec![Value::from("nginx.service")]))])
        .collect();
    obeys_the_laws::<FilesystemPreparer>(|| after(&["mkfs.ext4 /dev/sdb"]), &fields).await;
}

#[tokio::test]
async fn the_run_learns_with_which_options_systemd_mounts_it() {
    let options = Value::List(vec!["noatime".into(), Value::from("password=hunter2").into_secret()]);
    let fields = [written(), vec![("options", options)]].concat();
    let expect = Command::new("mount").args(["-o", "noatime,password=hunter2"]);
    assert_eq!(started_elsewhere::<FilesystemPreparer>(model(), &fields).await, [expect]);
    assert_eq!(started_elsewhere::<FilesystemPreparer>(model(), &self::written()).await, []);
}

laws!(
    FilesystemPreparer,
    start = model,
    start = || after(&["mkfs.ext4 /dev/sdb"]),
    values = ("device", ["/dev/sdb"]),
    values = ("mount", ["/srv/web", "/srv/other"]),
    values = ("fstype", ["ext4"]),
    beside = ("read ", "systemd reads all units that it has not read yet")
);
