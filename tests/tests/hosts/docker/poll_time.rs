//! Tests that slow requests to the Docker engine do not block other tasks.
//!
//! Polls are measured in this process, so the requests are made in it.

use std::fs;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_tests::host::registry::PASSWORD;
use converge_tests::poll_time;

use super::credentials;
use super::pull::with_an_image;

#[test]
fn nothing_of_docker_takes_long_in_one_piece() {
    let test = "nothing_of_docker_takes_long_in_one_piece";
    let Some((host, registry, app)) = with_an_image(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = credentials(&host, registry.address(), PASSWORD);
    fs::write(folder.path().join("config.json"), config).unwrap();
    let system: Arc<dyn System> = Arc::new(
        LocalSystem::builder().env("DOCKER_CONFIG", folder.path().to_str().unwrap()).build().unwrap(),
    );
    let image = format!("{}/{app}", registry.address());
    // A large request to the engine, which also returns it with each check of the container.
    let variables: Vec<String> =
        (0..2_000).map(|index| format!("    VARIABLE_{index} = \"{index}\"\n")).collect();
    let module = format!(
        r#"docker.image "app" {{
  name = "{image}"
  tag  = "1"
}}
docker.volume "data" {{
  name = "{data}"
}}
docker.network "net" {{
  name = "{net}"
}}
docker.container "web" {{
  name    = "{web}"
  image   = "{image}:1"
  depends = ["docker.image.app", "docker.volume.data", "docker.network.net"]
  env     = {{
{variables}  }}
}}
"#,
        data = host.name("data"),
        net = host.name("net"),
        web = host.name("web"),
        variables = variables.concat(),
    );
    poll_time::converges(&converge_resources::registry().unwrap(), &system, "docker", |_| module.clone());
}
