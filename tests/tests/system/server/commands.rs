//! Tests of the output of the commands.

use std::fs;
use std::process::Command;

use converge_tests::{Said, programs, root, run};

use super::Server;
use super::shared_address::address;

#[test]
fn the_types_are_those_that_are_committed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made/for/it");
    let out = out.to_str().unwrap();
    let output = run(&["controllers", "proto", "--out", out]).success();
    assert!(output.stdout.ends_with("39 of 39 files written\n"), "{}", output.everything());
    let wrote = format!("wrote {out}/");
    let paths = output.stdout.lines().filter_map(|line| line.strip_prefix(&wrote));
    for path in paths.filter(|path| *path != "converge.protoset") {
        let is_of_server =
            ["converge/access/", "converge/converge/"].iter().any(|prefix| path.starts_with(prefix));
        let crate_folder = if is_of_server { "converge-server" } else { "converge-controller" };
        let committed = fs::read_to_string(root().join(crate_folder).join("proto").join(path)).unwrap();
        assert_eq!(fs::read_to_string(format!("{out}/{path}")).unwrap(), committed, "{path}");
    }
    let output = run(&["controllers", "proto", "--out", out]).success();
    assert_eq!(output.stdout, "0 of 39 files written\n");
    let output = run(&["controllers", "proto", "--out", out, "--check"]).success();
    assert_eq!(output.stdout, "39 files are current\n");
}

#[test]
fn the_graph_is_that_of_the_program_or_of_a_server() {
    let output = run(&["controllers", "graph"]).success();
    let types = [
        "converge.v1.Assignment",
        "converge.v1.Module --> converge.v1.Assignment",
        "converge.v1.Module --> converge.v1.Node",
        "converge.v1.Module --> converge.v1.Revision",
        "converge.v1.Module --> converge.v1.Rollout",
        "converge.v1.Module --> converge.v1.Secret",
        "converge.v1.Node --> converge.v1.NodeReport",
        "converge.v1.Rollout",
        "converge.v1.TypeDefinition",
        "internal.v1.Tombstone",
        "tenancy.v1.Namespace",
        "tenancy.v1.Partition --> converge.v1.Event",
    ];
    assert_eq!(output.stdout, format!("flowchart TD\n    {}\n", types.join("\n    ")));

    // The server has types that the command does not know.
    let server = Server::of_lesson();
    for (format, expect) in
        [("mermaid", "demo.v2.Artist --> demo.v2.Album"), ("dot", "\"demo.v2.Artist\" -> \"demo.v2.Album\";")]
    {
        let output = run(&["controllers", "graph", "--format", format, "--server", &server.url]).success();
        assert!(output.stdout.contains(expect), "{}", output.everything());
        let command = Command::new(programs().join("examples/custom_server"));
        let custom_output =
            Said::from({ command }.args(["controllers", "graph", "--format", format]).output().unwrap());
        assert_eq!(custom_output.stdout, output.stdout);
    }
}

#[test]
fn a_program_of_ones_own_exports_its_types() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(programs().join("examples/custom_server"));
    Said::from(
        command.args(["controllers", "proto", "--out", "."]).current_dir(folder.path()).output().unwrap(),
    )
    .success();
    let album = fs::read_to_string(folder.path().join("converge/demo/v2/album.proto")).unwrap();
    assert!(album.contains("[(converge.resource.refers_to) = \"demo.v2.Artist\"]"), "{album}");
}

#[test]
fn the_status_is_that_of_a_server() {
    let server = Server::of_lesson();
    let status = || run(&["controllers", "status", "--server", &server.url]).success().stdout;
    // The controller creates an artist, which is then requested.
    let artists = loop {
        let status = status();
        let artists = status.lines().find(|line| line.starts_with("artists")).unwrap().to_owned();
        if !artists.contains("running") || artists.split_whitespace().nth(6) == Some("0") {
            continue;
        }
        let head = status.lines().next().unwrap().split("  ").map(str::trim).filter(|head| !head.is_empty());
        let expect = ["CONTROLLER", "STATE", "QUEUED", "LATER", "IN FLIGHT", "FAILING", "DONE", "FAILED"];
        assert!(head.eq(expect), "{status}");
        break artists;
    };
    assert_eq!(artists.split_whitespace().last(), Some("0"), "{artists}");

    let json = run(&["controllers", "status", "-o", "json", "--server", &server.url]).success().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> =
        json["controllers"].as_array().unwrap().iter().map(|controller| controller["name"].clone()).collect();
    let fleet =
        ["nodes", "scheduler", "node-events", "rollout-events", "assignment-events", "events", "definitions"];
    let expect: Vec<_> =
        ["reaper", "partitions", "namespaces"].into_iter().chain(fleet).chain(["artists"]).collect();
    assert_eq!(names, expect);
}

#[test]
fn the_units_start_programs_with_arguments_that_they_know() {
    for unit in ["converge-server", "converge-agent"] {
        let unit = root().join(format!("packaging/systemd/{unit}.service"));
        let text = fs::read_to_string(unit).unwrap();
        let start = text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/")).unwrap();
        let options = text.lines().find_map(|line| line.strip_prefix("Environment=\"OPTIONS="));
        let options = options.unwrap_or_default().trim_end_matches('"');
        let start = start.replace("$OPTIONS", options);
        let mut words = start.split_whitespace();
        let program = programs().join(words.next().unwrap());
        // The arguments before `--help` are parsed, but nothing runs.
        Said::from(Command::new(program).args(words).arg("--help").output().unwrap()).success();
    }
}

#[test]
fn mistakes_are_told() {
    #[track_caller]
    fn check(arguments: &[&str], expect: &str) {
        let output = run(arguments);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
    }
    check(&["server"], "--dev|--data <DIR>");
    check(&["server", "--dev", "--data", "x"], "cannot be used with");
    check(&["server", "--dev", "--http", "here"], "invalid value 'here' for '--http <ADDRESS>'");
    check(&["server", "--dev", "--http", "0.0.0.0:8500"], "can be reached from other machines");
    check(&["server", "stop"], "unrecognized subcommand 'stop'");
    check(&["controllers"], "Usage: ");
    check(&["controllers", "statu"], "a similar subcommand exists: 'status'");
    check(&["server", "init"], "--data <DIR>");
    check(&["controllers", "proto"], "--out <DIR>");
    check(
        &["controllers", "status", "--server", "127.0.0.1:1"],
        "is not the URL of a server: write it like http://127.0.0.1:8500",
    );
    // Nothing has ever listened at this address.
    let url = format!("http://{}", address());
    check(&["controllers", "status", "--server", &url], "start one with `converge server --dev`");
}
