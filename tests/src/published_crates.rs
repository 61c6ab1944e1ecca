//! The crates that others depend on, copied to where they stand alone: as they are, or for a registry of one's own.

use std::fs;
use std::io;
use std::path::Path;

use crate::root;

/// The published crates, each after those that it depends on.
pub const CRATES: [&str; 7] = [
    "converge-derive",
    "converge-core",
    "converge-resources",
    "converge-controller",
    "converge-controller-build",
    "converge-server",
    "converge-cli",
];

/// A registry that is not crates.io, where the names of the crates are other people's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registry<'a> {
    /// What cargo calls it.
    pub name: &'a str,
    /// What the names of the crates begin with there; nothing where they may have their own names.
    pub prefix: &'a str,
}

/// Makes a workspace of the published crates alone. With a registry each of them takes the others from there when it is published: a
/// package that names no registry for what it depends on takes it from crates.io.
///
/// # Errors
///
/// When a file cannot be read or written.
pub fn copy(to: &Path, registry: Option<Registry<'_>>) -> io::Result<()> {
    for name in CRATES {
        copy_folder(&root().join(name), &to.join(name))?;
        if let Some(registry) = registry {
            edit(&to.join(name).join("Cargo.toml"), |manifest| registry.of_crate(name, manifest))?;
        }
    }
    fs::copy(root().join("Cargo.lock"), to.join("Cargo.lock"))?;
    fs::copy(root().join("Cargo.toml"), to.join("Cargo.toml"))?;
    edit(&to.join("Cargo.toml"), |manifest| {
        let manifest = with_members(manifest);
        registry.map_or_else(|| manifest.clone(), |registry| registry.of_workspace(&manifest))
    })
}

fn edit(path: &Path, change: impl FnOnce(&str) -> String) -> io::Result<()> {
    fs::write(path, change(&fs::read_to_string(path)?))
}

/// Copies a folder and what is in it, but for what cargo has built there. A link becomes what it leads to.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if !from.is_dir() {
            fs::copy(&from, &to)?;
        } else if !from.join("CACHEDIR.TAG").exists() {
            copy_folder(&from, &to)?;
        }
    }
    Ok(())
}

/// The manifest of the workspace, with no other members than the published crates.
fn with_members(manifest: &str) -> String {
    let members = CRATES.map(|name| format!("    \"{name}\",\n")).concat();
    match manifest
        .split_once("members = [\n")
        .and_then(|(head, rest)| Some((head, rest.split_once("]\n")?.1)))
    {
        Some((head, rest)) => format!("{head}members = [\n{members}]\n{rest}"),
        None => manifest.to_owned(),
    }
}

impl Registry<'_> {
    /// The manifest of the workspace, which says once where the crates are.
    fn of_workspace(&self, manifest: &str) -> String {
        self.of_dependencies(manifest, &format!("registry = \"{}\", ", self.name))
    }

    /// The manifest of a crate. Code says its name as before: that of the library stays.
    fn of_crate(&self, name: &str, manifest: &str) -> String {
        let manifest = self.of_dependencies(manifest, "");
        if self.prefix.is_empty() {
            return manifest;
        }
        let manifest =
            manifest.replacen(&format!("name = \"{name}\""), &format!("name = \"{}{name}\"", self.prefix), 1);
        let library = format!("[lib]\nname = \"{}\"\n", name.replace('-', "_"));
        if manifest.contains("[lib]\n") {
            manifest.replacen("[lib]\n", &library, 1)
        } else {
            format!("{manifest}\n{library}")
        }
    }

    /// Every line that says in which folder one of the crates is says more, too.
    fn of_dependencies(&self, manifest: &str, more: &str) -> String {
        CRATES.iter().fold(manifest.to_owned(), |manifest, name| {
            let package = match self.prefix {
                "" => String::new(),
                prefix => format!("package = \"{prefix}{name}\", "),
            };
            let line = format!("\n{name} = {{ ");
            manifest.replace(&format!("{line}path = "), &format!("{line}{more}{package}path = "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: &str = "[workspace]\nmembers = [\n    \"a\",\n]\n\n[workspace.dependencies]\n\
                             converge-core = { path = \"converge-core\", version = \"=0.1.0\" }\nserde = \"1\"\n";

    #[test]
    fn workspaces() {
        let members = with_members(WORKSPACE);
        assert!(members.starts_with("[workspace]\nmembers = [\n    \"converge-derive\",\n"), "{members}");
        assert!(!members.contains("\"a\""), "{members}");
        let check = |prefix: &str, expect: &str| {
            let got = Registry { name: "own", prefix }.of_workspace(WORKSPACE);
            assert!(got.contains(&format!("\nconverge-core = {{ {expect}path = ")), "{got}");
        };
        check("", "registry = \"own\", ");
        check("x-", "registry = \"own\", package = \"x-converge-core\", ");
    }

    #[test]
    fn crates() {
        let check = |name: &str, prefix: &str, manifest: &str, expect: &str| {
            assert_eq!(Registry { name: "own", prefix }.of_crate(name, manifest), expect);
        };
        let manifest =
            "[package]\nname = \"converge-cli\"\n\n[dev-dependencies]\nconverge-core = { path = \".\" }\n";
        check("converge-cli", "", manifest, manifest);
        let renamed = "[package]\nname = \"x-converge-cli\"\n\n[dev-dependencies]\n\
                       converge-core = { package = \"x-converge-core\", path = \".\" }\n\n[lib]\nname = \"converge_cli\"\n";
        check("converge-cli", "x-", manifest, renamed);
        let derive = "[package]\nname = \"converge-derive\"\n\n[lib]\nproc-macro = true\n";
        let renamed = "[package]\nname = \"x-converge-derive\"\n\n[lib]\nname = \"converge_derive\"\nproc-macro = true\n";
        check("converge-derive", "x-", derive, renamed);
    }
}
