//! Tests of image pulls: with credentials, from registries that hang, and in interrupted runs.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use converge_tests::docker::docker;
use converge_tests::host::registry::{PASSWORD, USER};
use converge_tests::host::{Host, Registry};

use super::{inspect, log_in};

const IMAGE: &str = r#"
param "name" {}

docker.image "app" {
  name               = param.name
  tag                = "1"
  inactivity_timeout = "5m"
}
"#;

/// Starts a host with Docker and its own registry with the image `APP:1`.
///
/// Also returns the image name.
pub(super) fn with_an_image(test: &str) -> Option<(Host, Registry, String)> {
    let host = Host::with_docker(test)?;
    let registry = Registry::start(test)?;
    let app = host.name("app");
    registry.push(&format!("{app}:1"), "hello");
    Some((host, registry, app))
}

#[test]
fn an_image_comes_from_a_private_registry() {
    let Some((host, registry, app)) = with_an_image("an_image_comes_from_a_private_registry") else { return };
    let image = format!("{}/{app}", registry.address());
    let arguments = ["-p", &format!("name={image}")];

    let message = host.converge("apply", IMAGE, &arguments).failure("docker.image.app");
    assert!(message.contains("no basic auth credentials"), "{message}");
    assert!(
        message.contains("was asked without credentials, as /root/.docker/config.json has none for it"),
        "{message}"
    );

    log_in(&host, registry.address(), "wrong");
    let outcome = host.converge("apply", IMAGE, &arguments);
    let failure = outcome.failure("docker.image.app");
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

    // The digest refers to the same image.
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
    let Some((host, registry, app)) = with_an_image("a_helper_keeps_the_credentials") else { return };
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

/// Returns the same module with a short timeout.
fn impatient() -> String {
    IMAGE.replace("5m", "10s")
}

/// A proxy between the engine and a registry, which stops in the middle of an answer of the registry.
struct Stalling {
    address: String,
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Stalling {
    /// Starts a proxy that lets this many bytes through.
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

    /// Lets all bytes through from now on.
    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

/// Forwards bytes, and calls `wait` with the number of bytes first.
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
    let Some((host, registry, app)) = with_an_image("a_registry_that_stops") else { return };
    let stalling = Stalling::before(registry.address(), 300_000);
    log_in(&host, &stalling.address, PASSWORD);
    let arguments = ["-p", &format!("name={}/{app}", stalling.address)];

    let failure = host.converge("apply", &impatient(), &arguments).failure("docker.image.app");
    assert!(failure.starts_with("gave up the pull of"), "{failure}");
    assert!(failure.contains("after 10s without progress; it stood at layer "), "{failure}");
    assert!(failure.contains(": Downloading, "), "{failure}");
    assert!(docker(&["image", "inspect", &format!("{}/{app}:1", stalling.address)]).is_err());

    stalling.open();
    host.story(IMAGE, &arguments);
}

#[test]
fn a_registry_that_does_not_answer() {
    let Some((host, registry, app)) = with_an_image("a_registry_that_does_not_answer") else { return };
    log_in(&host, registry.address(), PASSWORD);
    let arguments = ["-p", &format!("name={}/{app}", registry.address())];

    registry.pause();
    let failure = host.converge("apply", &impatient(), &arguments).failure("docker.image.app");
    assert!(failure.contains("without progress; it stood at the registry had not answered"), "{failure}");
    registry.resume();
    host.story(IMAGE, &arguments);
}

#[test]
fn a_run_that_is_interrupted_ends_the_pull() {
    let Some((host, registry, app)) = with_an_image("a_run_that_is_interrupted") else { return };
    let stalling = Stalling::before(registry.address(), 300_000);
    log_in(&host, &stalling.address, PASSWORD);
    let module = IMAGE.replace("5m", "1h");
    host.put("/srv/module.hcl", module);
    // The second signal cancels the run. The line with the first progress shows that the pull has started.
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
    let output = host.run(&script);
    assert_eq!(output.code, Some(130), "{}", output.everything());
}
