use std::collections::BTreeMap;

use converge_sdk::system::{HttpReply, Machine};
use serde_json::{Value as Json, json};

use super::{EngineReply, find, find_or_refuse, id, images, keep, map_of, refused, reply, volumes};

const KIND: &str = "container";

pub(super) fn create(machine: &mut Machine, name: &str, request: &Json) -> EngineReply {
    if find(machine, KIND, name).is_some() {
        return refused(409, format!("Conflict. The container name \"/{name}\" is already in use"));
    }
    let image = images::get(machine, request["Image"].as_str().unwrap_or_default())?;
    let config = config(request, &image["Config"]);
    if config["Cmd"].is_null() && config["Entrypoint"].is_null() {
        return refused(400, "no command specified");
    }
    let host = host(machine, name, &request["HostConfig"])?;
    let attached = attached(machine, &host, request)?;
    for volume in named_volumes(&host) {
        let _made = volumes::create(machine, &json!({ "Name": volume }))?;
    }
    let mut container = json!({
        "Name": format!("/{name}"),
        "Image": image["Id"],
        "State": state("created"),
        "Config": config,
        "HostConfig": host,
        "NetworkSettings": { "Networks": attached },
    });
    container.sort_all_objects();
    // The id has to stay when the container is renamed, so it depends on everything but the name.
    let mut unnamed = container.clone();
    unnamed["Name"] = Json::Null;
    let mut seed = unnamed.to_string();
    while find(machine, KIND, &id(&seed)).is_some() {
        seed.push('\'');
    }
    let id = id(&seed);
    container["Id"] = json!(id);
    keep(machine, KIND, name, container);
    Ok(reply(201, &json!({ "Id": id, "Warnings": [] })))
}

/// Merges the requested configuration over that of the image.
fn config(request: &Json, image: &Json) -> Json {
    let words = |words: &Json| words.as_array().is_some_and(|words| !words.is_empty());
    // With an entrypoint of its own, a container gets no command of the image.
    let (entrypoint, command) = match (words(&request["Entrypoint"]), words(&request["Cmd"])) {
        (true, _) if request["Entrypoint"] == json!([""]) => (Json::Null, request["Cmd"].clone()),
        (true, _) => (request["Entrypoint"].clone(), request["Cmd"].clone()),
        (false, true) => (image["Entrypoint"].clone(), request["Cmd"].clone()),
        (false, false) => (image["Entrypoint"].clone(), image["Cmd"].clone()),
    };
    let folder = request["WorkingDir"].as_str().filter(|folder| !folder.is_empty());
    json!({
        "Image": request["Image"],
        "Entrypoint": entrypoint,
        "Cmd": command,
        "WorkingDir": folder.or(image["WorkingDir"].as_str()).unwrap_or_default(),
        "Env": environment([image, request]),
        "ExposedPorts": both(&image["ExposedPorts"], &request["ExposedPorts"]),
        "Volumes": both(&image["Volumes"], &request["Volumes"]),
    })
}

fn environment(from: [&Json; 2]) -> Vec<String> {
    let pairs = from.into_iter().filter_map(|config| config["Env"].as_array()).flatten();
    let pairs = pairs.filter_map(Json::as_str).filter_map(|pair| pair.split_once('='));
    let pairs: BTreeMap<&str, &str> = pairs.collect();
    pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// Returns a map with the names of both maps.
fn both(first: &Json, second: &Json) -> Json {
    let mut merged = map_of(first);
    if let (Json::Object(entries), Json::Object(additions)) = (&mut merged, map_of(second)) {
        entries.extend(additions);
    }
    merged
}

fn host(machine: &Machine, name: &str, request: &Json) -> Result<Json, (u16, String)> {
    let mut host = map_of(request);
    let mode = request["NetworkMode"].as_str().unwrap_or("bridge");
    host["NetworkMode"] = match mode.strip_prefix("container:") {
        Some(peer) => json!(format!("container:{}", id_of(machine, peer)?)),
        None => json!(mode),
    };
    for from in texts(&request["VolumesFrom"]) {
        find_or_refuse(machine, KIND, from.split(':').next().unwrap_or_default())?;
    }
    let links = texts(&request["Links"]).map(|link| {
        let (peer, alias) = link.split_once(':').unwrap_or((link, link));
        find_or_refuse(machine, KIND, peer)?;
        Ok(format!("/{peer}:/{name}/{alias}"))
    });
    let links: Vec<String> = links.collect::<Result<_, _>>()?;
    if !links.is_empty() {
        host["Links"] = json!(links);
    }
    Ok(host)
}

/// Returns the networks that a new container is attached to.
fn attached(machine: &Machine, host: &Json, request: &Json) -> Result<Json, (u16, String)> {
    let mode = host["NetworkMode"].as_str().unwrap_or_default();
    if mode.starts_with("container:") {
        return Ok(json!({}));
    }
    find_or_refuse(machine, "network", mode)?;
    let links = &request["NetworkingConfig"]["EndpointsConfig"][mode]["Links"];
    Ok(json!({ mode: { "Links": links } }))
}

pub(super) fn attach(machine: &mut Machine, name: &str, network: &str) -> Result<(), (u16, String)> {
    let (name, mut container) = find_or_refuse(machine, KIND, name)?;
    container["NetworkSettings"]["Networks"][network] = json!({});
    keep(machine, KIND, &name, container);
    Ok(())
}

pub(super) fn inspect(machine: &Machine, name: &str) -> EngineReply {
    Ok(reply(200, &find_or_refuse(machine, KIND, name)?.1))
}

pub(super) fn list(machine: &Machine, filters: &str) -> EngineReply {
    let filters: Json = serde_json::from_str(filters).unwrap_or_default();
    let filter = |kind: &str| filters[kind][0].as_str().map(str::to_owned);
    let names = match (filter("network"), filter("volume")) {
        (Some(network), _) => on_network(machine, &network),
        (None, Some(volume)) => with_volume(machine, &volume),
        (None, None) => return refused(400, "the model lists by network or by volume"),
    };
    let listed = names.into_iter().map(|name| json!({ "Names": [format!("/{name}")] }));
    Ok(reply(200, &listed.collect()))
}

pub(super) fn on_network(machine: &Machine, network: &str) -> Vec<String> {
    names(machine, |container| !container["NetworkSettings"]["Networks"][network].is_null())
}

pub(super) fn with_volume(machine: &Machine, volume: &str) -> Vec<String> {
    names(machine, |container| named_volumes(&container["HostConfig"]).any(|name| name == volume))
}

fn names(machine: &Machine, is_match: impl Fn(&Json) -> bool) -> Vec<String> {
    let names = machine.facts().filter_map(|(fact, value)| {
        let name = fact.strip_prefix(KIND)?.strip_prefix(' ')?;
        let container: Json = serde_json::from_str(value).ok()?;
        is_match(&container).then(|| name.to_owned())
    });
    names.collect()
}

pub(super) fn rename(machine: &mut Machine, name: &str, new: &str) -> EngineReply {
    let (name, mut container) = find_or_refuse(machine, KIND, name)?;
    if find(machine, KIND, new).is_some() {
        return refused(409, format!("Conflict. The container name \"/{new}\" is already in use"));
    }
    machine.remove_fact(&format!("{KIND} {name}"));
    container["Name"] = json!(format!("/{new}"));
    // The engine keeps a link by the ids of both ends, and shows it by their names.
    let links: Vec<String> = texts(&container["HostConfig"]["Links"])
        .filter_map(|link| link.split_once(":/"))
        .map(|(other, of)| format!("{other}:/{new}/{}", of.rsplit('/').next().unwrap_or(of)))
        .collect();
    if !links.is_empty() {
        container["HostConfig"]["Links"] = json!(links);
    }
    keep(machine, KIND, new, container);
    Ok(HttpReply::new(204))
}

/// Starts, stops, or resumes a container.
pub(super) fn run(machine: &mut Machine, name: &str, verb: &str) -> EngineReply {
    let (name, mut container) = find_or_refuse(machine, KIND, name)?;
    let runs = container["State"]["Running"] == true;
    container["State"] = match verb {
        "start" | "unpause" => state("running"),
        "stop" => state("exited"),
        _ => return refused(404, format!("the model does not {verb} containers")),
    };
    // A request that has nothing to do changes nothing.
    if runs == (verb == "stop") {
        keep(machine, KIND, &name, container);
        return Ok(HttpReply::new(204));
    }
    Ok(HttpReply::new(304))
}

fn state(status: &str) -> Json {
    json!({ "Status": status, "Running": status == "running", "Paused": false, "ExitCode": 0 })
}

pub(super) fn remove(machine: &mut Machine, name: &str) -> EngineReply {
    let (name, _) = find_or_refuse(machine, KIND, name)?;
    machine.remove_fact(&format!("{KIND} {name}"));
    Ok(HttpReply::new(204))
}

fn id_of(machine: &Machine, name: &str) -> Result<String, (u16, String)> {
    Ok(find_or_refuse(machine, KIND, name)?.1["Id"].as_str().unwrap_or_default().to_owned())
}

/// Returns the names of the bound volumes; the other bindings are directories of the machine.
fn named_volumes(host: &Json) -> impl Iterator<Item = &str> {
    let sources = texts(&host["Binds"]).filter_map(|bind| bind.split(':').next());
    sources.filter(|source| !source.starts_with('/'))
}

fn texts(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str)
}
