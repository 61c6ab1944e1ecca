//! Guests: virtual machines with their own kernel and disks.
//!
//! They are for tests that a container cannot run, such as device mapper and units that mount file systems.
//! QEMU emulates them in software, which works everywhere; a machine that offers KVM may have one that does
//! not work.
//!
//! `cargo xtask hosts up` builds their files; without these a test reports that it was skipped. A guest takes
//! half a minute to start on an idle machine, so the scenarios of a test share one.

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

/// The paths of the test disks in a guest.
pub const DISKS: [&str; 3] = ["/dev/nvme0n3", "/dev/nvme0n4", "/dev/nvme0n5"];

/// The maximum lifetime of a guest in seconds, which ends a hung one.
const PATIENCE: &str = "1800";

/// The program that emulates a guest.
pub const EMULATOR: &str = "qemu-system-x86_64";

/// The minimum processor that Debian supports.
///
/// For additional features the kernel loads drivers and programs take other code paths, which are slow to
/// emulate. With `max`, a restart takes more than twice as long.
const CPU: &str = "qemu64,-svm";

/// A virtual machine, which is stopped on drop, even if the test panics.
#[derive(Debug)]
pub struct Guest {
    machine: Child,
    port: Mutex<Port>,
    folder: PathBuf,
}

impl Guest {
    /// Starts a guest.
    ///
    /// If that is impossible, returns `None` and reports the test as skipped.
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
            // The C library of this machine may be newer than that of the guest.
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
            // Writes go to an unnamed file and are lost with the guest.
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
        // From here on, the guest is stopped if this function fails.
        let guest = Self { machine, port: Mutex::new(port), folder };
        guest.with_port(Port::wait_until_ready)?;
        Ok(guest)
    }

    /// Runs a script in the guest.
    #[track_caller]
    pub fn run(&self, script: &str) -> Said {
        self.run_with(script, b"")
    }

    /// Runs a script in the guest and panics if it fails.
    #[track_caller]
    pub fn ok(&self, script: &str) -> Said {
        self.run(script).success()
    }

    /// Writes a file in the guest.
    ///
    /// Missing folders are created.
    #[track_caller]
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = quoted(path);
        let script = format!("mkdir -p \"$(dirname {path})\" && cat > {path}");
        self.run_with(&script, content.as_ref()).success();
    }

    /// Returns the content of a text file in the guest.
    #[track_caller]
    pub fn get(&self, path: &str) -> String {
        self.ok(&format!("cat -- {}", quoted(path))).stdout
    }

    /// Runs a command of `converge` on a module in the guest, and returns its events.
    #[track_caller]
    pub fn converge(&self, command: &str, module: &str, arguments: &[&str]) -> Said {
        const MODULE: &str = "/srv/converge-test/module.hcl";
        self.put(MODULE, module);
        let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
        self.run(&format!("converge {command} --format json {} {MODULE}", arguments.join(" ")))
    }

    /// Runs a scenario like [`Host::story`](crate::host::Host::story).
    #[track_caller]
    pub fn story(&self, module: &str, arguments: &[&str]) -> Story {
        story(&|command| self.converge(command, module, arguments))
    }

    /// Reboots the guest.
    ///
    /// The contents of its disks are kept.
    #[track_caller]
    pub fn reboot(&self) {
        self.restart("systemctl reboot --no-block");
    }

    /// Runs a script that reboots the guest, and waits for the reboot.
    ///
    /// The module is in `/srv/converge-test/module.hcl`.
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
        let output = self.with_port(|port| port.run(script, stdin));
        output.unwrap_or_else(|error| panic!("the guest is gone: {error}\n{}", self.console()))
    }

    fn with_port<T>(&self, work: impl FnOnce(&mut Port) -> T) -> T {
        work(&mut self.port.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the console output of the kernel and systemd.
    fn console(&self) -> String {
        let console = fs::read(self.folder.join("console")).unwrap_or_default();
        String::from_utf8_lossy(&console).into_owned()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // `timeout` forwards this signal to the emulator, but could not forward SIGKILL.
        let _ = Command::new("kill").arg(self.machine.id().to_string()).status();
        let _ = self.machine.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the first missing requirement of a guest.
fn missing(files: &Files) -> Option<String> {
    if Command::new(EMULATOR).arg("--version").output().is_err() {
        return Some(format!("there is no {EMULATOR}"));
    }
    (!files.folder().is_dir()).then(|| format!("there is no {}", files.folder().display()))
}

/// Creates a disk with the program under test.
fn program_disk(folder: &Path) -> io::Result<PathBuf> {
    let content = folder.join("program");
    fs::create_dir(&content)?;
    let size = fs::copy(programs().join("converge"), content.join("converge"))?;
    let disk = folder.join("program.img");
    // The size is in KiB, with room for the overhead of the file system.
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

/// Removes the files of killed tests.
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
