use std::collections::HashMap;

use bollard::models::{
    ContainerCreateBody, EndpointSettings, HostConfig, NetworkingConfig, PortBinding, PortMap,
};

use super::network_mode::NetworkMode;
use super::spec::Spec;
use crate::text::Text;

/// Returns the request that creates a container.
///
/// Networks other than the first are attached later, see [`Spec::further_networks`]: older engines accept
/// only one here.
pub(super) fn request(spec: &Spec) -> ContainerCreateBody {
    let words = |words: &[Text]| -> Option<Vec<String>> {
        (!words.is_empty()).then(|| words.iter().map(|word| word.to_string()).collect())
    };
    let anonymous =
        spec.volumes.iter().filter(|mount| mount.source.is_none()).map(|mount| mount.path.clone());
    let exposed = spec.expose.iter().chain(spec.ports.iter().map(|mapping| &mapping.port));
    ContainerCreateBody {
        image: Some(spec.image.clone()),
        entrypoint: words(&spec.entrypoint),
        cmd: words(&spec.command),
        working_dir: spec.working_dir.clone(),
        env: Some(spec.env.iter().map(|(name, value)| format!("{name}={}", &**value)).collect()),
        exposed_ports: Some(exposed.map(ToString::to_string).collect()),
        volumes: Some(anonymous.collect()),
        host_config: Some(host_config(spec)),
        networking_config: endpoint(spec).map(|(network, endpoint)| NetworkingConfig {
            endpoints_config: Some([(network, endpoint)].into()),
        }),
        ..ContainerCreateBody::default()
    }
}

fn host_config(spec: &Spec) -> HostConfig {
    let texts = |texts: Vec<String>| (!texts.is_empty()).then_some(texts);
    let binds = spec.volumes.iter().filter(|mount| mount.source.is_some()).map(ToString::to_string);
    HostConfig {
        binds: texts(binds.collect()),
        volumes_from: texts(spec.volumes_from.iter().map(ToString::to_string).collect()),
        dns: texts(spec.dns.clone()),
        // In a user-defined network, the links belong to the network.
        links: match spec.network_mode {
            NetworkMode::Bridge => texts(spec.links.iter().map(ToString::to_string).collect()),
            _ => None,
        },
        network_mode: Some(spec.network_mode.to_string()),
        port_bindings: Some(port_bindings(spec)),
        publish_all_ports: Some(spec.publish_all_ports),
        ..HostConfig::default()
    }
}

fn port_bindings(spec: &Spec) -> PortMap {
    let mut map: HashMap<String, Option<Vec<PortBinding>>> = HashMap::new();
    for mapping in &spec.ports {
        let binding = PortBinding {
            host_ip: mapping.ip.map(|ip| ip.to_string()),
            host_port: Some(mapping.host.map(|port| port.to_string()).unwrap_or_default()),
        };
        map.entry(mapping.port.to_string()).or_default().get_or_insert_default().push(binding);
    }
    map
}

/// Returns the settings of the first network, if there are any to send.
fn endpoint(spec: &Spec) -> Option<(String, EndpointSettings)> {
    match &spec.network_mode {
        NetworkMode::Network(network) if !spec.links.is_empty() => {
            let links = spec.links.iter().map(ToString::to_string).collect();
            Some((network.clone(), EndpointSettings { links: Some(links), ..EndpointSettings::default() }))
        }
        _ => None,
    }
}
