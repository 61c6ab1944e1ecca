//! Guests: machines with a kernel and disks of their own, for what a container cannot have: device mapper, and units that
//! mount file systems. They are emulated by QEMU in software, which works wherever programs run; a machine that offers
//! KVM may offer one that does not work.
//!
//! `cargo xtask hosts up` makes what they need; without that a test reports that it was skipped. A guest takes half a minute
//! to start on an idle machine, so the stories of a test share one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::command_output::Said;
use crate::host::{Story, story};
use crate::{programs, skip};

mod port;
pub mod recipe;

use port::Port;
use recipe::Files;

/// The paths of the disks that tests use, in a guest.
pub const DISKS: [&str; 3] = ["/dev/nvme0n3", "/dev/nvme0n4", "/dev/nvme0n5"];

/// How many seconds a guest may take for everything. A hung one would otherwise be waited for until somebody looks.
const PATIENCE: &str = "1800";

/// The emulator.
pub const EMULATOR: &str = "qemu-system-x86_64";

/// The least that Debian runs on. For what more a processor has, the kernel loads drivers and programs take other paths,
/// which are slow to emulate: with `max` a restart takes more than twice as long.
const CPU: &str = "qemu64,-svm";

/// A disposable machine. It ends with this value, also when the test panics.
#[derive(Debug)]
pub struct Guest {
    machine: Child,
    port: Mutex<Port>,
    folder: PathBuf,
}

impl Guest {
    /// Starts a guest. `None` when there can be none here, which is then reported as a skipped test.
    #[track_caller]
    pub fn start(test: &str) -> Option<Self> {
        let target = programs().parent().unwrap_or_else(|| Path::new("."));
        let files = Files::new(target);
        if let Some(reason) = missing(&files) {
            let help = "`cargo xtask hosts up`, as root on Debian, makes what guests need";
            skip(test, &format!("{reason}; {help}"));
            return None;
        }
        let guest = Self::boot(&files).unwrap_or_else(|error| panic!("cannot start a guest: {error}"));
        let version = guest.run("converge version");
        if version.code != Some(0) {
            // The C library of the machine may be newer than that of the guest.
            skip(test, &format!("programs of this machine do not run in a guest: {}", version.everything()));
            return None;
        }
        Some(guest)
    }

    fn boot(files: &Files) -> io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        remove_left_over(files.folder())?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = files.folder().join(format!("run-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let program = program_disk(&folder)?;

        let mut command = Command::new("timeout");
        command.args([PATIENCE, EMULATOR, "-machine", "q35", "-accel", "tcg", "-cpu", CPU]);
        command.args(["-smp", "1", "-m", "768", "-nodefaults", "-display", "none"]);
        command.arg("-kernel").arg(files.kernel());
        command.args(["-append", "root=/dev/nvme0n1 rw console=ttyS0 quiet mitigations=off"]);
        command.arg("-serial").arg(format!("file:{}", folder.join("console").display()));
        command.args(["-device", "nvme,serial=disks,id=nvme"]);
        let blank = files.blank();
        let disks = [files.root(), program].into_iter().chain(DISKS.map(|_| blank.clone()));
        for (number, disk) in disks.enumerate() {
            // What is written goes to a file without a name, and ends with the guest.
            let drive = format!(
                "file={},format=raw,if=none,id=disk{number},snapshot=on,cache=unsafe",
                disk.display()
            );
            let device = format!("nvme-ns,drive=disk{number},bus=nvme,nsid={}", number + 1);
            command.args(["-drive", &drive, "-device", &device]);
        }
        command.args(["-device", "virtio-serial-pci", "-chardev", "stdio,id=port,signal=off"]);
        command.args(["-device", "virtserialport,chardev=port,name=converge"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut machine = command.spawn()?;
        let port = Port::new(&mut machine).ok_or_else(|| io::Error::other("it has no port"))?;
        // From here on it ends when this function fails.
        let guest = Self { machine, port: Mutex::new(port), folder };
        guest.with_port(Port::wait_until_ready)?;
        Ok(guest)
    }

    /// Runs a script in the guest.
    #[track_caller]
    pub fn run(&self, script: &str) -> Said {
        self.run_with(script, b"")
    }

    /// Runs a script in the guest, which succeeds.
    #[track_caller]
    pub fn ok(&self, script: &str) -> Said {
        self.run(script).success()
    }

    /// Writes a file in the guest. Folders that are missing are made.
    #[track_caller]
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = quoted(path);
        let script = format!("mkdir -p \"$(dirname {path})\" && cat > {path}");
        self.run_with(&script, content.as_ref()).success();
    }

    /// The content of a text file of the guest.
    #[track_caller]
    pub fn get(&self, path: &str) -> String {
        self.ok(&format!("cat -- {}", quoted(path))).stdout
    }

    /// Runs a command of `converge` on a module in the guest, and gives its events.
    #[track_caller]
    pub fn converge(&self, command: &str, module: &str, arguments: &[&str]) -> Said {
        const MODULE: &str = "/srv/converge-test/module.hcl";
        self.put(MODULE, module);
        let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
        self.run(&format!("converge {command} --format json {} {MODULE}", arguments.join(" ")))
    }

    /// As [`Host::story`](crate::host::Host::story).
    #[track_caller]
    pub fn story(&self, module: &str, arguments: &[&str]) -> Story {
        story(&|command| self.converge(command, module, arguments))
    }

    /// Starts the guest anew. What is on its disks stays.
    #[track_caller]
    pub fn reboot(&self) {
        self.restart("systemctl reboot --no-block");
    }

    /// Runs a script, which finds the module in `/srv/converge-test/module.hcl`, and waits until the guest has started anew because of it.
    #[track_caller]
    pub fn boots(&self, script: &str, module: &str) {
        self.put("/srv/converge-test/module.hcl", module);
        self.restart(script);
    }

    #[track_caller]
    fn restart(&self, script: &str) {
        if let Err(error) = self.with_port(|port| port.restart(script)) {
            panic!("the guest does not come back: {error}\n{}", self.console());
        }
    }

    #[track_caller]
    fn run_with(&self, script: &str, stdin: &[u8]) -> Said {
        let said = self.with_port(|port| port.run(script, stdin));
        said.unwrap_or_else(|error| panic!("the guest is gone: {error}\n{}", self.console()))
    }

    fn with_port<T>(&self, work: impl FnOnce(&mut Port) -> T) -> T {
        work(&mut self.port.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the kernel and systemd said.
    fn console(&self) -> String {
        let console = fs::read(self.folder.join("console")).unwrap_or_default();
        String::from_utf8_lossy(&console).into_owned()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // `timeout` passes it on to the emulator, as it would not a signal that kills.
        let _ = Command::new("kill").arg(self.machine.id().to_string()).status();
        let _ = self.machine.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What a guest needs that is not there.
fn missing(files: &Files) -> Option<String> {
    if Command::new(EMULATOR).arg("--version").output().is_err() {
        return Some(format!("there is no {EMULATOR}"));
    }
    (!files.folder().is_dir()).then(|| format!("there is no {}", files.folder().display()))
}

/// A disk with the program under test.
fn program_disk(folder: &Path) -> io::Result<PathBuf> {
    let content = folder.join("program");
    fs::create_dir(&content)?;
    let size = fs::copy(programs().join("converge"), content.join("converge"))?;
    let disk = folder.join("program.img");
    // In KiB, with room for what the file system itself needs.
    let size = (size / 1024 + size / 8192 + 4096).to_string();
    let mut command = Command::new("mke2fs");
    command.args(["-q", "-t", "ext4", "-O", "^has_journal", "-d"]).args([&content, &disk]).arg(size);
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("mke2fs failed: {}", String::from_utf8_lossy(&output.stderr))));
    }
    fs::remove_dir_all(&content)?;
    Ok(disk)
}

/// Removes what tests left that were killed.
fn remove_left_over(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((process, _)) = name.strip_prefix("run-").and_then(|rest| rest.split_once('-')) else {
            continue;
        };
        if !Path::new("/proc").join(process).is_dir() {
            fs::remove_dir_all(&path)?;
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
