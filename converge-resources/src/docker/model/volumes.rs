use converge_sdk::system::{HttpReply, Machine};
use serde_json::{Value as Json, json};

use super::{EngineReply, containers, find, find_or_refuse, keep, map_of, refused, reply};

const KIND: &str = "volume";

/// Creates a volume. The engine returns an existing volume unchanged.
pub(super) fn create(machine: &mut Machine, request: &Json) -> EngineReply {
    let name = request["Name"].as_str().unwrap_or_default();
    if find(machine, KIND, name).is_none() {
        let volume = json!({
            "Name": name,
            "Driver": request["Driver"].as_str().unwrap_or("local"),
            "Mountpoint": format!("/var/lib/docker/volumes/{name}/_data"),
            "Scope": "local",
            "Labels": map_of(&request["Labels"]),
            "Options": map_of(&request["DriverOpts"]),
        });
        keep(machine, KIND, name, volume);
    }
    Ok(reply(201, &find_or_refuse(machine, KIND, name)?.1))
}

pub(super) fn inspect(machine: &Machine, name: &str) -> EngineReply {
    Ok(reply(200, &find_or_refuse(machine, KIND, name)?.1))
}

pub(super) fn remove(machine: &mut Machine, name: &str) -> EngineReply {
    find_or_refuse(machine, KIND, name)?;
    let users = containers::with_volume(machine, name);
    if !users.is_empty() {
        return refused(409, format!("remove {name}: volume is in use - [{}]", users.join(", ")));
    }
    machine.remove_fact(&format!("{KIND} {name}"));
    Ok(HttpReply::new(204))
}
