//! A local image registry with authentication.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::image::image;
use crate::docker::{Failure, LABEL, NETWORK, docker, docker_reads, shell, unique};

/// The user of a registry.
pub const USER: &str = "keeper";

/// The password of [`USER`].
pub const PASSWORD: &str = "open-sesame";

/// The container of the registry that `cargo xtask hosts up` starts.
pub const SHARED: &str = "converge-test-registry";

/// An image in the shared registry with the tags `1` and `2`: a web server on port 80.
///
/// Its only page is its tag and a newline. It has `sh`, `sleep` and other commands of busybox.
pub const WEB: &str = "converge-test/web";

/// The script that builds the root of a busybox image, whose page is the first argument.
///
/// The second argument is the image name. Without it, images that two tests create in the same second would
/// share a layer, and an engine that has it would pull nothing.
const BUSYBOX: &str = r#"
set -e
mkdir -p /web/bin /web/tmp /web/etc /web/www
cp /bin/busybox /web/bin/
for command in cat echo env false httpd id ls nc ps sh sleep true wget; do ln -s busybox "/web/bin/$command"; done
printf '%s\n' "$1" > /web/www/index.html
printf '%s\n' "$2" > /web/etc/image
tar -C /web -c .
"#;

/// The command of the containers.
///
/// As the first process, it must handle signals to stop itself.
const SERVE: &str = "trap exit TERM INT; httpd -f -p 80 -h /www & wait";

/// Starts a registry in a container of this name, and returns its address.
///
/// # Errors
///
/// Docker does not start the container.
pub fn start(container: &str) -> Result<String, Failure> {
    let image = image();
    let serve = ["docker-registry", "serve", "/etc/converge-test/registry.yml"];
    let run = ["run", "--detach", "--name", container, "--network", NETWORK, "--publish", "127.0.0.1::5000"];
    docker(&[&run, &[image.as_str()][..], &serve].concat())?;
    let address = address(container)?;
    wait_until_listening(&address);
    Ok(address)
}

/// Waits until a registry listens, a moment after its container starts.
///
/// A timeout is left to the users of the registry.
fn wait_until_listening(address: &str) {
    let end = Instant::now() + Duration::from_mins(2);
    let answers = || -> std::io::Result<()> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /v2/ HTTP/1.0\r\n\r\n")?;
        stream.read_exact(&mut [0])
    };
    while answers().is_err() && Instant::now() < end {
        sleep(Duration::from_millis(100));
    }
}

/// Returns the address of the registry in a container as `HOST:PORT` for the engine.
///
/// Docker trusts local registries without a certificate.
///
/// # Errors
///
/// The container does not exist or does not run.
pub fn address(container: &str) -> Result<String, Failure> {
    // After a crash of the engine, a stopped container still lists its ports, so these do not prove that it
    // runs.
    if docker(&["inspect", "--format", "{{.State.Running}}", container])?.trim() != "true" {
        return Err(Failure::new(format!("the address of {container}"), "it does not run"));
    }
    let ports = docker(&["port", container, "5000/tcp"])?;
    let address = ports.lines().next().filter(|line| !line.is_empty()).map(str::to_owned);
    address.ok_or_else(|| Failure::new(format!("`docker port {container}`"), "it has no port 5000"))
}

/// Builds an image like [`WEB`] with this page, and pushes it under this name.
///
/// The name includes the registry. The engine does not keep the image.
///
/// # Errors
///
/// Docker cannot build or push the image.
pub fn push(name: &str, page: &str) -> Result<(), Failure> {
    let image = image();
    let from = unique("image");
    // `docker cp` cannot read from another program without a shell pipe.
    let script = r#"
        docker run --rm --name "$1" "$2" sh -c "$3" sh "$4" "$6" |
        docker import --change 'EXPOSE 80' --change "CMD [\"/bin/sh\", \"-c\", \"$5\"]" --change "LABEL $7=" - "$6"
    "#;
    shell(&format!("making the image {name}"), script, &[&from, &image, BUSYBOX, page, SERVE, name, LABEL])?;
    let config = std::env::temp_dir().join(unique("docker-config"));
    let pushed = push_with(&config, name);
    let _ = std::fs::remove_dir_all(&config);
    docker(&["rmi", name])?;
    pushed
}

/// Pushes with credentials in a separate folder, so that those of the user stay unchanged.
fn push_with(config: &Path, name: &str) -> Result<(), Failure> {
    let config = config.display().to_string();
    let address = name.split('/').next().unwrap_or_default();
    let login = ["--config", &config, "login", "--username", USER, "--password-stdin", address];
    docker_reads(PASSWORD.as_bytes(), &login)?;
    docker(&["--config", &config, "push", "--quiet", name]).map(drop)
}
