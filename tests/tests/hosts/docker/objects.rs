//! Tests of containers, networks and volumes, from creation to removal.

use std::thread::sleep;
use std::time::{Duration, Instant};

use converge_tests::docker::docker;
use converge_tests::host::Host;

use super::{difference, image, inspect, page};

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

/// A container with a secret argument.
const TOLD: &str = r#"
param "name" {}

param "image" {}

param "word" {
  sensitive = true
}

docker.container "told" {
  name    = param.name
  image   = param.image
  command = ["serve", "--password", param.word]
  status  = "created"
}
"#;

#[test]
fn a_secret_among_the_arguments_of_a_container_is_warned_of() {
    let Some(host) = Host::with_docker("a_secret_among_the_arguments_of_a_container_is_warned_of") else {
        return;
    };
    let image_name = format!("{}:1", host.name("image"));
    image(&host, &image_name, "hello");
    let (name, image) = (format!("name={}", host.name("told")), format!("image={image_name}"));
    for command in ["plan", "apply"] {
        let output = host.converge(command, TOLD, &["-p", &name, "-p", &image, "-p", "word=hunter2-7f3a"]);
        let report = output.report("docker.container.told");
        let warning = report["warnings"][0].as_str().unwrap_or_default();
        assert!(warning.contains(":10:1: a secret is among the arguments of `container "), "{report}");
        assert!(!output.everything().contains("7f3a"), "{}", output.everything());
    }
}

const WEB: &str = "docker.container.web";

#[test]
fn the_life_of_a_container() {
    let Some(host) = Host::with_docker("the_life_of_a_container") else { return };
    let (web, image_name) = (host.name("web"), format!("{}:1", host.name("image")));
    let (name, image_argument) = (format!("name={web}"), format!("image={image_name}"));
    let arguments_with = |more: &[&'static str]| -> Vec<String> {
        let extra_arguments = more.iter().flat_map(|argument| ["-p".to_owned(), (*argument).to_owned()]);
        ["-p", &name, "-p", &image_argument].map(str::to_owned).into_iter().chain(extra_arguments).collect()
    };
    let story = |more: &[&'static str]| {
        let arguments = arguments_with(more);
        host.story(CONTAINER, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = arguments_with(more);
        host.converge(command, CONTAINER, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let failure = run("plan", &[]).failure(WEB);
    assert_eq!(failure, format!("image {image_name:?} does not exist"));

    image(&host, &image_name, "hello");
    let story_of_creation = story(&["mode=s3cret"]);
    assert_eq!(story_of_creation.plan.differences(WEB), [difference("status", "absent", "running")]);
    assert_eq!(page(&web), "hello");
    assert!(docker(&["exec", &web, "env"]).unwrap().contains("TOKEN=s3cret"));

    // A changed field that requires a replacement is reported; neither the old nor the new secret is shown.
    let id = inspect(&web, "{{.Id}}");
    for command in ["plan", "apply"] {
        let output = run(command, &["mode=hunter2"]);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert_eq!(output.differences(WEB), [difference("env.TOKEN", "(sensitive)", "(sensitive)")]);
        let failure = output.failure(WEB);
        assert!(failure.contains("differs in `env.TOKEN`"), "{failure}");
        assert!(failure.contains("with `force = true` it is removed and created again"), "{failure}");
        assert!(!output.everything().contains("s3cret") && !output.everything().contains("hunter2"));
    }
    assert_eq!(inspect(&web, "{{.Id}}"), id);
    story(&["mode=hunter2", "force=true"]);
    assert_ne!(inspect(&web, "{{.Id}}"), id);
    assert!(docker(&["exec", &web, "env"]).unwrap().contains("TOKEN=hunter2"));

    // If the engine refuses the new container, the old one stays unchanged.
    let id = inspect(&web, "{{.Id}}");
    let refused = run("apply", &["mode=hunter2", "force=true", "volumes=[\"/srv:/\"]"]);
    assert!(refused.failure(WEB).contains("cannot make the container"), "{}", refused.everything());
    assert_eq!(inspect(&web, "{{.Id}} {{.State.Running}}"), format!("{id} true"));

    // A manual change.
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

    // A new image under the same name. The old image gets another name, by which it is removed.
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
    let output = host.converge("apply", &container("/bin/nothing-here", false), &[]);
    assert!(output.failure(WEB).contains("/bin/nothing-here"), "{}", output.everything());
    let hidden = host.converge("apply", &container("/bin/hunter2", true), &[]);
    assert!(hidden.failure(WEB).contains("its output is not shown"), "{}", hidden.everything());
    assert!(!hidden.everything().contains("hunter2"), "{}", hidden.everything());
    // A container that ends at once is not running.
    let ended = host.converge("apply", &container("/bin/env", false), &[]);
    assert!(ended.failure(WEB).contains("it ended with exit code 0"), "{}", ended.everything());
    // Nor is a container that ends a moment later, although a check right after the start still finds it.
    let ended = host.converge(
        "apply",
        &container("/bin/sleep", false).replace("[param.program]", "[param.program, \"0.1\"]"),
        &[],
    );
    assert!(ended.failure(WEB).contains("it ended with exit code 0"), "{}", ended.everything());
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
    // The name is short, because it is also a host name on the network, which is limited to 63 letters.
    let Some(host) = Host::with_docker("together") else { return };
    let image_name = host.name("image");
    image(&host, &image_name, "hello");
    let arguments = ["-p", &format!("name={}", host.container()), "-p", &format!("image={image_name}")];
    let story = host.story(TOGETHER, &arguments);
    let messages = story.plan.report(WEB)["messages"].to_string();
    assert!(messages.contains("-front\\\" does not exist yet"), "{messages}");

    assert_eq!(page(&host.name("plain")), "hello");
    // Neither the server in a container nor its name on the network is available as soon as the container
    // runs.
    let get = |from: &str, whom: &str| {
        let (from, url) = (host.name(from), format!("http://{whom}/"));
        let end = Instant::now() + Duration::from_mins(2);
        loop {
            match docker(&["exec", &from, "wget", "-q", "-O", "-", &url]) {
                Ok(page) => return page,
                Err(error) => assert!(Instant::now() < end, "{error}"),
            }
            sleep(Duration::from_millis(100));
        }
    };
    assert_eq!(get("web", &host.name("db")), "hello");
    assert_eq!(get("old", "friend"), "hello");
    assert_eq!(get("beside", "127.0.0.1"), "hello");
    docker(&["exec", &host.name("db"), "sh", "-c", "echo kept > /data/file"]).unwrap();
    assert_eq!(docker(&["exec", &host.name("web"), "cat", "/data/file"]).unwrap(), "kept");

    // A recreated container keeps the contents of its volume and its name on the network.
    let changed = TOGETHER.replace(", \"/cache\"]", "]\n  env      = { A = \"1\" }");
    let output = host.converge("apply", &changed, &arguments).success();
    let differences = output.differences("docker.container.db");
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
    let arguments_with = |more: &[&'static str]| -> Vec<String> {
        let extra_arguments = more.iter().flat_map(|argument| ["-p", argument]);
        ["-p", &argument].into_iter().chain(extra_arguments).map(str::to_owned).collect()
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = arguments_with(more);
        host.converge(command, NETWORK, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let story = |more: &[&'static str]| {
        let arguments = arguments_with(more);
        host.story(NETWORK, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(story(&[]).plan.differences(net), [difference("state", "absent", "present")]);
    assert_eq!(docker(&["network", "inspect", "--format", "{{.Labels.team}}", &name]).unwrap(), "web");

    let changed = run("plan", &["team=db"]);
    assert_eq!(changed.differences(net), [difference("labels.team", "web", "db")]);
    let failure = changed.failure(net);
    assert!(failure.contains("differs in `labels.team`") && failure.contains("`force = true`"), "{failure}");

    // A container that never ran needs its network too.
    let image_name = host.name("image");
    image(&host, &image_name, "");
    docker(&["create", "--name", &web, "--network", &name, &image_name]).unwrap();
    for params in [&["team=db", "force=true"][..], &["state=absent"]] {
        let failure = run("apply", params).failure(net);
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
    let arguments_with = |more: &[&'static str]| -> Vec<String> {
        let extra_arguments = more.iter().flat_map(|argument| ["-p", argument]);
        ["-p", &argument].into_iter().chain(extra_arguments).map(str::to_owned).collect()
    };
    let run = |command: &str, more: &[&'static str]| {
        let arguments = arguments_with(more);
        host.converge(command, VOLUME, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let story = |more: &[&'static str]| {
        let arguments = arguments_with(more);
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
    for params in [&["size=2m", "force=true"][..], &["state=absent"]] {
        let failure = run("apply", params).failure(data);
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
