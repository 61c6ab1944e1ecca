//! Tests of two concurrent tenants with a shared state and shared locks.
//!
//! Each tenant tries to see the other.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use converge_core::load::{Memory, ModulesBelow, Sources, Visible};
use converge_core::prelude::embed::*;
use converge_tests::{is_root, skip};
use tempfile::TempDir;

use crate::run::private;

/// The timeout of the test.
///
/// It does not affect the result: a tenant that waits for the other would wait forever.
const GUARD: Duration = Duration::from_mins(2);

/// The module of both tenants, who only differ in their systems and parameters.
///
/// The script writes all that it sees to files.
const MODULE: &str = r#"
param "secret" { sensitive = true }

file.content "mine" {
  destination = "/mine"
  content     = "{{param `secret`}}\n"
}

# Out of the root, as far as it goes.
file.content "above" {
  destination = "/../../../../for-OTHER"
  content     = "planted\n"
}

file.content "conf" {
  destination = "/conf"
  content     = "conf of this release\n"
}

# What the tenant owes after its first run.
task "reload" {
  check        = "true"
  apply        = "test -e allowed"
  on_change_of = ["file.content.conf"]
}

task "look" {
  group = "deploy"
  check = "test -e looked"
  apply = <<EOF
{
  echo "== environment"; tr '\0' '\n' < /proc/self/environ
  echo "== open here"; ls -l /proc/self/fd /proc/$$/fd
  echo "== the application"; tr '\0' '\n' < /proc/$PPID/environ; ls -l /proc/$PPID/fd /proc/$PPID/cwd
  echo "== above"; ls -la .. ../.. ../../..; ls -laR ../../OTHER
  echo "== the other"; cat ../../OTHER/root/mine PLACE/OTHER/root/mine; ls -laR STATE
  echo "== programs"; cat /proc/[0-9]*/environ | tr '\0' '\n'
} > seen 2> refused
sh -c 'echo $$ > child; exec sleep 1000000' &
touch begun
if test -e gate; then read line < gate; fi
touch looked
EOF
}
"#;

struct Tenant {
    name: &'static str,
    root: PathBuf,
    engine: Engine,
    graph: Arc<Graph>,
}

/// The machine of the two tenants.
struct Place {
    state: TempDir,
    folder: TempDir,
}

/// Returns the private value of a tenant.
fn canary(name: &str) -> String {
    format!("canary-of-{name}")
}

impl Place {
    fn new() -> Self {
        let (state, folder) = (private(), tempfile::tempdir().unwrap());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self { state, folder }
    }

    /// Creates a tenant, who knows the name of the other one.
    fn tenant(&self, names: [&'static str; 2], user: (&str, u32), state: &State, locks: &Locks) -> Tenant {
        let [name, other] = names;
        let root = self.folder.path().join(name).join("root");
        fs::create_dir_all(&root).unwrap();
        chown(&root, Some(user.1), Some(user.1)).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
        let system = LocalSystem::builder()
            .root(&root)
            .clear_env()
            .env("PATH", "/usr/bin:/bin")
            .env("TENANT", canary(name))
            .run_as(user.0)
            .build()
            .unwrap();
        let engine = Engine::new(Arc::new(system))
            .with_state_folder(state.clone())
            .with_owner(name.parse().unwrap())
            .with_locks(locks.clone());
        let text = MODULE
            .replace("OTHER", other)
            .replace("PLACE", &self.folder.path().display().to_string())
            .replace("STATE", &self.state.path().display().to_string());
        let registry = converge_resources::registry().unwrap();
        let loader = Loader::new(&registry)
            .with_sources(Sources::only(Memory::new().with("main.hcl", text.as_str())))
            .with_param("secret", canary(name));
        let graph = loader.load("main.hcl").into_graph().unwrap();
        Tenant { name, root, engine, graph }
    }
}

impl Tenant {
    /// Applies the module, and returns the summary and all events.
    async fn apply(&self) -> (Summary, String) {
        let mut events = String::new();
        let mut sink = |event: Event| writeln!(events, "{event:?}").unwrap();
        let run = self.engine.apply(&self.graph).sink(&mut sink);
        let summary = tokio::time::timeout(GUARD, run).await.expect("nobody keeps it waiting").unwrap();
        (summary, events)
    }

    /// Returns the planned outcome of the task that is refreshed.
    async fn reload(&self) -> Outcome {
        let mut outcome = None;
        let mut sink = |event: Event| match event.kind {
            EventKind::ResourceFinished(report) if report.id.name() == "task.reload" => {
                outcome = Some(report.outcome);
            }
            _ => {}
        };
        self.engine.plan(&self.graph).sink(&mut sink).await.unwrap();
        outcome.unwrap()
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.root.join(name)).unwrap()).into_owned()
    }

    /// Returns all files of the tenant with their names.
    fn files(&self) -> String {
        let mut listing = String::new();
        for entry in fs::read_dir(&self.root).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            // This file quotes the refused text.
            if entry.file_type().unwrap().is_file() && name != "refused" {
                writeln!(listing, "== {name}\n{}", self.read(&name)).unwrap();
            }
        }
        listing
    }

    fn make_gate(&self) {
        let path = self.root.join("gate");
        assert!(Command::new("mkfifo").args(["-m", "666"]).arg(path).status().unwrap().success());
    }

    async fn begun(&self) {
        while !self.root.join("begun").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Kills the background process, which must exist.
    fn end_child(&self) {
        let child = self.read("child");
        let name = fs::read_to_string(format!("/proc/{}/comm", child.trim())).unwrap();
        assert_eq!(name, "sleep\n", "it lives on");
        assert!(Command::new("kill").args(["-9", child.trim()]).status().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tenants_see_nothing_of_each_other() {
    if !is_root() {
        skip("two_tenants_see_nothing_of_each_other", "programs of another user need root");
        return;
    }
    let place = Place::new();
    let (state, locks) = (State::create(place.state.path().join("state")).unwrap(), Locks::new());
    let blue = place.tenant(["blue", "green"], ("daemon", 1), &state, &locks);
    let green = Arc::new(place.tenant(["green", "blue"], ("bin", 2), &state, &locks));

    // Green has nothing to reload, so no refresh is pending, whatever the state of blue.
    fs::write(green.root.join("conf"), "conf of this release\n").unwrap();
    green.make_gate();
    let first = tokio::spawn({
        let green = Arc::clone(&green);
        async move { green.apply().await }
    });
    // Green is in the middle of its apply: it holds the locks of its run and its group, and its script runs.
    green.begun().await;
    let (summary, blue_events) = blue.apply().await;
    assert!(!first.is_finished());
    assert_eq!((summary.failed, summary.changed), (1, 4), "its reload was refused: {blue_events}");
    assert_eq!(green.reload().await, Outcome::Unchanged);
    drop(fs::OpenOptions::new().write(true).open(green.root.join("gate")).unwrap());
    let (summary, mut green_events) = first.await.unwrap();
    assert_eq!((summary.failed, summary.changed), (0, 3), "{green_events}");

    // Background processes of one tenant do not block the other.
    let (summary, events) = green.apply().await;
    assert_eq!((summary.failed, summary.changed), (0, 0), "{events}");
    green_events += &events;
    assert_eq!(blue.reload().await, Outcome::WillChange, "it is owed");
    fs::write(blue.root.join("allowed"), "").unwrap();
    let (summary, events) = blue.apply().await;
    assert_eq!((summary.failed, summary.changed), (0, 1), "{events}");

    let checks = [(&blue, &*green, blue_events + &events), (&*green, &blue, green_events)];
    for (tenant, other_tenant, events) in &checks {
        let (view_text, files) = (tenant.read("seen"), tenant.files());
        assert!(view_text.contains(&canary(tenant.name)), "it looked: {view_text}");
        assert!(view_text.contains(&format!("owners/{}", tenant.name)), "it looked: {view_text}");
        for text in [&view_text, &files, events] {
            for hidden in [
                canary(other_tenant.name),
                format!("owners/{}", other_tenant.name),
                format!("{}/root", other_tenant.name),
            ] {
                assert!(!text.contains(&hidden), "{} sees {hidden}: {text}", tenant.name);
            }
        }
        let planted = format!("for-{}", other_tenant.name);
        assert!(tenant.root.join(&planted).exists() && !other_tenant.root.join(&planted).exists());
        assert!(!place.folder.path().join(&planted).exists());
    }
    for (tenant, ..) in &checks {
        tenant.end_child();
    }
}

/// A text can only load modules of its own source, whatever is on the machine.
#[test]
fn a_tenant_loads_no_module_of_another() {
    let place = private();
    let module = place.path().join("main.hcl");
    fs::write(&module, "param \"x\" { default = \"canary-of-green\" }\n").unwrap();
    let registry = converge_resources::registry().unwrap();
    let green = module.display().to_string();
    for source in [
        green.clone(),
        format!("file://{green}"),
        format!("../../../../../../..{green}"),
        "green/main.hcl".to_owned(),
    ] {
        let text = format!("module \"{source}\" \"other\" {{}}\n");
        let memory = Memory::new().with("blue/main.hcl", text.as_str());
        let loaded = Loader::new(&registry).with_sources(Sources::only(memory)).load("blue/main.hcl");
        let error = loaded.into_graph().unwrap_err().to_string();
        assert!(!error.contains("canary-of-green"), "{error}");
    }
}

/// Evaluates an expression in a module of a tenant that writes it to a file.
///
/// Returns the value or all errors.
async fn seen(tenant: &Tenant, expression: &str) -> Result<String, String> {
    let text = format!(
        "file.content \"seen\" {{\n  destination = \"/seen\"\n  content     = format(\"%s\", {expression})\n}}\n"
    );
    let files = ModulesBelow::open(&tenant.root).unwrap();
    let modules = Memory::new().with("main.hcl", text.as_str()).with("own/motd", "not for file()");
    let registry = converge_resources::registry().unwrap();
    let loader = Loader::new(&registry)
        .with_sources(Sources::only(modules).with_files(files))
        .with_visible(Visible::nothing().env("TENANT"));
    let graph = loader.load("main.hcl").into_graph().map_err(|error| error.to_string())?;
    let mut event_log = String::new();
    let mut sink = |event: Event| writeln!(event_log, "{event:?}").unwrap();
    let summary = tenant.engine.apply(&graph).sink(&mut sink).await.unwrap();
    if summary.is_success() { Ok(tenant.read("seen")) } else { Err(event_log) }
}

/// Tests `file`, `env`, `platform` and `path.cwd` in the text of a tenant.
///
/// They are evaluated at load time, and at run time with arguments known only then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_text_of_a_tenant_sees_its_own_files_and_nothing_of_the_host() {
    if !is_root() {
        skip(
            "the_text_of_a_tenant_sees_its_own_files_and_nothing_of_the_host",
            "programs of another user need root",
        );
        return;
    }
    let place = Place::new();
    let (state, locks) = (State::create(place.state.path().join("state")).unwrap(), Locks::new());
    let blue = place.tenant(["blue", "green"], ("daemon", 1), &state, &locks);
    let green = place.tenant(["green", "blue"], ("bin", 2), &state, &locks);
    fs::write(blue.root.join("motd"), "motd of blue").unwrap();
    let secret = green.root.join("mine");
    fs::write(&secret, canary("green")).unwrap();
    std::os::unix::fs::symlink(&secret, blue.root.join("link")).unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", blue.root.join("environ")).unwrap();

    assert_eq!(seen(&blue, "env.TENANT").await, Ok(canary("blue")));
    assert_eq!(seen(&blue, "file(\"motd\")").await.as_deref(), Ok("motd of blue"));
    for hidden in [
        "env.PATH",
        "env.HOME",
        "env.CARGO_MANIFEST_DIR",
        "platform.os",
        "platform.OS",
        "platform.pretty_name",
    ] {
        let result = seen(&blue, hidden).await;
        assert!(
            result.as_ref().map_or_else(|error| error.contains(hidden), String::is_empty),
            "{hidden}: {result:?}"
        );
    }
    assert!(seen(&blue, "path.cwd").await.unwrap_err().contains("it is not shown to main.hcl"));
    let other_path = secret.display().to_string();
    for path in [
        &*other_path,
        "../../green/root/mine",
        "link",
        "environ",
        "/etc/passwd",
        "/proc/self/environ",
        "own/motd",
    ] {
        for argument in [format!("{path:?}"), format!("format(\"%s%s\", {path:?}, env.NONE)")] {
            for call in [format!("file({argument})"), format!("templatefile({argument}, {{}})")] {
                let result = seen(&blue, &call).await;
                let error = result.expect_err(&call);
                for hidden in [&*canary("green"), "root:x:", "CARGO", "PATH=", "not for file()"] {
                    assert!(!error.contains(hidden), "{call} tells {hidden}: {error}");
                }
            }
        }
    }
    // The other tenant sees other values under the same names.
    assert_eq!(seen(&green, "env.TENANT").await, Ok(canary("green")));
    assert_eq!(seen(&green, "file(\"mine\")").await, Ok(canary("green")));
    assert!(seen(&green, "file(\"motd\")").await.is_err());
}
