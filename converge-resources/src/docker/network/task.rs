use bollard::models::{
    Ipam as IpamRequest, IpamConfig as RangeRequest, NetworkCreateRequest, NetworkInspect,
};
use bollard::query_parameters::InspectNetworkOptions;
use converge_sdk::prelude::*;
use indexmap::IndexMap;

use super::range::{IpamConfig, canonical};
use crate::docker::differences::{Differences, Undeclared};
use crate::docker::engine::{Engine, EngineError, FoundExt as _};
use crate::docker::replacement::{self, Plan, Replaceable};
use crate::text::{self, Text};

/// The prefix of options that newer engines add to every network.
const OWN_OPTIONS: &str = "com.docker.network.enable_ipv";

/// The task of a `docker.network` resource.
#[derive(Debug, Export)]
pub struct Network {
    /// The name of the network.
    #[export]
    pub(super) name: String,
    /// The driver of the network.
    #[export]
    pub(super) driver: String,
    /// The labels of the network.
    #[export]
    pub(super) labels: IndexMap<String, Text>,
    /// Options for the driver.
    #[export]
    pub(super) options: IndexMap<String, Text>,
    /// The address management of the network.
    #[export]
    pub(super) ipam: Ipam,
    /// Whether the network is cut off from the outside.
    #[export]
    pub(super) internal: bool,
    /// Whether containers get IPv6 addresses too.
    #[export]
    pub(super) ipv6: bool,
    /// Whether the network is to exist.
    #[export]
    pub(super) state: Ensure,
    /// Whether a network that differs may be recreated.
    #[export]
    pub(super) force: bool,
    pub(super) plan: Plan,
    /// The id of the network that the check found.
    pub(super) id: Option<String>,
}

/// The address management of a network.
#[derive(Debug, Export)]
pub struct Ipam {
    /// The driver that assigns addresses.
    #[export]
    pub(super) driver: String,
    /// The address ranges.
    #[export]
    pub(super) config: Vec<IpamConfig>,
}

impl Network {
    pub(super) fn differences(&self, network: &NetworkInspect) -> Differences {
        let mut differences = Differences::default();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        differences.compare("driver", &text(&network.driver), &self.driver);
        let labels = network.labels.clone().unwrap_or_default();
        differences.compare_maps("labels", &labels, &self.labels, Undeclared::Shown);
        let mut options = network.options.clone().unwrap_or_default();
        options.retain(|name, _| self.options.contains_key(name) || !name.starts_with(OWN_OPTIONS));
        differences.compare_maps("options", &options, &self.options, Undeclared::Shown);
        let ipam = network.ipam.clone().unwrap_or_default();
        differences.compare("ipam_driver", &text(&ipam.driver), &self.ipam.driver);
        self.compare_ranges(&ipam.config.unwrap_or_default(), &mut differences);
        differences.compare("internal", &network.internal.unwrap_or_default(), &self.internal);
        differences.compare("ipv6", &network.enable_ipv6.unwrap_or_default(), &self.ipv6);
        differences
    }

    /// Compares the declared parts of each range; the engine has chosen the others.
    fn compare_ranges(&self, ranges: &[RangeRequest], differences: &mut Differences) {
        if self.ipam.config.is_empty() {
            return;
        }
        let mut current: Vec<_> = ranges
            .iter()
            .map(|range| {
                let subnet = range.subnet.as_deref().map(canonical).unwrap_or_default();
                let declared = self.ipam.config.iter().find(|config| canonical(&config.subnet) == subnet);
                let gateway = range
                    .gateway
                    .as_deref()
                    .filter(|_| declared.is_none_or(|config| config.gateway.is_some()));
                let aux = range.auxiliary_addresses.clone().unwrap_or_default().into_iter().collect();
                shown(&subnet, gateway, range.ip_range.as_deref(), aux)
            })
            .collect();
        let mut target: Vec<_> = self
            .ipam
            .config
            .iter()
            .map(|range| {
                let aux = range.aux_addresses.clone().into_iter().collect();
                shown(&canonical(&range.subnet), range.gateway.as_deref(), range.ip_range.as_deref(), aux)
            })
            .collect();
        current.sort();
        target.sort();
        differences.compare("ipam_config", &current.join("; "), &target.join("; "));
    }

    pub(super) fn request(&self) -> NetworkCreateRequest {
        let range = |range: &IpamConfig| RangeRequest {
            subnet: Some(range.subnet.clone()),
            ip_range: range.ip_range.clone(),
            gateway: range.gateway.clone(),
            auxiliary_addresses: (!range.aux_addresses.is_empty())
                .then(|| range.aux_addresses.clone().into_iter().collect()),
        };
        let config: Vec<_> = self.ipam.config.iter().map(range).collect();
        NetworkCreateRequest {
            name: self.name.clone(),
            driver: Some(self.driver.clone()),
            internal: Some(self.internal),
            enable_ipv6: Some(self.ipv6),
            ipam: Some(IpamRequest {
                driver: Some(self.ipam.driver.clone()),
                config: (!config.is_empty()).then_some(config),
                options: None,
            }),
            options: Some(text::exposed(&self.options)),
            labels: Some(text::exposed(&self.labels)),
            ..NetworkCreateRequest::default()
        }
    }
}

/// Formats a range as one text.
fn shown(subnet: &str, gateway: Option<&str>, ip_range: Option<&str>, aux: Vec<(String, String)>) -> String {
    let mut parts = vec![subnet.to_owned()];
    parts.extend(
        gateway
            .filter(|gateway| !gateway.is_empty())
            .map(|gateway| format!("gateway {}", canonical(gateway))),
    );
    parts.extend(
        ip_range.filter(|range| !range.is_empty()).map(|range| format!("ip_range {}", canonical(range))),
    );
    let mut aux: Vec<_> =
        aux.into_iter().map(|(name, address)| format!("{name}={}", canonical(&address))).collect();
    aux.sort();
    if !aux.is_empty() {
        parts.push(format!("aux_addresses {}", aux.join(" ")));
    }
    parts.join(", ")
}

#[async_trait]
impl Replaceable for Network {
    const KIND: &'static str = "network";
    const ANEW: &'static str = "it is removed and created again";

    fn declared(&self) -> (&str, Ensure, bool) {
        (&self.name, self.state, self.force)
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.plan
    }

    async fn compare(&mut self, engine: &Engine) -> Result<Option<Differences>, EngineError> {
        let doing = format!("look for the network {:?}", self.name);
        let request = engine.docker().inspect_network(&self.name, None::<InspectNetworkOptions>);
        let network = engine.ask(doing, request).await.found()?;
        // The engine also matches ids that begin with the name.
        let network = network.filter(|found| found.name.as_deref() == Some(&*self.name));
        self.id = network.as_ref().and_then(|network| network.id.clone());
        Ok(network.map(|network| self.differences(&network)))
    }

    async fn remove(&self, engine: &Engine) -> Result<(), EngineError> {
        let Some(id) = &self.id else { return Ok(()) };
        let doing = format!("remove the network {:?}", self.name);
        engine.ask(doing, engine.docker().remove_network(id)).await.found().map(|_| ())
    }

    async fn create(&self, engine: &Engine) -> Result<(), EngineError> {
        let doing = format!("make the network {:?}", self.name);
        engine.ask(doing, engine.docker().create_network(self.request())).await.map(|_| ())
    }
}

impl Task for Network {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        replacement::check(self, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        replacement::apply(self, cx).await
    }
}
