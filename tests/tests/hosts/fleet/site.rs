//! A test site: a three-member etcd and two servers on this machine, and hosts with agents.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use converge_tests::docker::{NETWORK, docker};
use converge_tests::etcd::Cluster;
use converge_tests::host::{Host, Kind};
use converge_tests::{Said, converge, programs, root, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

const SERVERS: usize = 2;
const PAUSE: Duration = Duration::from_millis(100);
/// The module, which records each revision that was applied.
const COUNTED: &str = "\
file.content \"page\" { destination = \"/srv/page\" content = \"VERSION\" }
task \"applied\" {
  check   = \"grep -qx VERSION /srv/applied\"
  apply   = \"echo VERSION >> /srv/applied\"
  depends = [\"file.content.page\"]
}
file.content \"name\" { destination = \"/srv/name\" content = platform.hostname }
";

/// The site, which is stopped on drop.
pub(super) struct Site {
    pub(super) hosts: Vec<Host>,
    pub(super) etcd: Cluster,
    servers: Vec<Server>,
    store: String,
    folder: TempDir,
}

struct Server {
    address: String,
    /// The server process, or `None` after it was killed.
    process: Option<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Site {
    /// Starts a site with a number of hosts.
    ///
    /// If that is impossible, returns `None` and reports the test as skipped.
    pub(super) fn start(test: &str, hosts: usize) -> Option<Self> {
        let etcd = Cluster::start(test)?;
        let hosts = (0..hosts).map(|number| host(test, number)).collect::<Option<_>>()?;
        let gateway = ["network", "inspect", NETWORK, "--format", "{{(index .IPAM.Config 0).Gateway}}"];
        let gateway = docker(&gateway).unwrap();
        fs::create_dir_all(states()).unwrap();
        let folder = tempfile::tempdir_in(states()).unwrap();
        let data = folder.path().to_str().unwrap();
        Said::from(converge(&["server", "init", "--data", data, "--host", &gateway]).output().unwrap())
            .success();
        let store = etcd.store();
        let server = |number| Server { address: address(&gateway, number), process: None };
        let servers = (0..SERVERS).map(server).collect();
        let mut site = Self { hosts, etcd, servers, store, folder };
        (0..SERVERS).for_each(|number| site.start_server(number));
        (0..SERVERS).for_each(|number| site.until_ready(number));
        for number in 0..site.hosts.len() {
            site.start_agent(number);
        }
        site.until_nodes_are_ready();
        Some(site)
    }

    fn identity(&self, file: &str) -> PathBuf {
        self.folder.path().join("identity").join(file)
    }

    pub(super) fn start_server(&mut self, number: usize) {
        let log = self.folder.path().join(format!("server-{number}.log"));
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command =
            converge(&["server", "--http", &self.servers[number].address, "--grpc", "127.0.0.1:0"]);
        command.args(["--store", &self.store, "--identity"]).arg(self.folder.path().join("identity"));
        let mut command = with_default_signals(&command);
        let process = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.servers[number].process = Some(process);
    }

    /// Waits until a server answers.
    pub(super) fn until_ready(&self, number: usize) {
        while self.ask(number, &["controllers", "status"]).code != Some(0) {
            sleep(PAUSE);
        }
    }

    /// Waits until all agents have connected, because a rollout starts with the existing nodes.
    fn until_nodes_are_ready(&self) {
        loop {
            let reply = self.json(0, &["resource", "list", "Node"]);
            let nodes = reply["resources"].as_array().unwrap().iter();
            let ready = nodes.filter(|node| node["status"]["nodes"]["conditions"][0]["state"] == "true");
            if ready.count() == self.hosts.len() {
                return;
            }
            sleep(PAUSE);
        }
    }

    /// Kills a server, as a loss of power would.
    pub(super) fn kill_server(&mut self, number: usize) {
        let mut process = self.servers[number].process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    pub(super) fn signal_server(&self, number: usize, signal: &str) {
        let id = self.servers[number].process.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Starts the agent of a host as the shipped unit, with its own join token.
    fn start_agent(&self, number: usize) {
        let host = &self.hosts[number];
        let urls: Vec<_> = self.servers.iter().map(|server| format!("https://{}", server.address)).collect();
        let name = name(number);
        let token = self.ask(0, &["token", "create", &name, "--join", "--node", &name]).success();
        host.put("/etc/converge/join.token", token.stdout.trim());
        host.put("/etc/converge/ca.pem", fs::read(self.identity("ca.pem")).unwrap());
        let environment = [
            format!("CONVERGE_SERVER={}\n", urls.join(",")),
            "CONVERGE_CA=/etc/converge/ca.pem\n".to_owned(),
            "CONVERGE_JOIN_TOKEN_FILE=/etc/converge/join.token\n".to_owned(),
        ];
        host.put("/etc/converge/agent.env", environment.concat());
        let unit = fs::read(root().join("packaging/systemd/converge-agent.service")).unwrap();
        host.put("/etc/systemd/system/converge-agent.service", unit);
        host.ok(
            "chmod 600 /etc/converge/join.token && systemctl daemon-reload && systemctl start converge-agent",
        );
    }

    /// Runs a client command against a server.
    pub(super) fn ask(&self, server: usize, arguments: &[&str]) -> Said {
        let mut command = converge(arguments);
        command.env("CONVERGE_SERVER", format!("https://{}", self.servers[server].address));
        command.env("CONVERGE_CA", self.identity("ca.pem"));
        command.env("CONVERGE_TOKEN_FILE", self.identity("admin.token"));
        Said::from(command.output().unwrap())
    }

    fn json(&self, server: usize, arguments: &[&str]) -> Value {
        let output = self.ask(server, &[arguments, &["-o", "json"]].concat()).success();
        serde_json::from_str(&output.stdout).unwrap()
    }

    /// Returns the server that runs the scheduler, among these.
    pub(super) fn leader(&self, servers: &[usize]) -> usize {
        loop {
            if let Some(leader) = servers.iter().copied().find(|server| self.leads(*server)) {
                return leader;
            }
            sleep(PAUSE);
        }
    }

    pub(super) fn leads(&self, server: usize) -> bool {
        let status = self.json(server, &["controllers", "status"]);
        let mut controllers = status["controllers"].as_array().unwrap().iter();
        controllers.any(|controller| controller["name"] == "scheduler" && controller["phase"] == "running")
    }

    /// Changes the module: a page of this version, a record of the apply, and additional text.
    ///
    /// `time_limit` is the time for a host to become healthy.
    pub(super) fn update_module(&self, server: usize, version: &str, addition: &str, time_limit: &str) {
        let text = COUNTED.replace("VERSION", version) + addition;
        let rollout = json!({"canary": 1, "at_once": "4", "failures": "1", "time_limit": time_limit});
        let data = json!({
            "content": {"text": text}, "mode": "MODE_ENFORCE", "nodes": "*", "interval": "10s", "rollout": rollout,
        });
        let site = json!({"id": {"type": {"group": "converge", "group_version": "v1", "kind": "Module"}, "name": "site"}, "data": data});
        let file = self.folder.path().join("site.json");
        fs::write(&file, site.to_string()).unwrap();
        self.ask(server, &["resource", "apply", "-f", file.to_str().unwrap()]).success();
    }

    /// Waits for the end of the last rollout.
    pub(super) fn wait_for_rollout(&self, server: usize) -> Said {
        self.ask(server, &["rollout", "status", "site", "--wait", "--timeout", "10m"])
    }

    /// Returns the phases of all rollouts, the first one first.
    pub(super) fn rollouts(&self, server: usize) -> Vec<String> {
        let reply = self.json(server, &["rollout", "history", "site"]);
        let mut rollouts = reply["rollouts"].as_array().unwrap().clone();
        rollouts.reverse();
        let numbers: Vec<_> =
            rollouts.iter().map(|rollout| rollout["data"]["number"].as_str().unwrap()).collect();
        assert_eq!(numbers, (1..=rollouts.len()).map(|number| number.to_string()).collect::<Vec<_>>());
        rollouts.iter().map(|rollout| rollout["data"]["phase"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the assignments with their generations, which another write would change.
    pub(super) fn assigned(&self, server: usize) -> Vec<String> {
        let reply = self.json(server, &["resource", "list", "Assignment"]);
        let assignments = reply["resources"].as_array().unwrap();
        assignments
            .iter()
            .map(|assignment| format!("{} {}", assignment["id"]["name"], assignment["generation"]))
            .collect()
    }

    /// Waits until the page of a host has this version.
    pub(super) fn wait_for_page(&self, number: usize, version: &str) {
        self.hosts[number].eventually(&format!("grep -qx {version} /srv/page"));
    }

    /// Returns the applied versions of each host, one entry per apply.
    pub(super) fn applied(&self) -> Vec<Vec<String>> {
        let applied = |host: &Host| host.ok("cat /srv/applied").stdout.lines().map(str::to_owned).collect();
        self.hosts.iter().map(applied).collect()
    }

    /// Disconnects a host from the network.
    pub(super) fn cut_off(&self, number: usize) {
        docker(&["network", "disconnect", NETWORK, self.hosts[number].container()]).unwrap();
    }

    pub(super) fn connect(&self, number: usize) {
        docker(&["network", "connect", NETWORK, self.hosts[number].container()]).unwrap();
    }
}

fn name(number: usize) -> String {
    format!("web-{number}")
}

/// Starts a host with the agent's program where its unit expects it.
fn host(test: &str, number: usize) -> Option<Host> {
    let program = programs().join("converge-server");
    let mount = format!("type=bind,readonly,source={},target=/usr/bin/converge-server", program.display());
    Host::with(test, Kind::Systemd, &["--hostname", &name(number), "--mount", &mount])
}

/// Returns the address of a server.
///
/// The port is free while the server is down, because the system assigns no ports of this range.
fn address(ip: &str, server: usize) -> String {
    let of_this_process = usize::try_from(std::process::id() % 10_000).unwrap() * SERVERS;
    format!("{ip}:{}", 10_000 + of_this_process + server)
}
