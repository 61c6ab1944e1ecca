//! What the tests of the whole system share.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it skips"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

pub mod docker;
pub mod documents;
pub mod etcd;
pub mod guest;
pub mod host;
pub mod json_schema;
pub mod mistakes;
pub mod openmetrics;
pub mod pages;
pub mod plugins;
pub mod polls;
pub mod published;
mod said;
pub mod stories;

pub use said::Said;

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder in the workspace")
}

/// The cargo that this was built with, which [knows nothing](forget_package) of the package of the program that runs it.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    forget_package(&mut command);
    command
}

/// Takes out of the environment of a command that runs cargo what cargo tells a program that it runs about the package of that
/// program: there are build scripts which run again when they are told of another one, and then half of the workspace is built
/// again, each time.
pub fn forget_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
}

/// The folder with the programs of the workspace, and with `examples/`. `cargo xtask test` builds them before any test runs.
///
/// # Panics
///
/// When there are none, or `converge` or `converge-server` is older than a file that it is built from.
pub fn programs() -> &'static Path {
    static CHECKED: OnceLock<PathBuf> = OnceLock::new();
    CHECKED.get_or_init(|| {
        // A test is in `deps`, in the folder of its profile; a program is in that folder.
        let this = std::env::current_exe().expect("a program knows where it is");
        let folder = this.parent().expect("it is in a folder");
        let folder =
            if folder.ends_with("deps") { folder.parent().expect("it is in a folder") } else { folder };
        let programs = ["converge", "converge-server"].map(|program| folder.join(program));
        if let Some(problem) = programs.iter().find_map(|program| outdated(program)) {
            panic!("{problem}: `cargo xtask test -- -p converge-tests` builds it before the tests run");
        }
        folder.to_owned()
    })
}

/// Why a program cannot be tested. Beside it is a list of the files that it is built from, `PROGRAM.d`.
fn outdated(program: &Path) -> Option<String> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified());
    let Ok(built) = modified(program) else { return Some(format!("there is no {}", program.display())) };
    let list = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let (_, files) = list.split_once(": ")?;
    let newer = |file: &&str| modified(Path::new(file)).is_ok_and(|changed| changed > built);
    let newer = files.split_whitespace().find(newer)?;
    Some(format!("{} is older than {newer}", program.display()))
}

/// The `converge` command with these arguments, with nothing in its environment that changes what it says.
pub fn converge(arguments: &[&str]) -> Command {
    let mut command = Command::new(programs().join("converge"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CONVERGE_LOG").stdin(Stdio::null());
    // What a test owes is no business of the machine that it runs on, nor of other tests, which it would have to wait for.
    command.env("CONVERGE_STATE_DIR", states().join(test_name()));
    command
}

/// A folder for states. Nobody else can write there, as everybody can where temporary files are.
pub fn states() -> PathBuf {
    let folder = converge_core::testing::private_folder(programs());
    folder.expect("the tests run where others cannot write").join("converge-test-state")
}

/// The name of the test that calls this, as part of a path.
fn test_name() -> String {
    let thread = std::thread::current();
    thread.name().map_or_else(|| format!("{:?}", thread.id()), |name| name.replace("::", "."))
}

/// The same program, to which SIGHUP, SIGINT and SIGTERM mean what they usually do. Whoever runs the tests may have had one
/// ignored, as `nohup` does, and as shells do for what is in the background, and programs inherit that.
pub fn with_default_signals(command: &Command) -> Command {
    let mut with_default = Command::new("env");
    // It becomes the program, so the process is the same.
    with_default.arg("--default-signal=HUP,INT,TERM").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => with_default.env(name, value),
            None => with_default.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        with_default.current_dir(folder);
    }
    with_default
}

/// Runs `converge` to its end.
pub fn run(arguments: &[&str]) -> Said {
    converge(arguments).output().expect("converge starts").into()
}

/// Whether the tests run as root. What needs it calls [`skip`] otherwise.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// Says that a test could not run here, and why. `cargo xtask test` lists these, and CI fails when there is any.
pub fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(report);
    if let Ok(mut file) = file {
        // One write, so that lines of tests that run at once do not mix.
        let _ = file.write_all(format!("{test}: {reason}\n").as_bytes());
    }
}

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
