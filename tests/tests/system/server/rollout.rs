//! Tests of rollouts with real servers and agents that work on one temporary folder.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use converge_tests::{Said, converge, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Server;
use super::agent::Agent;
use super::shared_address::address;

const SITE: &str = "/v1/resources/converge/v1/module/site";
const ALL_NODES: &str = "/v1/resources/converge/v1/node";
const NODES: [&str; 3] = ["one", "three", "two"];

/// Persistent servers, and three agents that know all of them.
pub(super) struct Place {
    folder: TempDir,
    servers: Vec<Started>,
    _agents: Vec<Agent>,
}

/// A server with the arguments to restart it.
struct Started {
    url: String,
    arguments: Vec<String>,
    /// The running server, or `None` after it was killed.
    server: Option<Server>,
}

impl Started {
    fn start(&mut self) {
        let address = self.url.strip_prefix("http://").unwrap();
        let words: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        self.server = Some(Server::start_at(address, &words));
    }
}

impl Place {
    fn new() -> Self {
        Self::with(|folder| vec![vec!["--data".to_owned(), format!("{folder}/data")]])
    }

    /// Starts servers with these arguments.
    pub(super) fn with(arguments: impl Fn(&str) -> Vec<Vec<String>>) -> Self {
        // The state folder of an agent must not be writable by others.
        fs::create_dir_all(states()).unwrap();
        let folder = tempfile::tempdir_in(states()).unwrap();
        let start = |arguments: Vec<String>| {
            let words: Vec<_> = arguments.iter().map(String::as_str).collect();
            let server = Server::start_at(&address(), &words);
            Started { url: server.url.clone(), arguments, server: Some(server) }
        };
        let servers: Vec<_> = arguments(folder.path().to_str().unwrap()).into_iter().map(start).collect();
        let urls: Vec<_> = servers.iter().map(|started| started.url.as_str()).collect();
        let agents = NODES.map(|node| {
            let state = folder.path().join(format!("state-{node}"));
            let mut command = converge(&["agent", "--server", &urls.join(","), "--node", node]);
            command.args(["--label", "role=web", "--state-dir"]).arg(state).env("WHO", node);
            Agent(with_default_signals(&command).stderr(Stdio::null()).spawn().unwrap())
        });
        let place = Self { folder, servers, _agents: agents.into() };
        place.until_nodes_are_ready();
        place
    }

    /// Waits until all agents have connected, because a rollout starts with the existing nodes.
    fn until_nodes_are_ready(&self) {
        loop {
            let reply = self.server().json(ALL_NODES);
            let nodes = reply["resources"].as_array().cloned().unwrap_or_default();
            let is_ready = |node: &&Value| node["status"]["nodes"]["conditions"][0]["state"] == "true";
            if nodes.iter().filter(is_ready).count() == NODES.len() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Returns a running server.
    fn server(&self) -> &Server {
        self.servers.iter().find_map(|started| started.server.as_ref()).expect("one runs")
    }

    /// Writes a module with a page for each node and additional text, which may make some nodes unhealthy.
    pub(super) fn write_module(&self, text: &str, addition: &str) {
        let page = format!(
            "file.content \"page\" {{ destination = \"{}/page-{{{{env `WHO`}}}}\" content = \"{text}\" }}\n{addition}",
            self.folder.path().display()
        );
        // Healthy nodes make the long limit even on a busy machine. Unhealthy nodes fail after the short one,
        // which is enough to apply.
        let time_limit = if addition.is_empty() { "600s" } else { "60s" };
        let rollout = json!({"canary": 1, "at_once": "2", "time_limit": time_limit});
        let site = json!({"data": {
            "content": {"text": page}, "mode": "MODE_ENFORCE", "nodes": "role=web", "interval": "10s", "rollout": rollout,
        }});
        let (status, answer) = self.server().put(SITE, &site.to_string());
        assert_eq!(status, 200, "{answer}");
    }

    fn run(&self, arguments: &[&str]) -> Said {
        let mut command = with_default_signals(converge(&["rollout"]).args(arguments));
        Said::from(command.env("CONVERGE_SERVER", &self.server().url).output().unwrap())
    }

    /// Waits for the end of the last rollout.
    pub(super) fn wait_for_rollout(&self) -> Said {
        self.run(&["status", "site", "--wait", "--timeout", "10m"])
    }

    pub(super) fn kill_server(&mut self, number: usize) {
        self.servers[number].server.take().unwrap().ends_by("-KILL");
    }

    pub(super) fn start_server_again(&mut self, number: usize) {
        self.servers[number].start();
    }

    /// Returns the contents of the pages.
    pub(super) fn pages(&self) -> BTreeSet<String> {
        let page = |node| fs::read_to_string(self.folder.path().join(format!("page-{node}"))).unwrap();
        NODES.map(page).into()
    }

    pub(super) fn history(&self) -> Vec<(String, String)> {
        let stdout = self.run(&["history", "site", "-o", "json"]).success().stdout;
        let document: Value = serde_json::from_str(&stdout).unwrap();
        let text_of = |rollout: &Value, name: &str| rollout["data"][name].as_str().unwrap().to_owned();
        let rollouts = document["rollouts"].as_array().unwrap();
        rollouts.iter().map(|rollout| (text_of(rollout, "number"), text_of(rollout, "phase"))).collect()
    }
}

pub(super) fn pages(text: &str) -> BTreeSet<String> {
    [text.to_owned()].into()
}

#[test]
fn a_good_version_comes_to_all_and_a_bad_one_goes_back() {
    let mut place = Place::new();
    place.write_module("first", "");
    let stdout = place.wait_for_rollout().success().stdout;
    assert!(stdout.starts_with("rollout 1 of site: complete\nwell on 3 of 3\n"), "{stdout}");
    assert_eq!(place.pages(), pages("first"));

    // The module fails on one machine only, and the server is killed during the rollout.
    place.write_module("second", "healthcheck.task \"up\" { check = \"test $WHO != two\" apply = \"true\" }");
    place.kill_server(0);
    place.start_server_again(0);
    let output = place.wait_for_rollout();
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output
            .stdout
            .starts_with("rollout 2 of site: failed\n1 failed where 0 may: two; nodes go back to site-"),
        "{output:?}"
    );
    while place.pages() != pages("first") {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    place.run(&["undo", "site"]).success();
    place.wait_for_rollout().success();

    place.write_module("third", "");
    place.kill_server(0);
    place.start_server_again(0);
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("third"));

    let stdout = place.run(&["undo", "site"]).success().stdout;
    assert!(stdout.starts_with("site goes back to the version of rollout "), "{stdout}");
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("first"));
    let expect = ["COMPLETE", "COMPLETE", "COMPLETE", "FAILED", "COMPLETE"];
    let expect = expect.iter().zip((1..=5).rev());
    let expect: Vec<_> =
        expect.map(|(phase, number)| (number.to_string(), format!("PHASE_{phase}"))).collect();
    assert_eq!(place.history(), expect);
}

#[test]
fn a_rollout_is_paused_and_resumed() {
    let place = Place::new();
    place.write_module("first", "");
    place.wait_for_rollout().success();
    let stdout = place.run(&["pause", "site"]).success().stdout;
    assert_eq!(stdout, "site is paused: no further machine gets its latest version\n");
    // A write keeps the pause only if it contains it.
    let server = place.server();
    let mut site = server.json(SITE);
    let text = site["data"]["content"]["text"].as_str().unwrap().replace("first", "second");
    site["data"]["content"]["text"] = json!(text);
    for name in ["status", "generation", "version"] {
        site.as_object_mut().unwrap().remove(name);
    }
    assert_eq!(server.put(SITE, &site.to_string()).0, 200);
    let paused = || place.run(&["status", "site"]).success().stdout;
    while !paused()
        .starts_with("rollout 2 of site: running\npaused: well on 0 of 3; pending on one, three, two\n")
    {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(place.pages(), pages("first"));
    // The command waits for the condition of the module, which is written after that of the rollout.
    let output = loop {
        let output = place.run(&["status", "site", "--wait", "--timeout", "1s"]);
        assert_eq!(output.code, Some(1), "{output:?}");
        if !output.stderr.contains("its state is unknown") {
            break output;
        }
    };
    assert!(
        output.stderr.contains("the rollout of site did not finish within 1 s: well on 0 of 3"),
        "{output:?}"
    );
    let output = place.run(&["retry", "site"]);
    assert_eq!(output.stderr, "error: rollout 2 of site is running: only a failed rollout can be retried\n");
    place.run(&["resume", "site"]).success();
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("second"));

    let output = place.run(&["undo", "site", "--to", "9"]);
    assert_eq!(
        output.stderr,
        "error: site has no such rollout: `converge rollout history site` lists its rollouts\n"
    );
    let output = place.run(&["pause", "other"]);
    assert_eq!(output.stderr, "error: there is no resource converge.v1.Module/default/default/other\n");
}

#[test]
fn a_module_without_rollouts_says_so() {
    let server = Server::start(&["--dev"]);
    let site = json!({"data": {"content": {"text": "param \"a\" { default = 1 }"}, "mode": "MODE_REPORT", "nodes": "*"}});
    assert_eq!(server.put(SITE, &site.to_string()).0, 200);
    for verb in ["status", "pause", "resume", "retry", "undo", "history"] {
        let mut command = converge(&["rollout", verb, "site", "--server", &server.url]);
        let output = Said::from(command.output().unwrap());
        let expect = "error: site has no rollouts: all machines get a new version at once, unless its data have a `rollout`, such as \
                      `rollout { canary = 1 }`\n";
        assert_eq!((output.code, output.stderr.as_str()), (Some(1), expect), "{verb}");
    }
}
