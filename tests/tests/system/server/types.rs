//! Tests of types from `.proto` files on running servers, following the documentation only.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::{scope, sleep};
use std::time::Duration;

use converge_tests::etcd::Cluster;
use converge_tests::{Said, converge, states, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Server;

const DEFINITION: &str = "/v1/resources/converge/v1/typedefinition/demo";
const ALBUMS: &str = "/v1/resources/demo/v1/album";
const ALBUM: &str = "// What somebody has recorded.
syntax = \"proto3\";
package converge.demo.v1;
import \"converge/resource/annotations.proto\";
import \"genre.proto\";

// An album.
message Album {
  option (converge.resource.spec) = { scope: SCOPE_NAMESPACE };
  // What it is called.
  string title = 1;
  uint32 year = 2;
  Genre genre = 3;
}
";
const GENRE: &str = "syntax = \"proto3\";
package converge.demo.v1;

enum Genre {
  GENRE_UNSPECIFIED = 0;
  GENRE_JAZZ = 1;
}
";

/// A folder for a server and for files.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        fs::create_dir_all(states()).unwrap();
        let place = Self(tempfile::tempdir_in(states()).unwrap());
        fs::create_dir(place.file("proto")).unwrap();
        place.put("proto/album.proto", ALBUM);
        place.put("proto/genre.proto", GENRE);
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).unwrap();
    }

    /// Runs a command in the folder against a server.
    fn run(&self, server: &Server, arguments: &[&str]) -> Said {
        let mut command = with_default_signals(&converge(arguments));
        command.env("CONVERGE_SERVER", &server.url).current_dir(self.0.path());
        Said::from(command.output().unwrap())
    }
}

/// A command that runs until it is dropped.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn album(title: &str) -> String {
    json!({ "data": { "title": title, "genre": "GENRE_JAZZ" } }).to_string()
}

fn definition() -> Value {
    json!({ "data": { "files": { "album.proto": ALBUM, "genre.proto": GENRE } } })
}

/// Returns the types of the group on a server.
fn types(server: &Server) -> Vec<String> {
    let types = server.json("/v1/openapi.json")["x-converge-types"].clone();
    let schemas = types.as_array().unwrap().iter().map(|entry| entry["schema"].as_str().unwrap().to_owned());
    schemas
        .filter_map(|name| name.rsplit('/').next().map(str::to_owned))
        .filter(|name| name.starts_with("demo."))
        .collect()
}

#[track_caller]
fn check((status, said): (u16, String), expect: (u16, &str)) {
    assert_eq!(status, expect.0, "{said}");
    assert!(said.contains(expect.1), "no {:?} in {said}", expect.1);
}

#[test]
fn types_are_defined_used_changed_and_deleted_by_commands() {
    let place = Place::new();
    let server = Server::start(&["--dev"]);
    let run = |arguments: &[&str]| place.run(&server, arguments);

    let dry = run(&["type", "apply", "proto", "--dry-run"]).success();
    assert_eq!(dry.stdout, "would create demo: no types yet\n");
    let output = run(&["type", "apply", "proto", "--description", "music"]).success();
    assert_eq!(output.stdout, "created demo: demo.v1.Album\n");
    assert_eq!(run(&["type", "apply", "proto"]).success().stdout, "unchanged demo: demo.v1.Album\n");

    // The watch continues while the type changes.
    let mut watch = with_default_signals(&converge(&["resource", "watch", "album", "-o", "json"]));
    let watch = watch.env("CONVERGE_SERVER", &server.url).stdout(Stdio::piped()).spawn().unwrap();
    let mut watch = Watch(watch);
    let mut events = BufReader::new(watch.0.stdout.take().unwrap()).lines().map(Result::unwrap);

    let hcl =
        "demo.v1.Album \"issues\" {\n  data {\n    title = \"Issues\"\n    genre = \"GENRE_JAZZ\"\n  }\n}\n";
    place.put("issues.hcl", hcl);
    place.put("korn.yaml", "type: demo.v1.Album\nname: korn\ndata:\n  title: Korn\n  year: 1994\n");
    run(&["resource", "apply", "-f", "issues.hcl", "-f", "korn.yaml"]).success();
    events.by_ref().find(|line| line.contains("Issues")).unwrap();
    let read = run(&["resource", "read", "album", "issues", "-o", "json"]).success();
    let read: Value = serde_json::from_str(&read.stdout).unwrap();
    assert_eq!(read["data"], json!({ "title": "Issues", "genre": "GENRE_JAZZ" }));
    place.put("wrong.yaml", "type: demo.v1.Album\nname: wrong\ndata:\n  titel: Korn\n");
    let output = run(&["resource", "apply", "-f", "wrong.yaml"]);
    assert!(
        output.stderr.contains("wrong.yaml:4") && output.stderr.contains("title"),
        "{}",
        output.everything()
    );

    // A new type is available at once; an incompatible change is refused with its place in the file.
    place.put(
        "proto/album.proto",
        &ALBUM.replace("uint32 year = 2;", "uint32 year = 2;\n  string label = 4;"),
    );
    assert_eq!(run(&["type", "apply", "proto"]).success().stdout, "changed demo: demo.v1.Album\n");
    check(
        server.put(&format!("{ALBUMS}/new"), &json!({ "data": { "label": "Epic" } }).to_string()),
        (200, "Epic"),
    );
    events.by_ref().find(|line| line.contains("Epic")).unwrap();
    drop(watch);
    place.put("proto/album.proto", &ALBUM.replace("uint32 year = 2;", "string year = 2;"));
    let output = run(&["type", "apply", "proto"]);
    let expect = "error: proto/album.proto:12:3: year of converge.demo.v1.Album was uint32 and is string: what was stored would mean something else\n\
                  error: proto/album.proto:8:1: label of converge.demo.v1.Album was removed, and its number 4 could be reused: write `reserved 4; reserved \"label\";`\n";
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), expect), "{}", output.everything());
    place.put("proto/genre.proto", "enum {");
    let output = run(&["type", "apply", "proto"]);
    assert!(output.stderr.contains("proto/genre.proto"), "{}", output.everything());

    let list = loop {
        let list = run(&["type", "list"]).success().stdout;
        if list.contains("accepted") {
            break list;
        }
    };
    let words: Vec<_> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words, ["demo", "accepted", "demo.v1.Album", "music"]);

    // Nothing is left of the type.
    let output = run(&["type", "delete", "demo"]);
    assert!(output.stderr.contains("3 of demo.Album; delete them first"), "{}", output.everything());
    for name in ["issues", "korn", "new"] {
        run(&["resource", "delete", "album", name]).success();
    }
    assert_eq!(run(&["type", "delete", "demo"]).success().stdout, "deleted demo\n");
    let late = || server.put(&format!("{ALBUMS}/late"), &album("Late"));
    while !types(&server).is_empty() || !late().1.contains("not registered") {
        sleep(Duration::from_millis(20));
    }
    check(late(), (400, "not registered"));
    let output = run(&["type", "delete", "demo"]);
    assert!(output.stderr.contains("there is no definition of types demo"), "{}", output.everything());
}

#[test]
fn types_outlive_a_kill_and_are_there_before_a_server_is_ready() {
    let place = Place::new();
    let data = place.file("data");
    let arguments = ["--data", data.to_str().unwrap()];
    let server = Server::start(&arguments);
    check(server.put(DEFINITION, &definition().to_string()), (200, "album.proto"));
    check(server.put(&format!("{ALBUMS}/one"), &album("One")), (200, "One"));
    server.ends_by("-KILL");
    let server = Server::start(&arguments);
    // The first request.
    check(server.get(&format!("{ALBUMS}/one")), (200, "GENRE_JAZZ"));
    assert_eq!(types(&server), ["demo.v1.Album"]);
    let openapi = server.get("/v1/openapi.json").1;
    assert!(openapi.contains("What it is called."), "the comments of the file are not in the document");
    check(server.delete(DEFINITION), (412, "1 of demo.Album"));
}

#[test]
fn of_many_who_define_at_once_one_makes_the_type() {
    let server = Server::start(&["--dev"]);
    let texts: Vec<Value> = (0..8)
        .map(|index| {
            let text = ALBUM
                .replace("uint32 year = 2;", &format!("uint32 year = 2; string of{index} = {};", index + 4));
            json!({ "data": { "files": { "album.proto": text, "genre.proto": GENRE } } })
        })
        .collect();
    let answers: Vec<_> = scope(|scope| {
        let threads: Vec<_> =
            texts.iter().map(|text| scope.spawn(|| server.put(DEFINITION, &text.to_string()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    // Each other text lacks the field of the first one.
    let mut statuses: Vec<_> = answers.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400, 400, 400, 400, 400], "{answers:?}");
    assert_eq!(types(&server), ["demo.v1.Album"]);
}

#[test]
fn what_a_hostile_text_costs_is_bounded_and_who_may_not_learns_nothing() {
    let server = Server::start(&["--dev"]);
    let nested = format!(
        "syntax = \"proto3\"; package converge.demo.v1; {}{}",
        "message A {".repeat(4_000),
        "}".repeat(4_000)
    );
    let wide = " ".repeat(300 * 1024);
    for text in [nested, wide] {
        let files = json!({ "data": { "files": { "a.proto": text } } }).to_string();
        let (status, reply) = server.put(DEFINITION, &files);
        assert_eq!(status, 400, "{reply}");
    }
    let path = json!({ "data": { "files": { "../../etc/a.proto": ALBUM } } }).to_string();
    check(server.put(DEFINITION, &path), (400, "is not a path like"));
    let of_server = DEFINITION.replace("demo", "access");
    let text = ALBUM.replace("converge.demo", "converge.access");
    let files = json!({ "data": { "files": { "a.proto": text, "genre.proto": GENRE } } }).to_string();
    check(server.put(&of_server, &files), (400, "the group access is reserved for types of the server"));
    check(server.get("/v1/health"), (200, "ok"));
}

#[test]
fn a_type_that_is_defined_at_one_server_is_soon_known_at_the_others() {
    let Some(cluster) = Cluster::start("server::types") else { return };
    let store = cluster.store();
    let [one, other] = [0, 1].map(|_| Server::start(&["--store", &store]));
    check(one.put(DEFINITION, &definition().to_string()), (200, "album.proto"));
    check(one.put(&format!("{ALBUMS}/one"), &album("One")), (200, "One"));
    // The description is available a moment before the type itself.
    while types(&other).is_empty() || other.get(&format!("{ALBUMS}/one?consistent=true")).0 != 200 {
        sleep(Duration::from_millis(20));
    }
    check(other.get(&format!("{ALBUMS}/one?consistent=true")), (200, "One"));
    check(other.put(&format!("{ALBUMS}/two"), &album("Two")), (200, "Two"));
    check(other.delete(DEFINITION), (412, "2 of demo.Album"));
    for name in ["one", "two"] {
        check(other.delete(&format!("{ALBUMS}/{name}")), (204, ""));
    }
    check(one.delete(DEFINITION), (204, ""));
    // Whether or not this server already knows of the deletion, no resource is created.
    let (status, reply) = other.put(&format!("{ALBUMS}/late"), &album("Late"));
    assert_eq!(status, 400, "{reply}");
    while !types(&one).is_empty() || !types(&other).is_empty() {
        sleep(Duration::from_millis(20));
    }
}
