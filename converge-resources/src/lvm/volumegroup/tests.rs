use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;
use converge_sdk::system::System;

use super::VolumeGroup;
use crate::lvm::model::{after, model};
use crate::testing::{Written, apply, obeys_the_laws, plan, plan_pending};

fn devices(devices: &[&str]) -> (&'static str, Value) {
    ("devices", Value::from(devices.iter().map(|device| Value::from(*device)).collect::<Vec<_>>()))
}

fn named(extra: impl IntoIterator<Item = (&'static str, Value)>) -> Vec<(&'static str, Value)> {
    [("name", Value::from("data"))].into_iter().chain(extra).collect()
}

async fn check(model: ModelSystem, fields: Written<'_>, expect: &str) {
    let system: Arc<dyn System> = Arc::new(model);
    assert_eq!(plan::<VolumeGroup>(&system, fields).await, expect, "{fields:?}");
}

#[tokio::test]
async fn a_new_group() {
    let b = named([devices(&["/dev/sdb"])]);
    let makes = "will change\n/dev/sdb: \"(empty)\" => \"in volume group data\"\n\
                     group: \"absent\" => \"present\"";
    check(model(), &b, makes).await;
    check(after(&["vgcreate data /dev/sdb"]), &b, "no change").await;
    // LVM already knows the device, which is in no group.
    let orphan = after(&["vgcreate data /dev/sdb", "vgreduce data /dev/sdb"]);
    let takeover = makes.replace("(empty)", "in no volume group");
    check(orphan, &b, &takeover).await;
    let two_names = named([devices(&["/dev/disk/by-id/second", "/dev/sdc"])]);
    let creation = "will change\n/dev/disk/by-id/second: \"(empty)\" => \"in volume group data\"\n\
                group: \"absent\" => \"present\"";
    check(model(), &two_names, creation).await;
    check(after(&["vgcreate data /dev/sdc"]), &two_names, "no change").await;
    let error = "error: the volume group \"data\" does not exist, and `devices` names none to make it of";
    check(model(), &named([]), error).await;
}

#[tokio::test]
async fn names() {
    let check = async |name: &str, good: bool| {
        let fields = [("name", Value::from(name)), devices(&["/dev/sdb"])];
        let system: Arc<dyn System> = Arc::new(model());
        let output = plan::<VolumeGroup>(&system, &fields).await;
        assert_eq!(!output.starts_with("error: name"), good, "{name}: {output}");
    };
    check("data-1_a.b+c", true).await;
    check("-data", false).await;
    check("a b", false).await;
    check("a/b", false).await;
    check("", false).await;
}

#[tokio::test]
async fn a_device_that_holds_something() {
    let with_ext4 = || after(&["mkfs.ext4 /dev/sdc"]);
    let two_devices = named([devices(&["/dev/sdb", "/dev/sdc"])]);
    let refused = "can't change\n/dev/sdb: \"(empty)\" => \"in volume group data\"\n\
                   /dev/sdc: \"ext4\" => \"in volume group data\"\ngroup: \"absent\" => \"present\"\n\
                   error: /dev/sdc is not empty: it holds ext4; write `overwrite = true` to lose its data";
    check(with_ext4(), &two_devices, refused).await;

    let overwrite: Vec<_> = two_devices.iter().cloned().chain([("overwrite", true.into())]).collect();
    let model = Arc::new(with_ext4());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<VolumeGroup>(&system, &overwrite).await;
    assert!(output.ends_with("# the data on /dev/sdc will be lost: ext4"), "{output}");
    let changed: Vec<_> =
        model.commands().into_iter().filter(|command| command.program.starts_with("vg")).collect();
    assert_eq!(changed.iter().filter(|command| command.program == "vgcreate").count(), 1, "{changed:?}");
    assert_eq!(model.machine().fact("pv /dev/sdc"), Some("data"));
}

#[tokio::test]
async fn a_device_that_somebody_uses() {
    let overwrite = named([devices(&["/dev/sdb"]), ("overwrite", true.into())]);
    let refusal = "can't change\n/dev/sdb: \"in volume group other\" => \"in volume group data\"\n\
                 group: \"absent\" => \"present\"\nerror: /dev/sdb belongs to the volume group \"other\"; \
                 take it out of that first: `vgreduce other /dev/sdb`";
    check(after(&["vgcreate other /dev/sdb"]), &overwrite, refusal).await;
    let mounted = after(&["mkfs.ext4 /dev/sdb"])
        .with_file("/proc/self/mountinfo", "40 22 8:2 / /srv rw - ext4 /dev/sdb rw\n");
    let in_use = "can't change\n/dev/sdb: \"ext4\" => \"in volume group data\"\n\
                  group: \"absent\" => \"present\"\nerror: /dev/sdb is in use: /dev/sdb is mounted at /srv";
    check(mounted, &overwrite, in_use).await;
}

#[tokio::test]
async fn more_and_fewer_devices() {
    let two = || after(&["vgcreate data /dev/sdb /dev/sdc"]);
    let three = named([devices(&["/dev/sdb", "/dev/sdc", "/dev/sdd"])]);
    check(two(), &three, "will change\n/dev/sdd: \"(empty)\" => \"in volume group data\"").await;

    let single_device = named([devices(&["/dev/sdb"])]);
    let stays = "no change\n# /dev/sdc is in the volume group too; \
                 `remove = true` takes out what `devices` does not name";
    check(two(), &single_device, stays).await;
    let fields_with = |more: &[&'static str]| -> Vec<_> {
        single_device.iter().cloned().chain(more.iter().map(|name| (*name, Value::from(true)))).collect()
    };
    let out = "will change\n/dev/sdc: \"in volume group data\" => \"in no volume group\"";
    check(two(), &fields_with(&["remove"]), out).await;
    check(two(), &fields_with(&["remove", "force_remove"]), &out.replace("in no volume group", "(empty)"))
        .await;
    let warning = "\nwarning: `forceRemove` has no effect without `remove`, so no device is removed";
    check(two(), &fields_with(&["forceRemove"]), &format!("{stays}{warning}")).await;

    let full_group = after(&["vgcreate data /dev/sdb /dev/sdc", "lvcreate --name web --extents 150 data"]);
    let has_data = "\nerror: volumes have data on /dev/sdc (50 extents), so it cannot be taken out of the volume \
                    group \"data\"; move that first: `pvmove /dev/sdc`";
    check(full_group, &fields_with(&["remove"]), &format!("{}{has_data}", out.replace("will", "can't")))
        .await;

    let removal = named([("remove", true.into())]);
    let last = "can't change\n/dev/sdb: \"in volume group data\" => \"in no volume group\"\n\
                error: a volume group needs a device, so /dev/sdb cannot be taken out of \"data\"; \
                add another to `devices`, or remove the group with `vgremove data`";
    check(after(&["vgcreate data /dev/sdb"]), &removal, last).await;
}

#[tokio::test]
async fn what_is_not_there_yet() {
    let check_both = async |model: fn() -> ModelSystem, device: &str, alone: &str, pending: &str| {
        let fields = named([devices(&[device])]);
        let system: Arc<dyn System> = Arc::new(model());
        assert_eq!(plan::<VolumeGroup>(&system, &fields).await, alone);
        assert_eq!(plan_pending::<VolumeGroup>(&system, &fields).await, pending);
    };
    check_both(
        model,
        "/dev/sdz",
        "error: device \"/dev/sdz\" does not exist",
        "may change\n# /dev/sdz does not exist yet",
    )
    .await;
    check_both(
        ModelSystem::new,
        "/dev/sdb",
        "error: there is no `pvs`: install the package `lvm2`",
        "may change\n# there is no `pvs` yet",
    )
    .await;
}

#[tokio::test]
async fn laws() {
    let two = named([devices(&["/dev/sdb", "/dev/disk/by-id/second"])]);
    obeys_the_laws::<VolumeGroup>(model, &two).await;
    obeys_the_laws::<VolumeGroup>(|| after(&["vgcreate data /dev/sdc"]), &two).await;
    let overwrite: Vec<_> = two.iter().cloned().chain([("overwrite", true.into())]).collect();
    obeys_the_laws::<VolumeGroup>(|| after(&["mkfs.xfs /dev/sdb"]), &overwrite).await;
    let reduction = named([devices(&["/dev/sdb"]), ("remove", true.into())]);
    obeys_the_laws::<VolumeGroup>(|| after(&["vgcreate data /dev/sdc /dev/sdd"]), &reduction).await;
}

laws!(
    VolumeGroup,
    start = model,
    start = || after(&["vgcreate data /dev/sdc"]),
    start = || after(&["mkfs.xfs /dev/sdb"]),
    values = ("name", ["data"]),
    // A later run does not find the signature that a killed run left on a device, as the field documents.
    values = ("forceRemove", [false]),
    values = ("devices", [devices(&["/dev/sdb"]).1, devices(&["/dev/sdb", "/dev/sdc"]).1])
);
