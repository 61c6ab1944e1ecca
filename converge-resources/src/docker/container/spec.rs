use converge_sdk::prelude::*;
use indexmap::IndexMap;

use super::link::Link;
use super::mount::{Mount, VolumesFrom};
use super::network_mode::NetworkMode;
use super::port::{Mapping, Port};
use crate::text::Text;

/// The declared state of a container: running or only created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum RunState {
    /// The container runs.
    #[default]
    Running,
    /// The container exists and does not run.
    Created,
}

/// The declaration of a container.
#[derive(Debug, Export)]
pub(super) struct Spec {
    /// The name of the container.
    #[export]
    pub(super) name: String,
    /// The image as it is declared.
    #[export]
    pub(super) image: String,
    /// The entrypoint, which replaces that of the image.
    #[export]
    pub(super) entrypoint: Vec<Text>,
    /// The command, which replaces that of the image.
    #[export]
    pub(super) command: Vec<Text>,
    /// The working directory, which replaces that of the image.
    #[export(name = "workingdir")]
    pub(super) working_dir: Option<String>,
    /// The environment variables to add, each as `NAME=value`.
    #[export(name = "env")]
    pub(super) environment: Vec<Text>,
    /// Ports that the container listens on, in addition to those of the image.
    #[export]
    pub(super) expose: Vec<Port>,
    /// Containers that this one reaches by name, each as `CONTAINER:ALIAS`.
    #[export]
    pub(super) links: Vec<Link>,
    /// Published ports, each as `IP:HOST:CONTAINER/PROTOCOL` without the parts that are not declared.
    #[export(name = "portbindings")]
    pub(super) ports: Vec<Mapping>,
    /// Addresses of the name servers.
    #[export]
    pub(super) dns: Vec<String>,
    /// Mounted directories and volumes.
    #[export]
    pub(super) volumes: Vec<Mount>,
    /// Containers whose volumes are mounted as well.
    #[export(name = "volumesfrom")]
    pub(super) volumes_from: Vec<VolumesFrom>,
    /// Whether each port that the container listens on is published.
    #[export(name = "publishallports")]
    pub(super) publish_all_ports: bool,
    /// The first network.
    #[export(name = "networkmode")]
    pub(super) network_mode: NetworkMode,
    /// The declared networks.
    #[export]
    pub(super) networks: Vec<String>,
    /// Whether the container is to run.
    #[export]
    pub(super) status: RunState,
    /// Whether a container that differs may be recreated.
    #[export]
    pub(super) force: bool,
    /// The environment variables to add, by name.
    pub(super) env: IndexMap<String, Text>,
    /// Whether the module gives the network mode. Otherwise any of `networks` may be the first.
    pub(super) has_network_mode: bool,
}

impl Spec {
    /// Returns the networks other than the first.
    pub(super) fn further_networks(&self) -> impl Iterator<Item = &String> {
        let first = self.network_mode.network();
        self.networks.iter().filter(move |name| first != Some(name.as_str()))
    }

    /// Whether messages about the program may show a secret.
    pub(super) fn has_secret_command(&self) -> bool {
        self.entrypoint.iter().chain(&self.command).any(Text::is_secret)
    }
}
