//! A small LVM on the model host, with file systems and mount units.
//!
//! It implements the commands that the resources run, and prints the output of the real ones. Its state is
//! facts of the host, so that a crash treats it like other state.
//!
//! | fact | value |
//! | --- | --- |
//! | `pv DEVICE` | its volume group, or empty |
//! | `lv GROUP/NAME` | number of extents |
//! | `on DEVICE` | type and size in bytes of the contents: `ext4 1048576` |
//! | `read UNIT` | the text that systemd has read |

use std::collections::BTreeMap;
use std::path::Path;

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

/// The number of extents of each device.
pub(super) const EXTENTS: u64 = 100;

/// The number of bytes of an extent.
const EXTENT: u64 = 4 << 20;

const MOUNTS: &str = "/proc/self/mountinfo";

/// Returns a host with the empty disks `/dev/sdb`, `/dev/sdc` and `/dev/sdd`, and all tools.
pub(super) fn model() -> ModelSystem {
    let disks = ["/dev/sdb", "/dev/sdc", "/dev/sdd"];
    let tools = ["mkfs.ext4", "mkfs.xfs", "systemctl"];
    let model = ModelSystem::new()
        .with_file(MOUNTS, "22 1 8:1 / / rw - ext4 /dev/root rw\n")
        .with_symlink("/dev/disk/by-id/second", "../../sdc")
        .with_dir("/etc/systemd/system")
        .with_dir("/run/systemd/system")
        .with_dir("/dev/mapper")
        .with_dir("/srv");
    let model = disks.into_iter().fold(model, |model, disk| model.with_file(disk, ""));
    let model =
        tools.into_iter().fold(model, |model, tool| model.with_file(Path::new("/usr/sbin").join(tool), ""));
    model.with_program(run)
}

/// Like [`model`], after these commands.
pub(super) fn after(commands: &[&str]) -> ModelSystem {
    let commands: Vec<Vec<String>> =
        commands.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    model().with(|machine| {
        for words in &commands {
            let (program, args) = words.split_first().unwrap();
            let output = run(&Command::new(program).args(args.to_vec()), machine).unwrap();
            assert!(output.exit.success(), "{words:?}: {output:?}");
        }
    })
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let result = match (command.program.as_str(), args.as_slice()) {
        ("pvs", _) => Ok(report("pv", &pvs(machine))),
        ("vgs", _) => Ok(report("vg", &vgs(machine))),
        ("lvs", _) => Ok(report("lv", &lvs(machine))),
        ("vgcreate" | "vgextend", [group, devices @ ..]) => add(machine, group, devices),
        ("vgreduce", [_, device]) => set(machine, format!("pv {}", real(device)), ""),
        ("pvremove", [device]) => {
            machine.remove_fact(&format!("pv {}", real(device)));
            set(machine, format!("on {}", real(device)), "")
        }
        ("lvcreate", [.., "--name", name, "--extents", extents, group]) => {
            make_volume(machine, group, name);
            set(machine, format!("lv {group}/{name}"), extents)
        }
        ("lvextend", ["--extents", extents, volume]) => set(machine, format!("lv {volume}"), extents),
        ("wipefs", ["--json", "--no-act", device]) => Ok(signatures(machine, device)),
        ("wipefs", ["--all", device]) => set(machine, format!("on {}", real(device)), ""),
        ("lsblk", [.., device]) => Ok(tree(machine, device)),
        ("mkfs.ext4" | "mkfs.xfs", [device]) => {
            let kind = command.program.trim_start_matches("mkfs.");
            let size = size(machine, device);
            machine.put_fact(format!("on {}", real(device)), format!("{kind} {size}"));
            Ok("Writing superblocks and filesystem accounting information: done\n".to_owned())
        }
        ("dumpe2fs", ["-h", device]) => Ok(format!(
            "Block count: {}\nBlock size: 1024\nInode blocks per group: 500\nReserved GDT blocks: 256\n",
            held(machine, device) / 1024
        )),
        ("xfs_info", [place]) => {
            Ok(format!("data = bsize=4096 blocks={}, imaxpct=25\n", held(machine, place) / 4096))
        }
        ("e2fsck", ["-f", "-p", _]) => Ok(String::new()),
        ("resize2fs", [device]) => grow(machine, "ext4", device),
        ("xfs_growfs", [target]) => grow(machine, "xfs", target),
        ("systemctl", ["show", "--value", "--property=NeedDaemonReload", unit]) => {
            let current = machine.file(unit_path(unit)).map(<[u8]>::to_vec);
            let read = machine.fact(&format!("read {unit}")).map(|text| text.as_bytes().to_vec());
            Ok(if current == read { "no\n".to_owned() } else { "yes\n".to_owned() })
        }
        ("systemctl", ["daemon-reload"]) => reload(machine),
        ("systemctl", ["reenable", unit]) => enable(machine, unit),
        ("systemctl", ["start", unit]) => start(machine, unit),
        _ => return None,
    };
    Some(match result {
        Ok(output) => Output::success(output),
        Err(complaint) => Output::failure(5, complaint),
    })
}

type Said = Result<String, String>;

#[expect(clippy::unnecessary_wraps, reason = "all programs of the model answer alike")]
fn set(machine: &mut Machine, fact: String, value: &str) -> Said {
    machine.put_fact(fact, value);
    Ok(String::new())
}

fn facts(machine: &Machine, kind: &str) -> BTreeMap<String, String> {
    let value = |(name, value): (&str, &str)| Some((name.strip_prefix(kind)?.to_owned(), value.to_owned()));
    machine.facts().filter_map(value).collect()
}

/// Resolves the links of the model.
fn real(device: &str) -> String {
    match device {
        "/dev/disk/by-id/second" => "/dev/sdc".to_owned(),
        other => other.replace("/dev/mapper/", "/dev/dm/"),
    }
}

fn report(kind: &str, rows: &[String]) -> String {
    format!("{{\"report\": [{{\"{kind}\": [{}]}}]}}", rows.join(","))
}

fn used(machine: &Machine, group: &str) -> u64 {
    let volumes = facts(machine, "lv ");
    let of_group = volumes.iter().filter(|(name, _)| name.split('/').next() == Some(group));
    of_group.map(|(_, extents)| extents.parse::<u64>().unwrap()).sum()
}

fn pvs(machine: &Machine) -> Vec<String> {
    let mut left: BTreeMap<String, u64> = BTreeMap::new();
    let row = |(device, group): (String, String)| {
        let left = left.entry(group.clone()).or_insert_with(|| used(machine, &group));
        let count = if group.is_empty() { 0 } else { (*left).min(EXTENTS) };
        *left -= count;
        format!(r#"{{"pv_name":"{device}","vg_name":"{group}","pv_pe_alloc_count":"{count}"}}"#)
    };
    facts(machine, "pv ").into_iter().map(row).collect()
}

/// Returns the groups with the number of their extents.
fn groups(machine: &Machine) -> BTreeMap<String, u64> {
    let mut groups = BTreeMap::new();
    for group in facts(machine, "pv ").into_values().filter(|group| !group.is_empty()) {
        *groups.entry(group).or_default() += EXTENTS;
    }
    groups
}

fn vgs(machine: &Machine) -> Vec<String> {
    let row = |(group, extents): (String, u64)| {
        let free_extents = extents - used(machine, &group);
        format!(
            r#"{{"vg_name":"{group}","vg_extent_size":"{EXTENT}","vg_extent_count":"{extents}","vg_free_count":"{free_extents}"}}"#
        )
    };
    groups(machine).into_iter().map(row).collect()
}

fn lvs(machine: &Machine) -> Vec<String> {
    let row = |(volume, extents): (String, String)| {
        let (group, name) = volume.split_once('/').unwrap();
        let size = extents.parse::<u64>().unwrap() * EXTENT;
        let active =
            if machine.entry(format!("/dev/mapper/{group}-{name}")).is_some() { "active" } else { "" };
        format!(r#"{{"vg_name":"{group}","lv_name":"{name}","lv_size":"{size}","lv_active":"{active}"}}"#)
    };
    facts(machine, "lv ").into_iter().map(row).collect()
}

/// Adds devices to a group, as LVM does without `--yes`: nothing happens unless every device is empty.
fn add(machine: &mut Machine, group: &str, devices: &[&str]) -> Said {
    for device in devices {
        if machine.fact(&format!("on {}", real(device))).is_some_and(|content| !content.is_empty()) {
            return Err(format!("WARNING: signature detected on {device}. Wipe it? [y/n]: [n]\n  Aborted"));
        }
    }
    for device in devices {
        machine.put_fact(format!("pv {}", real(device)), group);
    }
    Ok(String::new())
}

fn make_volume(machine: &mut Machine, group: &str, name: &str) {
    machine.put_file(format!("/dev/dm/{group}-{name}"), "");
    machine.put_symlink(format!("/dev/mapper/{group}-{name}"), format!("../dm/{group}-{name}"));
}

fn signatures(machine: &Machine, device: &str) -> String {
    let content = machine.fact(&format!("on {}", real(device))).unwrap_or_default();
    let kinds = content.split(' ').take(1).filter(|kind| !kind.is_empty());
    let rows: Vec<_> = kinds
        .map(|kind| format!(r#"{{"device":"x","offset":"0x438","type":"{kind}","label":null}}"#))
        .collect();
    format!("{{\"signatures\": [{}]}}", rows.join(","))
}

fn tree(machine: &Machine, device: &str) -> String {
    let mounts = String::from_utf8(machine.file(MOUNTS).unwrap().to_vec()).unwrap();
    let line = mounts.lines().find(|line| line.contains(&format!(" {device} ")));
    let target = line.map_or("null".to_owned(), |line| format!("\"{}\"", line.split(' ').nth(4).unwrap()));
    format!(
        "{{\"blockdevices\": [{{\"name\": \"{device}\", \"type\": \"disk\", \"mountpoint\": {target}}}]}}"
    )
}

fn size(machine: &Machine, device: &str) -> u64 {
    let volume = real(device).trim_start_matches("/dev/dm/").replacen('-', "/", 1);
    let extents = machine.fact(&format!("lv {volume}")).map_or(EXTENTS, |extents| extents.parse().unwrap());
    extents * EXTENT
}

/// Returns the device that is mounted at a path, or the path itself.
fn device_at(machine: &Machine, place: &str) -> String {
    let mounts = String::from_utf8(machine.file(MOUNTS).unwrap().to_vec()).unwrap();
    let line = mounts.lines().find(|line| line.split(' ').nth(4) == Some(place));
    line.map_or_else(|| real(place), |line| real(line.split(' ').rev().nth(1).unwrap()))
}

fn held(machine: &Machine, place: &str) -> u64 {
    let content = machine.fact(&format!("on {}", device_at(machine, place))).unwrap();
    content.split(' ').nth(1).unwrap().parse().unwrap()
}

fn grow(machine: &mut Machine, kind: &str, place: &str) -> Said {
    let device = device_at(machine, place);
    let size = size(machine, &device);
    set(machine, format!("on {device}"), &format!("{kind} {size}"))
}

fn unit_path(unit: &str) -> String {
    format!("/etc/systemd/system/{unit}")
}

fn unit(machine: &Machine, unit: &str) -> Result<String, String> {
    let text = machine.file(unit_path(unit)).ok_or_else(|| format!("Unit {unit} not found."))?;
    Ok(String::from_utf8(text.to_vec()).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "all programs of the model answer alike")]
fn reload(machine: &mut Machine) -> Said {
    let paths: Vec<_> = machine.entries().into_keys().collect();
    for path in paths.iter().filter(|path| path.parent() == Some(Path::new("/etc/systemd/system"))) {
        if let (Some(text), Some(name)) = (machine.file(path).map(<[u8]>::to_vec), path.file_name()) {
            machine.put_fact(format!("read {}", name.display()), String::from_utf8(text).unwrap());
        }
    }
    Ok(String::new())
}

fn values(text: &str, key: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    line.unwrap_or_default().split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn enable(machine: &mut Machine, name: &str) -> Said {
    let text = unit(machine, name)?;
    for (key, folder) in [("WantedBy", "wants"), ("RequiredBy", "requires")] {
        for parent in values(&text, key) {
            machine.put_symlink(unit_path(&format!("{parent}.{folder}/{name}")), unit_path(name));
        }
    }
    Ok(String::new())
}

fn start(machine: &mut Machine, name: &str) -> Said {
    if machine.fact(&format!("read {name}")) != Some(&unit(machine, name)?) {
        return Err(format!("Unit {name} not found."));
    }
    let text = unit(machine, name)?;
    let value = |key: &str| values(&text, key).join(" ");
    let (source, place, kind) = (value("What"), value("Where"), value("Type"));
    if machine.fact(&format!("on {}", real(&source))).is_none_or(|content| !content.starts_with(&kind)) {
        return Err(format!("Job for {name} failed."));
    }
    let mut mounts = machine.file(MOUNTS).unwrap().to_vec();
    mounts.extend_from_slice(format!("40 22 8:2 / {place} rw - {kind} {source} rw\n").as_bytes());
    machine.put_file(MOUNTS, mounts);
    Ok(String::new())
}
