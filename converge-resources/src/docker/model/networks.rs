use converge_sdk::system::{HttpReply, Machine};
use serde_json::{Value as Json, json};

use super::{EngineReply, containers, find, find_or_refuse, id, keep, map_of, refused, reply};

const KIND: &str = "network";

/// Adds a network as requested, with the values that the engine chooses itself.
pub(super) fn add(machine: &mut Machine, name: &str, request: &Json) {
    let text = |value: &Json, default: &str| value.as_str().unwrap_or(default).to_owned();
    let ranges = match &request["IPAM"]["Config"] {
        Json::Array(ranges) if !ranges.is_empty() => json!(ranges),
        _ => json!([{ "Subnet": "172.18.0.0/16", "Gateway": "172.18.0.1" }]),
    };
    let network = json!({
        "Name": name,
        "Id": id(&format!("network {name}")),
        "Scope": "local",
        "Driver": text(&request["Driver"], "bridge"),
        "Internal": request["Internal"] == true,
        "EnableIPv4": true,
        "EnableIPv6": request["EnableIPv6"] == true,
        "IPAM": { "Driver": text(&request["IPAM"]["Driver"], "default"), "Config": ranges },
        "Options": map_of(&request["Options"]),
        "Labels": map_of(&request["Labels"]),
        "Containers": {},
    });
    keep(machine, KIND, name, network);
}

pub(super) fn inspect(machine: &Machine, name: &str) -> EngineReply {
    Ok(reply(200, &find_or_refuse(machine, KIND, name)?.1))
}

pub(super) fn create(machine: &mut Machine, request: &Json) -> EngineReply {
    let name = request["Name"].as_str().unwrap_or_default();
    if find(machine, KIND, name).is_some() {
        return refused(409, format!("network with name {name} already exists"));
    }
    add(machine, name, request);
    Ok(reply(201, &json!({ "Id": id(&format!("network {name}")), "Warning": "" })))
}

pub(super) fn connect(machine: &mut Machine, name: &str, request: &Json) -> EngineReply {
    let (name, _) = find_or_refuse(machine, KIND, name)?;
    containers::attach(machine, request["Container"].as_str().unwrap_or_default(), &name)?;
    Ok(HttpReply::new(200))
}

pub(super) fn remove(machine: &mut Machine, name: &str) -> EngineReply {
    let (name, _) = find_or_refuse(machine, KIND, name)?;
    if !containers::on_network(machine, &name).is_empty() {
        return refused(403, format!("error while removing network: network {name} has active endpoints"));
    }
    machine.remove_fact(&format!("{KIND} {name}"));
    Ok(HttpReply::new(204))
}
