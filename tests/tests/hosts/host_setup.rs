//! Tests of the disposable hosts themselves.

use converge_tests::docker::docker;
use converge_tests::host::registry::{PASSWORD, SHARED, USER, WEB};
use converge_tests::host::{Host, Registry};

#[test]
fn a_host_with_systemd_starts_units() {
    let Some(host) = Host::systemd("a_host_with_systemd_starts_units") else { return };
    let unit = "[Service]\nExecStart=/bin/sleep infinity\n\n[Install]\nWantedBy=multi-user.target\n";
    host.put("/etc/systemd/system/idle.service", unit);
    assert!(!host.unit("idle.service").is_active());
    host.ok("systemctl enable --now idle.service");
    assert!(host.unit("idle.service").is_active());
    assert!(host.unit("idle.service").is_enabled());
}

#[test]
fn a_host_ends_with_its_value_and_takes_along_what_it_made_in_the_engine() {
    let name = "a_host_ends_with_its_value";
    let Some(host) = Host::with_docker(name) else { return };
    let volume = host.name("volume");
    docker(&["volume", "create", &volume]).unwrap();
    let container = host.container().to_owned();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _host = host;
        std::panic::resume_unwind(Box::new("a test fails"));
    }));
    assert!(panicked.is_err());
    assert!(docker(&["container", "inspect", &container]).is_err());
    assert!(docker(&["volume", "inspect", &volume]).is_err());
}

#[test]
fn a_registry_asks_for_a_password_and_its_image_is_a_web_server() {
    let name = "a_registry_asks_for_a_password";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    registry.push(&format!("{}:tiny", host.name("web")), "hello");
    let image = format!("{}/{}:tiny", registry.address(), host.name("web"));
    assert!(docker(&["pull", "--quiet", &image]).is_err());

    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().display().to_string();
    let docker_with = |arguments: &[&str]| docker(&[&["--config", &config], arguments].concat()).unwrap();
    docker_with(&["login", "--username", USER, "--password", PASSWORD, registry.address()]);
    docker_with(&["pull", "--quiet", &image]);
    let web = host.name("server");
    docker(&["run", "--detach", "--name", &web, "--network", "converge-test", &image]).unwrap();
    let page = host.eventually(&format!("busybox wget -q -O - http://{web}/"));
    assert_eq!(page.stdout, "hello\n");
    drop(host);
    assert!(docker(&["image", "inspect", &image]).is_err());
}

#[test]
fn the_shared_registry_has_two_versions_of_an_image() {
    let Some(host) = Host::plain("the_shared_registry_has_two_versions") else { return };
    let login = host.ok(&format!("printf {USER}:{PASSWORD} | base64")).stdout;
    let tags = format!("http://{SHARED}:5000/v2/{WEB}/tags/list");
    let wget = format!("busybox wget -q -O - --header 'Authorization: Basic {}' {tags}", login.trim_end());
    // On a busy machine, Docker's name server does not answer at once.
    let tags = host.eventually(&wget);
    // The order of the tags is not defined.
    assert!(["\"1\"", "\"2\""].iter().all(|tag| tags.stdout.contains(tag)), "{}", tags.stdout);
}
