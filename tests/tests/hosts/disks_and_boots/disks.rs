//! Tests of volume groups, logical volumes and file systems on the disks of a guest.

use converge_tests::guest::{DISKS, Guest};

const FIRST: &str = DISKS[0];
const SECOND: &str = DISKS[1];
const THIRD: &str = DISKS[2];

/// Runs the scenarios, each of which continues where the previous one ended.
pub(super) fn volumes_and_file_systems(guest: &Guest) {
    examples(guest);
    a_device_that_holds_something_is_refused(guest);
    all_grows(guest);
    what_would_lose_data_is_refused(guest);
    a_device_comes_and_goes(guest);
    what_a_killed_run_left_is_made_up_for(guest);
}

const SWAP: &str = include_str!("../../../../converge-resources/src/system/swap/example.hcl");

/// Returns the first part of the example, because a guest has no speaker for the rest.
fn kernel_module() -> &'static str {
    let example = include_str!("../../../../converge-resources/src/system/kernel_module/example.hcl");
    example.split_once("\n\nsystem.kernel_module \"beep\"").map_or(example, |(first, _)| first)
}

/// Returns a module with more swap and a mount.
fn on_disks() -> String {
    format!(
        "system.swap \"disk\" {{\n  source = \"{FIRST}\"\n}}\nsystem.mount \"disk\" {{\n  destination = \"/srv/a b\"\n  \
         source = \"LABEL=mine\"\n  fstype = \"xfs\"\n  options = [\"noatime\"]\n}}\n"
    )
}

/// Tests resources that need their own kernel.
///
/// Returns the original table of file systems.
pub(super) fn modules_mounts_and_swap(guest: &Guest) -> String {
    let table = guest.get("/etc/fstab");
    let (dummy, disk_modules) = (kernel_module(), on_disks());
    guest.story(dummy, &[]);
    guest.ok("test -d /sys/class/net/dummy1");
    refused(
        guest,
        &dummy.replace("numdummies", "number"),
        &["dummy has no parameter number; it has numdummies"],
    );
    guest.story(SWAP, &["-p", "size=16M"]);
    guest.ok(&format!("mkfs.xfs -q -L mine {SECOND} && udevadm settle"));
    guest.story(&disk_modules, &[]);
    refused(guest, &disk_modules.replace(FIRST, SECOND), &["is not empty: it holds xfs"]);
    let too_large = SWAP.replace("default = \"64M\"", "default = \"90G\"").replace("/swapfile", "/other");
    refused(guest, &too_large, &["/other"]);
    assert_eq!(guest.ok("ls -A / | grep -c other || true").stdout, "0\n");

    table
}

/// Checks the state after the reboot, and restores the original state.
pub(super) fn they_are_there_after_the_boot(guest: &Guest, table: &str) {
    guest.ok("test -d /sys/class/net/dummy1");
    let uses = guest.ok("cat /proc/swaps").stdout;
    assert!(uses.contains("/swapfile ") && uses.contains(FIRST), "{uses}");
    mounted(guest, "/srv/a b", &format!("{SECOND} xfs"));
    for (module, arguments) in
        [(kernel_module(), [].as_slice()), (SWAP, &["-p", "size=16M"]), (&on_disks(), &[])]
    {
        let plan = guest.converge("plan", module, arguments).success();
        assert_eq!(plan.summary()["will_change"], 0, "{}", plan.everything());
    }

    let invalid_modules = [
        "system.kernel_module \"a\" {\n  name = \"dummy\"\n  parameters = {}\n",
        "system.swap \"a\" {\n  source = \"/swapfile\"\n",
        &format!("system.swap \"b\" {{\n  source = \"{FIRST}\"\n"),
        "system.mount \"a\" {\n  destination = \"/srv/a b\"\n",
    ];
    guest.story(&invalid_modules.map(|block| format!("{block}  state = \"absent\"\n}}\n")).concat(), &[]);
    assert_eq!(guest.get("/etc/fstab"), table);
    guest.ok(
        "test ! -e /swapfile && test ! -e /etc/modprobe.d/zz-dummy.conf && test ! -d /sys/class/net/dummy1",
    );
    guest.ok(&format!("wipefs -qa {FIRST} {SECOND}"));
}

/// Tests the examples of the documentation, which build on each other.
fn examples(guest: &Guest) {
    let disk = format!("disk={FIRST}");
    let arguments = ["-p", disk.as_str()];
    let example = include_str!("../../../../converge-resources/src/lvm/filesystem/example.hcl");
    let story = guest.story(example, &arguments);
    let differences = story.plan.differences("lvm.volumegroup.data");
    let is = |name: &str, before: &str, after: &str| (name.to_owned(), before.to_owned(), after.to_owned());
    assert_eq!(differences, [is(FIRST, "(empty)", "in volume group data"), is("group", "absent", "present")]);
    assert_eq!(story.plan.report("filesystem.web")["outcome"], "may-change");
    assert_eq!(story.apply.differences("lvm.logicalvolume.web"), [is("size", "absent", "64 MiB")]);
    mounted(guest, "/srv/web", "/dev/mapper/data-web ext4");
    guest.ok("echo hello > /srv/web/page");
    guest.ok("systemctl is-enabled srv-web.mount");

    let example = include_str!("../../../../converge-resources/src/lvm/logicalvolume/example.hcl");
    guest.converge("apply", example, &arguments).success();
    let example = include_str!("../../../../converge-resources/src/lvm/volumegroup/example.hcl");
    let plan = guest.converge("plan", example, &arguments).success();
    assert_eq!(plan.report("lvm.volumegroup.data")["outcome"], "unchanged", "{}", plan.everything());
}

fn module(devices: &[&str], extra: &str, web: &str) -> String {
    let group = group(devices, extra);
    format!(
        r#"{group}
lvm.logicalvolume "web" {{
  group = "{{{{lookup `lvm.volumegroup.data.name`}}}}"
  name  = "web"
  size  = "{web}"
}}

lvm.logicalvolume "rest" {{
  group   = "{{{{lookup `lvm.volumegroup.data.name`}}}}"
  name    = "rest"
  size    = "100%FREE"
  depends = ["lvm.logicalvolume.web"]
}}

filesystem "web" {{
  device = "{{{{lookup `lvm.logicalvolume.web.device`}}}}"
  mount  = "/srv/web"
  fstype = "ext4"
}}

filesystem "rest" {{
  device   = "{{{{lookup `lvm.logicalvolume.rest.device`}}}}"
  mount    = "/srv/the rest"
  fstype   = "xfs"
  options  = ["noatime"]
  wantedBy = ["multi-user.target"]
}}

file.content "note" {{
  destination = "/srv/note"
  content     = "{{{{lookup `filesystem.rest.device`}}}} {{{{lookup `filesystem.rest.fstype`}}}} {{{{lookup `lvm.logicalvolume.rest.size`}}}}"
}}
"#
    )
}

fn web(size: &str) -> String {
    format!("lvm.logicalvolume \"web\" {{\n  group = \"data\"\n  name = \"web\"\n  size = \"{size}\"\n}}\n")
}

fn group(devices: &[&str], extra: &str) -> String {
    format!("lvm.volumegroup \"data\" {{\n  name = \"data\"\n  devices = {devices:?}\n  {extra}\n}}\n")
}

fn a_device_that_holds_something_is_refused(guest: &Guest) {
    guest.ok(&format!("mkfs.ext4 -q -L precious {SECOND}"));
    let module = group(&[FIRST, SECOND], "");
    refused(guest, &module, &[SECOND, "it holds ext4 \\\"precious\\\"", "overwrite = true"]);
    guest.ok(&format!("blkid -p {SECOND} | grep precious"));

    guest.ok(&format!("wipefs -qa {SECOND}; echo 'label: gpt' | sfdisk -q {SECOND}"));
    refused(guest, &module, &[SECOND, "it holds gpt"]);

    guest.ok(&format!("vgcreate -q other {THIRD}"));
    let module = group(&[FIRST, THIRD], "overwrite = true");
    refused(guest, &module, &[THIRD, "belongs to the volume group", "vgreduce other"]);
    guest.ok(&format!("vgremove -q other; pvremove -q {THIRD}"));
}

/// Extends the group by a used device, and then its volumes and their file systems.
fn all_grows(guest: &Guest) {
    let first = module(&[FIRST], "", "64M");
    guest.converge("apply", &first, &[]).success();
    mounted(guest, "/srv/the rest", "/dev/mapper/data-rest xfs");
    assert_eq!(guest.get("/srv/note"), "/dev/mapper/data-rest xfs 100%FREE");
    let size = |place: &str| -> u64 {
        let output = guest.ok(&format!("df --output=size --block-size=1M '{place}' | tail -1"));
        output.stdout.trim().parse().unwrap()
    };
    let (web, rest) = (size("/srv/web"), size("/srv/the rest"));

    let larger = module(&[FIRST, SECOND], "overwrite = true", "0.2G");
    let story = guest.story(&larger, &[]);
    let planned = story.plan.differences("lvm.logicalvolume.web");
    assert_eq!(planned[0].2, "208 MiB", "{planned:?}");
    assert_eq!(planned[1].0, "file system", "{planned:?}");
    assert_eq!(story.plan.report("lvm.logicalvolume.rest")["outcome"], "may-change");
    assert!(size("/srv/web") > web + 120, "{web}");
    assert!(size("/srv/the rest") > rest + 300, "{rest}");
    assert_eq!(guest.get("/srv/web/page"), "hello\n");
}

fn what_would_lose_data_is_refused(guest: &Guest) {
    let volume = |size: &str| {
        format!(
            "lvm.logicalvolume \"web\" {{\n  group = \"data\"\n  name = \"web\"\n  size = \"{size}\"\n}}\n"
        )
    };
    refused(guest, &volume("64M"), &["data/web has 208 MiB", "says 64 MiB", "never made smaller"]);
    let filesystem =
        "filesystem \"web\" {\n  device = \"/dev/data/web\"\n  mount = \"/mnt\"\n  fstype = \"xfs\"\n}\n";
    refused(guest, filesystem, &["/dev/data/web is not empty: it holds ext4", "wipefs --all /dev/data/web"]);
    let module = group(&[FIRST], "remove = true");
    refused(guest, &module, &["volumes have data on", "pvmove"]);
    assert_eq!(guest.get("/srv/web/page"), "hello\n");
}

fn a_device_comes_and_goes(guest: &Guest) {
    guest.ok(&format!("vgextend -q data {THIRD}"));
    let module = group(&[FIRST, SECOND], "remove = true\n  forceRemove = true");
    let apply = guest.converge("apply", &module, &[]).success();
    let expect = (THIRD.to_owned(), "in volume group data".to_owned(), "(empty)".to_owned());
    assert_eq!(apply.differences("lvm.volumegroup.data"), [expect]);
    assert_eq!(guest.ok(&format!("wipefs --noheadings {THIRD}")).stdout, "");
}

/// Tests a run that was killed after the volume was extended and before its file system was.
fn what_a_killed_run_left_is_made_up_for(guest: &Guest) {
    guest.ok(&format!("vgextend -q data {THIRD}; lvextend -q --extents +100%FREE data/web"));
    let apply = guest.converge("apply", &web("716M"), &[]).success();
    let changed = apply.differences("lvm.logicalvolume.web");
    let expect = ("file system".to_owned(), "ext4 of 208 MiB".to_owned(), "ext4 of 716 MiB".to_owned());
    assert_eq!(changed, [expect]);
}

pub(super) fn volumes_are_there_after_the_boot(guest: &Guest) {
    mounted(guest, "/srv/web", "/dev/mapper/data-web ext4");
    mounted(guest, "/srv/the rest", "/dev/mapper/data-rest xfs");
    assert_eq!(guest.get("/srv/web/page"), "hello\n");
    let plan = guest.converge("plan", &module(&DISKS, "", "716M"), &[]).success();
    assert_eq!(plan.summary()["will_change"], 0, "{}", plan.everything());
    assert_eq!(plan.summary()["may_change"], 0, "{}", plan.everything());
}

#[track_caller]
fn mounted(guest: &Guest, place: &str, expect: &str) {
    let output = guest.ok(&format!("findmnt --noheadings --output SOURCE,FSTYPE '{place}' | tr -s ' '"));
    assert_eq!(output.stdout.trim(), expect);
}

/// Asserts that an apply fails with all these texts.
#[track_caller]
fn refused(guest: &Guest, module: &str, expect: &[&str]) {
    let apply = guest.converge("apply", module, &[]);
    assert_eq!(apply.code, Some(1), "{}", apply.everything());
    for phrase in expect {
        assert!(apply.stdout.contains(phrase), "{phrase}: {}", apply.everything());
    }
}
