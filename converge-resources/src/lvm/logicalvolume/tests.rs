use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;
use converge_sdk::system::System;

use super::LogicalVolumePreparer;
use super::task::mapped;
use crate::lvm::model::{after, model};
use crate::testing::{apply, context, obeys_the_laws, plan, plan_pending, prepare};

type Fields = Vec<(&'static str, Value)>;

fn sized(size: &str) -> Fields {
    vec![("group", "data".into()), ("name", "web".into()), ("size", size.into())]
}

/// Returns a host with a group of 100 extents of 4 MiB, after these commands.
fn group(commands: &[&str]) -> ModelSystem {
    after(&[&["vgcreate data /dev/sdb"], commands].concat())
}

async fn check(model: ModelSystem, fields: &Fields, expect: &str) {
    let system: Arc<dyn System> = Arc::new(model);
    assert_eq!(plan::<LogicalVolumePreparer>(&system, fields).await, expect, "{fields:?}");
}

#[tokio::test]
async fn sizes() {
    let new = async |size: &str, expect: &str| {
        check(group(&[]), &sized(size), expect).await;
    };
    new("64M", "will change\nsize: \"absent\" => \"64 MiB\"").await;
    new("65M", "will change\nsize: \"absent\" => \"68 MiB\"").await;
    new("50%VG", "will change\nsize: \"absent\" => \"200 MiB\"").await;
    new("100%FREE", "will change\nsize: \"absent\" => \"400 MiB\"").await;
    let no_room = "can't change\nsize: \"absent\" => \"1 GiB\"\n\
                   error: data/web needs 1 GiB more, and 400 MiB are free in the volume group \"data\"";
    new("1G", no_room).await;
    let help = "write a number with a unit as in `10G`, or a share as in `50%VG` or `100%FREE`";
    new("big", &format!("error: size: \"big\" is not a size: {help}")).await;

    let check_group = async |extents: &str, size: &str, expect: &str| {
        let volume = format!("lvcreate --name web --extents {extents} data");
        check(group(&[&volume]), &sized(size), expect).await;
    };
    check_group("16", "64M", "no change").await;
    check_group("16", "61M", "no change").await;
    check_group("16", "65M", "will change\nsize: \"64 MiB\" => \"68 MiB\"").await;
    check_group("50", "50%VG", "no change").await;
    check_group("100", "100%FREE", "no change").await;
    check_group("99", "100%FREE", "will change\nsize: \"396 MiB\" => \"400 MiB\"").await;
    // The share refers to the free space at the creation. Less free space now is no reason to shrink.
    check_group("60", "50%FREE", "no change").await;
    let smaller = "a volume is never made smaller, as what is in the part that goes would be lost; \
                   write the size that it has, or make it smaller by hand";
    check_group(
        "16",
        "60M",
        &format!(
            "can't change\nsize: \"64 MiB\" => \"60 MiB\"\n\
             error: data/web has 64 MiB, and `size` says 60 MiB: {smaller}"
        ),
    )
    .await;
    let full_group = group(&["lvcreate --name rest --extents 100 data"]);
    let no_extent = "can't change\nsize: \"absent\" => \"0 B\"\n\
                     error: `size` of data/web is less than an extent of the volume group, which is 4 MiB";
    check(full_group, &sized("100%FREE"), no_extent).await;
}

#[tokio::test]
async fn file_systems_grow() {
    let volume = "lvcreate --name web --extents 16 data";
    let mount = |model: ModelSystem| {
        model.with_file("/proc/self/mountinfo", "40 22 8:2 / /srv/web rw - xfs /dev/mapper/data-web rw\n")
    };
    let ext4 = || group(&[volume, "mkfs.ext4 /dev/mapper/data-web"]);
    let xfs = || group(&[volume, "mkfs.xfs /dev/mapper/data-web"]);
    let grows = |kind: &str| {
        format!(
            "will change\nsize: \"64 MiB\" => \"128 MiB\"\n\
             file system: \"{kind} of 64 MiB\" => \"{kind} of 128 MiB\""
        )
    };
    check(ext4(), &sized("128M"), &grows("ext4")).await;
    check(mount(xfs()), &sized("128M"), &grows("xfs")).await;
    let size_change = "will change\nsize: \"64 MiB\" => \"128 MiB\"";
    let alone: Fields = sized("128M").into_iter().chain([("resizefs", false.into())]).collect();
    check(ext4(), &alone, size_change).await;
    let unmounted =
        "\nwarning: the xfs on it is not mounted, so it keeps its 64 MiB until a run finds it mounted";
    check(xfs(), &sized("128M"), &format!("{size_change}{unmounted}")).await;
    // This is the state after a run that was killed, or that found the file system not mounted.
    let behind = "lvextend --extents 32 data/web";
    let xfs_volume = mount(group(&[volume, "mkfs.xfs /dev/mapper/data-web", behind]));
    let made_up = "will change\nfile system: \"xfs of 64 MiB\" => \"xfs of 128 MiB\"";
    check(xfs_volume, &sized("128M"), made_up).await;
    // Swap space is not a file system that can grow.
    let swap = group(&[volume]).with(|machine| machine.put_fact("on /dev/dm/data-web", "swap 67108864"));
    check(swap, &sized("128M"), size_change).await;
}

#[tokio::test]
async fn an_inactive_volume_is_activated() {
    let inactive = group(&["lvcreate --name web --extents 16 data"])
        .with(|machine| machine.remove("/dev/mapper/data-web"));
    let expect = "will change\nstate: \"inactive\" => \"active\"\n\
                  # a file system on it grows with it; that is looked at when it is active";
    check(inactive, &sized("64M"), expect).await;
}

#[tokio::test]
async fn what_is_not_there_yet() {
    let check_both = async |model: ModelSystem, size: &str, alone: &str, pending: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<LogicalVolumePreparer>(&system, &sized(size)).await, alone);
        assert_eq!(plan_pending::<LogicalVolumePreparer>(&system, &sized(size)).await, pending);
    };
    check_both(
        model(),
        "64M",
        "error: volume group \"data\" does not exist",
        "may change\n# the volume group \"data\" does not exist yet",
    )
    .await;
    check_both(
        ModelSystem::new(),
        "64M",
        "error: there is no `vgs`: install the package `lvm2`",
        "may change\n# there is no `vgs` yet",
    )
    .await;
    check_both(
        group(&[]),
        "100%FREE",
        "will change\nsize: \"absent\" => \"400 MiB\"",
        "may change\n# its size is a share, and its dependencies may change the total",
    )
    .await;
    check_both(
        group(&[]),
        "1G",
        "can't change\nsize: \"absent\" => \"1 GiB\"\n\
         error: data/web needs 1 GiB more, and 400 MiB are free in the volume group \"data\"",
        "may change\nsize: \"absent\" => \"1 GiB\"\n# it needs 1 GiB more, and 400 MiB are free so far",
    )
    .await;
}

#[tokio::test]
async fn what_lvm_says_reaches_the_person() {
    let locked = ModelSystem::new().with_query(
        ["vgs", "--reportformat", "json", "--units", "b", "--nosuffix", "--options"]
            .into_iter()
            .chain(["vg_name,vg_extent_size,vg_extent_count,vg_free_count"]),
        converge_sdk::system::Output::failure(5, "  /run/lock/lvm: open failed: Permission denied\n"),
    );
    let expect = "error: `vgs --reportformat json --units b --nosuffix --options \
                  vg_name,vg_extent_size,vg_extent_count,vg_free_count` ended with exit code 5: \
                  /run/lock/lvm: open failed: Permission denied";
    check(locked, &sized("1G"), expect).await;
}

#[tokio::test]
async fn exports_are_known_before_it_is_made() {
    let cx = context(Arc::new(model()), RunMode::Plan);
    let exports = prepare::<LogicalVolumePreparer>(&cx, &sized("1G")).await.unwrap().exports();
    let exports_read = ["group", "name", "size", "device"].map(|name| exports.get(&[name]).cloned().unwrap());
    assert_eq!(exports_read, ["data", "web", "1G", "/dev/mapper/data-web"].map(Value::from));
}

#[test]
fn a_dash_is_written_twice() {
    assert_eq!(mapped("data", "web"), "data-web");
    assert_eq!(mapped("my-data", "a-b--c"), "my--data-a--b----c");
}

#[tokio::test]
async fn an_apply_makes_it() {
    let system: Arc<dyn System> = Arc::new(group(&[]));
    let output = apply::<LogicalVolumePreparer>(&system, &sized("64M")).await;
    assert_eq!(output, "will change\nsize: \"absent\" => \"64 MiB\"");
    assert_eq!(plan::<LogicalVolumePreparer>(&system, &sized("64M")).await, "no change");
}

#[tokio::test]
async fn laws() {
    obeys_the_laws::<LogicalVolumePreparer>(|| group(&[]), &sized("64M")).await;
    obeys_the_laws::<LogicalVolumePreparer>(|| group(&[]), &sized("33%FREE")).await;
    let volume = "lvcreate --name web --extents 16 data";
    let grown = || group(&[volume, "mkfs.ext4 /dev/mapper/data-web"]);
    obeys_the_laws::<LogicalVolumePreparer>(grown, &sized("100%FREE")).await;
}

laws!(
    LogicalVolumePreparer,
    start = || group(&[]),
    start = || group(&["lvcreate --name web --extents 16 data", "mkfs.ext4 /dev/mapper/data-web"]),
    values = ("group", ["data"]),
    beside = ("/dev", "the kernel makes the devices"),
    values = ("name", ["web", "other"]),
    values = ("size", ["64M", "33%FREE", "100%FREE"])
);
