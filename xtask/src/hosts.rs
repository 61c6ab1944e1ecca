//! `cargo xtask hosts`: a disposable Debian host, a container with systemd, for trying out what must
//! never be tried out on the machine at hand: users, packages, units.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cargo;
use crate::error::Error;

/// The image that hosts are made of, and the one host that this chore starts.
const IMAGE: &str = "converge-host";

const RELEASE: &str = "bookworm";

/// What is in the image beside the smallest Debian.
const PACKAGES: &str = "systemd,systemd-sysv,dbus,procps";

/// The Debian packages of the programs that are needed, by program.
const TOOLS: [(&str, &str); 3] =
    [("docker", "docker.io"), ("dockerd", "docker.io"), ("debootstrap", "debootstrap")];

/// What systemd needs to be the first process of a container without more privileges than these.
const SYSTEMD: [&str; 13] = [
    "--cap-add",
    "SYS_ADMIN",
    "--security-opt",
    "seccomp=unconfined",
    "--security-opt",
    "apparmor=unconfined",
    "--cgroupns=host",
    "--volume",
    "/sys/fs/cgroup:/sys/fs/cgroup:rw",
    "--tmpfs",
    "/run",
    "--tmpfs",
    "/run/lock",
];

/// How long the daemon and the host may take to be ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// What to do with the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Start it, and set up what that needs.
    Up,
    /// Remove it. The image stays.
    Down,
}

pub(crate) fn run(action: Action) -> Result<(), Error> {
    match action {
        Action::Up => up(),
        Action::Down => shell("docker", &["rm", "--force", IMAGE]),
    }
}

fn up() -> Result<(), Error> {
    install_tools()?;
    start_daemon()?;
    if !succeeds("docker", &["image", "inspect", IMAGE]) {
        build_image()?;
    }
    if output("docker", &["container", "inspect", "--format", "{{.State.Running}}", IMAGE]).trim() != "true" {
        // One that was left by a machine that went down does not start again.
        shell("docker", &["rm", "--force", IMAGE])?;
        let mut start = vec!["run", "--detach", "--name", IMAGE];
        start.extend(SYSTEMD);
        start.extend([IMAGE, "/lib/systemd/systemd"]);
        shell("docker", &start)?;
    }
    // `degraded` will do: in a container some units of the real hardware never start.
    let ready = || {
        let state = output("docker", &["exec", IMAGE, "systemctl", "is-system-running"]);
        ["running", "degraded"].contains(&state.trim())
    };
    wait_for("systemd in the host", ready)?;
    println!("the host is up; for a shell in it: docker exec -it {IMAGE} sh");
    println!("to remove it: cargo xtask hosts --down");
    Ok(())
}

fn install_tools() -> Result<(), Error> {
    let missing =
        TOOLS.iter().filter(|(program, _)| !succeeds("sh", &["-c", &format!("command -v {program}")]));
    let mut packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
    packages.dedup();
    if packages.is_empty() {
        return Ok(());
    }
    shell("apt-get", &["update"])?;
    shell("apt-get", &[&["install", "--yes", "--no-install-recommends"], packages.as_slice()].concat())
}

fn start_daemon() -> Result<(), Error> {
    if succeeds("docker", &["info"]) {
        return Ok(());
    }
    println!("$ dockerd &");
    let daemon =
        Command::new("dockerd").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    daemon.map_err(|source| Error::Start { program: "dockerd".to_owned(), source })?;
    wait_for("dockerd", || succeeds("docker", &["info"]))
}

fn build_image() -> Result<(), Error> {
    let folder = cargo::workspace()?.target_directory.join("hosts");
    let root = folder.join(RELEASE);
    remove(&root)?;
    std::fs::create_dir_all(&folder)
        .map_err(|source| Error::File { path: folder.display().to_string(), source })?;
    let shown = root.display().to_string();
    shell("debootstrap", &["--variant=minbase", &format!("--include={PACKAGES}"), RELEASE, &shown])?;
    let import = format!("tar --create --directory '{shown}' . | docker import - {IMAGE}");
    shell("sh", &["-c", &import])?;
    remove(&root)
}

fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::File { path: folder.display().to_string(), source })
        }
        _ => Ok(()),
    }
}

fn wait_for(what: &'static str, ready: impl Fn() -> bool) -> Result<(), Error> {
    let began = Instant::now();
    while !ready() {
        if began.elapsed() > PATIENCE {
            return Err(Error::NotReady { what, after: PATIENCE });
        }
        sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Says what is run, runs it, and fails unless it succeeds.
fn shell(program: &str, arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(arguments);
    cargo::run_as(command, format!("{program} {}", arguments.join(" ")))
}

/// Whether a question is answered with yes.
fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// What a program prints; nothing when it cannot be run.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
