//! Mounts on the model host: `mount`, `umount` and `findfs`, and their effects on the kernel's table.

use converge_sdk::system::{Command, EntryKind, Machine, ModelSystem, Output};

pub(super) const MOUNTS: &str = "/proc/self/mountinfo";

pub(super) const ROOT: &str = "22 1 8:1 / / rw,relatime - ext4 /dev/root rw\n";

/// Returns a host with the disks `/dev/sda`, `/dev/sdb` and `/dev/sdc`.
///
/// The second has the UUID `1-2`.
pub(super) fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file(MOUNTS, ROOT)
        .with_file("/proc/filesystems", "nodev\ttmpfs\nnodev\tproc\n\text4\n")
        .with_file("/dev/sda1", "")
        .with_file("/dev/sdb", "")
        .with_file("/dev/sdc", "")
        .with_file("/sys/class/block/sda1/dev", "8:1\n")
        .with_file("/usr/sbin/modprobe", "")
        .with_dir("/srv")
        .with_dir("/etc")
        .with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let table = String::from_utf8(machine.file(MOUNTS).unwrap().to_vec()).unwrap();
    let target = |line: &str| line.split(' ').nth(4).unwrap_or_default().to_owned();
    Some(match (command.program.as_str(), args.as_slice()) {
        ("findfs", ["UUID=1-2"]) => Output::success("/dev/sdb\n"),
        ("findfs", [tag]) => Output::failure(1, format!("findfs: unable to resolve '{tag}'\n")),
        ("modprobe", ["--show-depends", "fs-xfs"]) => Output::success("insmod /lib/xfs.ko\n"),
        ("modprobe", ["--show-depends", name]) => Output::failure(1, format!("Module {name} not found\n")),
        ("systemctl", ["daemon-reload"]) => Output::success(""),
        ("umount", [place]) => {
            let Some(last) = table.lines().rfind(|line| target(line) == *place) else {
                return Some(Output::failure(32, format!("umount: {place}: not mounted.\n")));
            };
            machine.put_file(MOUNTS, table.replacen(&format!("{last}\n"), "", 1));
            Output::success("")
        }
        ("mount", ["-t", kind, "-o", options, source, place]) => {
            mount(machine, &table, kind, options, source, place)
        }
        _ => return None,
    })
}

/// Returns the options that the kernel shows.
fn shown(options: &str) -> String {
    let has_option = |option: &str| options.split(',').any(|word| word == option);
    let mut words = vec![if has_option("ro") { "ro" } else { "rw" }];
    words.extend(["nosuid", "nodev", "noexec", "nodiratime"].into_iter().filter(|option| has_option(option)));
    if has_option("noatime") {
        words.push("noatime");
    } else if !has_option("strictatime") {
        words.push("relatime");
    }
    words.join(",")
}

/// Resolves links, as the program does.
fn behind(machine: &Machine, mut source: String) -> String {
    while let Some(EntryKind::Symlink(target)) = machine.entry(&source).map(|entry| entry.kind) {
        source = target.display().to_string();
    }
    source
}

fn mount(machine: &mut Machine, table: &str, kind: &str, options: &str, source: &str, place: &str) -> Output {
    let fail = |message: &str| Output::failure(32, format!("mount: {place}: {message}.\n"));
    let mut lines: Vec<Vec<String>> =
        table.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    let source_path = behind(machine, source.replace("UUID=1-2", "/dev/sdb"));
    if options.split(',').any(|option| option == "remount") {
        let Some(line) = lines.iter_mut().rfind(|line| line[4] == place) else { return fail("not mounted") };
        line[5] = shown(options);
        let text: String = lines.iter().map(|line| line.join(" ") + "\n").collect();
        machine.put_file(MOUNTS, text);
        return Output::success("");
    }
    if machine.entry(place).is_none() {
        return fail("mount point does not exist");
    }
    let bind = options.split(',').any(|option| option == "bind");
    let is_file = matches!(machine.entry(&source_path).map(|entry| entry.kind), Some(EntryKind::File(_)));
    if is_file && !bind && !source_path.starts_with("/dev/") {
        return fail("failed to setup loop device: the model host has none");
    }
    // All sources of bind mounts are on the first file system.
    let root = if bind { source_path.as_str() } else { "/" };
    let number = if bind { "8:1" } else { "0:40" };
    let (kind, source_path) = if bind { ("ext4", "/dev/root") } else { (kind, source_path.as_str()) };
    let line = format!("40 22 {number} {root} {place} {} - {kind} {source_path} rw\n", shown(options));
    machine.put_file(MOUNTS, format!("{table}{line}"));
    Output::success("")
}
