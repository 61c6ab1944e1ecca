//! A small Docker engine on the model host.
//!
//! It speaks the Engine API over the engine's socket. It keeps its objects as facts of the machine, so that a
//! crash treats them like other state of the host.
//!
//! | fact | value |
//! | --- | --- |
//! | `image NAME:TAG` | the inspect response of the image |
//! | `network NAME` | the inspect response of the network |
//! | `volume NAME` | the inspect response of the volume |
//! | `container NAME` | the inspect response of the container |
//!
//! Every image can be pulled, unless its name begins with `nowhere`. A started container runs until it is
//! stopped. Bound directories of the machine are not created. The scenarios of `tests/tests/hosts` verify
//! that real engines answer like this.

mod containers;
mod images;
mod networks;
mod request;
mod volumes;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use converge_sdk::system::{Address, HttpReply, Machine, Method, ModelSystem};
use serde_json::{Value as Json, json};

use request::Request;

/// The address of the engine in the model.
const BASE: &str = "http://docker.test/";

/// The reply of the engine, or the status and message of a refusal.
type EngineReply = Result<HttpReply, (u16, String)>;

/// Returns a host with an engine that has only the default networks.
pub(super) fn engine() -> ModelSystem {
    let socket = Address::Unix("/var/run/docker.sock".into());
    ModelSystem::new()
        .with_http_listener(socket, BASE)
        .with_service(BASE, |call, machine| {
            let request = Request::parse(call, BASE)?;
            Some(
                answer(&request, machine)?
                    .unwrap_or_else(|(status, message)| reply(status, &json!({ "message": message }))),
            )
        })
        .with(|machine| {
            for name in ["bridge", "host", "none"] {
                let driver = if name == "none" { "null" } else { name };
                networks::add(machine, name, &json!({ "Driver": driver }));
            }
        })
}

/// Like [`engine`], with these images pulled, each given as `NAME:TAG`.
pub(super) fn with_images(images: &[&str]) -> ModelSystem {
    engine().with(|machine| images.iter().for_each(|image| images::add(machine, image)))
}

/// Like [`with_images`], with the containers `db` and `store` and the networks `front` and `back`.
pub(super) fn with_neighbours(images: &[&str]) -> ModelSystem {
    with_images(images).with(|machine| {
        images::add(machine, "neighbour:1");
        for name in ["front", "back"] {
            networks::add(machine, name, &json!({}));
        }
        for name in ["db", "store"] {
            let result = containers::create(machine, name, &json!({ "Image": "neighbour:1" }));
            assert!(result.is_ok(), "{result:?}");
        }
    })
}

/// Answers a request, or returns `None` for one that the resources never send.
fn answer(request: &Request, machine: &mut Machine) -> Option<EngineReply> {
    let path: Vec<&str> = request.path.split('/').collect();
    Some(match (&request.method, path.as_slice()) {
        (Method::Get, ["version"]) => {
            Ok(reply(200, &json!({ "ApiVersion": "1.44", "MinAPIVersion": "1.24" })))
        }
        (Method::Get, ["images", name @ .., "json"]) => images::inspect(machine, &name.join("/")),
        (Method::Post, ["images", "create"]) => images::pull(machine, request),
        (Method::Get, ["networks", name]) => networks::inspect(machine, name),
        (Method::Post, ["networks", "create"]) => networks::create(machine, &request.body),
        (Method::Post, ["networks", name, "connect"]) => networks::connect(machine, name, &request.body),
        (Method::Delete, ["networks", name]) => networks::remove(machine, name),
        (Method::Get, ["volumes", name]) => volumes::inspect(machine, name),
        (Method::Post, ["volumes", "create"]) => volumes::create(machine, &request.body),
        (Method::Delete, ["volumes", name]) => volumes::remove(machine, name),
        (Method::Get, ["containers", "json"]) => containers::list(machine, request.parameter("filters")),
        (Method::Post, ["containers", "create"]) => {
            containers::create(machine, request.parameter("name"), &request.body)
        }
        (Method::Get, ["containers", name, "json"]) => containers::inspect(machine, name),
        (Method::Post, ["containers", name, "rename"]) => {
            containers::rename(machine, name, request.parameter("name"))
        }
        (Method::Post, ["containers", name, verb]) => containers::run(machine, name, verb),
        (Method::Delete, ["containers", name]) => containers::remove(machine, name),
        _ => return None,
    })
}

fn reply(status: u16, value: &Json) -> HttpReply {
    HttpReply::new(status).with_body(value.to_string())
}

fn refused<T>(status: u16, message: impl Into<String>) -> Result<T, (u16, String)> {
    Err((status, message.into()))
}

/// Finds an object of this kind by its name or id, and returns its name and inspect response.
fn find(machine: &Machine, kind: &str, target: &str) -> Option<(String, Json)> {
    machine.facts().find_map(|(fact, value)| {
        let name = fact.strip_prefix(kind)?.strip_prefix(' ')?;
        let value: Json = serde_json::from_str(value).ok()?;
        let is_it = name == target || value["Id"] == target;
        is_it.then(|| (name.to_owned(), value))
    })
}

/// Like [`find`], but refuses the request if there is no such object.
fn find_or_refuse(machine: &Machine, kind: &str, target: &str) -> Result<(String, Json), (u16, String)> {
    find(machine, kind, target).ok_or_else(|| (404, format!("No such {kind}: {target}")))
}

/// Stores the inspect response of an object. Equal objects are stored as the same text.
fn keep(machine: &mut Machine, kind: &str, name: &str, mut value: Json) {
    value.sort_all_objects();
    machine.put_fact(format!("{kind} {name}"), value.to_string());
}

/// Returns an id that equal objects share, because nothing is random in the model.
fn id(name: &str) -> String {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!("{:064x}", hasher.finish())
}

/// Returns the map in the request, or an empty one.
fn map_of(value: &Json) -> Json {
    if value.is_object() { value.clone() } else { json!({}) }
}
