mod addresses;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use converge_client::{Client, ClientError, Credentials};
use converge_controller::runtime::{Action, Controller, Request, Runtime, map};
use converge_controller::{Id, Ref, Reference, Resource, Scope, StoredResource, Typed};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::*;
use crate::identity;

/// A musician.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {}

/// The album of an artist.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {
    #[stored(tag = 1)]
    artist: Option<Ref<Artist>>,
}

fn types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Artist>()?;
    types.register::<Album>()
}

fn server() -> Server {
    Server::new().with_http("127.0.0.1:0".parse().unwrap()).with_types(types)
}

fn artist(name: &str) -> Resource {
    let id =
        Id::new(Artist::resource_type().clone(), Scope::Namespace.default_tenancy(), name.parse().unwrap());
    Resource::new(id)
}

async fn ask(running: &Running, path: &str) -> Result<String, ClientError> {
    let url = format!("http://{}", running.http()).parse().unwrap();
    Client::new([url], &Credentials::default()).unwrap().text(path).await
}

/// Returns whether the server reports that it is ready, and its message.
async fn ready(running: &Running) -> (bool, String) {
    let url = format!("http://{}/v1/ready", running.http());
    let asking = move || {
        let asking = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let answer = asking.get(url).call().unwrap();
        (answer.status() == 200, answer.into_body().read_to_string().unwrap())
    };
    spawn_blocking(asking).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_controllers_do_is_told() {
    async fn fail(runtime: Runtime, request: Request<Artist>) -> Result<Action, &'static str> {
        runtime.event(request.id(), "the lights are on");
        Err("there is no stage")
    }
    let artists = || {
        let albums = map::references(|album: &Typed<Album>| album.artist.as_ref().map(Reference::from));
        Controller::<Artist>::new("artists").watch(albums).reconcile(fail)
    };
    let running =
        server().with_controllers(move |manager| manager.register(artists())).start().await.unwrap();
    running.client().write(artist("korn")).await.unwrap();

    let failing = loop {
        let status: Value = serde_json::from_str(&ask(&running, "/v1/controllers").await.unwrap()).unwrap();
        let controllers = status["controllers"].as_array().unwrap();
        let artists = controllers.iter().find(|controller| controller["name"] == "artists").unwrap().clone();
        // The waits between retries grow until the test observes one.
        if artists["queue"]["failing"][0]["retry_in"].is_number() {
            break artists;
        }
    };
    let first = &failing["queue"]["failing"][0];
    assert_eq!(first["key"], "demo.v2.Artist/default/default/korn");
    assert_eq!(first["error"], "there is no stage");
    assert!(first["failures"].as_u64().unwrap() >= 1, "{first}");
    assert_eq!(failing["phase"], "running");
    assert_eq!(failing["last_error"]["error"], "there is no stage");
    let mut events: Vec<_> =
        failing["events"].as_array().unwrap().iter().map(|event| &event["text"]).collect();
    events.sort_by_key(ToString::to_string);
    assert_eq!(events, ["the lights are on", "there is no stage"]);
    assert_eq!(failing["events"][0]["resource"], first["key"]);

    let metrics = ask(&running, "/metrics").await.unwrap();
    assert!(
        metrics.contains("converge_controller_reconciles_total{controller=\"artists\",result=\"failed\"}"),
        "{metrics}"
    );
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    let graph = ask(&running, "/v1/controllers/graph").await.unwrap();
    assert!(graph.contains("demo.v2.Artist --> demo.v2.Album"), "{graph}");
    let graph = ask(&running, "/v1/controllers/graph?format=dot").await.unwrap();
    assert!(graph.contains("\"demo.v2.Artist\" -> \"demo.v2.Album\""), "{graph}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_ready_when_its_controllers_run() {
    let folder = tempfile::tempdir().unwrap();
    for store in [Store::Memory, Store::Folder(folder.path().join("data"))] {
        let is_open = Arc::new(AtomicBool::new(false));
        let opens = Arc::clone(&is_open);
        let register = move |manager: &mut Manager| {
            async fn nothing(_: Runtime, _: Request<Artist>) -> Result<Action, Infallible> {
                Ok(Action::await_change())
            }
            let opens = Arc::clone(&opens);
            let initialize = move |_: Runtime| {
                let is_open = opens.load(Ordering::SeqCst);
                async move { if is_open { Ok(()) } else { Err("the password is \"fox\"") } }
            };
            manager.register(Controller::<Artist>::new("artists").initialize(initialize).reconcile(nothing))
        };
        let running = server().with_store(store).with_controllers(register).start().await.unwrap();
        let reply = loop {
            if let (false, body) = ready(&running).await {
                break body;
            }
        };
        assert!(reply.contains("the controller artists has failed"), "{reply}");
        // This request needs no token, so the answer must not contain the error.
        assert!(!reply.contains("fox"), "{reply}");
        is_open.store(true, Ordering::SeqCst);
        while !ready(&running).await.0 {}
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_begun_is_finished_before_it_stops() {
    let begin_signal = Arc::new(Semaphore::new(0));
    let may_end = Arc::new(Semaphore::new(0));
    let ended = Arc::new(AtomicBool::new(false));
    let reconcile = {
        let (begin_signal, may_end, ended) =
            (Arc::clone(&begin_signal), Arc::clone(&may_end), Arc::clone(&ended));
        move |_: Runtime, _: Request<Artist>| {
            let (begin_signal, may_end, ended) =
                (Arc::clone(&begin_signal), Arc::clone(&may_end), Arc::clone(&ended));
            async move {
                begin_signal.add_permits(1);
                may_end.acquire().await.expect("it is not closed").forget();
                ended.store(true, Ordering::SeqCst);
                Ok::<_, Infallible>(Action::await_change())
            }
        }
    };
    let register = move |manager: &mut Manager| {
        manager.register(Controller::<Artist>::new("artists").reconcile(reconcile.clone()))
    };
    let running = server().with_controllers(register).start().await.unwrap();
    assert_eq!(ask(&running, "/v1/ready").await.unwrap(), r#"{"status":"ready"}"#);
    running.client().write(artist("korn")).await.unwrap();
    begin_signal.acquire().await.unwrap().forget();

    running.stopping.cancel();
    // The server still answers and explains why it is not ready.
    let problem = ask(&running, "/v1/ready").await.unwrap_err().to_string();
    assert!(problem.contains("503"), "{problem}");
    assert!(!ended.load(Ordering::SeqCst));
    let address = running.http();
    let stop = tokio::spawn(running.stop());
    may_end.add_permits(1);
    stop.await.unwrap();
    assert!(ended.load(Ordering::SeqCst));
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "the door is closed");
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    async fn check(server: Server, expect: &str) {
        let error = server.start().await.unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }
    check(server().with_http("0.0.0.0:0".parse().unwrap()), "can be reached from other machines").await;
    check(server().with_types(types), "demo.v2.Artist is registered twice").await;
    let reaper = |manager: &mut Manager| {
        async fn nothing(_: Runtime, _: Request<Artist>) -> Result<Action, Infallible> {
            Ok(Action::await_change())
        }
        manager.register(Controller::<Artist>::new("reaper").reconcile(nothing))
    };
    check(server().with_controllers(reaper), "reaper").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    check(server().with_http(listener.local_addr().unwrap()), "another program listens there").await;
}

#[tokio::test]
async fn certificates_that_are_of_no_use() {
    let refused = |pem: &[u8]| Tls::from_pem(pem).unwrap_err().to_string();
    assert_eq!(refused(b""), "there is no certificate in it");
    let data = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = identity::make(&data.path().join(name), &["localhost".to_owned()]).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        (read("server.pem"), read(identity::AUTHORITY))
    };
    let ((one, authority), (other, _)) = (make("one"), make("other"));
    assert!(Tls::from_pem(one.as_bytes()).is_ok());
    assert!(refused(authority.as_bytes()).starts_with("it is not a key with certificates"));
    // The key of one pair with the certificate of the other.
    let (key, _) = one.split_once("-----BEGIN CERTIFICATE").unwrap();
    let (_, certificate) = other.split_once("-----BEGIN CERTIFICATE").unwrap();
    let mixed = format!("{key}-----BEGIN CERTIFICATE{certificate}");
    assert!(refused(mixed.as_bytes()).starts_with("its key and certificates cannot be used"));

    // Without a policy, other machines are refused, with or without TLS.
    let tls = Tls::from_pem(one.as_bytes()).unwrap();
    let refused = server().with_http("0.0.0.0:0".parse().unwrap()).with_tls(tls).start().await;
    assert!(matches!(refused, Err(StartError::NotLoopback { .. })));
}
