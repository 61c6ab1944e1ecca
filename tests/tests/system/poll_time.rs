//! Tests that no part of a run blocks the other tasks of its thread for long, however large it is.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use converge_core::prelude::embed::*;
use converge_core::system::{Follow, WriteFile};
use converge_core::testing::server::{Reply, Server};
use converge_tests::poll_time::{self, MOST, check};

// The inputs below are so large that handling them in one poll would exceed the limit several times.

const LARGE: usize = 200 << 20;

/// The size of an archive member in bytes.
///
/// Hashing the archive takes most of the time of this test.
const MEMBER: usize = 24 << 20;

/// Tests a module on this machine with the built-in resources.
#[track_caller]
fn converges_in(label: &str, text: impl Fn(&Path) -> String) {
    let system: Arc<dyn System> = Arc::new(LocalSystem::new());
    poll_time::converges(&converge_resources::registry().unwrap(), &system, label, text);
}

/// Tests a module that writes to `FOLDER`.
#[track_caller]
fn converges(label: &str, text: &str) {
    converges_in(label, |folder| text.replace("FOLDER", folder.to_str().unwrap()));
}

fn file_of(size: usize, path: &Path) {
    let mut file = File::create(path).unwrap();
    let piece: Vec<u8> = (0..1 << 20).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    (0..size >> 20).for_each(|_| file.write_all(&piece).unwrap());
}

#[test]
fn large_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let system = LocalSystem::new();
    let bytes = vec![b'x'; LARGE];
    for label in ["write", "write over"] {
        check(label, async || {
            system.files().write(&path("large"), WriteFile::new(&bytes)).await.unwrap();
        });
    }
    let read = check("read", async || system.files().read(&path("large")).await.unwrap().unwrap());
    assert_eq!(read.bytes.len(), LARGE);
    check("remove", async || {
        system.files().write(&path("removed"), WriteFile::new(&bytes)).await.unwrap();
        system.files().remove_file(&path("removed")).await.unwrap();
    });
    drop((read, bytes));

    file_of(LARGE, &path("source"));
    let source = path("source");
    let source = source.display();
    converges_in("a copy", |folder| {
        let d = folder.display();
        format!("file.fetch \"f\" {{\n  source = \"{source}\"\n  destination = \"{d}/copy\"\n}}\n")
    });
    converges_in("a file over a large one", |folder| {
        let d = folder.display();
        fs::copy(path("source"), folder.join("copy")).unwrap();
        format!("file.content \"f\" {{\n  destination = \"{d}/copy\"\n  content = \"small\"\n}}\n")
    });
}

#[test]
fn archives() {
    let folder = tempfile::tempdir().unwrap();
    let d = folder.path().display();
    file_of(MEMBER, &folder.path().join("large"));
    fs::create_dir(folder.path().join("many")).unwrap();
    for number in 0..1_000 {
        fs::write(folder.path().join(format!("many/{number}")), number.to_string()).unwrap();
    }
    let archives = [("large.tar", "-cf"), ("many.tar.gz", "-czf"), ("large.zip", ""), ("many.zip", "")];
    for (archive, pack) in archives {
        let directory = archive.split('.').next().unwrap();
        if pack.is_empty() {
            zip_of(folder.path(), directory, File::create(folder.path().join(archive)).unwrap());
        } else {
            let packed = std::process::Command::new("tar")
                .args([pack, archive, directory])
                .current_dir(folder.path())
                .status();
            assert!(packed.unwrap().success());
        }
        converges_in(archive, |to| {
            let to = to.display();
            format!("unarchive \"a\" {{\n  source = \"{d}/{archive}\"\n  destination = \"{to}\"\n}}\n")
        });
    }
}

/// Packs a file or a folder of files.
fn zip_of(folder: &Path, directory: &str, archive: File) {
    let mut archive = zip::ZipWriter::new(archive);
    let mut add = |name: &str| {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::copy(&mut File::open(folder.join(name)).unwrap(), &mut archive).unwrap();
    };
    match fs::read_dir(folder.join(directory)) {
        Err(_) => add(directory),
        Ok(files) => {
            for file in files {
                add(&format!("{directory}/{}", file.unwrap().file_name().to_str().unwrap()));
            }
        }
    }
    archive.finish().unwrap();
}

/// A large file from a server, and one that arrives in small pieces.
#[test]
fn downloads() {
    let served = |body: &[u8]| {
        let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        response.extend_from_slice(body);
        response
    };
    let large = Server::new(move |_, _| Reply::Send(served(&vec![b'x'; MEMBER])));
    let slow = Server::new(|_, _| {
        // Sixteen bytes follow, one at a time.
        Reply::Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n".to_vec(), Duration::from_millis(5))
    });
    for (name, server) in [("large", &large), ("slow", &slow)] {
        let url = server.url("/file");
        converges_in(&format!("{name} download"), |folder| {
            let d = folder.display();
            format!("file.fetch \"f\" {{\n  source = \"{url}\"\n  destination = \"{d}/{name}\"\n}}\n")
        });
    }
}

#[test]
fn directories_with_very_many_entries() {
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..100_000 {
        File::create(many.join(number.to_string())).unwrap();
    }
    let system = LocalSystem::new();
    let entries = check("read", async || system.files().read_dir(&many).await.unwrap());
    assert_eq!(entries.len(), 100_000);
    let metadata = check("metadata", async || system.files().metadata(&many, Follow::Links).await.unwrap());
    assert!(metadata.is_some());
}

/// Values that are only known during the run.
#[test]
fn large_values() {
    let text = format!("{}{{{{lookup `task.query.q.status.stdout`}}}}", "0123456789abcdef".repeat(200_000));
    let module = format!(
        "task.query \"q\" {{ query = \"echo x\" }}\nfile.content \"f\" {{\n  destination = \"FOLDER/f\"\n  content = \"{text}\"\n}}\n"
    );
    converges("a long template", &module);
}

/// Short expressions that take long or create large values.
#[test]
fn long_evaluations() {
    let query = "task.query \"q\" { query = \"echo x\" }\n";
    let uses = "{{lookup `task.query.q.status.stdout`}}".repeat(20_000);
    let write = |content: &str| {
        format!("{query}file.content \"f\" {{\n  destination = \"FOLDER/f\"\n  content = {content}\n}}\n")
    };
    converges("uses", &write(&format!("\"{uses}\"")));
    converges("a loop", &write("join(\"\", [for i in range(200000) : task.query.q.status.stdout])"));
    let condition = "length([for i in range(200000) : task.query.q.status.stdout]) > 0";
    let task = format!("task \"t\" {{\n  check = \"true\"\n  apply = \"true\"\n  when = {condition}\n}}\n");
    converges("a condition", &format!("{query}{task}"));
    let instances = "file.content \"many\" {\n  for_each = range(20000)\n  destination = format(\"FOLDER/%v\", each.key)\n}\n";
    let module = instances.to_owned() + &write("jsonencode(file.content.many)");
    converges("all of a `for_each`", &module);
}

/// A slow function of the program, such as one that queries a server.
#[test]
fn functions_of_the_program() {
    let slow = |name: String| {
        poll_time::busy(2 * MOST);
        format!("{name}.example.com")
    };
    let address = ModuleFunction::in_run("address", "The address of a host.", slow);
    let registry = converge_resources::registry().unwrap().with_function(address).unwrap();
    let module = r#"param "host" {
  default = "web"
  validation {
    condition = address(param.host) != ""
    message   = "It has an address."
  }
}
file.content "expression" {
  destination = "FOLDER/a"
  content     = address(param.host)
  when        = address("db") != ""
}
file.content "template" {
  destination = "FOLDER/b"
  content     = "{{address (param `host`)}}"
}
"#;
    let system: Arc<dyn System> = Arc::new(LocalSystem::new());
    poll_time::converges(&registry, &system, "functions", |folder| {
        module.replace("FOLDER", folder.to_str().unwrap())
    });
}

/// Parameters of megabytes, with and without a secret, which makes their values secret too.
#[test]
fn large_parameters() {
    let text = "0123456789abcdef".repeat(64 << 10);
    let items = "\"an item\", ".repeat(100_000);
    for sensitive in [false, true] {
        let module = format!(
            r#"param "text" {{
  default   = "{text}"
  sensitive = {sensitive}
}}
param "items" {{
  default = [{items}]
}}
task.query "q" {{
  query = "echo x"
}}
file.content "text" {{
  destination = "FOLDER/text-{sensitive}"
  content     = "{{{{lookup `task.query.q.status.stdout`}}}}{{{{param `text`}}}}"
}}
file.content "items" {{
  destination = "FOLDER/items-{sensitive}"
  content     = "{{{{lookup `task.query.q.status.stdout`}}}}{{{{paramList `items` | join `,`}}}}"
}}
"#
        );
        converges(if sensitive { "a large secret" } else { "large parameters" }, &module);
    }
}

/// Output that contains a secret, which is then redacted everywhere.
#[test]
fn much_output_with_a_secret() {
    let module = r#"param "token" {
  default   = "hunter2"
  sensitive = true
}
task.query "much" {
  query = "for line in $(seq 1 30000); do echo line $line {{param `token`}}; done"
}
file.content "much" {
  destination = "FOLDER/much"
  content     = "{{lookup `task.query.much.status.stdout`}}"
}
"#;
    converges("output with a secret", module);
}

#[test]
fn much_output() {
    let output = "task \"t\" {\n  check = \"head -c 20000000 /dev/zero | tr '\\\\0' x; exit 0\"\n  apply = \"true\"\n}\n";
    converges("output", output);
}

/// All output is searched for the secrets of the run.
#[test]
fn much_output_next_to_a_secret() {
    let module = r#"param "token" {
  default   = "hunter2"
  sensitive = true
}
file.content "token" {
  destination = "FOLDER/token"
  content     = "{{param `token`}}"
}
task.query "much" {
  query = "head -c 2000000 /dev/zero | tr '\\0' x"
}
file.content "much" {
  destination = "FOLDER/much"
  content     = "{{lookup `task.query.much.status.stdout`}}"
}
"#;
    converges("output next to a secret", module);
}

/// The journal identifies a resource with a pending refresh by its fields.
#[test]
fn refreshes_of_what_takes_long() {
    let registry = converge_resources::registry().unwrap();
    let uses = "length([for i in range(200000) : task.query.q.status.stdout])";
    let dir = format!("length(\"{}\") > 0 ? \"/\" : \"\"", "0123456789abcdef".repeat(64 << 10));
    let module = format!(
        r#"task.query "q" {{ query = "echo x" }}
file.content "on" {{
  destination = "FOLDER/on"
  content     = "changed"
}}
task "long" {{
  check        = format("test -e FOLDER/on # %v", {uses})
  apply        = "true"
  on_change_of = ["file.content.on"]
}}
task "large" {{
  check        = "test -e FOLDER/on"
  apply        = "true"
  dir          = {dir}
  on_change_of = ["file.content.on"]
}}
"#
    );
    let folder = tempfile::tempdir().unwrap();
    let module = module.replace("FOLDER", folder.path().to_str().unwrap());
    let graph = Loader::new(&registry).load_text("main.hcl", module).into_graph().unwrap();
    check("apply", async || {
        // The files of another attempt.
        for name in ["on", "journal", "journal.salt"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        let engine = Engine::new(Arc::new(LocalSystem::new())).with_journal(folder.path().join("journal"));
        let applied = engine.apply_for_report(&graph).await.unwrap();
        assert!(applied.summary.is_success(), "{:?}", applied.resources);
        assert_eq!(applied.summary.changed, 3, "{:?}", applied.resources);
        assert!(folder.path().join("journal.salt").exists(), "nothing was owed");
    });
}

/// A plan stores a digest of all module texts.
#[test]
fn plans_of_much_text() {
    let registry = converge_resources::registry().unwrap();
    let comments = "# What nobody reads has to be the same, too.\n".repeat(100_000);
    let text = format!("{comments}param \"a\" {{ default = 1 }}\n");
    let graph = Loader::new(&registry).load_text("main.hcl", text).into_graph().unwrap();
    let engine = || Engine::new(Arc::new(LocalSystem::new()));
    let plan = check("making a plan", async || engine().make_plan(&graph).await.unwrap());
    check("applying a plan", async || engine().apply_plan(&graph, &plan).await.unwrap());
}

/// Work that is done once per resource, before the first or after the last.
#[test]
fn very_many_resources() {
    let registry = converge_resources::registry().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |index| {
        format!("file.content \"f{index}\" {{\n  destination = \"{}/{index}\"\n}}\n", folder.path().display())
    };
    let text: String = (0..150_000).map(file).collect();
    let graph = Loader::new(&registry).load_text("main.hcl", text).into_graph().unwrap();
    let engine = || Engine::new(Arc::new(LocalSystem::new()));
    let plan = check("a plan of many", async || engine().plan(&graph).await.unwrap());
    assert_eq!(plan.will_change, 150_000, "{plan:?}");
}
