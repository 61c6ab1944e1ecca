//! Tests of the metrics of a server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use converge_tests::openmetrics::{Family, parse};
use converge_tests::root;
use serde_json::{Value, json};

use super::joining::Client;
use super::tls::Place;
use super::{Server, agent, tokens};

/// The maximum time to wait before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

type Families = BTreeMap<String, Family>;

/// Returns the metrics of a server by name.
#[track_caller]
fn metrics(server: &Server) -> Families {
    let (status, text) = server.get("/metrics");
    assert_eq!(status, 200, "{text}");
    read(&text)
}

/// Returns the metrics of a server with TLS.
#[track_caller]
fn secure(admin: &Client) -> Families {
    let (status, text) = admin.get("/metrics");
    assert_eq!(status, 200, "{text}");
    read(text.as_str().unwrap())
}

#[track_caller]
fn read(text: &str) -> Families {
    let families = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    families.into_iter().map(|family| (family.name.clone(), family)).collect()
}

/// Names, kinds and labels.
type Described = BTreeSet<(String, String, Vec<String>)>;

fn printed(families: &Families) -> Described {
    let labels = |family: &Family| {
        let labels: BTreeSet<_> = family.samples.iter().flat_map(|sample| sample.labels.keys()).collect();
        labels.into_iter().filter(|label| *label != "le").cloned().collect()
    };
    families.values().map(|family| (family.name.clone(), family.kind.clone(), labels(family))).collect()
}

fn documented() -> Described {
    let text = fs::read_to_string(root().join("docs/reference/metrics.md")).unwrap();
    let (_, section) = text.split_once("\n## Metrics\n").unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("| metric |")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let mut labels: Vec<String> =
            cells[3].split(", ").map(|label| label.trim_matches('`').to_owned()).collect();
        labels.retain(|label| !label.is_empty());
        labels.sort();
        (cells[1].trim_matches('`').to_owned(), cells[2].to_owned(), labels)
    };
    rows.take_while(|line| line.starts_with('|')).map(row).collect()
}

#[test]
fn what_is_told_is_what_is_documented() {
    let place = Place::new();
    let admin = Client::admin(&place);
    until_controllers_run(|| admin.get("/v1/controllers").1);
    // The second request includes the metrics of the first one.
    secure(&admin);
    assert_eq!(printed(&secure(&admin)), documented());
}

#[test]
fn what_the_store_does_is_counted() {
    let server = Server::start(&["--dev"]);
    until_controllers_run(|| server.json("/v1/controllers"));
    let count_of = |outcome: &str| {
        let operations = &metrics(&server)["converge_store_operations"];
        operations.value(&[("operation", "write"), ("outcome", outcome)]).unwrap()
    };
    let before = count_of("ok");
    assert_eq!(server.put("/v1/resources/tenancy/v1/partition/eu", "{}").0, 200);
    assert!(count_of("ok") > before);
    // At least the leases of this server.
    assert!(metrics(&server)["converge_store_leases_held"].value(&[]).unwrap() >= 1.0);
    assert!(metrics(&server)["converge_store_watches"].value(&[]).unwrap() >= 1.0);
}

/// Waits until all controllers run, because their queue metrics only exist from then on.
fn until_controllers_run(status: impl Fn() -> Value) {
    while status()["controllers"].as_array().unwrap().iter().any(|controller| controller["queue"].is_null()) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a sample has a value.
fn until(metrics: impl Fn() -> Families, family: &str, labels: &[(&str, &str)], value: u32) {
    let began = Instant::now();
    loop {
        let actual = metrics()[family].value(labels);
        if actual == Some(value.into()) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{family} {labels:?} is {actual:?}, and not {value}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_end_of_the_certificate_is_told_and_who_does_not_speak_tls_is_counted() {
    let place = Place::new();
    let admin = Client::admin(&place);
    let end = secure(&admin)["converge_server_certificate_expiry_timestamp_seconds"].value(&[]).unwrap();
    let now_seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    let days = (end - now_seconds) / 86_400.0;
    assert!((395.0..397.0).contains(&days), "{days}");

    let count = |reason: &str, count| {
        let labels = [("door", "http"), ("reason", reason)];
        until(|| secure(&admin), "converge_server_tls_failures", &labels, count);
    };
    let connect = || TcpStream::connect(place.url.strip_prefix("https://").unwrap()).unwrap();
    let mut plain_stream = connect();
    plain_stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut reply = String::new();
    plain_stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 400"), "{reply}");
    drop(plain_stream);
    count("plain", 1);
    // This client does not wait for the answer.
    connect().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    count("plain", 2);
    // This connection begins like a TLS handshake.
    let mut strange = connect();
    strange.write_all(b"\x16\x03\x01\x00\x05hello, and then something that is none").unwrap();
    count("failed", 1);
    drop(strange);
    drop(connect());
    count("closed", 1);
    count("slow", 0);
}

#[test]
fn who_is_not_let_in_is_counted() {
    let place = tokens::Place::new();
    let ask = |token: Option<&str>| {
        let request = agent().get(format!("{}/metrics", place.server.url));
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        let answer = request.call().unwrap();
        (answer.status().as_u16(), answer.into_body().read_to_string().unwrap())
    };
    for _ in 0..3 {
        assert_eq!(ask(None).0, 401);
    }
    assert_eq!(ask(Some("guess")).0, 401);
    let joins = place.create(&["joins", "--join"]);
    assert_eq!(ask(Some(&joins)).0, 401);
    let (status, text) = ask(Some(tokens::ADMIN));
    assert_eq!(status, 200, "{text}");
    let denied =
        |reason: &str| read(&text)["converge_server_denied"].value(&[("door", "http"), ("reason", reason)]);
    assert_eq!(denied("no_token"), Some(3.0));
    assert_eq!(denied("unknown_token"), Some(1.0));
    assert_eq!(denied("join_token"), Some(1.0));
    assert_eq!(denied("expired_token"), Some(0.0));
    // The metrics contain nothing from the tokens.
    assert!(!text.contains("joins") && !text.contains("guess") && !text.contains("converge_admin"), "{text}");
}

#[test]
fn a_watch_is_counted_as_long_as_it_is_told() {
    let server = Server::start(&["--dev"]);
    let mut watch = TcpStream::connect(server.address()).unwrap();
    let path = "/v1/resources/tenancy/v1/partition?watch=true";
    watch.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    watch.read_exact(&mut [0; 64]).unwrap();
    until(|| metrics(&server), "converge_server_watches", &[("door", "http")], 1);
    drop(watch);
    // The server notices that the client has gone when it sends a change.
    for number in 0.. {
        server.put(&format!("/v1/resources/tenancy/v1/partition/p{number}"), "{}");
        if metrics(&server)["converge_server_watches"].value(&[("door", "http")]) == Some(0.0) {
            break;
        }
    }
}

#[test]
fn no_client_makes_new_labels() {
    let server = Server::start(&["--dev"]);
    let mut stream = BufReader::new(TcpStream::connect(server.address()).unwrap());
    // Only the head is parsed, whose content length tells the end of the body.
    let mut ask = |method: &str, path: &str| {
        let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n");
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            if let Some(length_text) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = length_text.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        stream.read_exact(&mut vec![0; length]).unwrap();
    };
    let mut request_all = |number: u32| {
        ask("GET", &format!("/v{number}/nowhere"));
        ask("GET", &format!("/v1/resources/tenancy/v1/partition/name-{number}"));
        ask("GET", &format!("/v1/resources/group{number}/v1/kind{number}"));
        ask("DELETE", &format!("/v1/resources/tenancy/v1/partition/name-{number}?partition=p{number}"));
        ask("GET", &format!("/v1/modules/module-{number}/graph?namespace=n{number}"));
        ask(&format!("METHOD{number}"), "/v1/health");
    };
    request_all(0);
    let series = || -> Vec<String> {
        let (_, text) = server.get("/metrics");
        text.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
    };
    series();
    let before = series();
    for number in 1..=2_000 {
        request_all(number);
    }
    assert_eq!(series(), before);
}

#[test]
fn the_fleet_is_counted_as_it_changes() {
    let server = Server::start(&["--dev"]);
    let count =
        |family: &str, labels: &[(&str, &str)], value| until(|| metrics(&server), family, labels, value);
    count("converge_fleet_behind_seconds", &[], 0);
    let put_resource = |path: &str, data: &str| {
        let (status, reply) = server.put(&format!("/v1/resources/converge/v1/{path}"), data);
        assert_eq!(status, 200, "{reply}");
    };
    for node in ["node/one", "node/two"] {
        put_resource(node, "{}");
    }
    count("converge_fleet_nodes", &[("state", "never")], 2);
    let module = |more: bool| {
        let data = json!({"content": {"text": "task \"a\" { check = \"true\" }"}, "mode": "MODE_REPORT", "nodes": "*", "suspended": more});
        put_resource("module/web", &json!({ "data": data }).to_string());
    };
    module(false);
    count("converge_fleet_modules", &[("state", "report")], 1);
    count("converge_fleet_assignments", &[], 2);
    count("converge_fleet_assignment_conditions", &[("condition", "waiting")], 2);
    count("converge_fleet_assignment_conditions", &[("condition", "suspended")], 0);
    module(true);
    count("converge_fleet_modules", &[("state", "suspended")], 1);
    count("converge_fleet_modules", &[("state", "report")], 0);
    count("converge_fleet_assignment_conditions", &[("condition", "suspended")], 2);
    assert_eq!(server.delete("/v1/resources/converge/v1/node/two").0, 204);
    count("converge_fleet_nodes", &[("state", "never")], 1);
    count("converge_fleet_assignments", &[], 1);
}
