//! A container as a module declares it.

use std::net::IpAddr;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind, PathSegment};
use indexmap::IndexMap;

use super::ContainerPreparer;
use super::link::Link;
use super::mount::{Mount, VolumesFrom};
use super::network_mode::NetworkMode;
use super::port::{Mapping, Port};
use crate::docker::reference::Reference;
use crate::text::Text;

/// A container as a module declares it.
#[derive(Debug)]
pub(super) struct Spec {
    /// The name of an image, or an id.
    pub(super) image: String,
    pub(super) entrypoint: Vec<Text>,
    pub(super) command: Vec<Text>,
    pub(super) working_dir: String,
    pub(super) env: IndexMap<String, Text>,
    pub(super) expose: Vec<Port>,
    pub(super) links: Vec<Link>,
    pub(super) ports: Vec<Mapping>,
    pub(super) dns: Vec<String>,
    /// The network that it begins with.
    pub(super) network_mode: NetworkMode,
    /// Whether a module says so. Otherwise any of `networks` may be the first.
    pub(super) says_network_mode: bool,
    pub(super) networks: Vec<String>,
    pub(super) volumes: Vec<Mount>,
    pub(super) volumes_from: Vec<VolumesFrom>,
    pub(super) publish_all_ports: bool,
}

impl Spec {
    pub(super) fn new(preparer: ContainerPreparer) -> Self {
        let ContainerPreparer {
            name: _,
            image,
            entrypoint,
            command,
            working_dir,
            env,
            expose,
            links,
            ports,
            dns,
            network_mode,
            networks,
            volumes,
            volumes_from,
            publish_all_ports,
            status: _,
            force: _,
        } = preparer;
        let says_network_mode = network_mode.is_some();
        let network_mode = effective(network_mode, &networks);
        Self {
            image,
            entrypoint,
            command,
            working_dir,
            env,
            expose,
            links,
            ports,
            dns,
            network_mode,
            says_network_mode,
            networks,
            volumes,
            volumes_from,
            publish_all_ports,
        }
    }

    /// The networks beside the one that it begins with.
    pub(super) fn further_networks(&self) -> impl Iterator<Item = &String> {
        let first = self.network_mode.network();
        self.networks.iter().filter(move |name| first != Some(name.as_str()))
    }

    /// Whether messages about what it runs may show a secret.
    pub(super) fn runs_secret(&self) -> bool {
        self.entrypoint.iter().chain(&self.command).any(Text::is_secret)
    }
}

/// The network mode that counts: without one, the first network is it.
fn effective(mode: Option<NetworkMode>, networks: &[String]) -> NetworkMode {
    let first = || networks.first().and_then(|name| NetworkMode::parse(name).ok());
    mode.or_else(first).unwrap_or_default()
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
        let mode = effective(self.network_mode.clone(), &self.networks);
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
