//! `cargo xtask hosts`: what tests need that change users, packages and units, which must never be tried out on the machine
//! at hand: a Docker engine, an image of Debian with systemd, a network, and an image registry. Tests start their hosts
//! from these themselves.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use converge_tests::docker::{self, docker};
use converge_tests::host::registry;
use converge_tests::host::{Host, image};

use crate::cargo;
use crate::error::Error;

mod build;
mod engine;
mod guest;

/// How long something that was started may take to be ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Make everything that is missing.
    Up,
    /// Remove everything.
    Down {
        /// The image as well, which takes longest to make.
        all: bool,
    },
    /// A shell in a new host, which ends with it.
    Shell,
}

pub(crate) fn run(action: Action) -> Result<(), Error> {
    match action {
        Action::Up => {
            up(&mut Made::default())?;
            println!(
                "tests can use hosts now; a shell in one: cargo xtask hosts shell; to remove all: cargo xtask hosts down"
            );
            Ok(())
        }
        Action::Down { all } => down(all),
        Action::Shell => interactive(),
    }
}

/// What this run of a chore made.
#[derive(Debug, Default)]
pub(crate) struct Made {
    engine: bool,
    network: bool,
    registry: bool,
}

/// Makes what is missing, and notes what that is, also when it fails on the way.
fn up(made: &mut Made) -> Result<(), Error> {
    guest::make();
    made.engine = engine::start()?;
    docker::remove(docker::is_left_over)?;
    build::image()?;
    if docker(&["network", "inspect", docker::NETWORK]).is_err() {
        say(&["network", "create", docker::NETWORK])?;
        made.network = true;
    }
    if registry::address(registry::SHARED).is_err() {
        start_registry()?;
        made.registry = true;
    }
    Ok(())
}

/// Makes what is missing for tests. Where that is not possible, it says why; then tests that need hosts are skipped.
pub(crate) fn up_for_tests() -> Made {
    let mut made = Made::default();
    if let Err(error) = up(&mut made) {
        println!("there are no disposable hosts: {error}");
    }
    made
}

fn start_registry() -> Result<(), Error> {
    // One that was left by an engine that went down does not start again.
    docker(&["rm", "--force", "--volumes", registry::SHARED])?;
    println!("starting an image registry: {}", registry::SHARED);
    let address = registry::start(registry::SHARED)?;
    for tag in ["1", "2"] {
        if let Err(failure) = registry::push(&format!("{address}/{}:{tag}", registry::WEB), tag) {
            // It is there with all of its images, or not at all.
            docker(&["rm", "--force", "--volumes", registry::SHARED])?;
            return Err(failure.into());
        }
    }
    Ok(())
}

impl Made {
    /// Removes it again, and what tests left that were killed.
    pub(crate) fn remove(self) -> Result<(), Error> {
        if docker::answers() {
            docker::remove(docker::is_left_over)?;
        }
        if self.registry {
            say(&["rm", "--force", "--volumes", registry::SHARED])?;
            docker::remove_images()?;
        }
        if self.network {
            say(&["network", "rm", docker::NETWORK])?;
        }
        if self.engine {
            engine::stop()?;
        }
        Ok(())
    }
}

fn down(all: bool) -> Result<(), Error> {
    if docker::answers() {
        docker::remove(|name| name.starts_with(docker::PREFIX) || name == docker::NETWORK)?;
        docker::remove_images()?;
        if all {
            docker::remove(|name| name.split(':').next() == Some(image::REPOSITORY))?;
        }
    }
    if all {
        guest::remove()?;
    }
    engine::stop()
}

fn interactive() -> Result<(), Error> {
    let mut made = Made::default();
    let started = up(&mut made).and_then(|()| shell_in_a_host());
    let removed = made.remove();
    started.and(removed)
}

fn shell_in_a_host() -> Result<(), Error> {
    println!("building `converge`");
    let Some(host) = Host::systemd("shell") else { return Err(Error::NoHost) };
    println!("a host with systemd, and with `converge` of this workspace; it ends with the shell");
    let mut command = Command::new("docker");
    command.args(["exec", "--interactive", "--tty", host.container(), "bash"]);
    // How the last command in the shell ended is no error of this chore.
    command.status().map(drop).map_err(|source| Error::Start { program: "docker".to_owned(), source })
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

/// Says what is run of Docker, and runs it.
fn say(arguments: &[&str]) -> Result<(), Error> {
    shell("docker", arguments)
}

/// Says what is run, runs it, and fails unless it succeeds.
fn shell(program: &str, arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(arguments);
    cargo::run_as(command, format!("{program} {}", arguments.join(" ")))
}

/// Whether there is a program of this name.
fn installed(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "command -v \"$1\"", "sh", program]).stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs a Debian package for a program that is missing.
fn install(program: &str, package: &str) -> Result<(), Error> {
    if installed(program) {
        return Ok(());
    }
    if !installed("apt-get") || !converge_tests::is_root() {
        return Err(Error::CannotInstall { package: package.to_owned() });
    }
    shell("apt-get", &["update"])?;
    shell("apt-get", &["install", "--yes", "--no-install-recommends", package])
}
