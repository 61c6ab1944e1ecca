use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::PipPreparer;
use crate::testing::{Written, apply, plan, plan_pending};

const VENV: &str = "/srv/venv";

/// Returns a host with a model of pip, sufficient to test the decisions of the resource.
///
/// `/model/index/NAME` has the known versions, the newest first, and `/model/needs/NAME` the dependencies of
/// a package. Installed packages are files in the directory `lib` of a place, with their versions.
fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/srv")
        .with_user("keeper", 1000, 1000)
        .with_file("/model/index/hello", "2.0 1.0")
        .with_file("/model/index/a-b", "1.0")
        .with_file("/model/index/app", "1.0")
        .with_file("/model/needs/app", "hello")
        .with_file("/srv/requirements.txt", "hello==1.0\napp\n")
        .with_program(answer)
}

fn with_venv(packages: &[(&str, &str)]) -> ModelSystem {
    let model = ["bin/python", "bin/pip", "pyvenv.cfg"]
        .into_iter()
        .fold(machine(), |made, name| made.with_file(format!("/srv/venv/{name}"), ""));
    packages
        .iter()
        .fold(model, |made, (name, version)| made.with_file(format!("/srv/venv/lib/{name}"), *version))
}

fn read(machine: &Machine, path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(machine.file(path)?).into_owned())
}

fn installed(machine: &Machine, lib: &str) -> Vec<(String, String)> {
    let entries = machine.entries().into_keys();
    let names = entries.filter_map(|path| Some(path.strip_prefix(lib).ok()?.to_str()?.to_owned()));
    names.filter_map(|name| Some((name.clone(), read(machine, &format!("{lib}/{name}"))?))).collect()
}

/// Shortens a version: `1.0` and `1.0.0` are the same.
fn short(version: &str) -> &str {
    version.trim_end_matches(".0")
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    let (program, args, lib) = match (command.program.as_str(), command.args.as_slice()) {
        ("setpriv", [.., _]) if command.args.len() > 4 => {
            (command.args[4].clone(), &command.args[5..], "/home/keeper/lib".to_owned())
        }
        (program, args) => (program.to_owned(), args, "/usr/lib/python3/lib".to_owned()),
    };
    let lib = program.strip_suffix("/bin/python").map_or(lib, |venv| format!("{venv}/lib"));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["-m", "venv", path] => {
            for name in ["bin/python", "bin/pip", "pyvenv.cfg"] {
                machine.put_file(format!("{path}/{name}"), "");
            }
            Some(Output::success(""))
        }
        ["-m", "pip", _, _, "list", ..] => {
            let line = |(name, version): &(String, String)| {
                format!("{{\"name\": \"{name}\", \"version\": \"{version}\"}}")
            };
            let lines: Vec<String> = installed(machine, &lib).iter().map(line).collect();
            Some(Output::success(format!("[{}]", lines.join(", "))))
        }
        ["-m", "pip", _, _, "uninstall", _, names @ ..] => {
            for name in names {
                machine.remove(format!("{lib}/{}", super::spec::normal(name)));
            }
            Some(Output::success(""))
        }
        ["-m", "pip", _, _, "install", args @ ..] => Some(install(machine, &lib, args)),
        _ => None,
    }
}

fn install(machine: &mut Machine, lib: &str, args: &[&str]) -> Output {
    let mut requirements: Vec<String> =
        args.iter().filter(|arg| !arg.starts_with('-')).map(|arg| (*arg).to_owned()).collect();
    for file in args.iter().filter_map(|arg| arg.strip_prefix("--requirement=")) {
        let Some(text) = read(machine, file) else {
            return Output::failure(1, format!("ERROR: Could not open requirements file: {file}\n"));
        };
        requirements.extend(text.lines().map(str::to_owned));
    }
    let mut installs: Vec<(String, String)> = Vec::new();
    let mut index = 0;
    while let Some(requirement) = requirements.get(index).cloned() {
        index += 1;
        let (name, version) = requirement
            .split_once("==")
            .map_or((&*requirement, None), |(name, version)| (name, Some(version)));
        let name = super::spec::normal(name);
        let installed_version = read(machine, &format!("{lib}/{name}"));
        if installs.iter().any(|(other, _)| *other == name) {
            continue;
        }
        if installed_version.is_some_and(|installed_version| {
            version.is_none_or(|version| short(version) == short(&installed_version))
        }) {
            continue;
        }
        let available = read(machine, &format!("/model/index/{name}")).unwrap_or_default();
        let mut candidates = available.split(' ').filter(|known| !known.is_empty());
        let Some(chosen) =
            candidates.find(|candidate| version.is_none_or(|version| short(version) == short(candidate)))
        else {
            return Output::failure(1, format!("ERROR: No matching distribution found for {requirement}\n"));
        };
        requirements.extend(read(machine, &format!("/model/needs/{name}")));
        installs.push((name, chosen.to_owned()));
    }
    if !args.contains(&"--dry-run") {
        for (name, version) in &installs {
            machine.put_file(format!("{lib}/{name}"), version.as_str());
        }
        return Output::success("");
    }
    let line = |(name, version): &(String, String)| {
        format!("{{\"metadata\": {{\"name\": \"{name}\", \"version\": \"{version}\"}}}}")
    };
    let lines: Vec<String> = installs.iter().map(line).collect();
    Output::success(format!("{{\"version\": \"1\", \"install\": [{}]}}", lines.join(", ")))
}

/// Returns these fields, in the virtual environment.
fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    [("venv", Value::from(VENV))].into_iter().chain(fields.iter().cloned()).collect()
}

fn list(names: &[&str]) -> Value {
    Value::List(names.iter().map(|name| Value::from(*name)).collect())
}

#[tokio::test]
async fn packages_of_a_virtual_environment() {
    let check = async |model: ModelSystem, fields: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<PipPreparer>(&system, &with_defaults(fields)).await, expect, "{fields:?}");
        assert_eq!(apply::<PipPreparer>(&system, &with_defaults(fields)).await, expect, "{fields:?}");
        if !expect.starts_with("error") {
            assert_eq!(plan::<PipPreparer>(&system, &with_defaults(fields)).await, "no change", "{fields:?}");
        }
    };
    let hello = ("name", Value::from("hello"));
    let venv_with_hello = || with_venv(&[("hello", "1.0")]);
    check(
        machine(),
        std::slice::from_ref(&hello),
        "will change\nvenv: \"absent\" => \"present\"\nhello: \"absent\" => \"present\"",
    )
    .await;
    check(with_venv(&[]), &[("name", "hello==1.0".into())], "will change\nhello: \"absent\" => \"1.0\"")
        .await;
    check(venv_with_hello(), std::slice::from_ref(&hello), "no change").await;
    check(venv_with_hello(), &[hello.clone(), ("version", "1.0.0".into())], "no change").await;
    check(
        venv_with_hello(),
        &[hello.clone(), ("version", "2".into())],
        "will change\nhello: \"1.0\" => \"2.0\"",
    )
    .await;
    check(with_venv(&[("a-b", "1.0")]), &[("name", "A__b".into())], "no change").await;
    check(
        with_venv(&[]),
        &[("name", "app".into())],
        "will change\napp: \"absent\" => \"present\"\n# also installs hello 2.0",
    )
    .await;
    let absent = ("state", Value::from("absent"));
    check(venv_with_hello(), &[hello.clone(), absent.clone()], "will change\nhello: \"1.0\" => \"absent\"")
        .await;
    check(machine(), &[hello.clone(), absent], "no change").await;
    check(
        venv_with_hello(),
        &[hello, ("version", "3".into())],
        "error: pip finds nothing that is \"hello==3\"",
    )
    .await;
    let partial_venv = machine().with_file("/srv/venv/bin/python", "").with_file("/srv/venv/pyvenv.cfg", "");
    let change = "will change\nvenv: \"absent\" => \"present\"\nhello: \"absent\" => \"present\"";
    check(partial_venv, &[("name", "hello".into())], change).await;
    let strange = machine().with_file("/srv/venv/mine", "");
    let refused =
        "error: /srv/venv has other things in it and is not a virtual environment: name another directory";
    check(strange, &[("name", "hello".into())], refused).await;
}

#[tokio::test]
async fn requirements() {
    let file = [("requirements", Value::from("/srv/requirements.txt"))];
    let system: Arc<dyn System> = Arc::new(with_venv(&[("hello", "2.0")]));
    let expect = "will change\nhello: \"2.0\" => \"1.0\"\napp: \"absent\" => \"1.0\"";
    assert_eq!(apply::<PipPreparer>(&system, &with_defaults(&file)).await, expect);
    let system: Arc<dyn System> = Arc::new(machine());
    let expect = "will change\nvenv: \"absent\" => \"present\"\n# then what /srv/requirements.txt requires is installed";
    assert_eq!(apply::<PipPreparer>(&system, &with_defaults(&file)).await, expect);
    let missing_file = [("requirements", Value::from("/srv/none.txt"))];
    let output = plan::<PipPreparer>(&system, &with_defaults(&missing_file)).await;
    assert!(output.contains("Could not open requirements file: /srv/none.txt"), "{output}");
    let output = plan_pending::<PipPreparer>(&system, &with_defaults(&missing_file)).await;
    assert!(output.starts_with("may change\n# pip cannot tell yet what that takes: "), "{output}");
}

#[tokio::test]
async fn other_places() {
    let check = async |place: (&'static str, Value), path: &str| {
        let model = Arc::new(machine());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<PipPreparer>(&system, &[("name", "hello".into()), place]).await;
        assert_eq!(output, "will change\nhello: \"absent\" => \"present\"");
        assert_eq!(model.machine().file(path), Some(&b"2.0"[..]));
    };
    check(("user", "keeper".into()), "/home/keeper/lib/hello").await;
    check(("system", true.into()), "/usr/lib/python3/lib/hello").await;
    let system: Arc<dyn System> = Arc::new(machine());
    let nobody = [("name", Value::from("hello")), ("user", "nobody-is".into())];
    assert_eq!(plan::<PipPreparer>(&system, &nobody).await, "error: user \"nobody-is\" does not exist");
}

#[tokio::test]
async fn fields() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<PipPreparer>(&system, written).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    let name = ("name", Value::from("hello"));
    let guarded = "error: system: the packages of the machine's Python belong to its distribution";
    check(std::slice::from_ref(&name), guarded).await;
    check(&[name.clone(), ("system", false.into())], guarded).await;
    check(&[name.clone(), ("system", true.into()), ("venv", VENV.into())], "error: ").await;
    check(&with_defaults(&[]), "error: ").await;
    check(&with_defaults(&[("name", "-r/etc/passwd".into())]), "error: name: ").await;
    check(&with_defaults(&[("name", list(&["a.b", "A-b"]))]), "error: name[1]: a-b is named twice").await;
    check(
        &with_defaults(&[("name", "hello==1".into()), ("version", "2".into())]),
        "error: version: `name` has",
    )
    .await;
    check(
        &with_defaults(&[name.clone(), ("version", "2 -r x".into())]),
        "error: version: it is not a version",
    )
    .await;
    check(
        &with_defaults(&[name.clone(), ("extra_args", list(&["evil"]))]),
        "error: extra_args: \"evil\" is not an option",
    )
    .await;
    check(&with_defaults(&[name, ("python", "-c".into())]), "error: python: ").await;
    let absent = ("state", Value::from("absent"));
    check(
        &with_defaults(&[("requirements", "/x".into()), absent.clone()]),
        "error: requirements: write the absent packages",
    )
    .await;
    check(&with_defaults(&[("name", "hello==1".into()), absent]), "error: state: an absent package").await;
}

laws!(
    PipPreparer,
    start = machine,
    start = || with_venv(&[("hello", "1.0")]),
    values = ("name", ["hello", "app", "A_b", "hello==1.0"]),
    values = ("venv", [VENV]),
    values = ("user", ["keeper"]),
    beside = ("/srv/venv", "what comes along is known only when there is a virtual environment"),
    beside = ("/usr/lib/python3", "what comes along is told in a message"),
    beside = ("/home/keeper", "what comes along is told in a message"),
    values = ("version", ["1.0"]),
    values = ("requirements", ["/srv/requirements.txt"]),
    values = ("python", ["python3"]),
    values = ("extra_args", [Vec::<String>::new(), vec!["--no-index".to_owned()]])
);
