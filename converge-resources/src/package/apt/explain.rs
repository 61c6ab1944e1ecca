//! Analysis of the output of apt-get and dpkg after a failure.

use super::error::{AptError, PackageFailure};
use crate::package::output::OutputTail;

pub(super) struct Failed<'a> {
    /// The command, in the form for messages.
    pub(super) command: &'a str,
    pub(super) stdout: &'a str,
    pub(super) stderr: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lock {
    pub(super) path: String,
    pub(super) holder: Option<String>,
}

/// Returns the lock that another program holds, if that caused the failure.
pub(super) fn lock(stderr: &str) -> Option<Lock> {
    let after_it = |text: &str, before: &str| text.split_once(before).map(|(_, after)| after.to_owned());
    stderr.lines().find_map(|line| {
        if let Some(text) = line.strip_prefix("E: Could not get lock ") {
            // Older versions print ` - open (11: ..)` and do not name the process.
            let path = text.split(' ').next()?.trim_end_matches('.').to_owned();
            let holder = after_it(text, "held by ").map(|holder| holder.trim_end_matches('.').to_owned());
            return Some(Lock { path, holder });
        }
        let text = line
            .strip_prefix("dpkg: error: dpkg ")
            .filter(|text| text.contains("locked by another process"))?;
        let path =
            if text.starts_with("frontend") { "/var/lib/dpkg/lock-frontend" } else { "/var/lib/dpkg/lock" };
        let holder = after_it(text, "with pid ").map(|id| format!("process {id}"));
        Some(Lock { path: path.to_owned(), holder })
    })
}

/// Whether apt-get refuses to work because dpkg was interrupted.
pub(super) fn was_interrupted(stderr: &str) -> bool {
    stderr.contains("dpkg was interrupted")
}

/// Returns the files that could not be fetched, with reasons.
pub(super) fn fetch_failures(stderr: &str) -> Vec<String> {
    let mut failures: Vec<String> = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("E: ").or_else(|| line.strip_prefix("W: ")))
        .filter_map(|line| {
            let failure =
                line.strip_prefix("Failed to fetch ").map(|failure| failure.replacen("  ", ": ", 1));
            let no_release = || {
                let rest = line.strip_prefix("The repository '")?;
                Some(rest.replacen("' ", " ", 1))
            };
            failure.or_else(no_release)
        })
        .map(|failure| failure.trim_end().to_owned())
        .collect();
    failures.sort_unstable();
    failures.dedup();
    failures
}

/// Returns the cause of a failure. For an unknown version, the known versions are not included.
pub(super) fn explain(failed: &Failed<'_>) -> AptError {
    let Failed { command, stdout, stderr } = failed;
    if stderr.contains("are you root?") || stderr.contains("requires superuser privilege") {
        return AptError::NotRoot;
    }
    let failures = package_failures(stdout, stderr);
    if !failures.is_empty() {
        return AptError::Packages(failures);
    }
    for line in stderr.lines().filter_map(|line| line.strip_prefix("E: ")) {
        if let Some(package) = line.strip_prefix("Unable to locate package ") {
            return AptError::UnknownPackage { package: package.trim().to_owned() };
        }
        if let Some(rest) = line.strip_prefix("Version '")
            && let Some((version, rest)) = rest.split_once("' for '")
            && let Some((package, _)) = rest.split_once("' was not found")
        {
            let (package, version) = (package.to_owned(), version.to_owned());
            return AptError::UnknownVersion { package, version, known: Vec::new() };
        }
        if let Some(rest) = line.strip_prefix("Package '")
            && let Some((package, _)) = rest.split_once("' has no installation candidate")
        {
            let package = package.to_owned();
            let providers = providers(stdout, &package);
            return AptError::no_candidate(package, providers);
        }
    }
    let fetch = fetch_failures(stderr);
    if !fetch.is_empty() {
        return AptError::Fetch(fetch);
    }
    if let Some((_, unmet)) = stdout.split_once("The following packages have unmet dependencies:") {
        return AptError::Dependencies(OutputTail::from_lines(unmet.lines().take(20)));
    }
    let lines = stderr.lines().filter(|line| !is_noise(line));
    let tail = match lines.clone().next() {
        Some(_) => OutputTail::from_lines(lines),
        None => OutputTail::from_lines(stdout.lines()),
    };
    AptError::Other { command: (*command).to_owned(), output: tail }
}

/// Returns the packages after `Package x is a virtual package provided by:`.
fn providers(stdout: &str, package: &str) -> Vec<String> {
    let heading = format!("Package {package} is a virtual package provided by:");
    let lines = stdout.lines().skip_while(|line| *line != heading).skip(1);
    let provider = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let mut providers: Vec<String> = lines.map_while(provider).collect();
    providers.sort_unstable();
    providers.dedup();
    providers
}

/// Whether a line is irrelevant for the cause.
fn is_noise(line: &str) -> bool {
    line.starts_with("debconf: delaying package configuration")
        || line.starts_with("E: Sub-process /usr/bin/dpkg returned an error code")
        || line.starts_with("WARNING: apt does not have a stable CLI interface")
        || line.starts_with("dpkg: warning: downgrading")
}

/// Returns the packages that dpkg reports as failed.
fn package_failures(stdout: &str, stderr: &str) -> Vec<PackageFailure> {
    let mut failures = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let mut lines = stderr.lines();
    while let Some(line) = lines.next() {
        let Some(package) = failed_package(line) else {
            if !is_noise(line) {
                before.push(line);
            }
            continue;
        };
        let reason = lines.next().unwrap_or_default().trim().trim_end_matches(':').to_owned();
        // The reason continues in these lines for errors like `trying to overwrite`, but not for a failed
        // script.
        let printed = printed_for(stdout, package).chain(before.drain(..));
        let output = OutputTail::from_lines(printed);
        failures.push(PackageFailure { package: package.to_owned(), reason, output });
    }
    failures
}

/// Parses `dpkg: error processing package NAME (--configure):`, or `archive PATH (--unpack):`.
fn failed_package(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("dpkg: error processing ")?;
    let (kind, rest) = rest.split_once(' ')?;
    let (subject, _) = rest.rsplit_once(" (--")?;
    match kind {
        "package" => Some(subject),
        "archive" => Some(package_of(subject)),
        _ => None,
    }
}

/// Returns the package of an archive. For many archives, apt-get passes numbered links to dpkg.
fn package_of(archive: &str) -> &str {
    let (folder, file) = archive.rsplit_once('/').unwrap_or(("", archive));
    let numbered = folder == "..." || folder.contains("/apt-dpkg-install-");
    let unnumbered = file.trim_start_matches(|first: char| first.is_ascii_digit()).strip_prefix('-');
    let file = if numbered { unnumbered.unwrap_or(file) } else { file };
    file.split('_').next().unwrap_or(file)
}

/// Returns the output about a package, from the last line that names dpkg's step to the next such line.
fn printed_for<'a>(stdout: &'a str, package: &str) -> impl Iterator<Item = &'a str> {
    const STEPS: [&str; 6] = [
        "Setting up ",
        "Preparing to unpack ",
        "Unpacking ",
        "Removing ",
        "Purging configuration files for ",
        "Processing triggers for ",
    ];
    let step = |line: &'a str| STEPS.iter().find_map(|step| line.strip_prefix(step));
    let names = |subject: &str| {
        let word = subject.split(' ').next().unwrap_or_default();
        let name = if word.contains('/') { package_of(word) } else { word };
        name == package || name.split(':').next() == Some(package)
    };
    let lines: Vec<&str> = stdout.lines().collect();
    let from =
        lines.iter().rposition(|line| step(line).is_some_and(names)).map_or(lines.len(), |index| index + 1);
    lines.into_iter().skip(from).take_while(move |line| step(line).is_none())
}

#[cfg(test)]
mod tests;
