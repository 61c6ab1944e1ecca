use converge_sdk::system::{HttpReply, Machine};
use serde_json::{Value as Json, json};

use super::request::Request;
use super::{EngineReply, find, id, keep, refused, reply};

const KIND: &str = "image";

/// Adds an image as it comes from its registry.
pub(super) fn add(machine: &mut Machine, name: &str) {
    let name = with_tag(name);
    let image = json!({
        "Id": format!("sha256:{}", id(&name)),
        "RepoTags": [name],
        "Config": {
            "Cmd": ["serve", name],
            "Env": ["PATH=/usr/bin:/bin"],
            "ExposedPorts": { "80/tcp": {} },
            "Volumes": { "/var/lib/app": {} },
            "WorkingDir": "/srv",
        },
    });
    keep(machine, KIND, &name, image);
}

pub(super) fn get(machine: &Machine, name: &str) -> Result<Json, (u16, String)> {
    let entry = find(machine, KIND, &with_tag(name)).or_else(|| find(machine, KIND, name));
    match entry {
        Some((_, image)) => Ok(image),
        None => refused(404, format!("No such image: {name}")),
    }
}

pub(super) fn inspect(machine: &Machine, name: &str) -> EngineReply {
    Ok(reply(200, &get(machine, name)?))
}

pub(super) fn pull(machine: &mut Machine, request: &Request) -> EngineReply {
    let (name, tag) = (request.parameter("fromImage"), request.parameter("tag"));
    if name.starts_with("nowhere") {
        return refused(404, format!("pull access denied for {name}, repository does not exist"));
    }
    let joint = if tag.contains(':') { "@" } else { ":" };
    let image = format!("{name}{joint}{tag}");
    add(machine, &image);
    let lines = [
        json!({ "status": format!("Pulling from {name}"), "id": tag }),
        json!({ "status": "Pull complete", "id": "0123456789ab" }),
        json!({ "status": format!("Status: Downloaded newer image for {image}") }),
    ];
    let lines = lines.map(|line| line.to_string()).join("\r\n");
    Ok(HttpReply::new(200).with_body(lines))
}

/// Adds `latest` to a name without a tag.
fn with_tag(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains([':', '@']) { name.to_owned() } else { format!("{name}:latest") }
}
