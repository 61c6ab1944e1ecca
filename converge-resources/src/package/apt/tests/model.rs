//! A model of apt and dpkg, sufficient to test the decisions of the resource.
//!
//! Tests on hosts cover the real apt.
//!
//! The state is in files. `/model/dpkg/NAME` has the state in dpkg, `want status version`.
//! `/model/repository/NAME` has the versions that apt knows, the newest first, and `/model/new/NAME` those
//! that an update would add. `/model/depends/NAME` and `/model/provides/NAME` name a package. A package file holds its name and version.
//! The script of a package in `/model/fails/NAME` fails. `/model/lock` holds the number of attempts for which
//! the lock of apt-get is held.

use std::fmt::Write as _;

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

pub(super) const LOCKED: &str =
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (aptitude)\n";

/// The list of a repository; apt keeps other files beside it.
pub(super) const LIST: &str = "/var/lib/apt/lists/repository_Packages";

/// Returns a host with `hello` in two versions, its dependencies, and dpkg itself.
///
/// The resource queries the version of dpkg.
pub(in crate::package) fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_file("/model/dpkg/dpkg", "install installed 1.21")
        .with_file("/model/repository/hello", "2.0 1.0")
        .with_file("/model/repository/liba", "1.0")
        .with_file("/model/repository/appa", "1.0")
        .with_file("/model/depends/appa", "liba")
        .with_file("/model/repository/bad", "1.0")
        .with_file("/model/fails/bad", "")
        .with_file("/srv/hello.deb", "hello 3.0")
        .with_file("/model/provides/mta", "vmail")
        .with_file("/model/repository/mta", "1.0")
        .with_program(answer)
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let names = args.iter().skip_while(|arg| **arg != "--").skip(1).copied().collect::<Vec<_>>();
    match command.program.as_str() {
        "dpkg-query" => Some(query(machine, &names)),
        "apt-get" if args.contains(&"--simulate") => Some(transact(&mut machine.clone(), &args, &names)),
        "apt-get" => Some(locked(machine).unwrap_or_else(|| {
            if args.contains(&"update") { update(machine) } else { transact(machine, &args, &names) }
        })),
        "apt-mark" => Some(mark(machine, args[0], &names)),
        "dpkg-deb" => Some(match file(machine, args.last()?) {
            Some((name, version)) => Output::success(format!("{name}\tall\t{version}\n")),
            None => Output::failure(
                2,
                format!("dpkg-deb: error: '{}' is not a Debian format archive\n", args.last()?),
            ),
        }),
        "apt-cache" if args.contains(&"madison") => {
            let lines = versions(machine, names[0])
                .into_iter()
                .map(|version| format!("{} | {version} | x\n", names[0]));
            Some(Output::success(lines.collect::<String>()))
        }
        "apt-cache" => Some(Output::success(format!("Reverse Provides: \n{}", providers(machine, names[0])))),
        _ => None,
    }
}

fn read(machine: &Machine, folder: &str, name: &str) -> Option<String> {
    let file = machine.file(format!("/model/{folder}/{name}"))?;
    Some(String::from_utf8_lossy(file).into_owned())
}

/// Returns name and version of the package in a file.
fn file(machine: &Machine, path: &str) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(machine.file(path)?).into_owned();
    text.split_once(' ').map(|(name, version)| (name.to_owned(), version.to_owned()))
}

fn installed(machine: &Machine) -> Vec<String> {
    let paths = machine.entries().into_keys();
    let names = paths.filter_map(|path| Some(path.strip_prefix("/model/dpkg").ok()?.to_str()?.to_owned()));
    names
        .filter(|name| read(machine, "dpkg", name).is_some_and(|state| state.contains(" installed ")))
        .collect()
}

/// Removes automatically installed packages that nothing needs.
fn autoremove(machine: &mut Machine, stdout: &mut String) {
    for name in installed(machine) {
        let needed = installed(machine)
            .iter()
            .any(|package| read(machine, "depends", package).as_deref() == Some(&*name));
        if needed || !read_states(machine).contains(&automatic(&name)) {
            continue;
        }
        let _ = writeln!(stdout, "Remv {name} [1.0]");
        machine.remove(format!("/model/dpkg/{name}"));
    }
}

fn versions(machine: &Machine, name: &str) -> Vec<String> {
    read(machine, "repository", name).iter().flat_map(|text| text.split(' ')).map(str::to_owned).collect()
}

fn providers(machine: &Machine, name: &str) -> String {
    let provides = |name: &str| read(machine, "provides", name);
    let packages =
        machine.entries().into_keys().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let matches: Vec<String> =
        packages.filter(|package| provides(package).as_deref() == Some(name)).collect();
    matches.into_iter().fold(String::new(), |text, package| text + &package + " 1.0\n")
}

fn query(machine: &Machine, names: &[&str]) -> Output {
    let line = |name: &&str| {
        let state = read(machine, "dpkg", name)?;
        let [want, status, version] = state.split(' ').collect::<Vec<_>>().try_into().ok()?;
        Some(format!("{name}\tall\t{want}\t{status}\tok\t{version}\n"))
    };
    let stdout: String = names.iter().filter_map(line).collect();
    let mut output = Output::success(stdout);
    if names.iter().any(|name| read(machine, "dpkg", name).is_none()) {
        output.exit = converge_sdk::system::Exit::Code(1);
    }
    output
}

/// The file of apt with the packages that were installed as dependencies.
pub(super) const EXTENDED_STATES: &str = "/var/lib/apt/extended_states";

/// Returns the entry of a package that was installed as a dependency.
pub(super) fn automatic(name: &str) -> String {
    format!("Package: {name}\nArchitecture: all\nAuto-Installed: 1\n\n")
}

fn read_states(machine: &Machine) -> String {
    machine.file(EXTENDED_STATES).map(String::from_utf8_lossy).unwrap_or_default().into_owned()
}

fn mark(machine: &mut Machine, verb: &str, names: &[&str]) -> Output {
    if verb == "manual" {
        let states =
            names.iter().fold(read_states(machine), |states, name| states.replace(&automatic(name), ""));
        machine.put_file(EXTENDED_STATES, states);
        return Output::success("");
    }
    for name in names {
        let Some(state) = read(machine, "dpkg", name) else {
            return Output::failure(100, format!("E: Unable to locate package {name}\n"));
        };
        let selection = if verb == "hold" { "hold" } else { "install" };
        let rest = state.split_once(' ').map_or("", |(_, rest)| rest);
        machine.put_file(format!("/model/dpkg/{name}"), format!("{selection} {rest}"));
    }
    Output::success("")
}

fn locked(machine: &mut Machine) -> Option<Output> {
    let left: u32 = std::str::from_utf8(machine.file("/model/lock")?).ok()?.parse().ok()?;
    if left == 0 {
        return None;
    }
    machine.put_file("/model/lock", (left - 1).to_string());
    Some(Output::failure(100, LOCKED))
}

fn update(machine: &mut Machine) -> Output {
    if machine.file("/model/unreachable").is_some() {
        return Output::failure(100, "E: Failed to fetch http://repository/InRelease  connection refused\n");
    }
    let new: Vec<_> = machine.entries().into_keys().filter(|path| path.starts_with("/model/new")).collect();
    for path in new {
        if let (Some(bytes), Some(name)) = (machine.file(&path).map(<[u8]>::to_vec), path.file_name()) {
            machine.put_file(std::path::Path::new("/model/repository").join(name), bytes);
        }
    }
    machine.put_file(LIST, "");
    machine.put_file("/var/lib/apt/periodic/update-success-stamp", "");
    Output::success("")
}

fn transact(machine: &mut Machine, args: &[&str], names: &[&str]) -> Output {
    let (mut stdout, mut failed) = (String::new(), String::new());
    let mut all_names = if args.contains(&"upgrade") { installed(machine) } else { Vec::new() };
    all_names.retain(|name| read(machine, "repository", name).is_some());
    for name in names.iter().copied().chain(all_names.iter().map(String::as_str)) {
        let from_file = name.starts_with('/').then(|| file(machine, name)).flatten();
        let requirement = from_file.as_ref().map(|(name, version)| format!("{name}={version}"));
        let name = &requirement.as_deref().unwrap_or(name);
        let (name, version) =
            name.split_once('=').map_or((*name, None), |(name, version)| (name, Some(version)));
        if let Some(name) = name.strip_suffix('-') {
            let dependent = machine.entries().into_keys().find_map(|path| {
                let dependent = path.strip_prefix("/model/depends").ok()?.to_str()?.to_owned();
                (read(machine, "depends", &dependent).as_deref() == Some(name)).then_some(dependent)
            });
            for name in dependent.iter().map(String::as_str).chain([name]) {
                let Some(state) = read(machine, "dpkg", name) else { continue };
                let version = state.rsplit(' ').next().unwrap_or_default();
                let _ = writeln!(stdout, "Remv {name} [{version}]");
                let path = format!("/model/dpkg/{name}");
                if args.contains(&"--purge") {
                    machine.remove(path);
                } else {
                    machine.put_file(path, format!("deinstall config-files {version}"));
                }
            }
            continue;
        }
        let mut candidates = versions(machine, name);
        candidates.extend(from_file.iter().map(|(_, version)| version.clone()));
        let Some(newest) = candidates.first() else {
            // apt-get does the same if only one package provides the name.
            if !providers(machine, name).is_empty() {
                continue;
            }
            return Output::failure(100, format!("E: Unable to locate package {name}\n"));
        };
        let version = version.unwrap_or(newest).to_owned();
        if !candidates.contains(&version) && from_file.is_none() {
            return Output::failure(100, format!("E: Version '{version}' for '{name}' was not found\n"));
        }
        let needs = read(machine, "depends", name).filter(|needs| read(machine, "dpkg", needs).is_none());
        let needs = needs.map(|needs| (needs, "1.0".to_owned()));
        if let Some((needs, _)) = &needs {
            let states = read_states(machine) + &automatic(needs);
            machine.put_file(EXTENDED_STATES, states);
        }
        for (name, version) in needs.into_iter().chain([(name.to_owned(), version)]) {
            let state = read(machine, "dpkg", &name).unwrap_or_default();
            let is_held = state.starts_with("hold ");
            let old = state.split_once(" installed ").map(|(_, old)| old.to_owned());
            if old.as_deref() == Some(&*version) {
                continue;
            }
            if is_held && !args.contains(&"--allow-change-held-packages") {
                let message =
                    "E: Held packages were changed and -y was used without --allow-change-held-packages.\n";
                return Output::failure(100, message);
            }
            let old = old.map(|old| format!("[{old}] ")).unwrap_or_default();
            let _ = writeln!(
                stdout,
                "Inst {name} {old}({version} repository [all])\nConf {name} ({version} repository [all])"
            );
            let fails =
                machine.file(format!("/model/fails/{name}")).is_some() && !args.contains(&"--simulate");
            let status = if fails { "half-configured" } else { "installed" };
            machine.put_file(format!("/model/dpkg/{name}"), format!("install {status} {version}"));
            if fails {
                let _ = writeln!(
                    failed,
                    "dpkg: error processing package {name} (--configure):\n its script failed"
                );
            }
        }
    }
    if args.contains(&"--auto-remove") {
        autoremove(machine, &mut stdout);
    }
    let mut output = Output::success(stdout);
    if !failed.is_empty() {
        output.exit = converge_sdk::system::Exit::Code(100);
        output.stderr = failed.into_bytes();
    }
    output
}
