//! A model of the programs `locale` and `locale-gen` for tests.
//!
//! The generated locales are lines of a file.

use std::path::Path;

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

const ARCHIVE: &str = "/usr/lib/locale/locale-archive";

pub(super) const LIST: &str =
    "# How to use it.\n\n# de_DE ISO-8859-1\n# de_DE.UTF-8 UTF-8\nen_US.UTF-8 UTF-8\n";

/// Returns a host that has `en_US.UTF-8`, and can also generate German locales.
pub(super) fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_file("/usr/sbin/locale-gen", "")
        .with_file("/usr/share/i18n/SUPPORTED", "de_DE.UTF-8 UTF-8\nde_DE ISO-8859-1\nen_US.UTF-8 UTF-8\n")
        .with_file("/etc/locale.gen", LIST)
        .with_file("/etc/default/locale", "#  ours\nLANG=C.UTF-8\nLANGUAGE=de\n")
        .with_file(ARCHIVE, "en_US.utf8\n")
        .with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let archive = text(machine, ARCHIVE);
    match Path::new(&command.program).file_name()?.to_str()? {
        "locale" => Some(Output::success(format!("C\nC.utf8\nPOSIX\n{archive}"))),
        "locale-gen" if machine.fact("locale-gen") == Some("fails") => {
            Some(Output::failure(1, "no memory\n"))
        }
        "locale-gen" if machine.fact("locale-gen") == Some("does nothing") => Some(Output::success("")),
        "locale-gen" => {
            let keeps_existing = command.args.iter().any(|arg| arg == "--keep-existing");
            let mut names: Vec<String> =
                if keeps_existing { archive.lines().map(str::to_owned).collect() } else { Vec::new() };
            for line in text(machine, "/etc/locale.gen").lines() {
                let name = line.split_whitespace().next().unwrap_or_default().replace("UTF-8", "utf8");
                if !name.is_empty() && !name.starts_with('#') && !names.contains(&name) {
                    names.push(name);
                }
            }
            let archive_text: String = names.iter().flat_map(|name| [&**name, "\n"]).collect();
            machine.put_file(ARCHIVE, archive_text);
            Some(Output::success("Generation complete.\n"))
        }
        _ => None,
    }
}

fn text(machine: &Machine, path: &str) -> String {
    String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned()
}
