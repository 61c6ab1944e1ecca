//! Swap on the model host: `mkswap`, `swapon` and `swapoff`, and their effects on `/proc/swaps`.

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

pub(super) const SWAPS: &str = "/proc/swaps";

const HEAD: &str = "Filename\tType\tSize\tUsed\tPriority\n";

/// The position of the swap signature for the usual page size.
const MARK: std::ops::Range<usize> = 4086..4096;

/// Returns a host with the empty disk `/dev/sdb`, and the disk `/dev/sdc` with an xfs.
///
/// The UUID of `/dev/sdb` is `1-2`.
pub(super) fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file(SWAPS, HEAD)
        .with_file(
            "/proc/self/mountinfo",
            "22 1 8:1 / / rw - ext4 /dev/root rw\n24 22 8:2 / /fast rw - btrfs /dev/x rw\n",
        )
        .with_file("/dev/sdb", vec![0; 40 << 10])
        .with_file("/dev/sdc", "XFSB")
        .with_symlink("/dev/disk/by-id/second", "../../sdc")
        .with_dir("/etc")
        .with_dir("/fast")
        .with_dir("/srv")
        .with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let path = *args.last()?;
    let bytes = machine.file(path).map(<[u8]>::to_vec);
    let is_swap = bytes.as_ref().and_then(|bytes| bytes.get(MARK)) == Some(b"SWAPSPACE2");
    let table = String::from_utf8(machine.file(SWAPS).unwrap_or_default().to_vec()).unwrap();
    let line = |line: &str| line.starts_with(&format!("{path}\t"));
    let no_file =
        |program: &str| Output::failure(1, format!("{program}: {path}: No such file or directory\n"));
    Some(match (command.program.as_str(), args.as_slice()) {
        ("findfs", ["UUID=1-2"]) => Output::success("/dev/sdb\n"),
        ("findfs", [tag]) => Output::failure(1, format!("findfs: unable to resolve '{tag}'\n")),
        ("wipefs", ["--json", "--no-act", _]) => match bytes {
            None => no_file("wipefs"),
            Some(_) if is_swap => Output::success(r#"{"signatures": [{"type":"swap","label":null}]}"#),
            Some(bytes) if bytes.starts_with(b"XFSB") => {
                Output::success(r#"{"signatures": [{"type":"xfs","label":"precious"}]}"#)
            }
            Some(_) => Output::success(""),
        },
        ("lsblk", _) => Output::success(format!(
            r#"{{"blockdevices": [{{"name": "{path}", "type": "disk", "mountpoint": null}}]}}"#
        )),
        ("mkswap", [_]) => {
            let Some(mut bytes) = bytes else { return Some(no_file("mkswap")) };
            if bytes.len() < MARK.end * 10 {
                return Some(Output::failure(1, "mkswap: error: swap area needs to be at least 40 KiB\n"));
            }
            let mode = machine.entry(path)?.mode;
            bytes[MARK].copy_from_slice(b"SWAPSPACE2");
            machine.put_file(path, bytes);
            machine.put_mode(path, mode);
            Output::success("Setting up swapspace version 1\n")
        }
        ("swapon", _) if !is_swap => {
            Output::failure(255, format!("swapon: {path}: read swap header failed\n"))
        }
        ("swapon", _) if table.lines().any(line) => Output::failure(255, format!("swapon: {path}: busy\n")),
        ("swapon", ["--priority", priority, _]) => {
            machine.put_file(SWAPS, format!("{table}{path}\tfile\t36\t0\t{priority}\n"));
            Output::success("")
        }
        ("swapon", [_]) => {
            machine.put_file(SWAPS, format!("{table}{path}\tfile\t36\t0\t-2\n"));
            Output::success("")
        }
        ("swapoff", [_]) => {
            machine
                .put_file(SWAPS, table.split_inclusive('\n').filter(|text| !line(text)).collect::<String>());
            Output::success("")
        }
        _ => return None,
    })
}
