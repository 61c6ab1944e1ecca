//! Tests of the web page of a server in a real browser.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::browser::{Browser, ENTER, TAB};
use super::shared_address::address;
use super::tokens::{ADMIN, Place};
use super::{Server, agent};

const TYPES: &str = "/v1/resources/converge/v1";
/// A text that would run or be displayed differently if it were interpreted as markup.
const HOSTILE: &str = "<img src=x onerror=\"window.owned=1\"><script>window.owned=1</script>&lt;b&gt;";

/// A task that waits for another one.
const TASKS: &str = r#"
task "a" { check = "true" apply = "true" }
task "b" { check = "true" apply = "true" depends = ["task.a"] }
"#;

impl Server {
    /// Writes a resource and returns it as stored.
    fn write(&self, path: &str, resource: &Value) -> Value {
        let (status, answer) = self.put(&format!("{TYPES}/{path}"), &resource.to_string());
        assert_eq!(status, 200, "{path}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    pub(super) fn node(&self, name: &str, label: &str) -> Value {
        self.write(&format!("node/{name}"), &json!({"metadata": {"role": label}}))
    }

    /// Writes conditions as the agent of a resource does.
    fn report(&self, kind: &str, resource: &Value, conditions: &Value) {
        let id = &resource["id"];
        let (name, uid) = (id["name"].as_str().unwrap(), id["uid"].as_str().unwrap());
        let status = json!({"observed_generation": resource["generation"], "conditions": conditions});
        self.write(&format!("{kind}/{name}/status/agent?uid={uid}"), &status);
    }

    /// Creates a node with a fresh heartbeat, and returns its report for further [heartbeats](Self::beats).
    pub(super) fn living_node(&self, name: &str, label: &str, version: &str) -> Value {
        let node = self.node(name, label);
        let report = json!({"owner": node["id"], "data": {"version": version, "facts": {"os": HOSTILE}}});
        let report = self.write(&format!("nodereport/{name}"), &report);
        self.send_heartbeat(&report);
        report
    }

    /// Sends a heartbeat for a report.
    fn send_heartbeat(&self, report: &Value) {
        self.report("nodereport", report, &json!([]));
    }

    fn module(&self, name: &str, nodes: &str, text: &str) {
        let rollout = json!({"canary": 1});
        let windows = json!([{"days": "mon-fri", "from": "22:00", "to": "06:00", "zone": "Europe/Berlin"}]);
        let data = json!({
            "content": {"text": text}, "mode": "MODE_ENFORCE", "nodes": nodes, "rollout": rollout, "windows": windows,
        });
        self.write(&format!("module/{name}"), &json!({"data": data}));
    }

    /// Waits for the first assignment and returns it.
    fn assignment(&self) -> Value {
        loop {
            let resource = self.json(&format!("{TYPES}/assignment"))["resources"][0].clone();
            if !resource.is_null() {
                return resource;
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Restarts the server at the same address.
    pub(super) fn restart(url: &str, data: &str) -> Self {
        Self::start_at(url.strip_prefix("http://").unwrap(), &["--data", data])
    }
}

#[test]
fn files_come_with_strict_headers_and_nothing_else_is_served() {
    let server = Server::start(&["--dev"]);
    let ask = |path: &str, known: &str| {
        let request = agent().get(format!("{}{path}", server.url)).header("If-None-Match", known);
        request.call().unwrap()
    };
    for path in ["/", "/page/app.js", "/page/style.css", "/page/icon.svg"] {
        let answer = ask(path, "");
        assert_eq!(answer.status(), 200, "{path}");
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("x-frame-options"), "DENY");
        let second_reply = ask(path, &header("etag"));
        assert_eq!(second_reply.status(), 304, "{path}");
        assert_eq!(second_reply.into_body().read_to_string().unwrap(), "");
    }
    for path in
        ["/page", "/page/", "/page/mod.rs", "/page/../page/app.js", "/page/%2e%2e/mod.rs", "/index.html"]
    {
        assert_eq!(ask(path, "").status(), 404, "{path}");
    }
    // A request for another host is still refused.
    let elsewhere = agent().get(&server.url).header("Host", "example.org").call().unwrap();
    assert_eq!(elsewhere.status(), 421);
    assert_eq!(agent().post(&server.url).send("").unwrap().status(), 405);
}

/// Returns a run of the module `site` as the agent of an assignment reports it.
fn run_of(assignment: &Value, outcome: &str, minute: u32, extra: &Value) -> Value {
    let owner = &assignment["owner"];
    let module = json!({"type": owner["type"], "tenancy": owner["tenancy"], "name": "site"});
    let (revision, began) = (&assignment["data"]["revision"], format!("2026-11-23T15:{minute:02}:00Z"));
    let mut run = json!({"id": began, "module": module, "revision": revision, "outcome": outcome, "began": began, "took": "0.25s"});
    run.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    run
}

/// The last plan of the module `site` appears in the open view of the node once the agent sends it.
fn the_last_plan_is_shown(browser: &Browser, server: &Server, assignment: &Value, node: &Value) {
    browser.until_text("No run has found anything to change.");
    let diff = format!("@@ -1 +1 @@\n-old\n+{HOSTILE}\n same\n\\ no newline at the end\n");
    let changes = json!([
        {"name": "content", "diff": diff},
        {"name": "mode", "before": "\"0644\"", "after": "\"0600\""},
        {"name": "refresh", "after": "task.b changed"},
    ]);
    let resources = json!([
        {"name": "file.content.page", "outcome": "RESOURCE_OUTCOME_WILL_CHANGE", "changes": changes},
        {"name": "task.b", "outcome": "RESOURCE_OUTCOME_FAILED", "messages": [HOSTILE], "error": HOSTILE},
    ]);
    let mut plan = run_of(assignment, "RUN_OUTCOME_DIFFERS", 7, &json!({"summary": "1 to change, 1 failed"}));
    let fields = plan.as_object_mut().unwrap();
    fields.retain(|name, _| !["id", "took"].contains(&name.as_str()));
    fields.insert("resources".to_owned(), resources);
    fields.insert("left_out".to_owned(), "3 more resources are left out.".into());
    let mut other_plan = plan.clone();
    other_plan["module"]["name"] = "db".into();
    let name = node["name"].as_str().unwrap();
    let write = |plans: &Value| {
        server.write(&format!("nodeplans/{name}"), &json!({"owner": node, "data": {"plans": plans}}));
    };
    write(&json!([other_plan, plan]));
    browser.until_text("file.content.page ± will change");
    let actual = browser.run("return document.querySelector('details[data-module=site]').innerText");
    let actual = actual.as_str().unwrap();
    let expected =
        ["± differs", "mode: \"0644\" → \"0600\"", "refresh: task.b changed", "✗ failed", "3 more resources"];
    for expect in expected {
        assert!(actual.contains(expect), "{expect}: {actual}");
    }
    let lines = browser.run("return [...document.querySelectorAll('details[open] .diff span')].map((line) => `${line.className} ${line.innerText.trimEnd()}`)");
    let added = format!("good +{HOSTILE}");
    assert_eq!(
        lines,
        json!(["busy @@ -1 +1 @@", "bad -old", added, "same  same", "note \\ no newline at the end"])
    );

    // The newest plan is open, and a plan that the user has opened stays open when another arrives.
    let open =
        "[...document.querySelectorAll('details')].map((one) => `${one.dataset.module} ${one.open}`).join()";
    assert_eq!(browser.run(&format!("return {open}")), "site true,db false");
    browser.run("document.querySelector('details[data-module=db] summary').click()");
    write(&json!([plan, other_plan]));
    browser.until(&format!("{open} === 'db true,site true'"));
}

/// A missing resource is reported, whatever the URL contains.
///
/// There is one rollout.
fn wrong_addresses_are_said(browser: &Browser) {
    for (address, text) in [
        ("#/nodes/default/nobody", "there is no such node"),
        ("#/nodes/%3Cb%3E/x", "The server refuses the request"),
        ("#/nodes/default/x/y", "Page not found"),
        ("#/nodes/%", "Page not found"),
        ("#/constructor/x", "Page not found"),
        ("#/<b>x</b>", "Page not found"),
    ] {
        browser.run(&format!("location.hash = {}", json!(address)));
        browser.until_text(text);
        browser.run("location.hash = '#/rollouts'");
        browser.until_text("1 rollout: 1 running.");
    }
}

#[test]
fn what_is_written_is_shown_live_and_stays_text() {
    let Some(browser) = Browser::start("live") else { return };
    let server = Server::start(&["--dev"]);
    browser.open(&server.url);
    browser.until_text("There is no node.");
    let living = server.living_node("web-1", "web", HOSTILE);
    server.node("web-10", "web");
    server.node("web-2", "db");
    browser.until_text("3 nodes: 2 never reported, 1 ready.");
    browser.until_text(HOSTILE);
    // The names are in natural order.
    let names = "return [...document.querySelectorAll('tbody th')].map((name) => name.innerText)";
    assert_eq!(browser.run(names), json!(["web-1", "web-2", "web-10"]));

    // A filter also applies to later rows.
    browser.run("const input = document.querySelector('input[type=search]'); input.value = 'role=WEB never'; input.dispatchEvent(new Event('input'))");
    browser.until_text("1 of them match the filter.");
    server.node("web-3", "web");
    browser.until_text("2 of them match the filter.");
    assert_eq!(server.delete(&format!("{TYPES}/node/web-3")).0, 204);
    browser.until_text("1 of them match the filter.");

    // A module and the report of its agent. Regular heartbeats keep the node from becoming silent.
    server.send_heartbeat(&living);
    browser.run("location.hash = '#/modules'");
    browser.until_text("There is no module.");
    server.module("site", "role=web", &format!("{TASKS}# {HOSTILE}"));
    browser.until_text("1 module");
    browser.until_text("nodes: 2");
    let assignment = server.assignment();
    let failed = json!([
        {"type": "planned", "state": "true", "message": HOSTILE},
        {"type": "applied", "state": "false", "message": "1 failed"},
        {"type": "drifted", "state": "true", "message": "1 to change"},
        {"type": "failed", "state": "true", "reason": "Errors", "message": format!("root/task.a: {HOSTILE}")},
    ]);
    server.report("assignment", &assignment, &failed);
    browser.run("document.querySelector('tbody a').click()");
    browser.until("document.activeElement.innerText === 'Module site'");
    browser.until_text("drifted 1 to change");
    browser.until_text(&format!("root/task.a: {HOSTILE}"));
    browser.until_text(&format!("# {HOSTILE}"));
    browser.until_text("running");
    browser.until_text("mon-fri from 22:00 to 06:00 Europe/Berlin");
    server.send_heartbeat(&living);
    // The graph of the module, as a drawing and as a table.
    let parts =
        "[...document.querySelectorAll('table[aria-label=Parts] tbody tr')].map((row) => row.innerText)";
    browser.until(&format!("{parts}.length === 2"));
    assert_eq!(browser.run(&format!("return {parts}")), json!(["task.a\ttask\t", "task.b\ttask\ttask.a"]));
    assert_eq!(
        browser.run(
            "return [...document.querySelectorAll('svg.graph .box')].map((box) => box.getAttribute('x'))"
        ),
        json!(["0", "290"])
    );
    assert_eq!(browser.run("return document.querySelectorAll('svg.graph .edge').length"), 1);
    let node = assignment["data"]["node"]["name"].as_str().unwrap();
    browser.run(&format!("location.hash = '#/nodes/default/{node}'"));
    browser.until_text("✗ failed");
    browser.until_text("Errors");
    browser.until_text("There is no run.");
    server.send_heartbeat(&living);
    let runs = json!([
        run_of(
            &assignment,
            "RUN_OUTCOME_FAILED",
            1,
            &json!({"last": "2026-11-23T15:20:00Z", "times": "7", "errors": [HOSTILE]})
        ),
        run_of(
            &assignment,
            "RUN_OUTCOME_CHANGED",
            21,
            &json!({"summary": "1 changed", "changes": ["task.a"]})
        ),
    ]);
    let owner = server.json(&format!("{TYPES}/node/{node}"))["id"].clone();
    server.write(&format!("nodehistory/{node}"), &json!({"owner": owner, "data": {"runs": runs}}));
    browser.until_text("± changed");
    browser.until("document.querySelectorAll('.lane .bar').length === 2");
    assert_eq!(
        browser.run("return document.querySelector('.lane').getAttribute('aria-label')"),
        "site: 2 runs, of which 1 failed or were lost"
    );
    server.send_heartbeat(&living);
    the_last_plan_is_shown(&browser, &server, &assignment, &owner);
    server.send_heartbeat(&living);
    browser.run("location.hash = '#/rollouts'");
    browser.until_text("1 rollout: 1 running.");
    browser.run("document.querySelector('tbody a').click()");
    browser.until_text("with this version, of which 0 applied it.");

    // The events that the server records.
    browser.run("location.hash = '#/events'");
    browser.until_text("1 to look at");
    for phrase in ["✗ NotApplied", "✓ RolloutBegan", "✓ NodeReady", &format!("root/task.a: {HOSTILE}")]
    {
        browser.until_text(phrase);
    }

    wrong_addresses_are_said(&browser);
    assert_eq!(browser.run("return window.owned ?? null"), Value::Null);
    assert_eq!(browser.run("return document.querySelectorAll('main img, main script, main b').length"), 0);
    assert_eq!(browser.complaints(), [Value::Null; 0]);
    let urls = browser.asked();
    assert!(urls.iter().any(|url| url.contains("watch=true")), "{urls:?}");
    // Before the page is opened, the browser shows its own empty page.
    let elsewhere =
        |url: &&String| !["chrome:", "data:", &server.url].iter().any(|prefix| url.starts_with(prefix));
    assert_eq!(urls.iter().find(elsewhere), None);
}

#[test]
fn a_thousand_nodes_are_a_bounded_page() {
    let Some(browser) = Browser::start("thousand") else { return };
    let server = Server::start(&["--dev"]);
    for number in 0..1000 {
        server.node(&format!("n-{number}"), "web");
    }
    browser.open(&server.url);
    browser
        .until_text("1,000 nodes: 1000 never reported. Only the first 200 are shown; filter to see others.");
    assert_eq!(browser.run("return document.querySelectorAll('tbody tr').length"), 200);
    assert_eq!(browser.run("return document.querySelector('tbody tr:last-child th').innerText"), "n-199");
    browser.run("const input = document.querySelector('input[type=search]'); input.value = 'n-999'; input.dispatchEvent(new Event('input'))");
    browser.until("document.querySelectorAll('tbody tr').length === 1");
    browser.until_text("1 of them match the filter.");
    assert_eq!(browser.run("return document.querySelector('tbody th').innerText"), "n-999");
    assert_eq!(browser.complaints(), [Value::Null; 0]);
}

#[test]
fn everything_is_reached_by_keys() {
    let Some(browser) = Browser::start("keys") else { return };
    let server = Server::start(&["--dev"]);
    server.node("web-1", "web");
    browser.open(&server.url);
    browser.until_text("web-1");
    let focus = || {
        browser
            .run("return document.activeElement.innerText || document.activeElement.type")
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let is_seen = || {
        browser.run("return getComputedStyle(document.activeElement).outlineStyle !== 'none' && document.activeElement.getBoundingClientRect().top >= 0")
    };
    let expected = ["Skip to the content", "Nodes", "Modules", "Rollouts", "Events", "search", "web-1"];
    for expect in expected {
        browser.press(&[TAB]);
        assert_eq!((focus().as_str(), is_seen()), (expect, json!(true)));
    }
    browser.press(&[ENTER]);
    browser.until("document.activeElement.innerText === 'Node web-1'");
    browser.until_text("never reported");
    assert_eq!(browser.run("return document.title"), "Node web-1 – Converge");

    // The skip link jumps over the navigation.
    browser.run("document.getElementById('skip').focus()");
    browser.press(&[ENTER]);
    assert_eq!(focus(), "Node web-1");
    // The focused row keeps the focus while other rows come and go.
    browser.run("location.hash = '#/nodes'");
    browser.until("document.querySelector('tbody a')");
    browser.run("document.querySelector('tbody a').focus()");
    server.node("a-first", "web");
    server.living_node("web-1", "db", "1.2.3");
    browser.until_text("a-first");
    browser.until_text("1.2.3");
    assert_eq!(focus(), "web-1");
    // Screen readers are informed too.
    let message = "2 nodes: 1 never reported, 1 ready.";
    browser.until(&format!(
        "[...document.querySelectorAll('[role=status]')].some((status) => status.innerText === '{message}')"
    ));
}

#[test]
fn it_is_read_in_the_dark_and_on_narrow_screens() {
    /// The script that finds texts with too little contrast to their background.
    const FAINT: &str = "
        const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
        const light = ([red, green, blue]) => {
          const part = (value) => (value /= 255, value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
          return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
        };
        const behind = (element) => {
          const colour = numbers(getComputedStyle(element).backgroundColor);
          return colour[3] === 0 && element.parentElement ? behind(element.parentElement) : colour;
        };
        const texts = [...document.body.querySelectorAll('*')].filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
        return texts.filter((element) => {
          const [one, other] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((one, other) => other - one);
          return (one + 0.05) / (other + 0.05) < 4.5;
        }).map((element) => element.outerHTML);";
    let Some(browser) = Browser::start("narrow") else { return };
    let server = Server::start(&["--dev"]);
    let long = "x".repeat(63);
    server.living_node(&long, &"y".repeat(63), &"9".repeat(300));
    server.node("other", &"y".repeat(63));
    server.module(&long, "*", &"task".repeat(200));
    let assignment = server.assignment();
    let message = "z".repeat(500);
    let conditions = json!([{"type": "failed", "state": "true", "message": message}, {"type": "planned", "state": "true", "message": message}]);
    server.report("assignment", &assignment, &conditions);
    let (node, module) = (format!("#/nodes/default/{long}"), format!("#/modules/default/default/{long}"));
    for scheme in ["light", "dark"] {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.tools("Emulation.setEmulatedMedia", &json!({"features": features}));
        for width in [320, 1200] {
            let screen = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
            browser.tools("Emulation.setDeviceMetricsOverride", &screen);
            for address in ["#/nodes", &node, "#/modules", &module, "#/rollouts", "#/events"] {
                browser.open(&format!("{}/{address}", server.url));
                browser.until_text(&long);
                browser.until("!document.body.innerText.includes('Not known yet')");
                let (label, wide) = (
                    format!("{address} {scheme} {width}"),
                    browser.run("return document.documentElement.scrollWidth"),
                );
                assert!(wide.as_u64().unwrap() <= width, "{label}: {wide}");
                assert_eq!(browser.run(FAINT), json!([]), "{label}");
            }
            let dark =
                browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 31)";
            assert_eq!(dark, scheme == "dark");
        }
    }
}

#[test]
fn a_server_that_was_away_is_found_again() {
    let Some(browser) = Browser::start("again") else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let server = Server::start_at(&address(), &["--data", &data]);
    let url = server.url.clone();
    server.node("web-1", "web");
    server.node("web-2", "web");
    browser.open(&url);
    browser.until_text("Live: changes appear as they happen.");
    browser.until_text("2 nodes");
    server.ends_by("-KILL");
    browser.until_text("Disconnected: ");
    browser.until_text("The data are from ");
    // Known data stay visible.
    assert!(browser.text().contains("web-1"));
    let server = Server::restart(&url, &data);
    let (status, _) = server.delete(&format!("{TYPES}/node/web-2"));
    assert_eq!(status, 204);
    browser.until_text("Reconnected at ");
    browser.until_text("1 node:");
    server.node("web-3", "web");
    browser.until_text("2 nodes");
    assert!(!browser.text().contains("web-2"));
    assert_eq!(browser.run("return document.querySelectorAll('tbody tr').length"), 2);
    assert_eq!(browser.complaints(), [Value::Null; 0]);
}

#[test]
fn a_server_that_asks_for_tokens_is_given_one() {
    let Some(browser) = Browser::start("token") else { return };
    let place = Place::new();
    let wall = place.create(&["wall", "--read-only"]);
    browser.open(&format!("{}/#/modules", place.server.url));
    browser.until_text("This server needs a token");
    let types = |token: &str| {
        browser.until("document.activeElement.id === 'token'");
        let keys: Vec<_> = token.split_inclusive(|_| true).chain([ENTER]).collect();
        browser.press(&keys);
    };
    types("guess");
    browser.until_text("The token was refused: unknown token");
    types(&wall);
    browser.until("document.activeElement.innerText === 'Modules'");
    browser.until_text("There is no module.");
    // The token is only stored in the tab.
    let script = "return [Object.values(sessionStorage), localStorage.length, document.cookie, location.href.includes('wall'), document.documentElement.outerHTML.includes('wall')]";
    assert_eq!(browser.run(script), json!([[wall], 0, "", false, false]));
    assert!(browser.asked().iter().all(|url| !url.contains("wall")));

    // The token is revoked.
    place.converge(ADMIN, &["token", "revoke", "wall"]).success();
    browser.until_text("The token was refused: unknown token");
    assert_eq!(browser.run("return sessionStorage.length"), 0);
    types(ADMIN);
    browser.until_text("There is no module.");
    browser.run("document.getElementById('forget').click()");
    browser.until_text("This server needs a token");
    assert_eq!(browser.run("return sessionStorage.length"), 0);
    assert_eq!(browser.complaints(), [Value::Null; 0]);
}

#[test]
fn the_parts_of_a_module_are_told_and_nothing_of_the_machine() {
    let server = Server::start(&["--dev"]);
    let parts = |name: &str| {
        let (status, answer) = server.get(&format!("/v1/modules/{name}/graph"));
        (status, serde_json::from_str::<Value>(&answer).unwrap())
    };
    let ids = |graph: &Value| {
        let nodes = graph["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    server.module("site", "*", TASKS);
    let (status, graph) = parts("site");
    assert_eq!((status, ids(&graph)), (200, ["root/task.a", "root/task.b"].map(str::to_owned).to_vec()));
    assert_eq!(graph["problems"], json!([]));
    // Neither a file nor the environment of the server is read, and an error hides no other result.
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, b"quick-brown-fox").unwrap();
    let nosy = format!(
        "task \"a\" {{ for_each = toset([env.PATH, file(\"{}\")]) check = each.key apply = \"true\" }}\n{TASKS}",
        file.path().display()
    );
    server.module("nosy", "*", &nosy.replace("\"a\" { check", "\"c\" { check").replace("task.a", "task.c"));
    let (status, graph) = parts("nosy");
    assert_eq!(status, 200, "{graph}");
    assert_ne!(graph["problems"], json!([]));
    assert!(ids(&graph).contains(&"root/task.b".to_owned()), "{graph}");
    let text = graph.to_string();
    assert!(!text.contains("quick-brown-fox") && !text.contains(&std::env::var("PATH").unwrap()), "{text}");
    // A graph that would be too large is not created.
    server.module("huge", "*", "task \"a\" { for_each = toset([for i in range(100000) : tostring(i)]) check = each.key apply = \"true\" }");
    let (status, graph) = parts("huge");
    assert_eq!(status, 200, "{graph}");
    assert!(ids(&graph).len() <= 5_000 && graph["problems"] != json!([]));
    assert_eq!(parts("none").0, 404);
    assert_eq!(parts("NONE").0, 400);
    let source = json!({"url": "https://example.org/site.hcl", "sha256": "0".repeat(64)});
    server.write(
        "module/elsewhere",
        &json!({"data": {"content": {"source": source}, "mode": "MODE_REPORT", "nodes": "*"}}),
    );
    assert_eq!(parts("elsewhere").0, 412);
}
