//! The `docker.network` resource: a network between containers.

mod range;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;
use indexmap::IndexMap;

pub use range::IpamConfig;
pub use task::{Ipam, Network};

use super::replacement::Plan;
use crate::text::Text;

/// Creates a network, or removes it.
///
/// An existing network cannot be changed. If a field differs, that is an error, unless `force` allows the
/// network to be removed and created again. A network with a container attached to it, running or not, is
/// never removed: the error names the containers.
///
/// Addresses are compared only if they are declared: without `ipam_config`, any range that the engine chose
/// is accepted.
///
/// The engine is found as described for `docker.image`.
#[derive(Debug, Preparer)]
#[preparer(name = "docker.network", task = Network, validate, example = "example.hcl")]
pub struct NetworkPreparer {
    /// Name of the network.
    #[hcl(
        required,
        nonempty,
        manages = "network",
        pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]*$",
        expects = "the name of a network: it has only a-z A-Z 0-9 _ . - and begins with a letter or a digit"
    )]
    name: String,
    /// The driver of the network.
    #[hcl(default = "bridge", nonempty)]
    driver: String,
    /// Labels of the network.
    #[hcl(default)]
    labels: IndexMap<String, Text>,
    /// Options for the driver: `{ "com.docker.network.bridge.name" = "br0" }`.
    #[hcl(default)]
    options: IndexMap<String, Text>,
    /// The driver that assigns addresses.
    #[hcl(default = "default", nonempty)]
    ipam_driver: String,
    /// A range of addresses of the network. The engine chooses one if none is given.
    #[hcl(default)]
    ipam_config: Vec<IpamConfig>,
    /// Whether the network is cut off from the outside, so that containers reach nothing else through it.
    #[hcl(default)]
    internal: bool,
    /// Whether containers get IPv6 addresses too.
    #[hcl(default)]
    ipv6: bool,
    /// Whether the network is to exist.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// Whether a network that differs is removed and created again.
    #[hcl(default)]
    force: bool,
}

impl Validate for NetworkPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let ranges = self.ipam_config.iter().enumerate();
        let errors: Vec<_> = ranges.flat_map(|(index, config)| range::mistakes(index, config)).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for NetworkPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Network> {
        Ok(Network {
            name: self.name,
            driver: self.driver,
            labels: self.labels,
            options: self.options,
            ipam: Ipam { driver: self.ipam_driver, config: self.ipam_config },
            internal: self.internal,
            ipv6: self.ipv6,
            state: self.state,
            force: self.force,
            plan: Plan::Nothing,
            id: None,
        })
    }
}
