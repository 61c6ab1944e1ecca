//! The `docker.container` resource: a container created from an image.

mod compare;
mod inspect;
mod link;
mod make;
mod mount;
mod network_mode;
mod port;
mod spec;
mod steps;
mod task;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind, PathSegment};
use indexmap::IndexMap;

pub use spec::RunState;
pub use task::Container;

use crate::docker::reference::Reference;
use crate::text::Text;
use link::Link;
use mount::{Mount, VolumesFrom};
use network_mode::NetworkMode;
use port::{Mapping, Port};
use spec::Spec;

/// Creates a container from an image, and runs it.
///
/// Fields that are not declared have the value of the image, or the default of the engine. A container that
/// does not run is started.
///
/// # Changes
///
/// An existing container cannot be changed. If anything but `status` differs, that is an error which names
/// the fields, unless `force` allows the container to be recreated. Then the new container is created first:
/// if the engine refuses it, the old one stays. Data that the old container wrote outside of volumes is lost.
///
/// A container also differs if `image` now names another image, for example after a pull of the same tag.
///
/// # Caveats
///
/// The engine must already have the image: `docker.image` pulls it. A container that replaces another, or
/// that is attached to more than one network, has the name `NAME-converge-new` for a moment. The engine is
/// found as described for `docker.image`.
#[derive(Debug, Preparer)]
#[preparer(name = "docker.container", task = Container, changes = "anything", validate, example = "example.hcl")]
pub struct ContainerPreparer {
    /// Name of the container.
    #[hcl(
        required,
        nonempty,
        manages = "container",
        pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]+$",
        expects = "the name of a container: it has two or more of a-z A-Z 0-9 _ . - and begins with a letter or a digit"
    )]
    name: String,
    /// The image, by its name with a tag or digest, or by its id.
    #[hcl(required, nonempty, needs = "image")]
    image: String,
    /// The program to run and its first arguments, instead of those of the image.
    ///
    /// `[""]` removes those of the image.
    #[hcl(default)]
    entrypoint: Vec<Text>,
    /// The arguments of `entrypoint`, or the program and its arguments if there is no entrypoint.
    ///
    /// They replace those of the image.
    #[hcl(default)]
    command: Vec<Text>,
    /// The working directory of the program, as an absolute path.
    #[hcl(nonempty, pattern = "^/", expects = "an absolute path")]
    working_dir: Option<String>,
    /// Environment variables that are added to those of the image.
    #[hcl(default)]
    env: IndexMap<String, Text>,
    /// Ports that the container listens on, in addition to those of the image: `["80", "53/udp"]`.
    #[hcl(default)]
    expose: Vec<Port>,
    /// Other containers that this one reaches by name: `["db", "cache-1:cache"]`.
    ///
    /// In the default network, a link leads to the container that has the name when this one is started. If
    /// that container is recreated, restart this one. In a user-defined network, containers find each other
    /// by name without links.
    #[hcl(default, needs = "container")]
    links: Vec<Link>,
    /// Ports that are published on the machine: `["8080:80", "127.0.0.1:53:53/udp", "80"]`.
    ///
    /// The engine chooses a port of the machine if none is given.
    #[hcl(default, ensures = "port")]
    ports: Vec<Mapping>,
    /// Addresses of the name servers that the container asks, in order.
    #[hcl(default)]
    dns: Vec<String>,
    /// The network that the container starts in.
    ///
    /// It is `bridge`, `host`, `none`, `container:NAME` to share the network of another container, or the
    /// name of a network. The default is the first of `networks`, or `bridge` without networks.
    #[hcl(needs = "network, container")]
    network_mode: Option<NetworkMode>,
    /// Names of the networks that the container is attached to.
    #[hcl(default, needs = "network")]
    networks: Vec<String>,
    /// Directories and volumes that are mounted.
    ///
    /// `["/srv/www:/www:ro", "data:/var/lib/data", "/cache"]` are a directory of the machine, a volume, and a
    /// volume without a name.
    #[hcl(default, needs = "volume, path")]
    volumes: Vec<Mount>,
    /// Other containers whose volumes are mounted as well: `["store", "config:ro"]`.
    #[hcl(default, needs = "container")]
    volumes_from: Vec<VolumesFrom>,
    /// Whether each port that the container listens on is published on a port that the engine chooses.
    #[hcl(default)]
    publish_all_ports: bool,
    /// Whether the container runs.
    ///
    /// A container that ends within a second of its start counts as not running.
    #[hcl(default)]
    status: RunState,
    /// Whether a container that differs is recreated.
    #[hcl(default)]
    force: bool,
}

impl Resource for ContainerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Container> {
        Ok(Container::new(self.spec()))
    }
}

impl ContainerPreparer {
    fn spec(self) -> Spec {
        let pair =
            |(name, value): (&String, &Text)| Text::new(format!("{name}={}", &**value), value.is_secret());
        Spec {
            name: self.name,
            image: self.image,
            entrypoint: self.entrypoint,
            command: self.command,
            working_dir: self.working_dir,
            environment: self.env.iter().map(pair).collect(),
            env: self.env,
            expose: self.expose,
            links: self.links,
            ports: self.ports,
            dns: self.dns,
            volumes: self.volumes,
            volumes_from: self.volumes_from,
            publish_all_ports: self.publish_all_ports,
            has_network_mode: self.network_mode.is_some(),
            network_mode: NetworkMode::effective(self.network_mode, &self.networks),
            networks: self.networks,
            status: self.status,
            force: self.force,
        }
    }
}

impl Validate for ContainerPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut refuse = |field: &str, segment: Option<PathSegment>, message: String| {
            let mut error = FieldError::new(field, FieldErrorKind::Invalid { message });
            error.path.0.extend(segment);
            errors.push(error);
        };
        if let Err(error) = Reference::parse(&self.image) {
            refuse("image", None, error.to_string());
        }
        for name in self.env.keys().filter(|name| name.is_empty() || name.contains(['=', '\0'])) {
            let message =
                format!("{name:?} is not the name of a variable: it must not be empty, nor have a `=`");
            refuse("env", Some(PathSegment::Name(name.clone())), message);
        }
        let is_address = |server: &str| server.parse::<IpAddr>().is_ok();
        for (index, server) in self.dns.iter().enumerate().filter(|(_, server)| !is_address(server)) {
            let message = format!("{server:?} is not an IP address");
            refuse("dns", Some(PathSegment::Index(index)), message);
        }
        for (index, network) in self.networks.iter().enumerate() {
            if !matches!(NetworkMode::parse(network), Ok(NetworkMode::Bridge | NetworkMode::Network(_))) {
                let message = format!("{network:?} is not the name of a network");
                refuse("networks", Some(PathSegment::Index(index)), message);
            }
        }
        let mode = NetworkMode::effective(self.network_mode.clone(), &self.networks);
        if mode.network().is_none() && !self.networks.is_empty() {
            let message = format!("with the network mode `{mode}` a container is attached to no network");
            refuse("networks", None, message);
        }
        if mode.network().is_none() && !self.links.is_empty() {
            refuse("links", None, format!("with the network mode `{mode}` a container has no links"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
