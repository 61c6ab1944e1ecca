//! A real browser, controlled by [WebDriver](https://www.w3.org/TR/webdriver2/): JSON over HTTP.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use converge_tests::skip;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::agent;

/// The maximum time for an operation that is immediate on an idle machine.
const PATIENCE: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(50);

/// The codes of keys that are no characters.
pub(super) const TAB: &str = "\u{e004}";
pub(super) const ENTER: &str = "\u{e007}";

/// A browser with one window, which is closed on drop.
pub(super) struct Browser {
    driver: Child,
    session: String,
    /// The profile folder of the browser.
    _profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // This ends the browser, which is a separate process.
        let _ = agent().delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    /// Starts a browser.
    ///
    /// Without one, returns `None` and reports the test as skipped.
    pub(super) fn start(test: &str) -> Option<Self> {
        let is_there = |program: &str| {
            let version = Command::new(program).arg("--version").stderr(Stdio::null()).output();
            version.is_ok_and(|output| output.status.success())
        };
        if !["chromium", "chromedriver"].into_iter().all(is_there) {
            skip(
                &format!("server::page::{test}"),
                "there is no browser (Debian's chromium and chromium-driver)",
            );
            return None;
        }
        let mut driver = Command::new("chromedriver");
        let mut driver = driver.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map(Result::unwrap);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        let port = port.expect("it says where it listens");
        // The driver continues to write, and must not block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));

        let profile = tempfile::tempdir().unwrap();
        let arguments = json!([
            "--headless=new",
            // The sandbox does not work for root.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            format!("--user-data-dir={}", profile.path().display()),
        ]);
        let request = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            // Each test creates new authorities for its servers.
            "acceptInsecureCerts": true,
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let url = format!("http://127.0.0.1:{port}/session");
        let session = post(&url, &request)["sessionId"].as_str().unwrap().to_owned();
        Some(Self { driver, session: format!("{url}/{session}"), _profile: profile })
    }

    fn ask(&self, command: &str, body: &Value) -> Value {
        post(&format!("{}/{command}", self.session), body)
    }

    pub(super) fn open(&self, url: &str) {
        self.ask("url", &json!({"url": url}));
    }

    /// Runs a function body in the page and returns its result.
    pub(super) fn run(&self, script: &str) -> Value {
        self.ask("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until an expression is true in the page.
    pub(super) fn until(&self, expression: &str) {
        let began = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != json!(true) {
            assert!(
                began.elapsed() < PATIENCE,
                "never so: {expression}\n{}\n{:#?}",
                self.text(),
                self.log("browser")
            );
            sleep(PAUSE);
        }
    }

    /// Waits until a text is on the page.
    pub(super) fn until_text(&self, text: &str) {
        self.until(&format!("document.body.innerText.includes({})", json!(text)));
    }

    /// Returns the visible text.
    pub(super) fn text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Presses keys one after the other.
    pub(super) fn press(&self, keys: &[&str]) {
        let steps =
            keys.iter().flat_map(|key| ["keyDown", "keyUp"].map(|step| json!({"type": step, "value": key})));
        let steps: Vec<_> = steps.collect();
        self.ask("actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": steps}]}));
    }

    /// Sends a command of the [DevTools protocol](https://chromedevtools.github.io/devtools-protocol/).
    pub(super) fn tools(&self, command: &str, parameters: &Value) {
        self.ask("goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }

    /// Returns the new entries of a log.
    fn log(&self, kind: &str) -> Vec<Value> {
        self.ask("se/log", &json!({"type": kind})).as_array().unwrap().clone()
    }

    /// Returns the new errors of scripts and policies, without failed requests to the server.
    pub(super) fn complaints(&self) -> Vec<Value> {
        self.log("browser").into_iter().filter(|entry| entry["source"] != "network").collect()
    }

    /// Returns the URLs that the page has requested since the last call.
    pub(super) fn asked(&self) -> Vec<String> {
        let messages = self.log("performance").into_iter().filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let is_request = message["method"] == "Network.requestWillBeSent";
            is_request.then(|| message["params"]["request"]["url"].as_str().unwrap().to_owned())
        });
        messages.collect()
    }
}

fn post(url: &str, body: &Value) -> Value {
    let answer = agent().post(url).content_type("application/json").send(body.to_string()).unwrap();
    let is_done = answer.status() == 200;
    let answer: Value = serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap();
    assert!(is_done, "{url}: {answer:#}");
    answer["value"].clone()
}
