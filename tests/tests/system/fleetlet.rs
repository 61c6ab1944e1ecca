//! Tests of `examples/fleetlet`, a service around the engine, from outside.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use converge_tests::programs;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::{Agent, Body};

use crate::run::private;

/// The timeout of the test itself, which does not affect its result.
const GUARD: Duration = Duration::from_mins(2);

struct Service {
    folder: TempDir,
    url: String,
    agent: Agent,
    process: Child,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Service {
    fn start() -> Self {
        let folder = private();
        let mut command = Command::new(programs().join("examples/fleetlet"));
        command.arg(folder.path()).env("SECRET_OF_THE_HOST", "hunter2").stdout(Stdio::piped());
        let mut process = command.spawn().expect("the example can be run");
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { folder, url: url.trim().to_owned(), agent, process }
    }

    fn machine(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("machine").join(path)
    }

    fn put(&self, name: &str, text: &str) -> (u16, String) {
        let answer = self.agent.put(format!("{}/modules/{name}", self.url)).send(text).unwrap();
        (answer.status().as_u16(), answer.into_body().read_to_string().unwrap())
    }

    /// Starts a run.
    ///
    /// Its events arrive in the body.
    fn begin(&self, path: &str, params: &Value) -> Body {
        let request = self.agent.post(format!("{}/{path}", self.url)).content_type("application/json");
        request.send(params.to_string()).unwrap().into_body()
    }

    /// Returns all lines of a run.
    fn run(&self, path: &str, params: &Value) -> Vec<Value> {
        let text = self.begin(path, params).read_to_string().unwrap();
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Plans a module of the service, and returns the path that applies this plan.
    fn plan(&self, module: &str, params: &Value) -> String {
        let lines = self.run(&format!("modules/{module}/plan"), params);
        format!("plans/{}/apply", lines.last().unwrap()["plan"])
    }
}

const FILE: &str =
    "param \"text\" {}\nfile.content \"f\" {\n  destination = \"/f\"\n  content = \"{{param `text`}}\"\n}\n";

#[test]
fn a_stored_plan_is_applied_as_it_was_shown() {
    let service = Service::start();
    assert_eq!(service.put("site.hcl", FILE).0, 204);
    let params = json!({ "text": "new" });
    let apply = service.plan("site.hcl", &params);
    let lines = service.run(&apply, &json!({}));
    assert_eq!(lines.last().unwrap(), &json!({ "success": true }), "{lines:?}");
    assert_eq!(fs::read_to_string(service.machine("f")).unwrap(), "new");
    let runs: Vec<_> = lines.iter().filter_map(|line| line.get("run")).collect();
    assert!(runs.len() > 2 && runs.iter().all(|run| *run == runs[0]), "each event says its run: {lines:?}");

    // A manual change after the plan.
    let apply = service.plan("site.hcl", &json!({ "text": "newer" }));
    fs::write(service.machine("f"), "by hand").unwrap();
    let lines = service.run(&apply, &json!({}));
    assert_eq!(lines.last().unwrap(), &json!({ "success": false }), "{lines:?}");
    let refused =
        lines.iter().find(|line| line["id"] == "root/file.content.f" && line["event"] == "resource-finished");
    assert!(refused.unwrap().to_string().contains("it has drifted"), "{lines:?}");
    assert_eq!(fs::read_to_string(service.machine("f")).unwrap(), "by hand");

    // The module has changed since the plan.
    let apply = service.plan("site.hcl", &json!({ "text": "newest" }));
    service.put("site.hcl", &FILE.replace("\"/f\"", "\"/g\""));
    let lines = service.run(&apply, &json!({}));
    assert!(lines[0]["error"].as_str().unwrap().contains("the plan does not match this run"), "{lines:?}");
    assert!(!service.machine("g").exists());
}

#[test]
fn a_module_is_read_once_for_all_its_loads() {
    let service = Service::start();
    let count = |name: &str| {
        let body = service.agent.get(format!("{}/stats", service.url)).call().unwrap().into_body();
        let stats: Value = serde_json::from_reader(body.into_reader()).unwrap();
        stats["modules"][name].as_u64().unwrap()
    };
    service.put("file.hcl", FILE);
    service.put("site.hcl", "module \"file.hcl\" \"f\" { params { text = \"x\" } }\n");
    assert_eq!((count("hits"), count("misses")), (1, 2));
    let apply = service.plan("site.hcl", &json!({}));
    assert_eq!(service.run(&apply, &json!({})).last().unwrap(), &json!({ "success": true }));
    assert_eq!((count("hits"), count("misses")), (5, 2));
    service.put("file.hcl", &FILE.replace("\"/f\"", "\"/g\""));
    service.plan("site.hcl", &json!({}));
    assert_eq!((count("hits"), count("misses")), (7, 3));
}

#[test]
fn a_client_that_hangs_up_cancels_its_run() {
    let service = Service::start();
    let endless = "task \"t\" {\n  check = \"exit 1\"\n  apply = \"echo $$ > /proc/self/cwd/pid; exec sleep 1000000\"\n}\n";
    service.put("endless.hcl", endless);
    let apply = service.plan("endless.hcl", &json!({}));
    let mut body = service.begin(&apply, &json!({})).into_with_config().reader();
    let pid = wait_for("the script begins", || {
        let text = fs::read_to_string(service.machine("pid")).ok()?;
        text.strip_suffix('\n').map(str::to_owned)
    });
    assert!(Path::new("/proc").join(&pid).exists());
    // If the run starts slowly, an empty line comes first.
    let first = BufReader::new(&mut body).lines().map(Result::unwrap).find(|line| !line.is_empty());
    assert!(first.as_deref().is_some_and(|line| line.contains("run-started")), "{first:?}");
    drop(body);
    wait_for("the script ends", || (!Path::new("/proc").join(&pid).exists()).then_some(()));

    // The next run has nothing to wait for.
    service.put("site.hcl", FILE);
    let apply = service.plan("site.hcl", &json!({ "text": "x" }));
    assert_eq!(service.run(&apply, &json!({})).last().unwrap(), &json!({ "success": true }));
}

#[test]
fn a_text_of_a_client_reaches_nothing_of_the_host() {
    let service = Service::start();
    let secret = service.folder.path().join("secret");
    fs::write(&secret, "hunter2").unwrap();
    for (text, expect) in [
        (format!("param \"p\" {{ default = file(\"{}\") }}\n", secret.display()), "file"),
        ("param \"p\" { default = path.cwd }\n".to_owned(), "path.cwd"),
        (format!("module \"{}\" \"m\" {{}}\n", secret.display()), "module"),
        ("file.contents \"f\" {}\n".to_owned(), "did you mean `file.content`?"),
    ] {
        let (status, answer) = service.put("tenant.hcl", &text);
        assert_eq!(status, 422, "{text}: {answer}");
        assert!(answer.contains(expect) && !answer.contains("hunter2"), "{text}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["diagnostics"][0]["labels"][0]["file"], "tenant.hcl", "{answer}");
    }
    let module = "task.query \"q\" { query = \"env\" }\n";
    service.put("look.hcl", module);
    let output = format!("{:?}", service.run("modules/look.hcl/plan", &json!({})));
    assert!(!output.contains("hunter2"), "{output}");
}

#[track_caller]
fn wait_for<T>(label: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(item) = poll() {
            return item;
        }
        assert!(began.elapsed() < GUARD, "{label}");
        sleep(Duration::from_millis(10));
    }
}
