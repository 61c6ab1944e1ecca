use std::sync::Arc;

use bollard::models::{
    ContainerConfig, ContainerInspectResponse, EndpointSettings, HostConfig, ImageConfig, NetworkSettings,
};
use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::schema::Fields;
use converge_sdk::system::{Command, ModelSystem, System};

use super::ContainerPreparer;
use super::compare::{Actual, differences};
use super::make;
use super::spec::Spec;
use crate::docker::model;
use crate::testing::{Written, context, plan, plan_pending, prepare, started_elsewhere};

const OLD: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
const NEW: &str = "sha256:2222222222222222222222222222222222222222222222222222222222222222";

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| Value::from(*item)).collect())
}

fn map(items: &[(&str, Value)]) -> Value {
    Value::Map(items.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "the models of the engine have options")]
fn strings(items: &[&str]) -> Option<Vec<String>> {
    Some(items.iter().map(|item| (*item).to_owned()).collect())
}

/// Returns a container `web` of the image `app:1` with these fields.
fn spec(all_fields: Written<'_>) -> Spec {
    let block = ContainerPreparer::block();
    let fields = [("name", Value::from("web")), ("image", Value::from("app:1"))];
    let fields = fields.iter().filter(|(name, _)| all_fields.iter().all(|(field, _)| field != name));
    let fields = fields.chain(all_fields).map(|(name, value)| ((*name).to_owned(), value.clone()));
    let preparer = ContainerPreparer::from_fields(Fields::from_map(&block, fields)).unwrap();
    preparer.spec()
}

fn image() -> ImageConfig {
    ImageConfig {
        entrypoint: strings(&["/entry"]),
        cmd: strings(&["serve"]),
        env: strings(&["PATH=/bin", "MODE=image"]),
        exposed_ports: strings(&["80/tcp"]),
        working_dir: Some("/srv".to_owned()),
        volumes: strings(&["/var/lib/app"]),
        ..ImageConfig::default()
    }
}

/// Returns the inspect response of a container that was created from the image with nothing else.
///
/// The configuration of such a container includes that of the image.
fn actual() -> Actual {
    let image = image();
    let config = ContainerConfig {
        image: Some("app:1".to_owned()),
        entrypoint: image.entrypoint.clone(),
        cmd: image.cmd.clone(),
        env: image.env.clone(),
        exposed_ports: image.exposed_ports.clone(),
        working_dir: image.working_dir.clone(),
        volumes: image.volumes.clone(),
        ..ContainerConfig::default()
    };
    let networks = [("bridge".to_owned(), EndpointSettings::default())].into();
    let container = ContainerInspectResponse {
        image: Some(OLD.to_owned()),
        config: Some(config),
        host_config: Some(HostConfig { network_mode: Some("default".to_owned()), ..HostConfig::default() }),
        network_settings: Some(NetworkSettings { networks: Some(networks), ..NetworkSettings::default() }),
        ..ContainerInspectResponse::default()
    };
    Actual { container, image, named_image: Some(OLD.to_owned()), shared: None }
}

/// Returns the differences that a plan would show.
fn shown(spec: &Spec, actual: &Actual) -> String {
    let mut status = Status::new();
    differences(spec, actual).report(&mut status);
    let diffs = status.diffs();
    let lines = diffs.iter().map(|(name, diff)| format!("{name}: {} => {}", diff.before(), diff.after()));
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(fields: Written<'_>, change: impl FnOnce(&mut ContainerConfig, &mut HostConfig), expect: &str) {
    let mut actual = actual();
    let container = &mut actual.container;
    change(container.config.as_mut().unwrap(), container.host_config.as_mut().unwrap());
    assert_eq!(shown(&spec(fields), &actual), expect, "{fields:?}");
}

#[test]
fn what_the_image_sets_is_no_difference() {
    check(&[], |_, _| {}, "");
    check(&[("working_dir", "/srv/".into())], |_, _| {}, "");
    check(&[("expose", list(&["80"]))], |_, _| {}, "");
    check(&[("volumes", list(&["/var/lib/app"]))], |_, _| {}, "");
    check(&[("env", map(&[("MODE", "image".into())]))], |_, _| {}, "");
}

#[test]
fn programs() {
    let runs = |entrypoint: &'static [&'static str], command: &'static [&'static str]| {
        move |config: &mut ContainerConfig, _: &mut HostConfig| {
            (config.entrypoint, config.cmd) = (strings(entrypoint), strings(command));
        }
    };
    check(&[("command", list(&["serve", "-v"]))], |_, _| {}, "command: serve => serve -v");
    check(&[("command", list(&["serve", "-v"]))], runs(&["/entry"], &["serve", "-v"]), "");
    check(&[], runs(&["/entry"], &["serve", "-v"]), "command: serve -v => serve");
    check(
        &[("entrypoint", list(&["/other"]))],
        |_, _| {},
        "entrypoint: /entry => /other\ncommand: serve => (none)",
    );
    check(&[("entrypoint", list(&["/other"]))], runs(&["/other"], &[]), "");
    check(&[("entrypoint", list(&[""])), ("command", list(&["sh"]))], runs(&[], &["sh"]), "");
    let secret = Value::from("hunter2").into_secret();
    check(
        &[("command", Value::List(vec!["login".into(), secret]))],
        |_, _| {},
        "command: (sensitive) => (sensitive)",
    );
    check(&[("working_dir", "/other".into())], |_, _| {}, "working_dir: /srv => /other");
}

#[test]
fn environments() {
    let has_environment = |extra: &'static [&'static str]| {
        move |config: &mut ContainerConfig, _: &mut HostConfig| {
            config.env = strings(&[&["PATH=/bin", "MODE=image"], extra].concat());
        }
    };
    let declared = |name: &'static str, value: Value| [("env", map(&[(name, value)]))];
    check(&declared("A", "1".into()), |_, _| {}, "env.A: (none) => 1");
    check(&declared("A", "1".into()), has_environment(&["A=1"]), "");
    check(&declared("A", "1=2".into()), has_environment(&["A=1=2"]), "");
    check(&declared("MODE", "mine".into()), |_, _| {}, "env.MODE: image => mine");
    // A value that a module declared before may have been secret.
    check(&[], has_environment(&["A=hunter2"]), "env.A: (set) => (none)");
    let secret = || Value::from("hunter2").into_secret();
    check(&declared("A", secret()), has_environment(&["A=hunter1"]), "env.A: (sensitive) => (sensitive)");
    check(&declared("A", secret()), has_environment(&["A=hunter2"]), "");
}

#[test]
fn published_and_exposed_ports() {
    let binding = |ip: &str, port: &str| bollard::models::PortBinding {
        host_ip: Some(ip.to_owned()),
        host_port: Some(port.to_owned()),
    };
    let publishes = |port: &'static str, ip: &'static str, host: &'static str| {
        move |_: &mut ContainerConfig, config: &mut HostConfig| {
            config.port_bindings = Some([(port.to_owned(), Some(vec![binding(ip, host)]))].into());
        }
    };
    let declared = |port: &'static str| [("ports", list(&[port]))];
    check(&declared("8080:80"), |_, _| {}, "ports: (none) => 8080:80/tcp");
    check(&declared("8080:80"), publishes("80/tcp", "", "8080"), "");
    check(&declared("8080:80"), publishes("80/tcp", "", "8081"), "ports: 8081:80/tcp => 8080:80/tcp");
    check(
        &declared("127.0.0.1:8080:80"),
        publishes("80/tcp", "", "8080"),
        "ports: 8080:80/tcp => 127.0.0.1:8080:80/tcp",
    );
    check(&declared("127.0.0.1:53:53/udp"), publishes("53/udp", "127.0.0.1", "53"), "");
    check(&declared("[::1]:8080:80"), publishes("80/tcp", "::1", "8080"), "");
    check(&declared("80"), publishes("80/tcp", "", ""), "");
    check(&declared("80"), publishes("80/tcp", "", "0"), "");
    check(&declared("127.0.0.1::80"), publishes("80/tcp", "127.0.0.1", ""), "");
    check(&[], publishes("80/tcp", "", "8080"), "ports: 8080:80/tcp => (none)");
    check(&[], publishes("80/tcp", "", "8080-8090"), "ports: 8080-8090:80/tcp => (none)");

    let exposes = |ports: &'static [&'static str]| {
        move |config: &mut ContainerConfig, _: &mut HostConfig| config.exposed_ports = strings(ports)
    };
    check(&[("expose", list(&["53/udp"]))], |_, _| {}, "expose: (none) => 53/udp");
    check(&[("expose", list(&["53/udp"]))], exposes(&["80/tcp", "53/udp"]), "");
    check(&[], exposes(&["80/tcp", "53/udp"]), "expose: 53/udp => (none)");
    // `docker run --publish` also exposes the port.
    let run = |config: &mut ContainerConfig, host: &mut HostConfig| {
        publishes("81/tcp", "", "8081")(config, host);
        exposes(&["80/tcp", "81/tcp"])(config, host);
    };
    check(&declared("8081:81"), run, "");
    check(&[("publish_all_ports", true.into())], |_, _| {}, "publish_all_ports: false => true");
}

#[test]
fn volumes() {
    let binds = |binds: &'static [&'static str]| {
        move |_: &mut ContainerConfig, host: &mut HostConfig| host.binds = strings(binds)
    };
    let declared = [("volumes", list(&["/srv/www:/www:ro", "data:/data", "/cache"]))];
    check(&declared, |_, _| {}, "volumes: (none) => /cache, /srv/www:/www:ro, data:/data");
    let expect_volumes = |config: &mut ContainerConfig, host: &mut HostConfig| {
        binds(&["data:/data:rw", "/srv/www/:/www:ro"])(config, host);
        config.volumes = strings(&["/var/lib/app", "/cache"]);
    };
    check(&declared, expect_volumes, "");
    check(&[], expect_volumes, "volumes: /cache, /srv/www:/www:ro, data:/data => (none)");
    // The original Converge also declared bound directories as volumes of the configuration.
    let original = |config: &mut ContainerConfig, host: &mut HostConfig| {
        binds(&["data:/data"])(config, host);
        config.volumes = strings(&["/var/lib/app", "/data"]);
    };
    check(&[("volumes", list(&["data:/data"]))], original, "");
    let from = |_: &mut ContainerConfig, host: &mut HostConfig| host.volumes_from = strings(&["store:rw"]);
    check(&[("volumes_from", list(&["store"]))], from, "");
    check(&[("volumes_from", list(&["store:ro"]))], from, "volumes_from: store => store:ro");
}

#[test]
fn images() {
    let check = |name: &str, named_image: Option<&str>, expect: &str| {
        let mut actual = actual();
        actual.named_image = named_image.map(str::to_owned);
        assert_eq!(shown(&spec(&[("image", name.into())]), &actual), expect);
    };
    check("app:1", Some(OLD), "");
    // This is another name for the same image.
    check("app:stable", Some(OLD), "");
    check("app:1", Some(NEW), "image: app:1 (111111111111) => app:1 (222222222222)");
    check("app:2", Some(NEW), "image: app:1 (111111111111) => app:2 (222222222222)");
    check("app:1", None, "");
    check("app:2", None, "image: app:1 (111111111111) => app:2");
}

#[test]
fn networks_and_links() {
    let check =
        |written: Written<'_>, mode: &str, attached: &[(&str, &[&str])], links: &[&str], expect: &str| {
            let mut actual = actual();
            actual.shared = Some("ffffffffffffffff".to_owned());
            let host = actual.container.host_config.as_mut().unwrap();
            host.network_mode = Some(mode.to_owned());
            host.links = strings(links);
            let endpoint =
                |links: &[&str]| EndpointSettings { links: strings(links), ..EndpointSettings::default() };
            let networks =
                attached.iter().map(|(name, links)| ((*name).to_owned(), endpoint(links))).collect();
            actual.container.network_settings.as_mut().unwrap().networks = Some(networks);
            assert_eq!(shown(&spec(written), &actual), expect, "{written:?} {mode}");
        };
    let on_bridge: &[(&str, &[&str])] = &[("bridge", &[])];
    check(&[], "bridge", on_bridge, &[], "");
    check(&[("network_mode", "default".into())], "bridge", on_bridge, &[], "");
    check(&[("network_mode", "host".into())], "host", &[("host", &[])], &[], "");
    check(&[("network_mode", "host".into())], "default", on_bridge, &[], "network_mode: bridge => host");
    check(&[("network_mode", "container:db".into())], "container:ffffffffffffffff", &[], &[], "");
    check(
        &[("network_mode", "container:db".into())],
        "container:eeeeeeeeeeeeeeee",
        &[],
        &[],
        "network_mode: container:eeeeeeeeeeee => container:db",
    );
    let two = [("networks", list(&["b", "a"]))];
    check(&two, "b", &[("a", &[]), ("b", &[])], &[], "");
    check(&two, "a", &[("a", &[]), ("b", &[])], &[], "");
    check(&two, "b", &[("b", &[])], &[], "networks: b => a, b");
    check(&two, "default", on_bridge, &[], "network_mode: bridge => b\nnetworks: bridge => a, b");
    check(&[], "default", &[("bridge", &[]), ("a", &[])], &[], "networks: a, bridge => bridge");
    let mode_and_networks = [("network_mode", "bridge".into()), ("networks", list(&["a"]))];
    check(&mode_and_networks, "default", &[("bridge", &[]), ("a", &[])], &[], "");
    let linked = [("links", list(&["db:database", "cache"]))];
    check(&linked, "default", on_bridge, &["/db:/web/database", "/cache:/web/cache"], "");
    check(&linked, "default", on_bridge, &["/db:/web/db"], "links: db:db => cache:cache, db:database");
    let linked = [("links", list(&["db:database"])), ("networks", list(&["a"]))];
    check(&linked, "a", &[("a", &["db:database"])], &[], "");
}

#[test]
fn the_order_of_name_servers_counts() {
    let dns = |_: &mut ContainerConfig, host: &mut HostConfig| host.dns = strings(&["10.0.0.1", "10.0.0.2"]);
    check(&[("dns", list(&["10.0.0.1", "10.0.0.2"]))], dns, "");
    check(&[("dns", list(&["10.0.0.2", "10.0.0.1"]))], dns, "dns: 10.0.0.1, 10.0.0.2 => 10.0.0.2, 10.0.0.1");
}

#[test]
fn requests() {
    let check = |written: Written<'_>, expect: serde_json::Value| {
        let request = serde_json::to_value(make::request(&spec(written))).unwrap();
        let expect = expect.as_object().unwrap();
        for (name, value) in expect {
            let (actual, section) = match request.get(name) {
                Some(actual) => (actual, "request"),
                None => (&request["HostConfig"][name], "HostConfig"),
            };
            assert_eq!(actual, value, "{name} in {section}: {request:#}");
        }
    };
    check(
        &[],
        serde_json::json!({"Image": "app:1", "Env": [], "NetworkMode": "bridge", "PublishAllPorts": false}),
    );
    let secret = Value::from("hunter2").into_secret();
    check(
        &[("env", map(&[("A", "1".into()), ("B", secret)])), ("command", list(&["serve", "-v"]))],
        serde_json::json!({"Env": ["A=1", "B=hunter2"], "Cmd": ["serve", "-v"]}),
    );
    check(
        &[("ports", list(&["127.0.0.1:8080:80", "53/udp"])), ("expose", list(&["90"]))],
        serde_json::json!({
            "ExposedPorts": {"90/tcp": {}, "80/tcp": {}, "53/udp": {}},
            "PortBindings": {
                "80/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8080"}],
                "53/udp": [{"HostPort": ""}],
            },
        }),
    );
    check(
        &[("volumes", list(&["/srv:/www:ro", "/cache"])), ("volumes_from", list(&["store:ro"]))],
        serde_json::json!({"Binds": ["/srv:/www:ro"], "Volumes": {"/cache": {}}, "VolumesFrom": ["store:ro"]}),
    );
    check(
        &[("links", list(&["db"])), ("dns", list(&["10.0.0.1"]))],
        serde_json::json!({"Links": ["db:db"], "Dns": ["10.0.0.1"]}),
    );
    check(
        &[("links", list(&["db"])), ("networks", list(&["a", "b"]))],
        serde_json::json!({
            "NetworkMode": "a",
            "NetworkingConfig": {"EndpointsConfig": {"a": {"Links": ["db:db"]}}},
        }),
    );
}

#[tokio::test]
async fn mistakes_in_fields() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let check = async |name: &'static str, value: Value, expect: &str| {
        let mut fields = vec![("name", Value::from("web")), ("image", Value::from("app"))];
        fields.retain(|(field, _)| *field != name);
        fields.push((name, value));
        let output = plan::<ContainerPreparer>(&system, &fields).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{name}: {output}");
    };
    check("name", "a/b".into(), "name: \"a/b\" is not the name of a container").await;
    check("name", "..".into(), "name: \"..\" is not the name of a container").await;
    check("image", "A B".into(), "image: \"A B\" is not the name of an image").await;
    check("working_dir", "srv".into(), "working_dir: \"srv\" is not an absolute path").await;
    check("ports", list(&["80", "http"]), "ports[1]: \"http\" is not a published port").await;
    check("expose", list(&["http"]), "expose[0]: \"http\" is not a port of a container").await;
    check("links", list(&["a:b:c"]), "links[0]: \"a:b:c\" is not a link").await;
    check("volumes", list(&["data"]), "volumes[0]: \"data\" is not a volume").await;
    check("volumes_from", list(&["a:b"]), "volumes_from[0]: \"a:b\" is not a container with volumes").await;
    check("dns", list(&["dns.local"]), "dns[0]: \"dns.local\" is not an IP address").await;
    check("networks", list(&["a b"]), "networks[0]: \"a b\" is not the name of a network").await;
    check("network_mode", "a b".into(), "network_mode: \"a b\" is not a network mode").await;
    check("env", map(&[("A=B", "c".into())]), "env.A=B: \"A=B\" is not the name of a variable").await;
    check("status", "stopped".into(), "status: \"stopped\" is not one of running, created").await;
}

#[tokio::test]
async fn networks_of_a_mode_that_has_none() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields = [
        ("name", Value::from("web")),
        ("image", Value::from("app")),
        ("network_mode", Value::from("host")),
        ("networks", list(&["a"])),
        ("links", list(&["db"])),
    ];
    assert_eq!(
        plan::<ContainerPreparer>(&system, &fields).await,
        "error: networks: with the network mode `host` a container is attached to no network; \
         links: with the network mode `host` a container has no links"
    );
}

#[tokio::test]
async fn without_an_engine() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields = [("name", Value::from("web")), ("image", Value::from("app"))];
    let alone = plan::<ContainerPreparer>(&system, &fields).await;
    assert!(alone.starts_with("error: no Docker engine can be reached at /var/run/docker.sock"), "{alone}");
    let pending = plan_pending::<ContainerPreparer>(&system, &fields).await;
    assert!(pending.starts_with("may change\n# no Docker engine can be reached"), "{pending}");
}

#[tokio::test]
async fn exports_are_as_declared() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let fields = [
        ("name", Value::from("web")),
        ("image", Value::from("app")),
        ("env", map(&[("A", Value::from(1)), ("B", Value::from("hunter2").into_secret())])),
        ("ports", list(&["8080:80"])),
        ("links", list(&["db"])),
        ("networks", list(&["a"])),
    ];
    let exports = prepare::<ContainerPreparer>(&cx, &fields).await.unwrap().exports();
    let check = |name: &str, expect: Value| assert_eq!(exports.get(&[name]), Some(&expect), "{name}");
    check("name", "web".into());
    check("env", Value::List(vec!["A=1".into(), Value::from("B=hunter2").into_secret()]));
    check("portbindings", list(&["8080:80/tcp"]));
    check("links", list(&["db:db"]));
    check("networkmode", "a".into());
    check("status", "running".into());
    check("force", false.into());
}

#[tokio::test]
async fn the_run_learns_what_a_container_is_started_with() {
    let fields: Written<'_> = &[
        ("name", "web".into()),
        ("image", "app:1".into()),
        ("entrypoint", list(&["serve"])),
        ("command", Value::List(vec!["--password".into(), Value::from("hunter2").into_secret()])),
    ];
    let expect = Command::new("container web").args(["serve", "--password", "hunter2"]);
    let started = Box::pin(started_elsewhere::<ContainerPreparer>(ModelSystem::new(), fields)).await;
    assert_eq!(started, [expect]);
}

laws!(
    ContainerPreparer,
    start = || model::with_neighbours(&["app:1", "app:2"]),
    values = ("name", ["web", "job"]),
    values = ("image", ["app:1", "app:2"]),
    values = ("entrypoint", [list(&[]), list(&["serve", "--fast"]), list(&[""])]),
    values = ("command", [list(&[]), list(&["now"])]),
    values = ("working_dir", ["/var/www"]),
    values = ("env", [map(&[]), map(&[("GREETING", "hello".into())])]),
    values = ("expose", [list(&[]), list(&["90", "53/udp"])]),
    values = ("links", [list(&[]), list(&["db"]), list(&["db:database"])]),
    values = ("ports", [list(&[]), list(&["8080:80", "127.0.0.1::90"])]),
    values = ("dns", [list(&[]), list(&["10.0.0.1"])]),
    values = ("network_mode", ["host", "none", "container:db"]),
    values = ("networks", [list(&[]), list(&["back"]), list(&["front", "back"])]),
    values = ("volumes", [list(&[]), list(&["/srv:/www:ro", "data:/data", "/cache"])]),
    values = ("volumes_from", [list(&[]), list(&["store:ro"])]),
    beside = ("volume ", "the engine makes the volumes that containers name"),
);
