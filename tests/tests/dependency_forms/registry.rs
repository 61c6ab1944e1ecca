//! A private registry in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_tests::Said;
use converge_tests::published_crates::{self, CRATES};
use serde_json::{Value, json};

/// The name of the registry in cargo.
pub(crate) const NAME: &str = "example";

/// The nominal URL of the registry.
///
/// Cargo is configured to use a folder instead, so that no network is needed.
pub(crate) const INDEX: &str = "sparse+https://registry.example.org/index/";

/// A registry with the published crates.
pub(crate) struct Registry {
    folder: PathBuf,
}

impl Registry {
    /// Packages the crates and adds them to the registry.
    pub(crate) fn with_crates(place: &Path, prefix: &str) -> Self {
        let (sources, packed) = (place.join("sources"), place.join("packed"));
        published_crates::copy(&sources, Some(published_crates::Registry { name: NAME, prefix }))
            .expect("they are copied");
        let mut package = converge_tests::cargo();
        // A lock file is excluded, because creating it would need the registry to exist already.
        package.args(["package", "--quiet", "--offline", "--workspace", "--no-verify", "--exclude-lockfile"]);
        package.arg("--target-dir").arg(&packed).current_dir(&sources);
        Said::from(package.env("CARGO_REGISTRIES_EXAMPLE_INDEX", INDEX).output().expect("cargo starts"))
            .success();

        let registry = Self { folder: place.join("registry") };
        fs::create_dir(&registry.folder).expect("it is made");
        let packages = fs::read_dir(packed.join("package")).expect("cargo made it");
        let packages = packages.map(|entry| entry.expect("an entry is readable").path());
        let packages: Vec<PathBuf> =
            packages.filter(|path| path.extension() == Some("crate".as_ref())).collect();
        assert_eq!(packages.len(), CRATES.len(), "{packages:?}");
        for package in packages {
            registry.take(&package, place);
        }
        registry
    }

    /// Adds a package with its own dependencies to the index.
    fn take(&self, package: &Path, place: &Path) {
        let file = package.file_name().expect("it is a file").to_str().expect("it is UTF-8");
        fs::copy(package, self.folder.join(file)).expect("it is copied");
        let unpacked = place.join("unpacked");
        fs::create_dir_all(&unpacked).expect("it is made");
        let tar = Command::new("tar")
            .arg("xzf")
            .arg(package)
            .arg("-C")
            .arg(&unpacked)
            .status()
            .expect("tar starts");
        assert!(tar.success(), "{file}");
        let mut metadata = converge_tests::cargo();
        metadata.args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"]);
        metadata.arg(unpacked.join(file.trim_end_matches(".crate")).join("Cargo.toml"));
        let output = Said::from(metadata.output().expect("cargo starts")).success();
        let metadata: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
        let package = &metadata["packages"][0];
        let dependencies: Vec<Value> =
            package["dependencies"].as_array().expect("a list").iter().map(dependency).collect();
        let sum = Command::new("sha256sum").arg(self.folder.join(file)).output().expect("sha256sum starts");
        let sum = String::from_utf8(sum.stdout).expect("it is UTF-8");
        let line = json!({
            "name": package["name"], "vers": package["version"], "deps": dependencies, "features": {},
            "features2": package["features"], "cksum": sum.split(' ').next(), "yanked": false, "v": 2,
        });
        let name = package["name"].as_str().expect("a name");
        // The index folders of names with four or more letters.
        let (first, second) = (&name[..2], &name[2..4]);
        let index = self.folder.join("index").join(first).join(second);
        fs::create_dir_all(&index).expect("it is made");
        fs::write(index.join(name), format!("{line}\n")).expect("it is written");
    }

    /// Returns the `.cargo/config.toml` of the registry, as in the guide, with its local replacement.
    pub(crate) fn config(&self) -> String {
        format!(
            "[registries]\n{NAME} = {{ index = \"{INDEX}\" }}\n\n\
             [source.{NAME}]\nregistry = \"{INDEX}\"\nreplace-with = \"folder\"\n\n\
             [source.folder]\nlocal-registry = \"{}\"\n",
            self.folder.display()
        )
    }
}

/// Converts a dependency to the form of the index.
///
/// There, no registry means this one, and crates.io is named.
fn dependency(metadata: &Value) -> Value {
    let (name, package) = match &metadata["rename"] {
        Value::Null => (&metadata["name"], &Value::Null),
        rename => (rename, &metadata["name"]),
    };
    let registry = match metadata["registry"].as_str() {
        Some(INDEX) => Value::Null,
        None => json!("https://github.com/rust-lang/crates.io-index"),
        Some(new_name) => json!(new_name),
    };
    json!({
        "name": name, "req": metadata["req"], "features": metadata["features"], "optional": metadata["optional"],
        "default_features": metadata["uses_default_features"], "target": metadata["target"],
        "kind": metadata["kind"].as_str().unwrap_or("normal"), "registry": registry, "package": package,
    })
}
