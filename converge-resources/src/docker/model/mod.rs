//! A small Docker engine on the model host: it speaks the API over the engine's socket, and keeps what it has. What it knows is facts of
//! the machine, so that a crash is what it is there too.
//!
//! | fact | value |
//! | --- | --- |
//! | `image NAME:TAG` | what an inspect of the image says |
//! | `network NAME` | what an inspect of the network says |
//! | `volume NAME` | what an inspect of the volume says |
//! | `container NAME` | what an inspect of the container says |
//!
//! Everything that is pulled exists, unless its name begins with `nowhere`. What is started runs until it is stopped. Folders of the machine
//! that are bound are not made. That real engines answer like this is held by the stories of `tests/tests/hosts`.

mod containers;
mod images;
mod networks;
mod request;
mod volumes;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use converge_core::system::{Address, HttpReply, Machine, Method, ModelSystem};
use serde_json::{Value as Json, json};

use request::Request;

/// Where the engine is in the model.
const BASE: &str = "http://docker.test/";

/// What the engine says, or the status and the words with which it refuses.
type Said = Result<HttpReply, (u16, String)>;

/// A machine with an engine that has the networks that each engine has, and nothing else.
pub(super) fn engine() -> ModelSystem {
    let socket = Address::Unix("/var/run/docker.sock".into());
    ModelSystem::new()
        .with_http_listener(socket, BASE)
        .with_service(BASE, |call, machine| {
            let request = Request::of(call, BASE)?;
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

/// As [`engine`], after these images were pulled: each as `NAME:TAG`.
pub(super) fn with_images(images: &[&str]) -> ModelSystem {
    engine().with(|machine| images.iter().for_each(|image| images::add(machine, image)))
}

/// As [`with_images`], with the containers `db` and `store` and the networks `front` and `back`.
pub(super) fn with_neighbours(images: &[&str]) -> ModelSystem {
    with_images(images).with(|machine| {
        images::add(machine, "neighbour:1");
        for name in ["front", "back"] {
            networks::add(machine, name, &json!({}));
        }
        for name in ["db", "store"] {
            let made = containers::create(machine, name, &json!({ "Image": "neighbour:1" }));
            assert!(made.is_ok(), "{made:?}");
        }
    })
}

/// `None` to what nobody asks for.
fn answer(request: &Request, machine: &mut Machine) -> Option<Said> {
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

/// A thing of this kind by its name or id: its name, and what is said of it.
fn find(machine: &Machine, kind: &str, wanted: &str) -> Option<(String, Json)> {
    machine.facts().find_map(|(fact, value)| {
        let name = fact.strip_prefix(kind)?.strip_prefix(' ')?;
        let value: Json = serde_json::from_str(value).ok()?;
        let is_it = name == wanted || value["Id"] == wanted;
        is_it.then(|| (name.to_owned(), value))
    })
}

/// As [`find`]; the engine says that there is no such thing.
fn find_or_refuse(machine: &Machine, kind: &str, wanted: &str) -> Result<(String, Json), (u16, String)> {
    find(machine, kind, wanted).ok_or_else(|| (404, format!("No such {kind}: {wanted}")))
}

/// Keeps what is said of a thing. Equal things are kept as the same text.
fn keep(machine: &mut Machine, kind: &str, name: &str, mut value: Json) {
    value.sort_all_objects();
    machine.put_fact(format!("{kind} {name}"), value.to_string());
}

/// An id that equal things share, as nothing is random in the model.
fn id(of: &str) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:064x}", hasher.finish())
}

/// What was asked for, or an empty map for what was not.
fn map_of(value: &Json) -> Json {
    if value.is_object() { value.clone() } else { json!({}) }
}
