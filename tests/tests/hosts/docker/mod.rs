//! Tests of `docker.*` with the engine of this machine.
//!
//! Objects in it are removed with the host of the test.

mod objects;
mod poll_time;
mod pull;

use std::io::{Read, Write};
use std::net::TcpStream;

use converge_tests::docker::{docker, shell};
use converge_tests::host::registry::{PASSWORD, USER};
use converge_tests::host::{Host, Registry};

/// Stores the credentials for a registry in the host, as `docker login` does.
fn log_in(host: &Host, registry: &str, password: &str) {
    host.put("/root/.docker/config.json", credentials(host, registry, password));
}

/// Returns the file that `docker login` writes.
fn credentials(host: &Host, registry: &str, password: &str) -> String {
    let auth = host.ok(&format!("printf %s '{USER}:{password}' | base64")).stdout;
    format!(r#"{{"auths": {{"{registry}": {{"auth": "{}"}}}}}}"#, auth.trim())
}

/// Creates an image in the engine: a web server with this single page.
fn image(host: &Host, name: &str, page: &str) {
    let script = r#"
        docker exec "$1" sh -c '
            mkdir -p /web/bin /web/www
            cp /bin/busybox /web/bin
            for command in cat env httpd sh sleep wget; do ln -sf busybox "/web/bin/$command"; done
            echo "$1" > /web/www/index.html
            tar -C /web -c .' sh "$2" |
        docker import --change 'EXPOSE 80' --change 'ENV MODE=image' \
            --change 'CMD ["/bin/sh", "-c", "trap exit TERM INT; httpd -f -p 80 -h /www & wait"]' - "$3"
    "#;
    shell("docker import", script, &[host.container(), page, name]).unwrap();
}

/// Returns one value from `docker inspect`.
fn inspect(name: &str, template: &str) -> String {
    docker(&["inspect", "--format", template, name]).unwrap()
}

/// Returns the page of a web server in a container that publishes port 80.
fn page(container: &str) -> String {
    let address = docker(&["port", container, "80/tcp"]).unwrap();
    loop {
        // The port is open before the server listens.
        let Ok(mut stream) = TcpStream::connect(&address) else { continue };
        let mut answer = String::new();
        let result = stream.write_all(b"GET / HTTP/1.0\r\n\r\n");
        if result.and_then(|()| stream.read_to_string(&mut answer)).is_ok() && !answer.is_empty() {
            return answer.lines().last().unwrap_or_default().to_owned();
        }
    }
}

/// Returns a difference in the form of [`Said::differences`](converge_tests::Said::differences).
fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn without_an_engine() {
    const MODULE: &str = "docker.volume \"data\" {\n  name = \"data\"\n}\n";
    let Some(host) = Host::plain("without_an_engine") else { return };
    let absent = host.converge("plan", MODULE, &[]).failure("docker.volume.data");
    assert!(
        absent.contains(
            "no Docker engine can be reached at /var/run/docker.sock: it does not exist; install one"
        ),
        "{absent}"
    );

    // An earlier resource may install the engine.
    let pending = "task \"install\" {\n  check = \"test -e /installed\"\n  apply = \"touch /installed\"\n}\n\n\
        docker.volume \"data\" {\n  name    = \"data\"\n  depends = [\"task.install\"]\n}\n";
    let plan = host.converge("plan", pending, &[]).success();
    assert_eq!(plan.with_outcome("may-change"), ["docker.volume.data"], "{}", plan.everything());

    // A socket without a listener, as of an engine that is down.
    host.put("/srv/module.hcl", MODULE);
    let refused = host.run("DOCKER_HOST=tcp://127.0.0.1:1 converge plan --format json /srv/module.hcl");
    let refused = refused.failure("docker.volume.data");
    assert!(refused.contains("127.0.0.1:1: connection refused; start it"), "{refused}");
}

#[test]
fn an_engine_that_one_may_not_use() {
    let Some(host) = Host::with_docker("an_engine_that_one_may_not_use") else { return };
    host.ok("useradd --create-home keeper");
    host.put("/srv/module.hcl", "docker.volume \"data\" {\n  name = \"data\"\n}\n");
    let denied = host.run("su keeper -c 'converge plan --format json /srv/module.hcl'");
    let denied = denied.failure("docker.volume.data");
    assert!(denied.contains("permission denied; run this as root, or as a member of the group"), "{denied}");
}

#[test]
fn the_examples() {
    let name = "the_examples_of_docker";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:latest"), "hello");
    log_in(&host, registry.address(), PASSWORD);
    let of_image = ["-p", &format!("registry={}", registry.address()), "-p", &format!("image={app}")];
    let name_argument = ["-p", &format!("name={}", host.name("example"))];
    let example = |of: &str| {
        let path = format!("converge-resources/src/docker/{of}/example.hcl");
        std::fs::read_to_string(converge_tests::root().join(path)).unwrap()
    };
    host.story(&example("image"), &of_image);
    docker(&["rmi", &format!("{}/{app}:latest", registry.address())]).unwrap();
    host.story(&example("container"), &[of_image, ["-p", name_argument[1], "-p", "tag=latest"]].concat());
    host.story(&example("network"), &name_argument);
    host.story(&example("volume"), &name_argument);
}
