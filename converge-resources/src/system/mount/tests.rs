use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, Platform, System};

use super::MountPreparer;
use super::model::{MOUNTS, ROOT, model};
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

const FSTAB: &str = "/etc/fstab";

/// Lines that belong to somebody else.
const FOUND: &str = "# mine\nUUID=9-9\t/\text4  errors=remount-ro 0 1\n/dev/x  /with\\040blank xfs";

fn list(words: &[&str]) -> Value {
    Value::List(words.iter().map(|word| Value::from(*word)).collect())
}

fn written(source: &str, extra: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let fields = [
        ("destination", Value::from("/srv/web")),
        ("source", Value::from(source)),
        ("fstype", Value::from("ext4")),
    ];
    let fields = fields.into_iter().filter(|(name, _)| extra.iter().all(|(other, _)| other != name));
    fields.chain(extra.iter().cloned()).collect()
}

fn state(state: &str) -> (&'static str, Value) {
    ("state", state.into())
}

fn text(model: &ModelSystem, path: &str) -> String {
    String::from_utf8_lossy(model.machine().file(path).unwrap_or_default()).into_owned()
}

#[tokio::test]
async fn mounts() {
    let model = Arc::new(model().with_file(FSTAB, FOUND));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, line: &str, mounted: &str| {
        let output = apply::<MountPreparer>(&system, written).await;
        assert_eq!(output, said, "{written:?}");
        assert_eq!(plan::<MountPreparer>(&system, written).await, "no change", "{written:?}");
        let (fstab, table) = (text(&model, FSTAB), text(&model, MOUNTS));
        assert_eq!(fstab.strip_prefix(FOUND), Some(line), "{written:?}");
        assert_eq!(table.strip_prefix(ROOT), Some(mounted), "{written:?}");
    };
    check(
        &written("UUID=1-2", &[("options", list(&["noatime", "nofail"])), ("pass", 2.into())]),
        "will change\n/etc/fstab: \"absent\" => \"UUID=1-2 /srv/web ext4 noatime,nofail 0 2\"\n\
         mounted: \"false\" => \"UUID=1-2\"\nmount point: \"absent\" => \"present\"",
        "\nUUID=1-2 /srv/web ext4 noatime,nofail 0 2\n",
        "40 22 0:40 / /srv/web rw,noatime - ext4 /dev/sdb rw\n",
    )
    .await;
    check(
        &written("/dev/sdb", &[state("present"), ("options", list(&["ro", "noatime"]))]),
        "will change\n/etc/fstab: \"UUID=1-2 /srv/web ext4 noatime,nofail 0 2\" => \"/dev/sdb /srv/web ext4 ro,noatime 0 0\"",
        "\n/dev/sdb /srv/web ext4 ro,noatime 0 0\n",
        "40 22 0:40 / /srv/web rw,noatime - ext4 /dev/sdb rw\n",
    )
    .await;
    // The options that the kernel shows count, whatever the line says.
    check(
        &written("/dev/sdb", &[("options", list(&["ro", "noatime"]))]),
        "will change\noptions: \"rw,noatime\" => \"ro,noatime\"",
        "\n/dev/sdb /srv/web ext4 ro,noatime 0 0\n",
        "40 22 0:40 / /srv/web ro,noatime - ext4 /dev/sdb rw\n",
    )
    .await;
    check(
        &written("/dev/sdb", &[]),
        "will change\n/etc/fstab: \"/dev/sdb /srv/web ext4 ro,noatime 0 0\" => \"/dev/sdb /srv/web ext4 defaults 0 0\"\n\
         options: \"ro,noatime\" => \"defaults\"",
        "\n/dev/sdb /srv/web ext4 defaults 0 0\n",
        "40 22 0:40 / /srv/web rw,relatime - ext4 /dev/sdb rw\n",
    )
    .await;
    // The present mount comes from the line, so it is replaced.
    check(
        &written("/dev/sdc", &[]),
        "will change\n/etc/fstab: \"/dev/sdb /srv/web ext4 defaults 0 0\" => \"/dev/sdc /srv/web ext4 defaults 0 0\"\n\
         mounted: \"/dev/sdb\" => \"/dev/sdc\"",
        "\n/dev/sdc /srv/web ext4 defaults 0 0\n",
        "40 22 0:40 / /srv/web rw,relatime - ext4 /dev/sdc rw\n",
    )
    .await;
    let place = ("destination", Value::from("/srv/web"));
    check(
        &[place.clone(), state("unmounted")],
        "will change\nmounted: \"/dev/sdc\" => \"false\"",
        "\n/dev/sdc /srv/web ext4 defaults 0 0\n",
        "",
    )
    .await;
    check(
        &[place, state("absent")],
        "will change\n/etc/fstab: \"/dev/sdc /srv/web ext4 defaults 0 0\" => \"absent\"",
        "\n",
        "",
    )
    .await;
    let bind = [("fstype", "none".into()), ("options", list(&["bind", "ro"]))];
    check(
        &written("/srv/", &bind),
        "will change\n/etc/fstab: \"absent\" => \"/srv/ /srv/web none bind,ro 0 0\"\nmounted: \"false\" => \"/srv/\"",
        "\n/srv/ /srv/web none bind,ro 0 0\n",
        "40 22 8:1 /srv/ /srv/web ro,relatime - ext4 /dev/root rw\n",
    )
    .await;
}

/// A failing mount leaves no line that would stop the next boot.
#[tokio::test]
async fn what_cannot_be_mounted_is_not_written_down() {
    let model = model().with_file(FSTAB, FOUND).with(|machine| machine.put_file("/srv/web", ""));
    let model = Arc::new(model);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<MountPreparer>(&system, &written("/dev/sdb", &[])).await;
    assert_eq!(output, "error: /srv/web is not a directory, so nothing can be mounted there");
    assert_eq!(text(&model, FSTAB), FOUND);
}

#[tokio::test]
async fn mistakes() {
    let check = assert_refused::<MountPreparer>;
    let fields_at = |place: &str, how: &str| [("destination", Value::from(place)), state(how)];
    check(model(), &fields_at("/", "unmounted"), "destination: `/` is never unmounted").await;
    check(model(), &fields_at("/./", "absent"), "destination: `/` is never unmounted").await;
    check(
        model(),
        &fields_at("srv", "absent"),
        "destination: \"srv\" is not an absolute path of a directory",
    )
    .await;
    check(model(), &fields_at("/srv/x", "mounted"), "source: `source` is required").await;
    check(model(), &fields_at("/srv/x", "present"), "source: it is required, as `state` is \"present\"")
        .await;
    check(model(), &written("-a", &[]), "source: it begins with `#` or `-`").await;
    check(
        model(),
        &written("/dev/sdb", &[("fstype", "swap".into())]),
        "fstype: swap space is for `system.swap`",
    )
    .await;
    check(model(), &written("/dev/sdb", &[("options", list(&["a,b"]))]), "options").await;

    let link = || model().with_dir("/data").with_symlink("/srv/web", "/data");
    let leads = "/srv/web is a link, or has one on its way, and leads to /data: write that";
    check(link(), &written("/dev/sdb", &[]), leads).await;
    check(link(), &fields_at("/srv/web", "unmounted"), leads).await;

    check(model(), &written("/dev/sdz", &[]), "source of a mount \"/dev/sdz\" does not exist").await;
    check(model(), &written("UUID=9", &[]), "source of a mount \"UUID=9\" does not exist").await;
    let unknown_type = [("fstype", Value::from("odd"))];
    check(model(), &written("/dev/sdb", &unknown_type), "file system of the kernel \"odd\" does not exist")
        .await;
    let nfs = [("fstype", Value::from("nfs"))];
    check(model(), &written("host:/x", &nfs), "there is no `mount.nfs`: install the package `nfs-common`")
        .await;
    let system: Arc<dyn System> = Arc::new(model());
    for (fields, expect) in [
        (written("/dev/sdz", &[]), "/dev/sdz does not exist yet"),
        (written("/dev/sdb", &unknown_type), "the kernel has no file system odd yet"),
        (written("host:/x", &nfs), "there is no `mount.nfs` yet"),
    ] {
        assert_eq!(plan_pending::<MountPreparer>(&system, &fields).await, format!("may change\n# {expect}"));
    }

    let table = |line: &str| model().with_file(MOUNTS, format!("{ROOT}{line}"));
    let mount_line = "40 22 0:40 / /srv/web rw - ext4 /dev/sdc rw\n";
    let error =
        "/dev/sdc is mounted at /srv/web, where /dev/sdb is to be; unmount it first: `umount /srv/web`";
    check(table(mount_line), &written("/dev/sdb", &[]), error).await;
    let mount_line = "40 22 0:40 / /srv/web rw - xfs /dev/sdb rw\n";
    check(
        table(mount_line),
        &written("/dev/sdb", &[]),
        "/dev/sdb is mounted at /srv/web as xfs, and `fstype` says ext4",
    )
    .await;
    let mount_table = format!("{mount_line}41 40 0:41 / /srv/web/a rw - ext4 /dev/sdc rw\n");
    check(
        table(&mount_table),
        &fields_at("/srv/web", "absent"),
        "/srv/web cannot be unmounted: /srv/web/a is mounted below it",
    )
    .await;

    let twice = model().with_file(FSTAB, "a /srv/web ext4\nb /srv/web ext4\n");
    check(
        twice,
        &written("/dev/sdb", &[]),
        "/etc/fstab: /srv/web is there several times, in lines 1, 2: leave one",
    )
    .await;
    let foreign = model().with(|machine| {
        machine.put_file("/secret", "root's\n");
        machine.put_symlink(FSTAB, "/secret");
        machine.put_owner(FSTAB, 65534, 65534);
    });
    check(foreign, &written("/dev/sdb", &[]), "cannot read /etc/fstab").await;
    let mac = model().with_platform(Platform::new("darwin"));
    check(
        mac,
        &written("/dev/sdb", &[]),
        "system.mount is not supported on darwin: it is about mounts of Linux",
    )
    .await;
}

/// After a failed write, the table is complete, old or new.
#[tokio::test]
async fn a_full_disk_leaves_the_table() {
    let model = model().with_file(FSTAB, FOUND).with(|machine| machine.put_disk("/", Disk::Full));
    let model = Arc::new(model);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<MountPreparer>(&system, &written("/dev/sdb", &[state("present")])).await;
    assert!(output.contains("\nerror: cannot write /etc/fstab"), "{output}");
    assert_eq!(text(&model, FSTAB), FOUND);
}

/// A line that another program writes between the check and the edit stays.
#[tokio::test]
async fn a_line_that_comes_meanwhile_stays() {
    use converge_core::testing::FakeRenderer;

    use crate::testing::{context, prepare};

    let model = Arc::new(model().with_file(FSTAB, FOUND));
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let mut task = prepare::<MountPreparer>(&cx, &written("/dev/sdb", &[])).await.unwrap();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    model.alter(|machine| machine.put_file(FSTAB, format!("{FOUND}\n/dev/y /y xfs\n")));
    task.apply(&cx).await.unwrap();
    assert_eq!(text(&model, FSTAB), format!("{FOUND}\n/dev/y /y xfs\n/dev/sdb /srv/web ext4 defaults 0 0\n"));
}

laws!(
    MountPreparer,
    start = model,
    values = ("destination", ["/srv/web", "/srv/other"]),
    values = ("source", ["/dev/sdb", "UUID=1-2"]),
    values = ("fstype", ["ext4", "xfs"]),
    values = ("options", [list(&["noatime"]), list(&["ro", "size=1m"])]),
    values = ("file", [FSTAB])
);
