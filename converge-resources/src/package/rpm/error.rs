use std::time::Duration;

use super::tool::PackageManager;
use crate::package::output::OutputTail;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RpmError {
    #[error(
        "{package} cannot be installed by its name, as this machine has none of {}: name the path or the URL of its \
         file, which `rpm` installs",
        PackageManager::FETCHING.map(PackageManager::program).join(", ")
    )]
    NothingFetches { package: String },
    #[error("{tool} knows no version {version:?} of {package}{}", if .known.is_empty() { String::new() } else { format!(": it knows {}", .known.join(", ")) })]
    UnknownVersion { tool: &'static str, package: String, version: String, known: Vec<String> },
    #[error("{tool} has nothing for `{field}`")]
    Unable { tool: &'static str, field: &'static str },
    #[error("{tool} finds no package {package} in its repositories")]
    Unknown { tool: &'static str, package: String },
    #[error("{file} cannot be read as a package{output}")]
    NotAPackage { file: String, output: OutputTail },
    #[error("other packages need it, so it is removed only if they are named too{0}")]
    Needed(OutputTail),
    #[error("dependencies are missing{0}")]
    Dependencies(OutputTail),
    #[error(
        "{holder} has held the lock {lock} for more than {after:?}: end it, or give it more time with `lock_timeout`"
    )]
    Locked { lock: String, holder: String, after: Duration },
    #[error("only root can change packages: run converge as root")]
    NotRoot,
    #[error("`{command}` was stopped after {after:?}, the remaining time{output}")]
    TimedOut { command: String, after: Duration, output: OutputTail },
    #[error("`{command}` failed{output}")]
    Other { command: String, output: OutputTail },
}

/// Returns the cause of a failed installation or removal.
pub(super) fn explain(tool: PackageManager, command: &str, stdout: &str, stderr: &str) -> RpmError {
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim).filter(|line| !is_noise(line));
    let is_root_missing = |line: &str| {
        [
            "superuser privileges",
            "need to be root",
            "Root privileges are required",
            "can't create transaction lock",
        ]
        .iter()
        .any(|words| line.contains(words))
    };
    if lines().any(is_root_missing) {
        return RpmError::NotRoot;
    }
    let unknown = lines().find_map(|line| {
        let starts = ["No match for argument: ", "Error: Unable to find a match: ", "No package "];
        let package = starts.iter().find_map(|start| line.strip_prefix(start));
        let package = package.map(|package| package.trim_end_matches(" available.").trim_end_matches('.'));
        // Messages of zypper are `Package 'mc' not found.` and `No provider of 'mc' found.`
        let quoted = || {
            let is_zypper = line.ends_with("' not found.") || line.starts_with("No provider of '");
            line.split('\'').nth(1).filter(|_| is_zypper)
        };
        package.or_else(quoted)
    });
    if let Some(package) = unknown {
        return RpmError::Unknown { tool: tool.program(), package: package.to_owned() };
    }
    let needed = || lines().filter(|line| line.contains(" is needed by "));
    if needed().next().is_some() {
        let output = OutputTail::from_lines(needed());
        if needed().all(|line| line.contains("needed by (installed)")) {
            return RpmError::Needed(output);
        }
        return RpmError::Dependencies(output);
    }
    RpmError::Other { command: command.to_owned(), output: OutputTail::from_lines(lines()) }
}

/// Whether a line is irrelevant for the cause.
pub(super) fn is_noise(line: &str) -> bool {
    line.starts_with("rpm: RPM should not be used directly")
        || line.starts_with("rpm: However assuming you know")
        || line.starts_with("Last metadata expiration check")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_print() {
        let check = |tool: PackageManager, stdout: &str, stderr: &str, expect: &str| {
            assert_eq!(explain(tool, "the command", stdout, stderr).to_string(), expect, "{stderr}");
        };
        let unknown = |tool: &str| format!("{tool} finds no package mc in its repositories");
        check(
            PackageManager::Dnf,
            "No match for argument: mc\n",
            "Error: Unable to find a match: mc\n",
            &unknown("dnf"),
        );
        check(PackageManager::Yum, "No package mc available.\n", "Error: Nothing to do\n", &unknown("yum"));
        check(
            PackageManager::Zypper,
            "No provider of 'mc' found.\n",
            "Package 'mc' not found.\n",
            &unknown("zypper"),
        );
        let alien = "rpm: RPM should not be used directly install RPM packages, use Alien instead!\n\
                     rpm: However assuming you know what you are doing...\n";
        check(
            PackageManager::Rpm,
            "",
            &format!(
                "{alien}error: Failed dependencies:\n\thello is needed by (installed) appa-1.0-1.noarch\n"
            ),
            "other packages need it, so it is removed only if they are named too:\nhello is needed by \
             (installed) appa-1.0-1.noarch",
        );
        check(
            PackageManager::Rpm,
            "",
            "error: Failed dependencies:\n\t/bin/sh is needed by shp-1.0-1.noarch\n",
            "dependencies are missing:\n/bin/sh is needed by shp-1.0-1.noarch",
        );
        check(
            PackageManager::Rpm,
            "",
            "error: can't create transaction lock on /var/lib/rpm/.rpm.lock (Permission denied)\n",
            "only root can change packages: run converge as root",
        );
        check(
            PackageManager::Rpm,
            "no way\n",
            "error: %prein(worse-1.0-1.noarch) scriptlet failed, exit status 1\nerror: worse-1.0-1.noarch: install failed\n",
            "`the command` failed:\nerror: %prein(worse-1.0-1.noarch) scriptlet failed, exit status 1\n\
             error: worse-1.0-1.noarch: install failed\nno way",
        );
    }
}
