//! Comparison of a container with its declaration.
//!
//! The whole container is compared with what its declaration would create, including what its image sets,
//! merged as the engine does it. Comparing only declared fields would not show that a field was removed from
//! the module. Values that the engine chooses, such as ports and addresses, count only if they are declared.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use bollard::models::{ContainerConfig, ContainerInspectResponse, HostConfig, ImageConfig, PortMap};
use indexmap::IndexMap;

use super::link::Link;
use super::mount::{Mount, VolumesFrom};
use super::network_mode::NetworkMode;
use super::spec::Spec;
use crate::docker::differences::{Differences, Undeclared};
use crate::text::Text;

/// The number of characters shown of an id, as in `docker`.
const SHORT: usize = 12;

/// The prefix of a network mode that shares the network of another container, before its id.
const CONTAINER: &str = "container:";

/// The actual state of a container and of the objects that it refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Actual {
    pub(super) container: ContainerInspectResponse,
    /// The configuration of the image that the container was created from.
    pub(super) image: ImageConfig,
    /// The id of the image that the module names, or `None` if the engine does not have it.
    pub(super) named_image: Option<String>,
    /// The id of the container that the network mode of the module names.
    pub(super) shared: Option<String>,
}

/// Returns all differences except whether the container runs.
pub(super) fn differences(spec: &Spec, actual: &Actual) -> Differences {
    let mut differences = Differences::default();
    let (config, host) = (
        actual.container.config.clone().unwrap_or_default(),
        actual.container.host_config.clone().unwrap_or_default(),
    );
    image(spec, actual, &config, &mut differences);
    program(spec, &actual.image, &config, &mut differences);
    environment(spec, &actual.image, &config, &mut differences);
    ports(spec, &actual.image, &config, &host, &mut differences);
    networks(spec, actual, &host, &mut differences);
    volumes(spec, &actual.image, &config, &host, &mut differences);
    differences
}

fn image(spec: &Spec, actual: &Actual, config: &ContainerConfig, differences: &mut Differences) {
    let made_of = actual.container.image.clone().unwrap_or_default();
    let name = config.image.clone().unwrap_or_default();
    let same = match &actual.named_image {
        Some(id) => *id == made_of,
        // The image may have lost only its name; the container still uses it.
        None => name == spec.image,
    };
    if !same {
        let wants = match &actual.named_image {
            Some(id) => format!("{} ({})", spec.image, short(id)),
            None => spec.image.clone(),
        };
        differences.compare("image", &format!("{name} ({})", short(&made_of)), &wants);
    }
}

fn short(id: &str) -> &str {
    let digits = id.strip_prefix("sha256:").unwrap_or(id);
    digits.get(..SHORT).unwrap_or(digits)
}

fn program(spec: &Spec, image: &ImageConfig, config: &ContainerConfig, differences: &mut Differences) {
    let list = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let texts =
        |list: Vec<String>| -> Vec<Text> { list.into_iter().map(|word| Text::new(word, false)).collect() };
    // The engine ignores the image's command if the container declares an entrypoint.
    let entrypoint = match spec.entrypoint.as_slice() {
        [] => texts(list(&image.entrypoint)),
        [only] if only.is_empty() => Vec::new(),
        words => words.to_vec(),
    };
    let command = match spec.command.as_slice() {
        [] if spec.entrypoint.is_empty() => texts(list(&image.cmd)),
        words => words.to_vec(),
    };
    differences.compare_lists("entrypoint", &list(&config.entrypoint), &entrypoint);
    differences.compare_lists("command", &list(&config.cmd), &command);
    let directory = |path: Option<&str>| match path.unwrap_or_default().trim_end_matches('/') {
        "" => "/".to_owned(),
        path => path.to_owned(),
    };
    let wants = spec.working_dir.as_deref().or(image.working_dir.as_deref());
    differences.compare("working_dir", &directory(config.working_dir.as_deref()), &directory(wants));
}

fn environment(spec: &Spec, image: &ImageConfig, config: &ContainerConfig, differences: &mut Differences) {
    let pairs = |list: &Option<Vec<String>>| -> HashMap<String, String> {
        list.iter()
            .flatten()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    };
    let mut wants: IndexMap<String, Text> =
        pairs(&image.env).into_iter().map(|(name, value)| (name, Text::new(value, false))).collect();
    wants.extend(spec.env.clone());
    differences.compare_maps("env", &pairs(&config.env), &wants, Undeclared::Hidden);
}

fn ports(
    spec: &Spec,
    image: &ImageConfig,
    config: &ContainerConfig,
    host: &HostConfig,
    differences: &mut Differences,
) {
    // `docker run` also exposes published ports, and the image may expose the declared ones.
    let published = host.port_bindings.iter().flatten().map(|(port, _)| port.clone());
    let known: BTreeSet<String> = published
        .chain(spec.ports.iter().map(|mapping| mapping.port.to_string()))
        .chain(image.exposed_ports.clone().unwrap_or_default())
        .collect();
    let without = |ports: Vec<String>| ports.into_iter().filter(|port| !known.contains(port)).collect();
    let has = without(config.exposed_ports.clone().unwrap_or_default());
    let wants = without(spec.expose.iter().map(ToString::to_string).collect());
    differences.compare_sets("expose", &has, &wants);

    let wants = spec.ports.iter().map(ToString::to_string).collect();
    differences.compare_sets("ports", &bindings(host.port_bindings.as_ref()), &wants);
    differences.compare(
        "publish_all_ports",
        &host.publish_all_ports.unwrap_or_default(),
        &spec.publish_all_ports,
    );
}

/// Returns the published ports in the form that modules use.
fn bindings(map: Option<&PortMap>) -> BTreeSet<String> {
    let mut shown = BTreeSet::new();
    for (port, bindings) in map.into_iter().flatten() {
        for binding in bindings.iter().flatten() {
            let ip = binding.host_ip.as_deref().filter(|ip| !ip.is_empty());
            let host = binding.host_port.as_deref().filter(|host| !matches!(*host, "" | "0"));
            let ip = ip.map(|ip| match ip.parse::<IpAddr>() {
                Ok(IpAddr::V6(ip)) => format!("[{ip}]:"),
                _ => format!("{ip}:"),
            });
            let host = match (host, &ip) {
                (Some(host), _) => format!("{host}:"),
                (None, Some(_)) => ":".to_owned(),
                (None, None) => String::new(),
            };
            shown.insert(format!("{}{host}{port}", ip.unwrap_or_default()));
        }
    }
    shown
}

fn networks(spec: &Spec, actual: &Actual, host: &HostConfig, differences: &mut Differences) {
    let attached = actual.container.network_settings.as_ref().and_then(|settings| settings.networks.clone());
    let attached = attached.unwrap_or_default();
    let links = host
        .links
        .iter()
        .flatten()
        .chain(attached.values().filter_map(|endpoint| endpoint.links.as_ref()).flatten());
    let wants = spec.links.iter().map(ToString::to_string).collect();
    differences.compare_sets("links", &links.map(|link| Link::from_engine(link)).collect(), &wants);

    differences.compare("dns", &host.dns.clone().unwrap_or_default().join(", "), &spec.dns.join(", "));

    let has = match host.network_mode.as_deref() {
        None | Some("" | "default") => "bridge".to_owned(),
        Some(mode) => mode.to_owned(),
    };
    let wants = match (&spec.network_mode, &actual.shared) {
        (NetworkMode::Container(_), Some(id)) => format!("{CONTAINER}{id}"),
        (mode, _) => mode.to_string(),
    };
    // If the module gives no network mode, any of its networks may be the first.
    let any_of = !spec.has_network_mode && spec.networks.contains(&has);
    if has != wants && !any_of {
        let has = match has.strip_prefix(CONTAINER) {
            Some(id) => format!("{CONTAINER}{}", short(id)),
            None => has,
        };
        differences.compare("network_mode", &has, &spec.network_mode.to_string());
    }
    if let Some(first) = spec.network_mode.network() {
        let has = attached.into_keys().collect();
        let wants = spec.networks.iter().cloned().chain([first.to_owned()]).collect();
        differences.compare_sets("networks", &has, &wants);
    }
}

fn volumes(
    spec: &Spec,
    image: &ImageConfig,
    config: &ContainerConfig,
    host: &HostConfig,
    differences: &mut Differences,
) {
    let binds = host.binds.iter().flatten();
    let mut has: BTreeSet<String> =
        binds.map(|bind| Mount::parse(bind).map_or_else(|_| bind.clone(), |bind| bind.to_string())).collect();
    let bound: BTreeSet<String> = host
        .binds
        .iter()
        .flatten()
        .filter_map(|bind| Mount::parse(bind).ok())
        .map(|bind| bind.path)
        .collect();
    let of_image: BTreeSet<&String> = image.volumes.iter().flatten().collect();
    let is_own = |path: &String| !of_image.contains(path) && !bound.contains(path);
    has.extend(config.volumes.iter().flatten().filter(|path| is_own(path)).cloned());
    // A volume without a name that the image declares as well is not a difference.
    let wants = spec.volumes.iter().filter(|mount| mount.source.is_some() || !of_image.contains(&mount.path));
    differences.compare_sets("volumes", &has, &wants.map(ToString::to_string).collect());

    let from = host.volumes_from.iter().flatten();
    let from =
        from.map(|from| VolumesFrom::parse(from).map_or_else(|_| from.clone(), |from| from.to_string()));
    let wants = spec.volumes_from.iter().map(ToString::to_string).collect();
    differences.compare_sets("volumes_from", &from.collect(), &wants);
}
