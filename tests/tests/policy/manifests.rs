//! Rules for `Cargo.toml` files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use converge_tests::published_crates::CRATES;
use converge_tests::root;
use serde_json::Value;

use crate::workspace::{cargo, files, metadata, none, read};

/// The keys that every crate inherits from the workspace.
const INHERITED: [&str; 3] = ["edition", "rust-version", "license"];

/// The further keys that published crates inherit.
const PUBLISHED: [&str; 4] = ["version", "authors", "keywords", "categories"];

/// Returns the manifests of the workspace crates, by their paths from the root.
fn members() -> Vec<PathBuf> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(!packages.is_empty());
    let manifest = |package: &Value| {
        let path = Path::new(package["manifest_path"].as_str().expect("a path")).to_owned();
        path.strip_prefix(root()).expect("a member is inside the workspace").to_owned()
    };
    packages.iter().map(manifest).collect()
}

fn problems(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut names = BTreeSet::new();
    let mut problems = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if section.ends_with("dependencies") && line.contains('=') {
            let inherits = line.contains("workspace = true") || line.contains("path = ");
            if !inherits {
                problems.push(format!("`{line}` does not take its version from the workspace"));
            }
        } else {
            names.insert(format!("{section}: {line}"));
        }
    }
    let mut require = |line: &str| {
        if !names.contains(line) {
            let (section, line) = line.split_once(": ").expect("written so below");
            problems.push(format!("has no `{line}` in [{section}]"));
        }
    };
    let published = !names.contains("package: publish = false");
    for key in INHERITED.iter().chain(PUBLISHED.iter().filter(|_| published)) {
        require(&format!("package: {key}.workspace = true"));
    }
    // Lessons print and unwrap like user code, and cargo can only inherit all lints or none.
    if published || !names.contains("lints.rust: unsafe_code = \"forbid\"") {
        require("lints: workspace = true");
    }
    if published && !names.iter().any(|line| line.starts_with("package: description = ")) {
        problems.push("has no `description`".to_owned());
    }
    if published {
        let mut require = |line: &str| {
            if !names.contains(line) {
                problems.push(format!("has no `{line}`"));
            }
        };
        require("package: readme = \"README.md\"");
        require("package.metadata.docs.rs: all-features = true");
    }
    problems
}

#[test]
fn crates_inherit_from_the_workspace() {
    let mut broken = BTreeSet::new();
    for path in members() {
        broken.extend(
            problems(&read(&path)).into_iter().map(|problem| format!("{}: {problem}", path.display())),
        );
    }
    none(&broken, "versions, lints and metadata are written once, in the root Cargo.toml");
}

/// Returns the files that are missing from a package, or should not be in it.
fn packaging_problems(files: &[&str]) -> Vec<String> {
    let unwanted = |file: &&&str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_secret = ["pem", "key", "p12", "pfx", "token"].contains(&extension);
        is_secret || ["snap", "stderr", "redb"].contains(&extension) || file.starts_with("tests/")
    };
    let unwanted = files.iter().filter(unwanted).map(|file| format!("{file} is in the package"));
    let missing = ["README.md", "LICENSE", "src/lib.rs"]
        .into_iter()
        .filter(|required_file| !files.contains(required_file));
    unwanted.chain(missing.map(|required_file| format!("{required_file} is not in the package"))).collect()
}

#[test]
fn packages_have_what_builds_them_and_no_more() {
    let mut broken = BTreeSet::new();
    let published = |path: &PathBuf| !read(path).contains("publish = false");
    for path in members().into_iter().filter(published) {
        let mut list = cargo(&["package", "--list", "--allow-dirty", "--offline", "--manifest-path"]);
        let listed = list.arg(root().join(&path)).output().expect("cargo runs");
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let problems = packaging_problems(&listed.lines().collect::<Vec<_>>());
        broken.extend(problems.into_iter().map(|problem| format!("{}: {problem}", path.display())));
    }
    none(&broken, "packages have no keys and no data of tests");
}

#[test]
fn the_list_of_published_crates_has_each_after_what_it_depends_on() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    let published = packages.iter().filter(|package| package["publish"].is_null());
    let mut names: Vec<&str> =
        published.clone().map(|package| package["name"].as_str().expect("a name")).collect();
    let mut listed = CRATES.to_vec();
    names.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, names, "converge_tests::published::CRATES");
    let place = |name: &Value| CRATES.iter().position(|listed| name == listed);
    for package in published {
        for dependency in package["dependencies"].as_array().expect("a list") {
            let is_before = place(&dependency["name"]) < place(&package["name"]);
            assert!(
                is_before || dependency["kind"] == "dev",
                "{} is before {}",
                package["name"],
                dependency["name"]
            );
        }
    }
}

#[test]
fn what_packages_should_not_have() {
    let check = |files: &[&str], expect: &[&str]| assert_eq!(packaging_problems(files), expect, "{files:?}");
    let complete = ["README.md", "LICENSE", "src/lib.rs"];
    check(&complete, &[]);
    check(&[&complete[..], &["src/a.pem"]].concat(), &["src/a.pem is in the package"]);
    check(&[&complete[..], &["tests/a.rs"]].concat(), &["tests/a.rs is in the package"]);
    check(&complete[..2], &["src/lib.rs is not in the package"]);
}

#[test]
fn every_manifest_belongs_to_the_workspace() {
    let members = members();
    let stray = files(|path| {
        path.file_name().is_some_and(|name| name == "Cargo.toml")
            && path != Path::new("Cargo.toml")
            && !members.iter().any(|member| member == path)
    });
    let stray = stray.iter().map(|path| path.display().to_string()).collect();
    none(
        &stray,
        "a crate that is not a member of the workspace is not tested; add it to the root Cargo.toml",
    );
}

#[test]
fn problems_of_manifests() {
    #[track_caller]
    fn check(remove: &str, add: &str, expect: &[&str]) {
        let valid = "[package]\nname = \"x\"\ndescription = \"X\"\nversion.workspace = true\n\
                    edition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\
                    authors.workspace = true\nkeywords.workspace = true\ncategories.workspace = true\nreadme = \"README.md\"\n\n\
                    [package.metadata.docs.rs]\nall-features = true\n\n[lints]\nworkspace = true\n\n[dependencies]\nserde.workspace = true\n";
        assert!(valid.contains(remove), "{remove}");
        assert_eq!(problems(&(valid.replace(remove, "") + add)), expect, "without {remove:?}, with {add:?}");
    }
    check("", "", &[]);
    check("", "y = { path = \"../y\" }\nz = { workspace = true, features = [\"a\"] }\n", &[]);
    check("", "y = \"1\"\n", &["`y = \"1\"` does not take its version from the workspace"]);
    check("edition.workspace = true\n", "", &["has no `edition.workspace = true` in [package]"]);
    check(
        "version.workspace = true\nedition",
        "",
        &["has no `edition.workspace = true` in [package]", "has no `version.workspace = true` in [package]"],
    );
    check("[lints]\nworkspace = true\n", "", &["has no `workspace = true` in [lints]"]);
    check(
        "[lints]\nworkspace = true\n",
        "[lints.rust]\nunsafe_code = \"forbid\"\n",
        &["has no `workspace = true` in [lints]"],
    );
    check("description = \"X\"\n", "", &["has no `description`"]);
    check("readme = \"README.md\"\n", "", &["has no `package: readme = \"README.md\"`"]);
    check("all-features = true\n", "", &["has no `package.metadata.docs.rs: all-features = true`"]);
}

/// Returns the names of the crates that a package is built from.
fn tree(package: &str) -> BTreeSet<String> {
    let output =
        cargo(&["tree", "--offline", "--package", package, "--edges", "normal,build", "--prefix", "none"])
            .output()
            .expect("cargo starts");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn resources_need_the_sdk_alone() {
    let ours = |name: &String| name.starts_with("converge-");
    let crates: Vec<String> = tree("converge-resources").into_iter().filter(ours).collect();
    let expect =
        ["converge-derive", "converge-resources", "converge-sdk", "converge-system", "converge-value"];
    assert_eq!(crates, expect, "a crate of resources waits for neither the language nor the engine");
}

#[test]
fn the_command_is_built_without_the_server() {
    let server = ["converge-server", "converge-controller", "axum", "redb", "prost"].map(str::to_owned);
    let server = BTreeSet::from(server);
    // Without this check, a wrong path would make the rule pass.
    assert!(tree("converge-server").is_superset(&server));
    let brought: BTreeSet<String> = tree("converge-cli").intersection(&server).cloned().collect();
    none(
        &brought,
        "the first command of the README builds `converge` and waits for nothing else: what the server needs is in the program \
         `converge-server`, which `converge` runs",
    );
}

#[test]
fn every_shared_dependency_is_used() {
    let shared = read(Path::new("Cargo.toml"));
    let (_, shared) = shared.split_once("[workspace.dependencies]").expect("it is in the root manifest");
    let names = shared.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| {
        let (name, _) = line.split_once('=')?;
        Some(name.trim())
    });
    let manifests: Vec<String> = members().iter().map(|path| read(path)).collect();
    let used = |name: &str| {
        let is_dependency = |line: &str| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(".workspace") || rest.starts_with(" ="))
        };
        manifests.iter().any(|manifest| manifest.lines().any(is_dependency))
    };
    let unused: BTreeSet<String> = names.filter(|name| !used(name)).map(str::to_owned).collect();
    none(&unused, "no crate uses these; remove them from [workspace.dependencies]");
}
