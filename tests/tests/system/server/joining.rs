//! Tests of nodes that join with a one-time token and then use a certificate, with the real programs.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use converge_tests::etcd::Cluster;
use converge_tests::{Said, converge, with_default_signals};
use serde_json::{Value, json};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

use super::agent::{Agent, PAUSE};
use super::tls::Place;
use super::tokens;

const NODES: &str = "/v1/resources/converge/v1/node";
const REPORTS: &str = "/v1/resources/converge/v1/nodereport";
const HISTORIES: &str = "/v1/resources/converge/v1/nodehistory";
const MODULES: &str = "/v1/resources/converge/v1/module";
const REVISIONS: &str = "/v1/resources/converge/v1/revision";
const ASSIGNMENTS: &str = "/v1/resources/converge/v1/assignment";
const CERTIFICATES: &str = "/v1/resources/access/v1/nodecertificate";

/// A TLS client with a token, or with the certificate that an agent has stored.
pub(super) struct Client {
    agent: ureq::Agent,
    token: Option<String>,
    url: String,
}

impl Client {
    fn new(place: &Place, token: Option<String>, identity: Option<&Path>) -> Self {
        let authority = Certificate::from_pem(&fs::read(place.authority()).unwrap()).unwrap();
        let identity = identity.map(|file| {
            let identity_file: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
            let pem = |part: &str| identity_file[part].as_str().unwrap().as_bytes().to_vec();
            let certificate = Certificate::from_pem(&pem("certificate")).unwrap();
            ClientCert::new_with_certs(&[certificate], PrivateKey::from_pem(&pem("key")).unwrap())
        });
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(vec![authority]))
            .client_cert(identity)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).tls_config(tls.build());
        Self { agent: agent.build().into(), token, url: place.url.clone() }
    }

    pub(super) fn admin(place: &Place) -> Self {
        Self::new(place, Some(fs::read_to_string(place.identity().join("admin.token")).unwrap()), None)
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value), ureq::Error> {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json");
        let request = match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {}", token.trim())),
            None => request,
        };
        let body = body.map(Value::to_string).unwrap_or_default();
        let answer = self.agent.run(request.body(body).unwrap())?;
        let status = answer.status().as_u16();
        let text = answer.into_body().read_to_string()?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    pub(super) fn get(&self, path: &str) -> (u16, Value) {
        self.ask("GET", path, None).unwrap()
    }

    #[track_caller]
    fn put(&self, path: &str, body: &Value) -> Value {
        let (status, reply) = self.ask("PUT", path, Some(body)).unwrap();
        assert_eq!(status, 200, "{path}: {reply}");
        reply
    }

    /// Returns the names in a list.
    fn names(&self, path: &str) -> Vec<String> {
        let (status, reply) = self.get(path);
        assert_eq!(status, 200, "{path}: {reply}");
        let resources = reply["resources"].as_array().unwrap();
        resources.iter().map(|resource| resource["id"]["name"].as_str().unwrap().to_owned()).collect()
    }

    fn until(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (_, reply) = self.get(path);
            if is_so(&reply) {
                return reply;
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Place {
    /// Creates a join token and returns its file.
    fn to_join(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let create = [&["token", "create", name, "--join"], arguments].concat();
        let output = self.ask(&self.url, Some(&self.authority()), &create).success();
        let file = self.folder.path().join(name);
        fs::write(&file, output.stdout).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        file
    }

    fn state(&self, node: &str) -> PathBuf {
        self.folder.path().join(format!("state-{node}"))
    }

    /// Returns the identity file of an agent.
    fn identity_of(&self, node: &str) -> PathBuf {
        self.state(node).join("agent/identity.json")
    }

    fn agent_command(&self, node: &str, token: Option<&Path>) -> Command {
        self.agent_at(node, &self.state(node), token)
    }

    fn agent_at(&self, node: &str, state: &Path, token: Option<&Path>) -> Command {
        let mut command = with_default_signals(&converge(&["agent", "--server", &self.url, "--node", node]));
        command.arg("--state-dir").arg(state).env("CONVERGE_CA", self.authority());
        if let Some(token) = token {
            command.env("CONVERGE_JOIN_TOKEN_FILE", token);
        }
        command.stderr(Stdio::piped());
        command
    }

    fn agent(&self, node: &str, token: Option<&Path>) -> Agent {
        Agent(self.agent_command(node, token).spawn().unwrap())
    }

    #[track_caller]
    fn does_not_join(&self, node: &str, token: Option<&Path>, expect: &str) {
        let output = Said::from(self.agent_command(node, token).output().unwrap());
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
    }
}

/// Waits for a new heartbeat.
fn heartbeat(admin: &Client, node: &str) {
    let updated_at = |said: &Value| said["status"]["agent"]["updated_at"].clone();
    let path = format!("{REPORTS}/{node}");
    let before = updated_at(&admin.get(&path).1);
    admin.until(&path, |reply| !updated_at(reply).is_null() && updated_at(reply) != before);
}

#[test]
fn a_node_joins_once_and_goes_on_with_its_certificate() {
    let place = Place::new();
    let admin = Client::admin(&place);
    let page = place.folder.path().join("page");
    let text = format!("file.content \"page\" {{ destination = {page:?} content = \"hello\" }}");
    let module =
        json!({ "data": { "content": { "text": text }, "mode": "MODE_ENFORCE", "nodes": "role=web" } });
    admin.put(&format!("{MODULES}/site"), &module);
    place.does_not_join("web-1", Some(Path::new("/none")), "this machine has not joined");

    let token = place.to_join("rack", &["--label", "role=web"]);
    let mut command = place.agent_command("web-1", Some(&token));
    let agent = Agent(command.args(["--label", "role=db"]).spawn().unwrap());
    // The complete path works: the assignment arrives, is applied and reported, and is in the history.
    admin.until(ASSIGNMENTS, |reply| {
        let conditions = reply["resources"][0]["status"]["agent"]["conditions"].as_array();
        let is_so = |condition: &Value| condition["type"] == "applied" && condition["state"] == "true";
        conditions.is_some_and(|conditions| conditions.iter().any(is_so))
    });
    assert_eq!(fs::read_to_string(&page).unwrap(), "hello");
    admin.until(&format!("{HISTORIES}/web-1"), |reply| reply["data"]["runs"].is_array());
    let node = admin.get(&format!("{NODES}/web-1")).1;
    assert_eq!(node["metadata"]["role"], "web", "the token says which labels: {node}");
    let identity = fs::metadata(place.identity_of("web-1")).unwrap();
    assert_eq!(identity.permissions().mode() & 0o777, 0o600);

    // No other node can join with the token or as this node, and a token for another node is not valid here.
    place.does_not_join("web-2", Some(&token), "unknown token");
    place.does_not_join(
        "web-2",
        Some(&place.to_join("other", &["--node", "web-9"])),
        "the token is for node web-9 alone",
    );
    let second_token = place.to_join("again", &[]);
    let impostor = place.agent_at("web-1", &place.state("impostor"), Some(&second_token)).output().unwrap();
    let output = Said::from(impostor).everything();
    assert!(output.contains("node web-1 has a certificate already"), "{output}");

    // The agent restarts after the token is gone.
    assert_eq!(agent.ends().0, Some(0));
    fs::remove_file(&token).unwrap();
    let agent = place.agent("web-1", Some(&token));
    heartbeat(&admin, "web-1");
    let list = ["node", "list"];
    let listed = place.ask(&place.url, Some(&place.authority()), &list).success().stdout;
    let row: Vec<_> = listed.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[2], row.last()), ("web-1", "until", Some(&"role=web")), "{listed}");

    // An operator revokes the node and lets it join again.
    let revoke = ["node", "revoke", "web-1"];
    place.ask(&place.url, Some(&place.authority()), &revoke).success();
    let refused = place.ask(&place.url, Some(&place.authority()), &revoke);
    assert!(refused.stderr.contains("there is no certificate of node web-1"), "{}", refused.everything());
    assert_eq!(agent.ends().0, Some(0));
    let _agent = place.agent("web-1", Some(&place.to_join("by-name", &["--node", "web-1"])));
    heartbeat(&admin, "web-1");
}

#[test]
fn tokens_to_join_are_for_nothing_else_and_end() {
    let place = Place::new();
    let token = place.to_join("rack", &["--node", "web-1"]);
    let holder = Client::new(&place, Some(fs::read_to_string(&token).unwrap()), None);
    for path in [NODES, ASSIGNMENTS, "/v1/controllers", "/metrics", "/v1/openapi.json"] {
        let (status, reply) = holder.get(path);
        assert_eq!((status, &reply["error"]["code"]), (401, &json!("unauthenticated")), "{path}");
        assert!(reply["error"]["message"].as_str().unwrap().contains("can only be used to join"), "{reply}");
    }
    let listed = place.ask(&place.url, Some(&place.authority()), &["token", "list"]).success().stdout;
    assert!(listed.contains("join as web-1"), "{listed}");
    let short = place.to_join("short", &["--expires", "1s"]);
    thread::sleep(std::time::Duration::from_secs(1));
    place.does_not_join("web-1", Some(&short), "the token has expired");
    // Tokens of other kinds are refused for joining.
    let admin = place.identity().join("admin.token");
    place.does_not_join("web-1", Some(&admin), "unknown token");
    let ci = place.ask(&place.url, Some(&place.authority()), &["token", "create", "ci", "--admin"]).success();
    fs::write(&short, ci.stdout).unwrap();
    place.does_not_join("web-1", Some(&short), "the token is not one to join with");

    // Without the key of the authority no node can join, and the agent does not retry.
    fs::rename(place.identity().join("ca-key.pem"), place.folder.path().join("ca-key.pem")).unwrap();
    place.does_not_join("web-1", Some(&token), "ca-key.pem: No such file");
    let plain_place = tokens::Place::new();
    let token = plain_place.create(&["rack", "--join"]);
    fs::write(&short, token).unwrap();
    let command = converge(&["agent", "--server", &plain_place.server.url, "--node", "web-1", "--state-dir"]);
    let mut command = with_default_signals(&command);
    let result = command.arg(place.state("plain")).arg("--join-token-file").arg(&short).output().unwrap();
    let output = Said::from(result);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains("nodes cannot join this server"), "{}", output.everything());
}

#[test]
fn a_stolen_certificate_reads_and_writes_nothing_of_other_nodes() {
    let place = Place::new();
    let admin = Client::admin(&place);
    // The assignment names of the first node are a prefix of those of the second.
    let _agents = ["web-1", "web-1-db"].map(|node| {
        let module = json!({ "data": { "content": { "text": "task \"a\" { check = \"true\" apply = \"true\" }",
            "params": {} }, "mode": "MODE_REPORT", "nodes": format!("node={node}") } });
        admin.put(&format!("{MODULES}/of-{node}"), &module);
        let token = place.to_join(node, &["--label", &format!("node={node}")]);
        place.agent(node, Some(&token))
    });
    for node in ["web-1", "web-1-db"] {
        admin.until(&format!("{HISTORIES}/{node}"), |reply| reply["data"]["runs"].is_array());
    }
    let thief = Client::new(&place, None, Some(&place.identity_of("web-1")));
    let assignments = admin.names(ASSIGNMENTS);
    let (others, own_assignment): (Vec<_>, Vec<_>) =
        assignments.iter().cloned().partition(|name| name.contains("web-1-db"));
    let [other, own] = [&others, &own_assignment].map(|names| names.first().unwrap().as_str());
    assert_eq!(assignments.len(), 2);

    // The agent may read its own resources.
    let mine = |path: &str| thief.get(path).0;
    let assignment_of = |name: &str| admin.get(&format!("{ASSIGNMENTS}/{name}")).1;
    let revision = |name: &str| assignment_of(name)["data"]["revision"]["name"].as_str().unwrap().to_owned();
    assert_eq!(mine(&format!("{NODES}/web-1")), 200);
    assert_eq!(mine(&format!("{ASSIGNMENTS}/{own}")), 200);
    assert_eq!(mine(&format!("{REVISIONS}/{}", revision(own))), 200);
    for query in ["", "?partition=*&namespace=*", "?name_prefix=web-1"] {
        assert_eq!(thief.names(&format!("{ASSIGNMENTS}{query}")), [own], "{query}");
    }
    assert_eq!(thief.names(&format!("{ASSIGNMENTS}?name_prefix=web-1-db")), [""; 0]);

    // Resources of others are refused in the same words, whether or not they exist.
    let words = |method: &str, path: &str, name: &str, body: Option<&Value>| {
        let (status, reply) = thief.ask(method, &path.replace("NAME", name), body).unwrap();
        assert_eq!(status, 403, "{method} {path} {name}: {reply}");
        reply.to_string().replace(name, "NAME")
    };
    let uid = assignment_of(other)["id"]["uid"].as_str().unwrap().to_owned();
    let body = json!({ "data": {} });
    let status = json!({ "observed_generation": assignment_of(other)["generation"], "conditions": [] });
    for (path, name) in [
        (NODES, "web-1-db"),
        (REPORTS, "web-1-db"),
        (HISTORIES, "web-1-db"),
        (ASSIGNMENTS, other),
        (MODULES, "of-web-1"),
        (REVISIONS, &revision(other)),
        (CERTIFICATES, &admin.names(CERTIFICATES)[0]),
    ] {
        let path = format!("{path}/NAME");
        assert_eq!(words("GET", &path, name, None), words("GET", &path, "none", None));
        assert_eq!(words("DELETE", &path, name, None), words("DELETE", &path, "none", None));
        let report = format!("{path}/status/agent?uid={uid}");
        assert_eq!(words("PUT", &report, name, Some(&status)), words("PUT", &report, "none", Some(&status)));
    }
    for path in [NODES, REPORTS, HISTORIES, MODULES, REVISIONS, CERTIFICATES, "/v1/controllers", "/metrics"] {
        assert_eq!(thief.get(path).0, 403, "{path}");
        assert_eq!(thief.get(&format!("{path}?watch=true")).0, 403, "{path}");
    }
    assert_eq!(thief.get("/v1/modules/of-web-1/graph").0, 403);
    for name in ["web-1", "web-1-db", "web-3"] {
        words("PUT", &format!("{NODES}/NAME"), name, Some(&body));
    }
    words("PUT", "/v1/resources/access/v1/token/NAME", "mine", Some(&body));
    // An agent may not write its own assignment, except for the report.
    let mine = assignment_of(own);
    let uid = mine["id"]["uid"].as_str().unwrap();
    words(
        "PUT",
        &format!("{ASSIGNMENTS}/NAME"),
        own,
        Some(&json!({ "data": mine["data"], "owner": mine["owner"] })),
    );
    words("DELETE", &format!("{ASSIGNMENTS}/NAME"), own, None);
    words("PUT", &format!("{ASSIGNMENTS}/NAME/status/scheduler?uid={uid}"), own, Some(&status));
    let status = json!({ "observed_generation": mine["generation"], "conditions": [] });
    thief.put(&format!("{ASSIGNMENTS}/{own}/status/agent?uid={uid}"), &status);

    // A watch shows no other resources, and ends when the certificate is revoked.
    let watch = format!("{}{ASSIGNMENTS}?watch=true&partition=*&namespace=*&name_prefix=web-1", place.url);
    let answer = thief.agent.get(watch).call().unwrap();
    let mut lines = BufReader::new(answer.into_body().into_reader()).lines().map(Result::unwrap);
    let lines_of_snapshot: Vec<_> =
        lines.by_ref().take_while(|line| line != "event: end_of_snapshot").collect();
    assert!(
        lines_of_snapshot.iter().any(|line| line.contains(own))
            && !lines_of_snapshot.iter().any(|line| line.contains(other))
    );
    place.ask(&place.url, Some(&place.authority()), &["node", "revoke", "web-1"]).success();
    let end: Vec<_> = lines.skip_while(|line| line != "event: error").collect();
    assert!(end[1].contains("unauthenticated"), "{end:?}");
    assert_eq!(thief.get(&format!("{NODES}/web-1")).0, 401);
    // The other node is not affected.
    let other_client = Client::new(&place, None, Some(&place.identity_of("web-1-db")));
    assert_eq!(other_client.get(&format!("{NODES}/web-1-db")).0, 200);
}

#[test]
fn a_certificate_is_renewed_and_the_one_before_is_taken_back() {
    let place = Place::new();
    let admin = Client::admin(&place);
    let agent = place.agent("web-1", Some(&place.to_join("rack", &[])));
    heartbeat(&admin, "web-1");
    assert_eq!(agent.ends().0, Some(0));
    let file = place.identity_of("web-1");
    let before = Client::new(&place, None, Some(&file));
    let node = format!("{NODES}/web-1");
    assert_eq!(before.get(&node).0, 200);
    // The stored identity claims that half of its lifetime is over.
    let mut identity_document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    identity_document["renew"] = json!("2020-01-01T00:00:00Z");
    let old = identity_document["certificate"].clone();
    fs::write(&file, identity_document.to_string()).unwrap();
    let _agent = place.agent("web-1", None);
    let read_identity = || serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap();
    while read_identity()["certificate"] == old {
        thread::sleep(PAUSE);
    }
    // The agent uses the new certificate for its heartbeat or its watch.
    let after = Client::new(&place, None, Some(&file));
    assert_eq!(after.get(&node).0, 200);
    let (status, reply) = before.get(&node);
    assert_eq!(status, 401, "{reply}");
    assert!(reply.to_string().contains("unknown certificate"), "{reply}");
    assert_eq!(admin.names(CERTIFICATES).len(), 1);
    // The certificate is deleted together with the node.
    assert_eq!(admin.ask("DELETE", &node, None).unwrap().0, 204);
    while after.get(&node).0 != 401 {
        thread::sleep(PAUSE);
    }
}

#[test]
fn a_certificate_ends() {
    let place = Place::with(&["--node-lifetime", "1s"]);
    let token = place.to_join("rack", &[]);
    let agent = place.agent("web-1", Some(&token));
    while !place.identity_of("web-1").exists() {
        thread::sleep(PAUSE);
    }
    drop(agent);
    let late = Client::new(&place, None, Some(&place.identity_of("web-1")));
    while !late.get(&format!("{NODES}/web-1")).1.to_string().contains("the certificate has expired") {
        thread::sleep(PAUSE);
    }
}

/// Returns a public key without a known private key, which the server cannot detect.
fn key(number: u32) -> String {
    format!("04{number:0128x}")
}

#[test]
fn of_many_at_one_moment_one_joins() {
    let place = Place::new();
    for round in 0..5 {
        let token = fs::read_to_string(place.to_join(&format!("rack-{round}"), &[])).unwrap();
        let ask = |number: u32| {
            let body = json!({ "node": format!("n{round}-{number}"), "public_key": key(number) });
            let client = Client::new(&place, Some(token.clone()), None);
            client.ask("POST", "/v1/join", Some(&body)).unwrap().0
        };
        let joined: Vec<u32> = thread::scope(|scope| {
            let asking: Vec<_> = (0..6).map(|number| scope.spawn(move || (number, ask(number)))).collect();
            let answers = asking.into_iter().map(|join_handle| join_handle.join().unwrap());
            answers.filter(|(_, status)| *status == 200).map(|(number, _)| number).collect()
        });
        assert_eq!(joined.len(), 1, "{joined:?}");
        // A node whose answer was lost may retry.
        assert_eq!(ask(joined[0]), 200);
        assert_eq!(ask(7), 403);
    }
    assert_eq!(Client::admin(&place).names(NODES).len(), 5);
}

#[test]
fn of_many_at_two_servers_at_one_moment_one_joins() {
    let Some(cluster) = Cluster::start("server::joining") else { return };
    let (place, second_server) = Place::two_of(&cluster.store());
    let urls = [place.url.clone(), second_server.url.replace("127.0.0.1", "localhost")];
    for round in 0..5 {
        let token = fs::read_to_string(place.to_join(&format!("rack-{round}"), &[])).unwrap();
        let ask = |number: usize, at: usize| {
            let body = json!({ "node": format!("n{round}-{number}"), "public_key": key(number.try_into().unwrap()) });
            let client = Client::new(&place, Some(token.clone()), None);
            let client = Client { url: urls[at].clone(), ..client };
            client.ask("POST", "/v1/join", Some(&body)).unwrap().0
        };
        let answers: Vec<(usize, u16)> = thread::scope(|scope| {
            let asking: Vec<_> =
                (0..6).map(|number| scope.spawn(move || (number, ask(number, number % 2)))).collect();
            asking.into_iter().map(|join_handle| join_handle.join().unwrap()).collect()
        });
        let joined: Vec<_> = answers.iter().filter(|(_, status)| *status == 200).collect();
        assert_eq!(joined.len(), 1, "{answers:?}");
        // The others were refused, either as unauthorized or because of a concurrent change.
        assert!(answers.iter().all(|(_, status)| [200, 403, 409].contains(status)), "{answers:?}");
        // A node whose answer was lost may retry with any server.
        assert_eq!([0, 1].map(|index| ask(joined[0].0, index)), [200, 200]);
        assert_eq!([0, 1].map(|index| ask(7, index)), [403, 403]);
    }
    assert_eq!(Client::admin(&place).names(NODES).len(), 5);
}

#[test]
fn a_server_that_is_killed_while_a_node_joins_leaves_at_worst_a_used_token() {
    let mut place = Place::at_own_address();
    for round in 0..8 {
        let token = fs::read_to_string(place.to_join(&format!("rack-{round}"), &[])).unwrap();
        let join = |place: &Place, number: u32| {
            let body = json!({ "node": format!("n{round}"), "public_key": key(number) });
            Client::new(place, Some(token.clone()), None).ask("POST", "/v1/join", Some(&body))
        };
        thread::scope(|scope| {
            let join_thread = scope.spawn(|| join(&place, 1));
            thread::sleep(std::time::Duration::from_millis(3 * round));
            place.server.signal("-KILL");
            // The answer may or may not have arrived.
            let _ = join_thread.join().unwrap();
        });
        place.start_again();
        // The same agent can join and no other can with this token, and nothing is left half done.
        assert_eq!(join(&place, 1).unwrap().0, 200);
        assert_eq!(join(&place, 2).unwrap().0, 403);
        assert_eq!(join(&place, 1).unwrap().0, 200);
    }
    assert_eq!(Client::admin(&place).names(NODES).len(), 8);
}

/// A value that occurs nowhere except in its destination.
const CANARY: &str = "canary-Vb7t1M3pRy";

/// Waits until a file has this content.
fn until_file(path: &Path, text: &str) {
    while fs::read_to_string(path).unwrap_or_default() != text {
        thread::sleep(PAUSE);
    }
}

#[test]
fn a_node_gets_the_secrets_of_its_modules_and_no_others() {
    let place = Place::new();
    let admin = Client::admin(&place);
    let page = |node: &str| place.folder.path().join(format!("page-{node}"));
    let secret = |name: &str| format!("/v1/resources/converge/v1/secret/{name}");
    let put_secret =
        |name: &str, value: &str| admin.put(&secret(name), &json!({ "data": { "value": value } }));
    for node in ["web-1", "web-2"] {
        let text = format!(
            "param \"password\" {{}}\nfile.content \"page\" {{ destination = {:?} content = param.password }}",
            page(node)
        );
        let content = json!({ "text": text, "secrets": { "password": node } });
        let data = json!({ "content": content, "mode": "MODE_ENFORCE", "nodes": format!("for={node}") });
        admin.put(&format!("{MODULES}/{node}"), &json!({ "data": data }));
    }
    let start = |node: &str| {
        let label = format!("for={node}");
        place.agent(node, Some(&place.to_join(node, &["--node", node, "--label", &label])))
    };
    let (first, second) = (start("web-1"), start("web-2"));
    // The module exists before its secret.
    let missing = "there is no secret web-1";
    admin.until(ASSIGNMENTS, |reply| reply.to_string().contains(missing));
    put_secret("web-1", &format!("{CANARY}-1"));
    put_secret("web-2", &format!("{CANARY}-2"));
    for (node, text) in [("web-1", "1"), ("web-2", "2")] {
        until_file(&page(node), &format!("{CANARY}-{text}"));
    }

    // Each node gets its own secret, and does not learn which others exist.
    let node = |name: &str| Client::new(&place, None, Some(&place.identity_of(name)));
    let path = |name: &str| format!("/v1/node/secrets/{name}");
    let (status, reply) = node("web-1").get(&path("web-1"));
    assert_eq!((status, &reply["value"]), (200, &json!(format!("{CANARY}-1"))));
    let answer = node("web-1").agent.get(format!("{}{}", place.url, path("web-1"))).call().unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let refused = node("web-2").get(&path("web-1"));
    assert_eq!(refused.0, 403, "{}", refused.1);
    assert_eq!(node("web-2").get(&path("none")), refused);
    // A token is never enough, and a certificate shows no more than others see.
    assert_eq!(admin.get(&path("web-1")), refused);
    assert_eq!(node("web-1").get(&secret("web-1")).0, 403);

    // A new value reaches the file.
    put_secret("web-1", &format!("{CANARY}-3"));
    until_file(&page("web-1"), &format!("{CANARY}-3"));
    admin.until(ASSIGNMENTS, |reply| {
        let assignments = reply["resources"].as_array().unwrap();
        assignments.iter().all(|assignment| {
            assignment["status"]["agent"]["observed_generation"] == assignment["generation"]
        })
    });
    for path in [ASSIGNMENTS, REVISIONS, MODULES, HISTORIES, REPORTS, "/v1/resources/converge/v1/nodeplans"] {
        let body_text = admin.get(path).1.to_string();
        assert!(!body_text.contains(CANARY), "{path}: {body_text}");
    }
    let (code, log) = second.ends();
    assert!(code == Some(0) && !log.contains(CANARY), "{log}");

    // The server is away and the agent restarts: it continues with its stored state.
    let (code, log) = first.ends();
    assert!(code == Some(0) && !log.contains(CANARY), "{log}");
    let cache_file = place.state("web-1").join("agent/assignments.json");
    assert_eq!(fs::metadata(&cache_file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        !fs::read_to_string(&cache_file).unwrap().contains(&format!("{CANARY}-1")),
        "the value before is kept"
    );
    place.server.signal("-TERM");
    fs::remove_file(page("web-1")).unwrap();
    let agent = place.agent("web-1", None);
    until_file(&page("web-1"), &format!("{CANARY}-3"));
    drop(agent);
}
