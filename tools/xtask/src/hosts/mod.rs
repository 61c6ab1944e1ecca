//! `cargo xtask hosts`: the environment for tests that change users, packages and units.
//!
//! These tests must never run on this machine itself. The environment consists of a Docker engine, a Debian
//! image with systemd, a network, and an image registry. Tests start their own hosts in it.

use std::process::Command;

use converge_tests::docker::{self, docker};
use converge_tests::host::registry;
use converge_tests::host::{Host, image};

use crate::cargo;
use crate::error::Error;

mod build;
mod engine;
mod guest;
mod tools;

use tools::run_docker;

/// The action of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a Docker engine, a Debian image with systemd, a network and an image registry
    Up,
    /// Remove them, except for the image
    Down {
        /// Remove the image too, which takes longest to build
        #[arg(long)]
        all: bool,
    },
    /// Open a shell in a host with `converge`, which is removed afterwards
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

/// The objects that this run has created.
#[derive(Debug, Default)]
pub(crate) struct Made {
    engine: bool,
    network: bool,
    registry: bool,
}

/// Creates missing objects, and records them even if a later step fails.
fn up(resources: &mut Made) -> Result<(), Error> {
    guest::make();
    resources.engine = engine::start()?;
    docker::remove(docker::is_left_over)?;
    build::image()?;
    if docker(&["network", "inspect", docker::NETWORK]).is_err() {
        run_docker(&["network", "create", docker::NETWORK])?;
        resources.network = true;
    }
    if registry::address(registry::SHARED).is_err() {
        start_registry()?;
        resources.registry = true;
    }
    Ok(())
}

/// Creates missing objects for tests.
///
/// If that is impossible, prints the reason, and tests with hosts are skipped.
pub(crate) fn up_for_tests() -> Made {
    let mut resources = Made::default();
    if let Err(error) = up(&mut resources) {
        println!("there are no disposable hosts: {error}");
    }
    resources
}

/// Installs the programs for tests of the etcd store.
pub(crate) fn install_etcd() {
    install(&[("etcd", "etcd-server"), ("openssl", "openssl"), ("ip", "iproute2")]);
}

/// Installs the browser for tests of the web page.
pub(crate) fn install_browser() {
    install(&[("chromium", "chromium"), ("chromedriver", "chromium-driver")]);
}

/// Installs programs.
///
/// If that is impossible, prints the reason, and their tests are skipped.
fn install(programs: &[(&str, &str)]) {
    for (program, package) in programs {
        if let Err(error) = tools::install(program, package) {
            println!("there is no {program}: {error}");
        }
    }
}

fn start_registry() -> Result<(), Error> {
    // A registry that remained from a crashed engine does not start again.
    docker(&["rm", "--force", "--volumes", registry::SHARED])?;
    println!("starting an image registry: {}", registry::SHARED);
    let address = registry::start(registry::SHARED)?;
    for tag in ["1", "2"] {
        if let Err(failure) = registry::push(&format!("{address}/{}:{tag}", registry::WEB), tag) {
            // The registry exists with all of its images, or not at all.
            docker(&["rm", "--force", "--volumes", registry::SHARED])?;
            return Err(failure.into());
        }
    }
    Ok(())
}

impl Made {
    /// Removes the created objects and the leftovers of killed tests.
    pub(crate) fn remove(self) -> Result<(), Error> {
        if docker::answers() {
            docker::remove(docker::is_left_over)?;
        }
        if self.registry {
            run_docker(&["rm", "--force", "--volumes", registry::SHARED])?;
            docker::remove_images()?;
        }
        if self.network {
            run_docker(&["network", "rm", docker::NETWORK])?;
        }
        if self.engine {
            engine::stop()?;
        }
        Ok(())
    }
}

fn down(include_all: bool) -> Result<(), Error> {
    if docker::answers() {
        docker::remove(|name| name.starts_with(docker::PREFIX) || name == docker::NETWORK)?;
        docker::remove_images()?;
        if include_all {
            docker::remove(|name| name.split(':').next() == Some(image::REPOSITORY))?;
        }
    }
    if include_all {
        guest::remove()?;
    }
    engine::stop()
}

fn interactive() -> Result<(), Error> {
    let mut resources = Made::default();
    let started = up(&mut resources).and_then(|()| shell_in_a_host());
    let removed = resources.remove();
    started.and(removed)
}

fn shell_in_a_host() -> Result<(), Error> {
    cargo::build_programs()?;
    let Some(host) = Host::systemd("shell") else { return Err(Error::NoHost) };
    println!("a host with systemd, and with `converge` of this workspace; it ends with the shell");
    let mut command = Command::new("docker");
    command.args(["exec", "--interactive", "--tty", host.container(), "bash"]);
    // The exit code of the interactive shell is no error of this task.
    command.status().map(drop).map_err(|source| Error::Start { program: "docker".to_owned(), source })
}
