//! Makes and removes networks.

use std::collections::HashMap;

use bollard::models::{
    Ipam as IpamRequest, IpamConfig as RangeRequest, NetworkCreateRequest, NetworkInspect,
};
use bollard::query_parameters::InspectNetworkOptions;
use converge_core::prelude::*;
use indexmap::IndexMap;

use super::range::canonical;
use super::{IpamConfig, NetworkPreparer};
use crate::docker::change::{Declared, Plan, State};
use crate::docker::differences::{Differences, Undeclared};
use crate::docker::engine::{Engine, EngineError, Found as _};
use crate::text::Text;

/// What errors call it.
const KIND: &str = "network";

/// Options that newer engines add to every network.
const OWN_OPTIONS: &str = "com.docker.network.enable_ipv";

/// A network.
#[derive(Debug, Export)]
pub struct Network {
    /// Its name.
    #[export]
    name: String,
    /// Its driver.
    #[export]
    driver: String,
    /// Its labels.
    #[export]
    labels: IndexMap<String, Text>,
    /// Options for the driver.
    #[export]
    options: IndexMap<String, Text>,
    /// How it gives out addresses.
    #[export]
    ipam: Ipam,
    /// Whether containers reach nothing outside through it.
    #[export]
    internal: bool,
    /// Whether containers get IPv6 addresses too.
    #[export]
    ipv6: bool,
    /// Whether it is to exist.
    #[export]
    state: State,
    /// Whether it may be made anew.
    #[export]
    force: bool,
    plan: Plan,
    /// What the check found.
    id: Option<String>,
}

/// How a network gives out addresses.
#[derive(Debug, Export)]
pub struct Ipam {
    /// The driver.
    #[export]
    driver: String,
    /// The ranges.
    #[export]
    config: Vec<IpamConfig>,
}

impl Network {
    pub(super) fn new(preparer: NetworkPreparer) -> Self {
        let NetworkPreparer {
            name,
            driver,
            labels,
            options,
            ipam_driver,
            ipam_config,
            internal,
            ipv6,
            state,
            force,
        } = preparer;
        let ipam = Ipam { driver: ipam_driver, config: ipam_config };
        let (plan, id) = (Plan::Nothing, None);
        Self { name, driver, labels, options, ipam, internal, ipv6, state, force, plan, id }
    }

    async fn find(&self, engine: &Engine) -> Result<Option<NetworkInspect>, EngineError> {
        let doing = format!("look for the network {:?}", self.name);
        let request = engine.docker().inspect_network(&self.name, None::<InspectNetworkOptions>);
        let found = engine.ask(doing, request).await.found()?;
        // The engine also looks for ids that begin like this.
        Ok(found.filter(|found| found.name.as_deref() == Some(&*self.name)))
    }

    /// What of it is not as declared.
    pub(super) fn differences(&self, found: &NetworkInspect) -> Differences {
        let mut differences = Differences::default();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        differences.compare("driver", &text(&found.driver), &self.driver);
        let labels = found.labels.clone().unwrap_or_default();
        differences.compare_maps("labels", &labels, &self.labels, Undeclared::Shown);
        let mut options = found.options.clone().unwrap_or_default();
        options.retain(|name, _| self.options.contains_key(name) || !name.starts_with(OWN_OPTIONS));
        differences.compare_maps("options", &options, &self.options, Undeclared::Shown);
        let ipam = found.ipam.clone().unwrap_or_default();
        differences.compare("ipam_driver", &text(&ipam.driver), &self.ipam.driver);
        self.compare_ranges(&ipam.config.unwrap_or_default(), &mut differences);
        differences.compare("internal", &found.internal.unwrap_or_default(), &self.internal);
        differences.compare("ipv6", &found.enable_ipv6.unwrap_or_default(), &self.ipv6);
        differences
    }

    /// Compares what is declared of each range; what is not, the engine has chosen.
    fn compare_ranges(&self, found: &[RangeRequest], differences: &mut Differences) {
        if self.ipam.config.is_empty() {
            return;
        }
        let mut has: Vec<_> = found
            .iter()
            .map(|range| {
                let subnet = range.subnet.as_deref().map(canonical).unwrap_or_default();
                let declared = self.ipam.config.iter().find(|wants| canonical(&wants.subnet) == subnet);
                let gateway =
                    range.gateway.as_deref().filter(|_| declared.is_none_or(|wants| wants.gateway.is_some()));
                let aux = range.auxiliary_addresses.clone().unwrap_or_default().into_iter().collect();
                shown(&subnet, gateway, range.ip_range.as_deref(), aux)
            })
            .collect();
        let mut wants: Vec<_> = self
            .ipam
            .config
            .iter()
            .map(|range| {
                let aux = range.aux_addresses.clone().into_iter().collect();
                shown(&canonical(&range.subnet), range.gateway.as_deref(), range.ip_range.as_deref(), aux)
            })
            .collect();
        has.sort();
        wants.sort();
        differences.compare("ipam_config", &has.join("; "), &wants.join("; "));
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

    /// What makes it.
    pub(super) fn request(&self) -> NetworkCreateRequest {
        let exposed = |map: &IndexMap<String, Text>| -> HashMap<String, String> {
            map.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
        };
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
            options: Some(exposed(&self.options)),
            labels: Some(exposed(&self.labels)),
            ..NetworkCreateRequest::default()
        }
    }
}

/// A range as one text.
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
impl Task for Network {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.plan = Plan::Nothing;
        let engine = match Engine::connect_or_wait(cx).await? {
            Ok(engine) => engine,
            Err(waits) => return Ok(waits),
        };
        let found = self.find(&engine).await?;
        self.id = found.as_ref().and_then(|found| found.id.clone());
        let mut status = Status::new();
        let declared = Declared {
            kind: KIND,
            name: &self.name,
            state: self.state,
            force: self.force,
            anew: "it is removed and made anew",
        };
        let differences = found.map(|found| self.differences(&found));
        self.plan = declared.decide(cx, &engine, differences.as_ref(), &mut status).await?;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let engine = Engine::connect(cx).await?;
        let plan = std::mem::take(&mut self.plan);
        if plan.removes() {
            self.remove(&engine).await?;
        }
        if plan.creates() {
            self.create(&engine).await?;
        }
        Ok(Status::new())
    }
}
