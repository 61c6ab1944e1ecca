//! `docker.container`: a container of an image.

mod compare;
mod link;
mod look;
mod make;
mod mount;
mod network_mode;
mod port;
mod spec;
mod steps;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use indexmap::IndexMap;

pub use task::Container;

use crate::text::Text;
use link::Link;
use mount::{Mount, VolumesFrom};
use network_mode::NetworkMode;
use port::{Mapping, Port};
use spec::Spec;

/// Makes a container, and runs it.
///
/// What is not declared is what the image says, or what the engine does when it is not told anything. A container that
/// does not run is started.
///
/// # Changes
///
/// A container cannot be changed while it exists. When anything but `status` differs, that is an error which names the
/// fields, unless `force` allows to make the container anew. Then the new one is made first: when the engine does not
/// accept it, the old one stays. What the old one wrote anywhere but into volumes is lost.
///
/// It also differs when its image is not the one that `image` names now, as after a pull of the same tag.
///
/// # Caveats
///
/// The image must be in the engine: `docker.image` pulls it. A new container takes the place of the old one for a
/// moment under the name `NAME-converge-new`. The engine is found as `docker.image` says.
#[derive(Debug, Preparer)]
#[preparer(name = "docker.container", task = Container, validate, example = "example.hcl")]
pub struct ContainerPreparer {
    /// Name of the container.
    #[hcl(
        required,
        nonempty,
        pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]+$",
        expects = "the name of a container: it has two or more of a-z A-Z 0-9 _ . - and begins with a letter or a digit"
    )]
    name: String,
    /// The image: its name, with a tag or a digest, or its id.
    #[hcl(required, nonempty)]
    image: String,
    /// The program that is run, and its first arguments, in the place of those of the image. `[""]` takes those of the
    /// image away.
    #[hcl(default)]
    entrypoint: Vec<Text>,
    /// The arguments of `entrypoint`, or the program and its arguments where there is no entrypoint, in the place of those
    /// of the image.
    #[hcl(default)]
    command: Vec<Text>,
    /// The directory in which it runs: an absolute path.
    #[hcl(default, pattern = "^(/.*)?$", expects = "an absolute path")]
    working_dir: String,
    /// Variables that are added to the environment that the image sets.
    #[hcl(default)]
    env: IndexMap<String, Text>,
    /// Ports that the container listens on beside those of the image: `["80", "53/udp"]`.
    #[hcl(default)]
    expose: Vec<Port>,
    /// Other containers that it reaches by name: `["db", "cache-1:cache"]`. Outside of networks that somebody made, a link
    /// leads to the container that has the name when this one is started: when that one is made anew, start this one
    /// again. In a network containers find each other by name without links.
    #[hcl(default)]
    links: Vec<Link>,
    /// Ports that are published on the machine: `["8080:80", "127.0.0.1:53:53/udp", "80"]`. The engine chooses a port of the
    /// machine where none is given.
    #[hcl(default)]
    ports: Vec<Mapping>,
    /// Addresses of the name servers that it asks, in their order.
    #[hcl(default)]
    dns: Vec<String>,
    /// `bridge`, `host`, `none`, `container:NAME` to share the network of another container, or the name of a network.
    /// It is the first of `networks` when nothing is given, and `bridge` without those.
    network_mode: Option<NetworkMode>,
    /// Names of the networks that it is attached to.
    #[hcl(default)]
    networks: Vec<String>,
    /// What it sees of the machine: `["/srv/www:/www:ro", "data:/var/lib/data", "/cache"]` for a folder, a volume and a volume
    /// without a name.
    #[hcl(default)]
    volumes: Vec<Mount>,
    /// Other containers whose volumes it sees: `["store", "config:ro"]`.
    #[hcl(default)]
    volumes_from: Vec<VolumesFrom>,
    /// Whether each port that it listens on is published on a port that the engine chooses.
    #[hcl(default)]
    publish_all_ports: bool,
    /// Whether it runs.
    #[hcl(default)]
    status: RunState,
    /// Whether a container that differs is made anew.
    #[hcl(default)]
    force: bool,
}

/// Whether a container runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum RunState {
    /// It runs.
    #[default]
    Running,
    /// It exists, and does not run.
    Created,
}

#[async_trait]
impl Resource for ContainerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Container> {
        let (name, status, force) = (self.name.clone(), self.status, self.force);
        Ok(Container::new(name, Spec::new(self), status, force))
    }
}
