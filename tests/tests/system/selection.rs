//! Tests of allowed failures, selected resources, and common fields, through the command.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use converge_tests::{Said, run};

use crate::run::{converge, module, private};

/// Runs a command on a module next to a file `inner.hcl`.
fn with_inner(command: &str, text: &str, inner: &str) -> (tempfile::TempDir, Said) {
    let folder = private();
    fs::write(folder.path().join("inner.hcl"), inner).unwrap();
    let state = folder.path().join("state").display().to_string();
    let mut arguments = vec![command, "--format", "json"];
    if command != "validate" {
        arguments.extend(["--state-dir", &state]);
    }
    let output = converge(folder.path(), &arguments, text);
    (folder, output)
}

const BROKEN: &str = "task \"broken\" {\n  check = \"false\"\n  apply = \"exit 7\"\n}\n";
const AFTER: &str = "task \"after\" {\n  check = \"true\"\n  depends = [\"module.inner\"]\n}\ntask \"beside\" { check = \"true\" }\n";

#[test]
fn what_is_in_an_optional_module_fails_in_a_run_that_succeeds() {
    let inner = format!("module \"deep.hcl\" \"deep\" {{\n}}\n{BROKEN}");
    let call = |argument: &str| format!("module \"inner.hcl\" \"inner\" {{\n  {argument}\n}}\n{AFTER}");
    let deep = "task \"deeper\" {\n  check = \"false\"\n  apply = \"exit 8\"\n}\n";
    let apply = |argument: &str| {
        let folder = private();
        fs::write(folder.path().join("inner.hcl"), &inner).unwrap();
        fs::write(folder.path().join("deep.hcl"), deep).unwrap();
        let state = folder.path().join("state").display().to_string();
        converge(folder.path(), &["apply", "--format", "json", "--state-dir", &state], &call(argument))
    };
    let output = apply("optional = true");
    assert_eq!(output.code, Some(0), "{}", output.everything());
    assert_eq!((&output.summary()["forgiven"], &output.summary()["failed"]), (&3.into(), &0.into()));
    for (id, outcome) in [
        ("module.inner/task.broken", "failed"),
        ("module.inner/module.deep/task.deeper", "failed"),
        ("task.after", "skipped"),
    ] {
        let report = output.report(id);
        assert_eq!((&report["outcome"], &report["optional"]), (&outcome.into(), &true.into()), "{id}");
    }
    assert_eq!(output.report("task.beside")["outcome"], "unchanged");
    let output = apply("optional = false");
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert_eq!(output.summary()["failed"], 2);
}

#[test]
fn what_is_optional_and_what_goes_on_after_it() {
    let text = format!(
        "{}task \"waits\" {{\n  check = \"true\"\n  depends = [\"task.broken\"]\n}}\n\
         task \"goes_on\" {{\n  check = \"true\"\n  even_after = [\"task.broken\"]\n}}\n",
        BROKEN.replace("apply", "optional = true\n  apply")
    );
    let (_folder, output) = with_inner("apply", &text, "");
    assert_eq!(output.code, Some(0), "{}", output.everything());
    let outcomes = output.outcomes();
    let outcome = |id: &str| outcomes[id].as_str();
    assert_eq!(
        ["task.broken", "task.waits", "task.goes_on"].map(outcome),
        ["failed", "skipped", "unchanged"]
    );
    assert_eq!(output.summary()["forgiven"], 2);
    let folder = private();
    let apply_report = converge(folder.path(), &["apply", "--state-dir", "state"], &text);
    assert_eq!(apply_report.code, Some(0));
    assert!(
        apply_report.stdout.contains("(optional)") && apply_report.stdout.contains("2 optional and not done"),
        "{}",
        apply_report.stdout
    );
}

#[test]
fn a_stored_plan_keeps_its_choice_by_tags() {
    let folder = private();
    let path_of = |name: &str| folder.path().join(name).display().to_string();
    let file = |name: &str| {
        format!(
            "file.content \"{name}\" {{\n  destination = \"{}\"\n  content = \"x\"\n  tags = [\"{name}\"]\n}}\n",
            path_of(name)
        )
    };
    let main = module(folder.path(), &(file("chosen") + &file("other")));
    let (plan, state) = (path_of("kept.plan"), path_of("state"));
    let planned = run(&["plan", "--state-dir", &state, "--tags", "chosen", "--out", &plan, &main]);
    assert_eq!(planned.code, Some(0), "{}", planned.everything());
    let applied = run(&["apply", "--state-dir", &state, &plan]);
    assert_eq!(applied.code, Some(0), "{}", applied.everything());
    let is_there = |name: &str| folder.path().join(name).exists();
    assert!(is_there("chosen") && !is_there("other"), "{}", applied.everything());
}

#[test]
fn variables_reach_programs_and_inner_ones_win() {
    let query = |name: &str, more: &str, expect: &str| {
        format!(
            "task.query \"{name}\" {{\n  query = \"echo $A $B\"\n  {more}\n}}\n\
             assert \"{name}\" {{\n  condition = task.query.{name}.status.stdout == \"{expect}\\n\"\n}}\n"
        )
    };
    let inner = [
        query("outer", "", "outer hunter2"),
        query("own", "environment { A = \"own\" }", "own hunter2"),
        query("field", "env = { A = \"field\" }\n  environment = { A = \"own\" }", "field hunter2"),
        query("clear", "clear_env = true", "outer hunter2"),
    ];
    let text = "param \"word\" {\n  default = \"hunter2\"\n  sensitive = true\n}\n\
        module \"inner.hcl\" \"inner\" {\n  environment = { A = \"outer\", B = param.word }\n}\n\
        task.query \"beside\" { query = \"echo $A.\" }\n\
        assert \"beside\" { condition = task.query.beside.status.stdout == \".\\n\" }\n";
    let (_folder, output) = with_inner("plan", text, &inner.concat());
    assert_eq!(output.code, Some(0), "{}", output.everything());
    assert!(!output.everything().contains("hunter2"), "{}", output.everything());
}

/// Starts a proxy that answers every request itself, whatever its host, on a single connection.
fn proxy() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let head = |stream: &mut BufReader<TcpStream>| {
        let mut lines = String::new();
        while stream.read_line(&mut lines).unwrap() > 2 {}
        lines
    };
    let answers = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = BufReader::new(stream);
        let mut request = head(&mut stream);
        if request.starts_with("CONNECT ") {
            stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            request += &head(&mut stream);
        }
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nproxy";
        stream.get_mut().write_all(answer).unwrap();
        request
    });
    (address, answers)
}

#[test]
fn what_is_fetched_goes_through_the_proxy_of_the_module() {
    let (address, answers) = proxy();
    let folder = private();
    let fetched = folder.path().join("fetched");
    let inner = format!(
        "file.fetch \"it\" {{\n  source = \"http://nowhere.invalid/it\"\n  destination = \"{}\"\n}}\n",
        fetched.display()
    );
    let text =
        format!("module \"inner.hcl\" \"inner\" {{\n  environment = {{ http_proxy = \"{address}\" }}\n}}\n");
    let (_folder, output) = with_inner("apply", &text, &inner);
    assert_eq!(output.code, Some(0), "{}", output.everything());
    assert_eq!(fs::read_to_string(fetched).unwrap(), "proxy");
    assert!(answers.join().unwrap().contains("nowhere.invalid"));
}

#[test]
fn what_is_no_environment() {
    let check = |argument: &str, expect: &str| {
        let (_folder, output) =
            with_inner("validate", &format!("task \"t\" {{\n  check = \"true\"\n  {argument}\n}}\n"), "");
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.everything().contains(expect), "{}", output.everything());
    };
    check("environment = \"A=b\"", "`environment`: it must be a map of texts");
    check("environment = { \"A=\" = 1 }", "is not the name of a variable");
    check("environment = { A = [1] }", "must be a text, a number or a bool");
    check("environment = { A = task.query.q.status.stdout }", "");
}

#[test]
fn a_message_is_shown_in_its_turn() {
    let text = "message \"hello\" {\n  text = \"read me\"\n}\n";
    for command in ["plan", "apply"] {
        let folder = private();
        let state = folder.path().join("state").display().to_string();
        let plain_output = converge(folder.path(), &[command, "--state-dir", &state], text);
        assert_eq!(plain_output.code, Some(0), "{}", plain_output.everything());
        assert!(plain_output.stdout.contains("read me"), "{command}: {}", plain_output.everything());
        let mut arguments = vec![command, "--format", "json"];
        if command != "validate" {
            arguments.extend(["--state-dir", &state]);
        }
        let json_output = converge(folder.path(), &arguments, text);
        let report = json_output.report("message.hello");
        assert_eq!((&report["outcome"], &report["announces"]), (&"unchanged".into(), &true.into()));
    }
}
