//! Disposable hosts: Debian containers that a test may change in any way.
//!
//! `cargo xtask hosts up` prepares them; without it a test reports that it was skipped.
//!
//! ```no_run
//! use converge_tests::host::Host;
//!
//! let Some(host) = Host::systemd("a_user_is_made") else { return };
//! host.story("user.user \"keeper\" {\n  username = \"keeper\"\n}\n", &[]);
//! assert!(host.has_user("keeper"));
//! ```

use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command_output::Said;
use crate::docker::{self, docker, docker_reads, unique};
use crate::skip;

pub mod apt;
mod disposable_registry;
pub mod image;
mod ready;
pub mod registry;
mod resource_scenario;
pub mod rpm;
pub mod signing_key;
mod state;

pub use disposable_registry::Registry;
pub use resource_scenario::Story;
pub(crate) use resource_scenario::story;
pub use state::{FileState, UnitState};

use ready::{program, ready};

/// The socket of the engine in a host with Docker.
pub const DOCKER_SOCKET: &str = "/var/run/docker.sock";

/// The options with which systemd can be the first process of a container without further privileges.
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

/// The maximum time for a host to start, and for its services to do their work.
const PATIENCE: Duration = Duration::from_mins(2);

/// The kind of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Debian's programs without services.
    Plain,
    /// Debian with systemd.
    Systemd,
    /// Debian with systemd and the socket of the engine at [`DOCKER_SOCKET`].
    WithDocker,
}

/// A disposable host, which is removed on drop, even if the test panics.
#[derive(Debug)]
pub struct Host {
    container: String,
    kind: Kind,
    registry: String,
}

impl Host {
    /// Starts a host with systemd.
    ///
    /// If that is impossible, returns `None` and reports the test as skipped.
    #[track_caller]
    pub fn systemd(test: &str) -> Option<Self> {
        Self::with(test, Kind::Systemd, &[])
    }

    /// Starts a host without systemd, which is faster.
    #[track_caller]
    pub fn plain(test: &str) -> Option<Self> {
        Self::with(test, Kind::Plain, &[])
    }

    /// Starts a host with systemd and the Docker engine of this machine.
    ///
    /// Objects in the engine must have a name from [`name`](Self::name).
    #[track_caller]
    pub fn with_docker(test: &str) -> Option<Self> {
        Self::with(test, Kind::WithDocker, &[])
    }

    /// Starts a host with additional arguments for `docker run`: `["--tmpfs", "/small:size=64k"]`.
    #[track_caller]
    pub fn with(test: &str, kind: Kind, arguments: &[&str]) -> Option<Self> {
        let registry = match ready() {
            Ok(registry) => registry.clone(),
            Err(reason) => {
                skip(test, reason);
                return None;
            }
        };
        // The value exists before the start, so that a partly started container is removed as well.
        let host = Self { container: unique(test), kind, registry };
        if let Err(failure) = host.start(arguments) {
            panic!("{failure}");
        }
        Some(host)
    }

    fn start(&self, arguments: &[&str]) -> Result<(), docker::Failure> {
        let image = image::image();
        let program = program();
        let mut run = vec!["run", "--detach", "--name", &self.container, "--hostname", "host"];
        run.extend(["--network", docker::NETWORK, "--mount", &program]);
        run.extend(arguments);
        let socket = format!("{DOCKER_SOCKET}:{DOCKER_SOCKET}");
        if self.kind == Kind::WithDocker {
            run.extend(["--volume", &socket]);
        }
        if self.kind == Kind::Plain {
            docker(&[&run, &["--init", image.as_str(), "sleep", "infinity"][..]].concat())?;
        } else {
            docker(&[&run, &SYSTEMD[..], &[image.as_str(), "/lib/systemd/systemd"]].concat())?;
            self.wait_for_systemd();
        }
        Ok(())
    }

    #[track_caller]
    fn wait_for_systemd(&self) {
        let began = Instant::now();
        loop {
            // `degraded` is accepted, because units for real hardware never start in a container.
            let state = self.run("systemctl is-system-running");
            if ["running", "degraded"].contains(&state.stdout.trim()) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "systemd does not start: {}", state.everything());
            sleep(Duration::from_millis(100));
        }
    }

    /// Returns the name of the container.
    pub fn container(&self) -> &str {
        &self.container
    }

    /// Returns a name for a container, network, volume or image of the test.
    ///
    /// All objects with such names are removed with the host.
    pub fn name(&self, suffix: &str) -> String {
        format!("{}-{suffix}", self.container)
    }

    /// Returns `HOST:PORT` of the shared image registry for the engine.
    ///
    /// The registry has [`WEB`](registry::WEB), and requires [`USER`](registry::USER) and
    /// [`PASSWORD`](registry::PASSWORD).
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// Runs a script in the host.
    #[track_caller]
    pub fn run(&self, script: &str) -> Said {
        self.exec(&["sh", "-c", script]).into()
    }

    /// Runs a script in the host and panics if it fails.
    #[track_caller]
    pub fn ok(&self, script: &str) -> Said {
        self.run(script).success()
    }

    /// Repeats a script in the host until it succeeds.
    ///
    /// It waits for a server that starts, or for a file that a background process writes.
    #[track_caller]
    pub fn eventually(&self, script: &str) -> Said {
        let began = Instant::now();
        loop {
            let output = self.run(script);
            if output.code == Some(0) || began.elapsed() > PATIENCE {
                return output.success();
            }
            sleep(Duration::from_millis(100));
        }
    }

    /// Starts a script in the host and does not wait for it.
    #[track_caller]
    pub fn start_script(&self, script: &str) -> std::process::Child {
        let mut command = self.command(&["sh", "-c", script]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap_or_else(|error| panic!("docker: {error}"))
    }

    /// Writes a file in the host.
    ///
    /// Missing folders are created.
    #[track_caller]
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let script = r#"mkdir -p "$(dirname "$1")" && cat > "$1""#;
        let exec = ["exec", "--interactive", &self.container, "sh", "-c", script, "sh", path];
        if let Err(failure) = docker_reads(content.as_ref(), &exec) {
            panic!("{path}: {failure}");
        }
    }

    /// Returns the content of a file in the host.
    #[track_caller]
    pub fn get(&self, path: &str) -> Vec<u8> {
        let output = self.exec(&["cat", "--", path]);
        assert!(output.status.success(), "{path}: {}", Said::from(output).everything());
        output.stdout
    }

    /// Runs a command of `converge` on a module in the host, and returns its events.
    ///
    /// For example `host.converge("plan", MODULE, &["-p", "x=1"])`.
    #[track_caller]
    pub fn converge(&self, command: &str, module: &str, arguments: &[&str]) -> Said {
        const MODULE: &str = "/srv/converge-test/module.hcl";
        self.put(MODULE, module);
        self.converge_file(command, MODULE, arguments)
    }

    /// Like `converge`, for a module file that is already in the host.
    #[track_caller]
    pub fn converge_file(&self, command: &str, path: &str, arguments: &[&str]) -> Said {
        let converge = ["converge", command, "--format", "json"];
        self.exec(&[&converge, arguments, &[path]].concat()).into()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(["exec", &self.container]).args(words).stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn exec(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap_or_else(|error| panic!("docker: {error}"))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // If this fails, a later run removes the objects as leftovers.
        if self.kind == Kind::WithDocker {
            let _ = docker::remove(|name| {
                name.split(['/', ':']).any(|component| component.starts_with(&self.container))
            });
        } else {
            let _ = docker(&["rm", "--force", "--volumes", &self.container]);
        }
    }
}
