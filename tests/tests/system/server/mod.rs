//! Tests of `converge server` and `converge controllers` with the real programs.

mod agent;
mod broken_servers;
mod browser;
mod commands;
mod etcd;
mod fleet;
mod history;
mod hostile_input;
mod joining;
mod listeners;
mod metrics;
mod notify;
mod page;
mod resource;
mod rollout;
mod secrets;
mod server_program;
mod shared_address;
mod stores;
mod tls;
mod tokens;
mod top;
mod types;

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use converge_tests::{converge, programs, with_default_signals};
use serde_json::Value;
use ureq::Agent;

/// A server that runs until it is dropped.
struct Server {
    url: String,
    /// The address of gRPC.
    grpc: String,
    process: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts `converge server` with these arguments at a free port, optionally with authentication.
    fn start(arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", arguments)
    }

    /// Starts a server at this address.
    ///
    /// A server that restarts needs an [`address`](one_address::address) that stays free.
    fn start_at(http: &str, arguments: &[&str]) -> Self {
        let mut command = converge(&["server", "--http", http, "--grpc", "127.0.0.1:0"]);
        if !arguments.iter().any(|argument| ["--dev", "--tokens"].contains(argument)) {
            command.arg("--open-on-loopback");
        }
        Self::run(command.args(arguments))
    }

    /// Starts the lesson that is a server program with its own types.
    fn of_lesson() -> Self {
        let mut lesson = Command::new(programs().join("examples/custom_server"));
        Self::run(lesson.args(["server", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--dev"]))
    }

    /// Starts a server whose standard error goes to a file.
    fn start_with_log(arguments: &[&str], log: &str) -> Self {
        let log = File::create(log).unwrap();
        let command = &converge(&["server", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]);
        Self::spawn(with_default_signals(command).args(arguments).stderr(log))
    }

    fn run(command: &Command) -> Self {
        Self::spawn(&mut with_default_signals(command))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut line = || lines.next().map(Result::unwrap).unwrap_or_default();
        let (url, grpc) = (line(), line());
        Self { url, grpc: grpc.trim_start_matches("grpc://").to_owned(), process }
    }

    /// Returns the address without `http://`.
    fn address(&self) -> &str {
        self.url.strip_prefix("http://").expect("it has printed where it listens")
    }

    fn get(&self, path: &str) -> (u16, String) {
        let answer = agent().get(format!("{}{path}", self.url)).call().unwrap();
        (answer.status().as_u16(), answer.into_body().read_to_string().unwrap())
    }

    fn put(&self, path: &str, json: &str) -> (u16, String) {
        let request = agent().put(format!("{}{path}", self.url)).content_type("application/json");
        let answer = request.send(json).unwrap();
        (answer.status().as_u16(), answer.into_body().read_to_string().unwrap())
    }

    fn delete(&self, path: &str) -> (u16, String) {
        let answer = agent().delete(format!("{}{path}", self.url)).call().unwrap();
        (answer.status().as_u16(), answer.into_body().read_to_string().unwrap())
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).1).unwrap()
    }

    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.process.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }

    /// Sends a signal, and waits for the end of the server.
    fn ends_by(mut self, signal: &str) -> ExitStatus {
        self.signal(signal);
        self.process.wait().unwrap()
    }
}

fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).build().into()
}
