//! Tests that misbehaving plugins are contained and named in errors.
#![cfg(all(feature = "plugin", feature = "testing", target_os = "linux"))]
#![expect(
    clippy::disallowed_methods,
    reason = "tests make the files of plugins, and look at what these leave"
)]
#![expect(clippy::unwrap_used, reason = "what is tried in several tests is a function here")]

mod calls;
mod files;
mod runs;
mod starts;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use converge_core::Registry;
use converge_core::plugin::{Plugin, PluginError, PluginFile, PluginLimits, PluginOrigin};
use converge_core::testing::private_folder;

/// Returns a folder that nobody else may write to.
fn folder() -> tempfile::TempDir {
    let executable = std::env::current_exe().unwrap();
    let private = private_folder(executable.parent().unwrap()).unwrap();
    std::fs::create_dir_all(&private).unwrap();
    tempfile::tempdir_in(private).unwrap()
}

fn write(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The JSON description of a type with one field and one export.
const TYPE: &str = r#"{"name":"a.b","doc":"A type.","fields":[{"name":"x","doc":"A field.","kind":{"type":"string"}}],"exports":[{"name":"y","doc":"An export."}]}"#;

/// Returns the start of a shell script that sends the hello and the types of a plugin.
fn begins(types: &str) -> String {
    format!(
        "#!/bin/sh\nsay() {{ printf '%s\\n' \"$1\"; }}\nread -r hello\nsay '{{\"type\":\"hello\",\"protocol\":1,\"version\":\"1.0\"}}'\nread -r schema\n\
         say '{{\"type\":\"result\",\"id\":1,\"ok\":{{\"types\":[{types}]}}}}'\n"
    )
}

/// Like [`begins`], with one type and a prepared task. The script then answers call 3, the check.
fn prepared() -> String {
    begins(TYPE) + "read -r prepare\nsay '{\"type\":\"result\",\"id\":2,\"ok\":{}}'\nread -r check\n"
}

/// Short limits, for plugins that are expected to reach one.
const SHORT: PluginLimits = PluginLimits {
    start: Duration::from_millis(300),
    silence: Duration::from_millis(300),
    grace: Duration::from_millis(100),
};

/// Long limits, for plugins that end for another reason.
const LONG: PluginLimits = PluginLimits {
    start: Duration::from_mins(1),
    silence: Duration::from_mins(1),
    grace: Duration::from_mins(1),
};

fn file(path: PathBuf) -> PluginFile {
    PluginFile { name: "bad".to_owned(), path, origin: PluginOrigin::Found, version: None }
}

/// Starts a plugin with this script. Messages show its file as `FILE`.
fn start(script: &str, limits: PluginLimits) -> Result<(Plugin, Registry), String> {
    let folder = folder();
    let path = folder.path().join("converge-plugin-bad");
    write(&path, script, 0o755);
    let message = |error: PluginError| {
        let help = error.problem.help().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        format!("{error}{help}").replace(&path.display().to_string(), "FILE")
    };
    // The file is not needed after the start.
    Plugin::start(file(path.clone()), limits)
        .and_then(|plugin| Ok((plugin.clone(), plugin.add_to(Registry::new())?)))
        .map_err(message)
}
