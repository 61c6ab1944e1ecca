use converge_core::prelude::*;
use indexmap::IndexMap;

use super::link::Link;
use super::mount::{Mount, VolumesFrom};
use super::network_mode::NetworkMode;
use super::port::{Mapping, Port};
use crate::text::Text;

/// Whether a container runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum RunState {
    /// It runs.
    #[default]
    Running,
    /// It exists, and does not run.
    Created,
}

/// A container as a module declares it.
#[derive(Debug, Export)]
pub(super) struct Spec {
    /// Its name.
    #[export]
    pub(super) name: String,
    /// The image as it is declared.
    #[export]
    pub(super) image: String,
    /// The entrypoint that takes the place of the image's.
    #[export]
    pub(super) entrypoint: Vec<Text>,
    /// The command that takes the place of the image's.
    #[export]
    pub(super) command: Vec<Text>,
    /// The directory that takes the place of the image's.
    #[export(name = "workingdir")]
    pub(super) working_dir: String,
    /// The variables that are added, each as `NAME=value`.
    #[export(name = "env")]
    pub(super) environment: Vec<Text>,
    /// Ports that it listens on beside those of the image.
    #[export]
    pub(super) expose: Vec<Port>,
    /// Containers that it reaches by name, each as `CONTAINER:ALIAS`.
    #[export]
    pub(super) links: Vec<Link>,
    /// Ports that are published, each as `IP:HOST:CONTAINER/PROTOCOL` without what is not declared.
    #[export(name = "portbindings")]
    pub(super) ports: Vec<Mapping>,
    /// Addresses of its name servers.
    #[export]
    pub(super) dns: Vec<String>,
    /// What it sees of the machine.
    #[export]
    pub(super) volumes: Vec<Mount>,
    /// Containers whose volumes it sees.
    #[export(name = "volumesfrom")]
    pub(super) volumes_from: Vec<VolumesFrom>,
    /// Whether each port that it listens on is published.
    #[export(name = "publishallports")]
    pub(super) publish_all_ports: bool,
    /// The network that it begins with.
    #[export(name = "networkmode")]
    pub(super) network_mode: NetworkMode,
    /// The networks that are declared.
    #[export]
    pub(super) networks: Vec<String>,
    /// Whether it is to run.
    #[export]
    pub(super) status: RunState,
    /// Whether it may be made anew.
    #[export]
    pub(super) force: bool,
    /// The variables that are added, by name.
    pub(super) env: IndexMap<String, Text>,
    /// Whether a module gives the network mode. Otherwise any of `networks` may be the first.
    pub(super) says_network_mode: bool,
}

impl Spec {
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
