//! Tests of agents with the real programs, on files of a temporary folder.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use converge_tests::{converge, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::shared_address::address;
use super::{Server, history};

pub(super) const PAUSE: Duration = Duration::from_millis(20);
const NODE: &str = "/v1/resources/converge/v1/node/web-1";
const SITE: &str = "/v1/resources/converge/v1/module/site";
const ASSIGNMENTS: &str = "/v1/resources/converge/v1/assignment";

/// An agent that runs until it is dropped.
pub(super) struct Agent(pub(super) Child);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Agent {
    pub(super) fn start(url: &str, state: &Path) -> Self {
        let state = state.to_str().unwrap();
        let command = converge(&[
            "agent",
            "--server",
            url,
            "--node",
            "web-1",
            "--label",
            "role=web",
            "--state-dir",
            state,
        ]);
        Self(with_default_signals(&command).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Stops the agent, and returns its exit code and its output.
    pub(super) fn ends(mut self) -> (Option<i32>, String) {
        let id = self.0.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.ended()
    }

    pub(super) fn ended(&mut self) -> (Option<i32>, String) {
        let mut stderr_text = String::new();
        std::io::Read::read_to_string(&mut self.0.stderr.take().unwrap(), &mut stderr_text).unwrap();
        (self.0.wait().unwrap().code(), stderr_text)
    }
}

/// A persistent server and the working folder of its agent.
pub(super) struct Place {
    pub(super) folder: TempDir,
    server: Option<Server>,
    url: String,
}

impl Place {
    pub(super) fn new() -> Self {
        // The state folder of an agent must not be writable by others.
        fs::create_dir_all(states()).unwrap();
        let folder = tempfile::tempdir_in(states()).unwrap();
        let data = folder.path().join("data");
        let server = Server::start_at(&address(), &["--data", data.to_str().unwrap()]);
        let url = server.url.clone();
        Self { folder, server: Some(server), url }
    }

    pub(super) fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    pub(super) fn agent(&self) -> Agent {
        self.agent_with("state")
    }

    /// Starts an agent of the same node with another state folder.
    pub(super) fn agent_with(&self, state: &str) -> Agent {
        Agent::start(&self.url, &self.folder.path().join(state))
    }

    pub(super) fn kill_server(&mut self) {
        self.server.take().unwrap().ends_by("-KILL");
    }

    /// Listens at the address of the server, accepts connections and never answers.
    pub(super) fn silent(&self) -> TcpListener {
        TcpListener::bind(self.url.strip_prefix("http://").unwrap()).unwrap()
    }

    /// Restarts the server at the same address.
    pub(super) fn start_server_again(&mut self) {
        let address = self.url.strip_prefix("http://").unwrap();
        let data = self.folder.path().join("data");
        self.server = Some(Server::start_at(address, &["--data", data.to_str().unwrap()]));
    }

    /// Assigns a module that declares the content of the file.
    pub(super) fn assign(&self, mode: &str, text: &str) {
        self.write_module(&self.page(text), mode);
    }

    /// Returns a module that declares the content of the file.
    fn page(&self, text: &str) -> Value {
        let file = self.file();
        json!({"text": format!("file.content \"page\" {{ destination = \"{file}\" content = \"{text}\" }}")})
    }

    /// Writes a module that is checked every ten seconds.
    pub(super) fn write_module(&self, content: &Value, mode: &str) {
        self.says_every("10s", content, mode);
    }

    fn says_every(&self, interval: &str, content: &Value, mode: &str) {
        let site =
            json!({"data": {"content": content, "mode": mode, "nodes": "role=web", "interval": interval}});
        let (status, answer) = self.server().put(SITE, &site.to_string());
        assert_eq!(status, 200, "{answer}");
    }

    pub(super) fn file(&self) -> String {
        self.folder.path().join("page").to_str().unwrap().to_owned()
    }

    pub(super) fn until_file_is(&self, text: &str) {
        while fs::read_to_string(self.file()).unwrap_or_default() != text {
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until the agent has reported this condition for the current generation.
    pub(super) fn wait_for_condition(&self, condition: &str, state: &str) -> Value {
        loop {
            let reply = self.server().json(ASSIGNMENTS);
            if let Some(assignment) =
                reply["resources"].as_array().and_then(|assignments| assignments.first())
            {
                let status = &assignment["status"]["agent"];
                let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
                let is_so = |found: &Value| found["type"] == condition && found["state"] == state;
                if status["observed_generation"] == assignment["generation"]
                    && let Some(match_found) = conditions.into_iter().find(is_so)
                {
                    return match_found;
                }
            }
            std::thread::sleep(PAUSE);
        }
    }

    pub(super) fn until_site_says(&self, condition: &str, message: &str) {
        loop {
            let site = self.server().json(SITE);
            let conditions =
                site["status"]["scheduler"]["conditions"].as_array().cloned().unwrap_or_default();
            if conditions.iter().any(|entry| entry["type"] == condition && entry["message"] == message) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

#[test]
fn a_module_is_enforced_and_drift_is_mended_also_while_the_server_is_away() {
    let mut place = Place::new();
    place.assign("MODE_ENFORCE", "one");
    let agent = place.agent();
    place.until_file_is("one");
    place.wait_for_condition("applied", "true");
    assert_eq!(history::until_changed(&place, 1).last().unwrap()["summary"], "1 changed");
    place.until_site_says("applied", "applied on 1 of 1");
    let ready =
        |place: &Place| place.server().json(NODE)["status"]["nodes"]["conditions"][0]["state"].clone();
    while ready(&place) != "true" {
        std::thread::sleep(PAUSE);
    }
    assert_eq!(place.server().json(NODE)["metadata"]["role"], "web");

    // A manual change.
    fs::write(place.file(), "mine").unwrap();
    place.until_file_is("one");
    history::until_changed(&place, 2);

    // Another manual change while the server is away and the agent restarts.
    place.kill_server();
    drop(agent);
    fs::write(place.file(), "mine").unwrap();
    let agent = place.agent();
    place.until_file_is("one");

    // The server's address accepts connections but never answers. The agent neither waits for it, nor is it
    // kept from stopping.
    let silent = place.silent();
    fs::write(place.file(), "mine").unwrap();
    place.until_file_is("one");
    let (code, stderr) = agent.ends();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("the server is unreachable: continuing with the known assignments"), "{stderr}");
    drop(silent);
    let agent = place.agent();

    // A change of the module reaches the agent when the server is back.
    place.start_server_again();
    place.assign("MODE_ENFORCE", "two");
    place.until_file_is("two");
    place.wait_for_condition("applied", "true");
    assert_eq!(agent.ends().0, Some(0));
}

#[test]
fn what_others_change_is_mended_long_before_the_interval() {
    let place = Place::new();
    place.says_every("86400s", &place.page("one"), "MODE_ENFORCE");
    let _agent = place.agent();
    place.until_file_is("one");
    // The check after the agent's own change may find the first of these changes; the file watch reports the
    // others.
    for by_hand in ["mine", "mine again", ""] {
        fs::write(place.file(), by_hand).unwrap();
        place.until_file_is("one");
    }
    fs::remove_file(place.file()).unwrap();
    place.until_file_is("one");
}

#[test]
fn what_is_only_to_be_reported_or_suspended_changes_nothing() {
    let place = Place::new();
    place.assign("MODE_REPORT", "one");
    let _agent = place.agent();
    assert_eq!(place.wait_for_condition("applied", "false")["message"], "1 to change");
    place.until_site_says("applied", "applied on 0 of 1, not on web-1");
    assert!(!Path::new(&place.file()).exists());

    // The operator suspends the node.
    let (status, answer) = place
        .server()
        .put(NODE, &json!({"metadata": {"role": "web"}, "data": {"suspended": true}}).to_string());
    assert_eq!(status, 200, "{answer}");
    place.wait_for_condition("suspended", "true");
    place.assign("MODE_ENFORCE", "two");
    place.wait_for_condition("suspended", "true");
    assert!(!Path::new(&place.file()).exists());
    let (status, answer) = place.server().put(NODE, &json!({"metadata": {"role": "web"}}).to_string());
    assert_eq!(status, 200, "{answer}");
    place.until_file_is("two");
}

/// Returns a window of one hour that begins this many hours from now.
fn hour(from_now: u64) -> Value {
    let minutes = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() / 60;
    let time = |hours: u64| format!("{:02}:{:02}", (minutes / 60 + hours) % 24, minutes % 60);
    json!({"from": time(from_now), "to": time(from_now + 1)})
}

#[test]
fn nothing_is_changed_outside_of_the_windows_of_a_module() {
    let place = Place::new();
    let site = |windows: Value| {
        let data = json!({"content": place.page("one"), "mode": "MODE_ENFORCE", "nodes": "role=web", "windows": windows});
        place.server().put(SITE, &json!({ "data": data }).to_string())
    };
    let (status, answer) = site(json!([hour(2), {"days": "monday", "from": "1:00", "to": "02:00"}]));
    assert_eq!(status, 400, "{answer}");
    assert!(answer.contains("windows[1].days is not made of mon, tue"), "{answer}");
    assert!(answer.contains("windows[1].from is not a time of the day"), "{answer}");

    let (status, answer) = site(json!([hour(2), hour(12)]));
    assert_eq!(status, 200, "{answer}");
    let _agent = place.agent();
    let applied = place.wait_for_condition("applied", "false");
    assert_eq!(applied["reason"], "OutsideWindows");
    let message = applied["message"].as_str().unwrap();
    assert!(message.starts_with("1 to change; it may be changed in its windows from 20"), "{message}");
    assert!(!Path::new(&place.file()).exists());

    // A window that is open now, and one that opens later.
    let (status, answer) = site(json!([hour(12), hour(24)]));
    assert_eq!(status, 200, "{answer}");
    place.until_file_is("one");
    place.wait_for_condition("applied", "true");
}

#[test]
fn mistakes_of_a_module_are_reported_with_their_places() {
    let place = Place::new();
    let site = |text: &str| {
        let site =
            json!({"data": {"content": {"text": text}, "mode": "MODE_ENFORCE", "nodes": "*"}}).to_string();
        let (status, answer) = place.server().put(SITE, &site);
        assert_eq!(status, 200, "{answer}");
    };
    site("file.contnt \"a\" {}");
    let _agent = place.agent();
    let failed = place.wait_for_condition("failed", "true")["message"].as_str().unwrap().to_owned();
    assert!(failed.contains("web-1-site-") && failed.contains("file.contnt"), "{failed}");
    site("task \"a\" { check = \"exit 1\" apply = \"echo no >&2; exit 3\" }");
    loop {
        let failed = place.wait_for_condition("failed", "true")["message"].as_str().unwrap().to_owned();
        if failed.contains("root/task.a: ") {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    place.wait_for_condition("applied", "false");
}

#[test]
fn one_agent_works_with_a_folder() {
    let place = Place::new();
    place.assign("MODE_ENFORCE", "one");
    let _first = place.agent();
    place.until_file_is("one");
    let mut second = place.agent();
    let (code, stderr) = second.ended();
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("error: another agent already uses "), "{stderr}");
}
