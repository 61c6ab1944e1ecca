//! `docker.*` with the engine of this machine. What is made in it ends with the host of the test.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use converge_tests::docker::{docker, shell};
use converge_tests::host::registry::{PASSWORD, USER};
use converge_tests::host::{Host, Registry};

/// The credentials for a registry, where `docker login` would put them in the host.
fn log_in(host: &Host, registry: &str, password: &str) {
    let auth = host.ok(&format!("printf %s '{USER}:{password}' | base64")).stdout;
    let config = format!(r#"{{"auths": {{"{registry}": {{"auth": "{}"}}}}}}"#, auth.trim());
    host.put("/root/.docker/config.json", config);
}

/// Makes an image in the engine: a web server whose one page is this.
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

/// One line of what `docker inspect` says.
fn inspect(name: &str, template: &str) -> String {
    docker(&["inspect", "--format", template, name]).unwrap()
}

/// The page of a web server in a container whose port 80 is published.
fn page(container: &str) -> String {
    let address = docker(&["port", container, "80/tcp"]).unwrap();
    loop {
        // The port is open before the server is.
        let Ok(mut stream) = TcpStream::connect(&address) else { continue };
        let mut answer = String::new();
        let asked = stream.write_all(b"GET / HTTP/1.0\r\n\r\n");
        if asked.and_then(|()| stream.read_to_string(&mut answer)).is_ok() && !answer.is_empty() {
            return answer.lines().last().unwrap_or_default().to_owned();
        }
    }
}

const IMAGE: &str = r#"
param "name" {}

docker.image "app" {
  name               = param.name
  tag                = "1"
  inactivity_timeout = "3s"
}
"#;

#[test]
fn an_image_comes_from_a_private_registry() {
    let name = "an_image_comes_from_a_private_registry";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    let image = format!("{}/{app}", registry.address());
    let arguments = ["-p", &format!("name={image}")];

    let none = host.converge("apply", IMAGE, &arguments).failure("docker.image.app");
    assert!(none.contains("no basic auth credentials"), "{none}");
    assert!(
        none.contains("was asked without credentials, as /root/.docker/config.json has none for it"),
        "{none}"
    );

    log_in(&host, registry.address(), "wrong");
    let wrong = host.converge("apply", IMAGE, &arguments);
    let failure = wrong.failure("docker.image.app");
    assert!(
        failure.contains("was asked with the credentials of \"keeper\" from /root/.docker/config.json"),
        "{failure}"
    );

    log_in(&host, registry.address(), PASSWORD);
    let story = host.story(IMAGE, &arguments);
    let differences = story.plan.differences("docker.image.app");
    assert_eq!(differences, [("image".to_owned(), "absent".to_owned(), "present".to_owned())]);
    let messages = story.apply.report("docker.image.app")["messages"].to_string();
    assert!(messages.contains("Digest: sha256:"), "{messages}");
    assert!(!story.apply.everything().contains(PASSWORD));

    // By its digest it is the same image.
    let digest = inspect(&format!("{image}:1"), "{{index .RepoDigests 0}}");
    let module = format!("docker.image \"app\" {{ name = \"{digest}\" }}\n");
    host.nothing_to_do(&module, &[]);
    docker(&["rmi", "--force", &format!("{image}:1")]).unwrap();
    host.story(&module, &[]);
    docker(&["rmi", "--force", &digest]).unwrap();

    let missing = IMAGE.replace("\"1\"", "\"2\"");
    let failure = host.converge("apply", &missing, &arguments).failure("docker.image.app");
    assert!(failure.contains("manifest unknown"), "{failure}");
    assert!(failure.contains("has no such name or tag"), "{failure}");
}

#[test]
fn a_helper_keeps_the_credentials() {
    let name = "a_helper_keeps_the_credentials";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    host.put(
        "/root/.docker/config.json",
        format!(r#"{{"credHelpers": {{"{}": "test"}}}}"#, registry.address()),
    );
    let arguments = ["-p", &format!("name={}/{app}", registry.address())];

    let failure = host.converge("apply", IMAGE, &arguments).failure("docker.image.app");
    assert!(failure.contains("names the helper \"docker-credential-test\""), "{failure}");

    let helper = format!(
        "#!/bin/sh\nread asked\n[ \"$1 $asked\" = 'get {}' ] || exit 1\n\
         echo '{{\"ServerURL\": \"\", \"Username\": \"{USER}\", \"Secret\": \"{PASSWORD}\"}}'\n",
        registry.address()
    );
    host.put("/usr/local/bin/docker-credential-test", helper);
    host.ok("chmod +x /usr/local/bin/docker-credential-test");
    host.story(IMAGE, &arguments);
}

/// Stands between the engine and a registry, and stops in the middle of what the registry sends.
struct Stalling {
    address: String,
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Stalling {
    /// Lets this many bytes through.
    fn before(registry: &str, bytes: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let (registry, gate, passed) =
            (registry.to_owned(), Arc::clone(&open), Arc::new(AtomicUsize::new(0)));
        thread::spawn(move || {
            for engine in listener.incoming() {
                let (Ok(engine), Ok(registry)) = (engine, TcpStream::connect(&registry)) else { continue };
                let (from, to) = (engine.try_clone().unwrap(), registry.try_clone().unwrap());
                thread::spawn(move || pump(from, to, |_| {}));
                let (gate, passed) = (Arc::clone(&gate), Arc::clone(&passed));
                thread::spawn(move || {
                    pump(registry, engine, |count| {
                        if passed.fetch_add(count, Ordering::Relaxed) + count > bytes {
                            let (open, opened) = &*gate;
                            drop(opened.wait_while(open.lock().unwrap(), |open| !*open).unwrap());
                        }
                    });
                });
            }
        });
        Self { address, open }
    }

    /// Lets everything through.
    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

/// Passes on what comes, after `wait` was told how much it is.
fn pump(mut from: TcpStream, mut to: TcpStream, wait: impl Fn(usize)) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        wait(count);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn a_registry_that_stops_in_the_middle_of_a_layer() {
    let name = "a_registry_that_stops";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    let stalling = Stalling::before(registry.address(), 300_000);
    log_in(&host, &stalling.address, PASSWORD);
    let arguments = ["-p", &format!("name={}/{app}", stalling.address)];

    let failure = host.converge("apply", IMAGE, &arguments).failure("docker.image.app");
    assert!(failure.starts_with("gave up the pull of"), "{failure}");
    assert!(failure.contains("after 3s without progress; it stood at layer "), "{failure}");
    assert!(failure.contains(": Downloading, "), "{failure}");
    assert!(docker(&["image", "inspect", &format!("{}/{app}:1", stalling.address)]).is_err());

    stalling.open();
    host.story(IMAGE, &arguments);
}

#[test]
fn a_registry_that_does_not_answer() {
    let name = "a_registry_that_does_not_answer";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    log_in(&host, registry.address(), PASSWORD);
    let arguments = ["-p", &format!("name={}/{app}", registry.address())];

    registry.pause();
    let failure = host.converge("apply", IMAGE, &arguments).failure("docker.image.app");
    assert!(failure.contains("without progress; it stood at the registry had not answered"), "{failure}");
    registry.resume();
    host.story(IMAGE, &arguments);
}

const CONTAINER: &str = r#"
param "name" {}

param "image" {}

param "mode" {
  default   = "one"
  sensitive = true
}

param "force" {
  default = false
}

param "status" {
  default = "running"
}

param "volumes" {
  type    = "list"
  default = []
}

docker.container "web" {
  name    = param.name
  image   = param.image
  env     = { GREETING = "hello", TOKEN = param.mode }
  ports   = ["127.0.0.1::80"]
  volumes = param.volumes
  status  = param.status
  force   = param.force
}
"#;

const WEB: &str = "docker.container.web";

/// A difference, as [`Said::differences`](converge_tests::Said::differences) gives it.
fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn the_life_of_a_container() {
    let Some(host) = Host::with_docker("the_life_of_a_container") else { return };
    let (web, image_name) = (host.name("web"), format!("{}:1", host.name("image")));
    let (name, image_argument) = (format!("name={web}"), format!("image={image_name}"));
    let with = |more: &[&'static str]| -> Vec<String> {
        let more = more.iter().flat_map(|argument| ["-p".to_owned(), (*argument).to_owned()]);
        ["-p", &name, "-p", &image_argument].map(str::to_owned).into_iter().chain(more).collect()
    };
    let story = |more: &[&'static str]| {
        let arguments = with(more);
        host.story(CONTAINER, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = with(more);
        host.converge(command, CONTAINER, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let failure = run("plan", &[]).failure(WEB);
    assert_eq!(failure, format!("image {image_name:?} does not exist"));

    image(&host, &image_name, "hello");
    let made = story(&["mode=s3cret"]);
    assert_eq!(made.plan.differences(WEB), [difference("status", "absent", "running")]);
    assert_eq!(page(&web), "hello");
    assert!(docker(&["exec", &web, "env"]).unwrap().contains("TOKEN=s3cret"));

    // What changed cannot be changed, and says so; neither the old secret nor the new one is shown.
    let id = inspect(&web, "{{.Id}}");
    for command in ["plan", "apply"] {
        let said = run(command, &["mode=hunter2"]);
        assert_eq!(said.code, Some(1), "{}", said.everything());
        assert_eq!(said.differences(WEB), [difference("env.TOKEN", "(sensitive)", "(sensitive)")]);
        let failure = said.failure(WEB);
        assert!(failure.contains("differs in `env.TOKEN`"), "{failure}");
        assert!(failure.contains("with `force = true` it is removed and made anew"), "{failure}");
        assert!(!said.everything().contains("s3cret") && !said.everything().contains("hunter2"));
    }
    assert_eq!(inspect(&web, "{{.Id}}"), id);
    story(&["mode=hunter2", "force=true"]);
    assert_ne!(inspect(&web, "{{.Id}}"), id);
    assert!(docker(&["exec", &web, "env"]).unwrap().contains("TOKEN=hunter2"));

    // What the engine does not accept leaves the old one as it is.
    let id = inspect(&web, "{{.Id}}");
    let refused = run("apply", &["mode=hunter2", "force=true", "volumes=[\"/srv:/\"]"]);
    assert!(refused.failure(WEB).contains("cannot make the container"), "{}", refused.everything());
    assert_eq!(inspect(&web, "{{.Id}} {{.State.Running}}"), format!("{id} true"));

    // By hand.
    docker(&["stop", &web]).unwrap();
    let started = story(&["mode=hunter2"]);
    assert_eq!(started.plan.differences(WEB), [difference("status", "exited", "running")]);
    let messages = started.plan.report(WEB)["messages"].to_string();
    assert!(messages.contains("it ended with exit code"), "{messages}");
    docker(&["pause", &web]).unwrap();
    assert_eq!(story(&["mode=hunter2"]).plan.differences(WEB), [difference("status", "paused", "running")]);
    let stopped = story(&["mode=hunter2", "status=created"]);
    assert_eq!(stopped.plan.differences(WEB), [difference("status", "running", "created")]);
    assert_eq!(inspect(&web, "{{.Id}} {{.State.Running}}"), format!("{id} false"));

    // Another image under the same name. The old one keeps a name by which it is removed.
    docker(&["tag", &image_name, &format!("{}:old", host.name("image"))]).unwrap();
    image(&host, &image_name, "hello again");
    let differences = run("plan", &["mode=hunter2"]).differences(WEB);
    assert!(differences.iter().any(|(name, ..)| name == "image"), "{differences:?}");
    story(&["mode=hunter2", "force=true"]);
    assert_eq!(page(&web), "hello again");
    let left = docker(&["ps", "--all", "--format", "{{.Names}}"]).unwrap();
    assert!(!left.contains(&format!("{web}-converge-new")), "{left}");
}

#[test]
fn a_program_that_does_not_start() {
    let Some(host) = Host::with_docker("a_program_that_does_not_start") else { return };
    let image_name = host.name("image");
    image(&host, &image_name, "");
    let container = |command: &str, secret: bool| {
        format!(
            "param \"program\" {{\n  default   = \"{command}\"\n  sensitive = {secret}\n}}\n\n\
             docker.container \"web\" {{\n  name    = \"{}\"\n  image   = \"{image_name}\"\n  command = [param.program]\n  \
             force   = true\n}}\n",
            host.name("web")
        )
    };
    let shown = host.converge("apply", &container("/bin/nothing-here", false), &[]);
    assert!(shown.failure(WEB).contains("/bin/nothing-here"), "{}", shown.everything());
    let hidden = host.converge("apply", &container("/bin/hunter2", true), &[]);
    assert!(hidden.failure(WEB).contains("what it says is not shown"), "{}", hidden.everything());
    assert!(!hidden.everything().contains("hunter2"), "{}", hidden.everything());
    // One that ends at once does not run.
    let ended = host.converge("apply", &container("/bin/env", false), &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.everything());
}

const TOGETHER: &str = r#"
param "name" {}

param "image" {}

docker.network "back" {
  name     = format("%s-back", param.name)
  internal = true
}

docker.network "front" {
  name = format("%s-front", param.name)
}

docker.volume "data" {
  name = format("%s-data", param.name)
}

docker.container "db" {
  name     = format("%s-db", param.name)
  image    = param.image
  networks = [docker.network.back.name]
  volumes  = [format("%s:/data", docker.volume.data.name), "/cache"]
  force    = true
}

docker.container "old" {
  name    = format("%s-old", param.name)
  image   = param.image
  links   = [format("%s:friend", docker.container.plain.name)]
  dns     = ["192.0.2.1", "192.0.2.2"]
  expose  = ["81", "53/udp"]
  command = ["sh", "-c", "trap exit TERM; sleep 10000 & wait"]
  force   = true
}

docker.container "plain" {
  name  = format("%s-plain", param.name)
  image = param.image
  ports = ["127.0.0.1::80", "127.0.0.1::53/udp"]
  force = true
}

docker.container "web" {
  name              = format("%s-web", param.name)
  image             = param.image
  entrypoint        = ["/bin/sh", "-c"]
  command           = ["trap exit TERM; sleep 10000 & wait"]
  working_dir       = "/tmp"
  networks          = [docker.network.front.name, docker.network.back.name]
  links             = [format("%s:store", docker.container.db.name)]
  volumes_from      = [format("%s:ro", docker.container.db.name)]
  publish_all_ports = true
  force             = true
}

docker.container "beside" {
  name         = format("%s-beside", param.name)
  image        = param.image
  network_mode = format("container:%s", docker.container.plain.name)
  command      = ["sleep", "10000"]
  force        = true
}
"#;

#[test]
fn containers_networks_and_volumes_together() {
    // A short name: it is also that of a host on the network, and those end at 63 letters.
    let Some(host) = Host::with_docker("together") else { return };
    let image_name = host.name("image");
    image(&host, &image_name, "hello");
    let arguments = ["-p", &format!("name={}", host.container()), "-p", &format!("image={image_name}")];
    let story = host.story(TOGETHER, &arguments);
    let messages = story.plan.report(WEB)["messages"].to_string();
    assert!(messages.contains("-front\\\" does not exist yet"), "{messages}");

    assert_eq!(page(&host.name("plain")), "hello");
    let get = |from: &str, whom: &str| {
        docker(&["exec", &host.name(from), "wget", "-q", "-O", "-", &format!("http://{whom}/")]).unwrap()
    };
    assert_eq!(get("web", &host.name("db")), "hello");
    assert_eq!(get("old", "friend"), "hello");
    assert_eq!(get("beside", "127.0.0.1"), "hello");
    docker(&["exec", &host.name("db"), "sh", "-c", "echo kept > /data/file"]).unwrap();
    assert_eq!(docker(&["exec", &host.name("web"), "cat", "/data/file"]).unwrap(), "kept");

    // A container that is made anew keeps what is in its volume, and its name for others.
    let changed = TOGETHER.replace(", \"/cache\"]", "]\n  env      = { A = \"1\" }");
    let said = host.converge("apply", &changed, &arguments).success();
    let differences = said.differences("docker.container.db");
    assert_eq!(differences[0], difference("env.A", "(none)", "1"), "{differences:?}");
    host.nothing_to_do(&changed, &arguments);
    assert_eq!(docker(&["exec", &host.name("db"), "cat", "/data/file"]).unwrap(), "kept");
    assert_eq!(get("web", &host.name("db")), "hello");
}

const NETWORK: &str = r#"
param "name" {}

param "team" {
  default = "web"
}

param "state" {
  default = "present"
}

param "force" {
  default = false
}

docker.network "net" {
  name   = param.name
  labels = { team = param.team }
  state  = param.state
  force  = param.force

  ipam_config {
    subnet        = "10.213.46.0/24"
    gateway       = "10.213.46.1"
    ip_range      = "10.213.46.128/25"
    aux_addresses = { router = "10.213.46.130" }
  }
}
"#;

#[test]
fn the_life_of_a_network() {
    let Some(host) = Host::with_docker("the_life_of_a_network") else { return };
    let (name, web) = (host.name("net"), host.name("web"));
    let argument = format!("name={name}");
    let net = "docker.network.net";
    let with = |more: &[&'static str]| -> Vec<String> {
        let more = more.iter().flat_map(|argument| ["-p", argument]);
        ["-p", &argument].into_iter().chain(more).map(str::to_owned).collect()
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = with(more);
        host.converge(command, NETWORK, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let story = |more: &[&'static str]| {
        let arguments = with(more);
        host.story(NETWORK, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(story(&[]).plan.differences(net), [difference("state", "absent", "present")]);
    assert_eq!(docker(&["network", "inspect", "--format", "{{.Labels.team}}", &name]).unwrap(), "web");

    let changed = run("plan", &["team=db"]);
    assert_eq!(changed.differences(net), [difference("labels.team", "web", "db")]);
    let failure = changed.failure(net);
    assert!(failure.contains("differs in `labels.team`") && failure.contains("`force = true`"), "{failure}");

    // Also a container that never ran needs its network.
    let image_name = host.name("image");
    image(&host, &image_name, "");
    docker(&["create", "--name", &web, "--network", &name, &image_name]).unwrap();
    for more in [&["team=db", "force=true"][..], &["state=absent"]] {
        let failure = run("apply", more).failure(net);
        assert_eq!(
            failure,
            format!("network {name:?} cannot be removed: it is used by the container {web:?}")
        );
    }
    docker(&["rm", &web]).unwrap();
    story(&["team=db", "force=true"]);
    assert_eq!(docker(&["network", "inspect", "--format", "{{.Labels.team}}", &name]).unwrap(), "db");
    assert_eq!(story(&["state=absent"]).plan.differences(net), [difference("state", "present", "absent")]);
    assert!(docker(&["network", "inspect", &name]).is_err());
}

const VOLUME: &str = r#"
param "name" {}

param "size" {
  default = "1m"
}

param "state" {
  default = "present"
}

param "force" {
  default = false
}

docker.volume "data" {
  name    = param.name
  options = { type = "tmpfs", device = "tmpfs", o = format("size=%s", param.size) }
  labels  = { purpose = "test" }
  state   = param.state
  force   = param.force
}
"#;

#[test]
fn the_life_of_a_volume() {
    let Some(host) = Host::with_docker("the_life_of_a_volume") else { return };
    let (name, web) = (host.name("data"), host.name("web"));
    let argument = format!("name={name}");
    let data = "docker.volume.data";
    let with = |more: &[&'static str]| -> Vec<String> {
        let more = more.iter().flat_map(|argument| ["-p", argument]);
        ["-p", &argument].into_iter().chain(more).map(str::to_owned).collect()
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = with(more);
        host.converge(command, VOLUME, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let story = |more: &[&'static str]| {
        let arguments = with(more);
        host.story(VOLUME, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(story(&[]).plan.differences(data), [difference("state", "absent", "present")]);
    assert_eq!(docker(&["volume", "inspect", "--format", "{{.Options.o}}", &name]).unwrap(), "size=1m");

    let failure = run("plan", &["size=2m"]).failure(data);
    assert!(failure.contains("differs in `options.o`"), "{failure}");
    assert!(failure.contains("with `force = true` it is removed with everything in it"), "{failure}");

    let image_name = host.name("image");
    image(&host, &image_name, "");
    docker(&["create", "--name", &web, "--volume", &format!("{name}:/data"), &image_name]).unwrap();
    for more in [&["size=2m", "force=true"][..], &["state=absent"]] {
        let failure = run("apply", more).failure(data);
        assert_eq!(
            failure,
            format!("volume {name:?} cannot be removed: it is used by the container {web:?}")
        );
    }
    docker(&["rm", &web]).unwrap();
    story(&["size=2m", "force=true"]);
    assert_eq!(docker(&["volume", "inspect", "--format", "{{.Options.o}}", &name]).unwrap(), "size=2m");
    story(&["state=absent"]);
    assert!(docker(&["volume", "inspect", &name]).is_err());
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

    // What comes first may install one.
    let pending = "task \"install\" {\n  check = \"test -e /installed\"\n  apply = \"touch /installed\"\n}\n\n\
        docker.volume \"data\" {\n  name    = \"data\"\n  depends = [\"task.install\"]\n}\n";
    let plan = host.converge("plan", pending, &[]).success();
    assert_eq!(plan.with_outcome("may-change"), ["docker.volume.data"], "{}", plan.everything());

    // Nobody listens behind the socket of an engine that is down.
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
fn a_run_that_is_interrupted_ends_the_pull() {
    let name = "a_run_that_is_interrupted";
    let Some(host) = Host::with_docker(name) else { return };
    let Some(registry) = Registry::start(name) else { return };
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    let stalling = Stalling::before(registry.address(), 300_000);
    log_in(&host, &stalling.address, PASSWORD);
    let module = IMAGE.replace("3s", "1h");
    host.put("/srv/module.hcl", module);
    // The second signal cancels. The line that tells of the first progress is the sign that the pull has begun.
    let script = format!(
        "mkfifo /tmp/said\n\
         CONVERGE_LOG=converge_resources=info converge apply -p name={}/{app} /srv/module.hcl >/dev/null 2>/tmp/said &\n\
         apply=$!\n\
         exec 3</tmp/said\n\
         while read line <&3; do case $line in *Downloading*) break;; esac; done\n\
         cat <&3 >/dev/null &\n\
         kill -INT $apply\n\
         while kill -INT $apply 2>/dev/null; do sleep 0.1; done\n\
         wait $apply",
        stalling.address
    );
    let said = host.run(&script);
    assert_eq!(said.code, Some(130), "{}", said.everything());
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
    let named = ["-p", &format!("name={}", host.name("example"))];
    let example = |of: &str| {
        let path = format!("converge-resources/src/docker/{of}/example.hcl");
        std::fs::read_to_string(converge_tests::root().join(path)).unwrap()
    };
    host.story(&example("image"), &of_image);
    docker(&["rmi", &format!("{}/{app}:latest", registry.address())]).unwrap();
    host.story(&example("container"), &[of_image, ["-p", named[1], "-p", "tag=latest"]].concat());
    host.story(&example("network"), &named);
    host.story(&example("volume"), &named);
}
