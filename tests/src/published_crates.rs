//! Standalone copies of the published crates, unchanged or for a private registry.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::root;

/// The published crates, each after its dependencies.
pub const CRATES: [&str; 20] = [
    "converge-derive",
    "converge-value",
    "converge-system",
    "converge-sdk",
    "converge-language",
    "converge-graph",
    "converge-source",
    "converge-load",
    "converge-engine",
    "converge-view",
    "converge-assist",
    "converge-testing",
    "converge-plugin",
    "converge-core",
    "converge-client",
    "converge-resources",
    "converge-controller",
    "converge-controller-build",
    "converge-server",
    "converge-cli",
];

/// Returns the folder of a published crate from the root of the workspace.
pub fn folder(name: &str) -> PathBuf {
    let inner = name.strip_prefix("converge-").map(|name| Path::new("crates").join(name));
    inner.filter(|folder| root().join(folder).is_dir()).unwrap_or_else(|| name.into())
}

/// A registry other than crates.io, where the crate names belong to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registry<'a> {
    /// The name of the registry in cargo.
    pub name: &'a str,
    /// The prefix of the crate names; empty if they keep their names.
    pub prefix: &'a str,
}

/// Creates a workspace of the published crates alone.
///
/// With a registry, each crate takes the others from there when it is published. A dependency without a
/// registry would come from crates.io.
///
/// # Errors
///
/// A file cannot be read or written.
pub fn copy(to: &Path, registry: Option<Registry<'_>>) -> io::Result<()> {
    for name in CRATES {
        let folder = folder(name);
        copy_folder(&root().join(&folder), &to.join(&folder))?;
        if let Some(registry) = registry {
            edit(&to.join(&folder).join("Cargo.toml"), |manifest| registry.of_crate(name, manifest))?;
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

/// Copies a folder recursively without build output.
///
/// Symbolic links are replaced by their targets.
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

/// Returns the workspace manifest with the published crates as its only members.
fn with_members(manifest: &str) -> String {
    let members = CRATES.map(|name| format!("    \"{}\",\n", folder(name).display())).concat();
    match manifest
        .split_once("members = [\n")
        .and_then(|(head, rest)| Some((head, rest.split_once("]\n")?.1)))
    {
        Some((head, rest)) => format!("{head}members = [\n{members}]\n{rest}"),
        None => manifest.to_owned(),
    }
}

impl Registry<'_> {
    /// Returns the workspace manifest, which is the only place with the paths of the crates.
    fn of_workspace(&self, manifest: &str) -> String {
        self.of_dependencies(manifest, &format!("registry = \"{}\", ", self.name))
    }

    /// Returns the manifest of a crate.
    ///
    /// The library keeps its name, so code does not change.
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

    /// Adds text to every dependency line with the path of one of the crates.
    fn of_dependencies(&self, manifest: &str, extra: &str) -> String {
        CRATES.iter().fold(manifest.to_owned(), |manifest, name| {
            let package = match self.prefix {
                "" => String::new(),
                prefix => format!("package = \"{prefix}{name}\", "),
            };
            let line = format!("\n{name} = {{ ");
            manifest.replace(&format!("{line}path = "), &format!("{line}{extra}{package}path = "))
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
            let manifest = Registry { name: "own", prefix }.of_workspace(WORKSPACE);
            assert!(manifest.contains(&format!("\nconverge-core = {{ {expect}path = ")), "{manifest}");
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
