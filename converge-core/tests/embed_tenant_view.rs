//! Tests of a tenant's view of the machine: files below allowed roots, and shown facts.
#![cfg(feature = "testing")]
#![expect(clippy::disallowed_methods, reason = "tests make the files that are read")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use converge_core::Registry;
use converge_core::engine::{Engine, Event, EventKind};
use converge_core::load::{Loader, Memory, ModulesBelow, Sources, Visible};
use converge_core::system::ModelSystem;
use converge_core::value::ModuleFunction;

/// Returns the value of an expression in a tenant's `web/main.hcl`, or all its errors.
async fn value(sources: impl Fn(Memory) -> Sources, visible: Visible, text: &str) -> Result<String, String> {
    let value_cell = Arc::new(Mutex::new(None));
    let writer = Arc::clone(&value_cell);
    let function = ModuleFunction::pure("tell", "Takes note of a text.", move |text: String| {
        *writer.lock().unwrap() = Some(text.clone());
        text
    });
    let registry = Registry::new().with_function(function).unwrap();
    let modules = Memory::new().with("web/main.hcl", format!("param \"p\" {{ default = tell({text}) }}"));
    let loader = Loader::new(&registry).with_visible(visible).with_sources(sources(modules));
    let graph = loader.load("web/main.hcl").into_graph().map_err(|error| error.to_string())?;
    let system = ModelSystem::new().with_env("REGION", "eu").with_env("TOKEN", "hidden");
    let mut failure = None;
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = &event.kind {
            failure = failure.take().or_else(|| Some(report.failure.clone()?.message));
        }
    };
    Engine::new(Arc::new(system)).plan(&graph).sink(&mut sink).await.unwrap();
    failure.map_or_else(|| Ok(value_cell.lock().unwrap().take().unwrap()), Err)
}

fn make(place: &Path) {
    for folder in ["own/web", "shared"] {
        std::fs::create_dir_all(place.join(folder)).unwrap();
    }
    for (file, text) in [
        ("outside", "the neighbour's"),
        ("own/motd", "own motd"),
        ("own/web/motd", "web motd"),
        ("shared/motd", "shared motd"),
        ("shared/issue", "{{.name}} of all"),
    ] {
        std::fs::write(place.join(file), text).unwrap();
    }
    std::os::unix::fs::symlink(place.join("outside"), place.join("own/link")).unwrap();
    std::os::unix::fs::symlink("web/motd", place.join("own/link2")).unwrap();
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, place.join("own/pipe"), fifo, mode, 0).unwrap();
}

/// The rule holds during a load, and in a run that determines the name.
#[tokio::test]
async fn files_are_read_below_the_roots_that_are_allowed() {
    let place = tempfile::tempdir().unwrap();
    make(place.path());
    let files =
        || ModulesBelow::open(place.path().join("own")).unwrap().and(place.path().join("shared")).unwrap();
    let with_files = |modules| Sources::only(modules).with_files(files());
    let outside = place.path().join("outside").display().to_string();
    for (path, expect) in [
        ("motd", Ok("web motd")),
        ("../motd", Ok("own motd")),
        ("../issue", Ok("{{.name}} of all")),
        ("../../outside", Err("outside of what may be loaded here")),
        (&*outside, Err("outside of what may be loaded here")),
        ("../link", Err("outside of what may be loaded here")),
        ("../pipe", Err("it is a named pipe, not a regular file")),
        ("../none", Err("there is no such file")),
    ] {
        for name in [format!("{path:?}"), format!("format(\"%s%s\", {path:?}, env.NONE)")] {
            let text = format!("file({name})");
            match (value(with_files, Visible::default(), &text).await, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{text}"),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
                (found, expect) => assert_eq!(found.as_deref().map_err(String::as_str), expect, "{text}"),
            }
        }
    }
    let text = "templatefile(\"../issue\", {name = env.REGION})";
    assert_eq!(value(with_files, Visible::default(), text).await.as_deref(), Ok("eu of all"));
    for (call, expect) in [
        ("fileset({}, \"**\")", "issue link2 motd web/motd"),
        (
            "[for path in [\"../motd\", \"../issue\", \"../none\"] : fileexists(format(\"%s\", path)) ? path : {}]",
            "../motd ../issue ..",
        ),
    ] {
        for name in ["\"..\"", "format(\"..%s\", env.NONE)"] {
            let text = format!("join(\" \", {})", call.replace("{}", name));
            assert_eq!(value(with_files, Visible::default(), &text).await.as_deref(), Ok(expect), "{text}");
        }
    }
    for call in ["fileset({}, \"*\")", "fileexists({})"] {
        for name in ["\"../..\"", "format(\"../..%s\", env.NONE)"] {
            let text = format!("format(\"%v\", {})", call.replace("{}", name));
            let error = value(with_files, Visible::default(), &text).await.unwrap_err();
            assert!(error.contains("outside of what may be loaded here"), "{text}: {error}");
        }
    }
    // No file is readable if nothing is allowed.
    let text = format!("file(format(\"%s%s\", {outside:?}, env.NONE))");
    let error = value(Sources::only, Visible::default(), &text).await.unwrap_err();
    assert!(error.contains("cannot be read here"), "{error}");
}

#[tokio::test]
async fn a_module_sees_what_the_application_shows() {
    let value_of = |visible: Visible, text| value(Sources::only, visible, text);
    let directory = std::env::current_dir().unwrap().display().to_string();
    for (text, visible_value, hidden) in [
        ("env.TOKEN", "hidden", Ok("")),
        ("\"{{env `TOKEN`}}\"", "hidden", Ok("")),
        ("env.REGION", "eu", Ok("eu")),
        ("platform.os", "linux", Ok("")),
        ("\"{{platform.OS}}\"", "linux", Ok("")),
        ("path.cwd", directory.as_str(), Err("`path.cwd` has no value: it is not shown to web/main.hcl")),
    ] {
        assert_eq!(value_of(Visible::default(), text).await.as_deref(), Ok(visible_value), "{text}");
        let everything = Visible::nothing().env("TOKEN").env("REGION").platform().working_dir();
        assert_eq!(value_of(everything, text).await.as_deref(), Ok(visible_value), "{text}");
        match (value_of(Visible::nothing().env("REGION"), text).await, hidden) {
            (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
            (found, hidden) => assert_eq!(found.as_deref().map_err(String::as_str), hidden, "{text}"),
        }
    }
}
