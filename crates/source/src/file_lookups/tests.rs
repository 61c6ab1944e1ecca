//! Tests of `fileexists` and `fileset` with every source.
#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::list_folder;
use crate::graph::{Module, ReadFiles};
use crate::language::{WorkBudget, WorkLimits};
use crate::types::folder_entry::FolderEntry;
use crate::types::id::NodeId;
use crate::types::limits::Limits;
use crate::{Chain, Memory, ModuleSource, ModuleText, ModulesBelow, Reading, SourceError, Sources};

/// Creates the module `site/main.hcl` of a source with these files.
fn module_of(files: impl ModuleSource + 'static) -> Module {
    let sources = Sources::only(Memory::new()).with_files(files);
    let main = sources.resolve(None, "site/main.hcl").unwrap();
    module(None, sources.files_of(Some(&main)))
}

fn module(directory: Option<&Path>, files: Option<Arc<dyn ReadFiles>>) -> Module {
    Module {
        id: NodeId::root(),
        source: "site/main.hcl".into(),
        directory: directory.map(Path::to_owned),
        root: None,
        call: None,
        tags: Arc::default(),
        environment: Arc::default(),
        optional: false,
        files,
        visible: Arc::default(),
        paths: Arc::default(),
    }
}

fn listed(module: &Module, folder: &str) -> String {
    let entries = list_folder(module, folder, &WorkBudget::new(WorkLimits::default()));
    let name_of =
        |entry: &FolderEntry| format!("{}{}", entry.name(), if entry.is_folder() { "/" } else { "" });
    entries.map_or_else(
        |error| format!("error: {error}"),
        |entries| entries.iter().map(name_of).collect::<Vec<_>>().join(" "),
    )
}

fn exists(module: &Module, path: &str) -> String {
    let budget = WorkBudget::new(WorkLimits::default());
    let existence = ModuleText::new(module, path).and_then(|file| file.exists(&budget));
    existence.map_or_else(|error| format!("error: {error}"), |is_present| is_present.to_string())
}

/// Files by path, with a module in `site`.
const TREE: [&str; 5] =
    ["motd", "site/main.hcl", "site/conf.d/a.conf", "site/conf.d/.b", "site/conf.d/tls/c.conf"];

fn in_memory() -> Memory {
    TREE.iter().map(|path| (*path, "text")).collect()
}

fn on_disk() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for path in TREE {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "text").unwrap();
    }
    root
}

/// The same files give the same answers with every source.
#[test]
fn every_source_has_the_same_answers() {
    let disk = on_disk();
    let plain_module = module(Some(&disk.path().join("site")), None);
    let in_folder = module_of(ModulesBelow::open(disk.path()).unwrap());
    let memory = module_of(in_memory());
    let rest = Memory::new().with("motd", "text").with("site/conf.d", "hidden by what is below it");
    let site: Memory = TREE.iter().filter_map(|path| Some((path.strip_prefix("site/")?, "text"))).collect();
    let chain = module_of(Chain::new().at("site", site).otherwise(rest));
    for (name, module) in
        [("plain", plain_module), ("below", in_folder), ("memory", memory), ("chain", chain)]
    {
        let check =
            |folder: &str, expect: &str| assert_eq!(listed(&module, folder), expect, "{name}: {folder}");
        check(".", "conf.d/ main.hcl");
        check("", "conf.d/ main.hcl");
        check("./conf.d/", ".b a.conf tls/");
        check("conf.d/tls", "c.conf");
        check("..", "motd site/");
        let refused = |folder: &str, end: &str| {
            let message = listed(&module, folder);
            assert!(
                message.starts_with("error: cannot read ") && message.ends_with(end),
                "{name}: {message}"
            );
        };
        refused("conf.e", ": there is no such folder");
        refused("main.hcl", ": it is not a folder");

        let check = |path: &str, expect: &str| assert_eq!(exists(&module, path), expect, "{name}: {path}");
        check("main.hcl", "true");
        check("./conf.d/.b", "true");
        check("../motd", "true");
        check("conf.d/a", "false");
        check("conf.e/a", "false");
        check("main.hcl/a", "false");
        let message = exists(&module, "conf.d");
        assert!(
            message.starts_with("error: cannot read ") && message.ends_with(": it is a directory"),
            "{name}: {message}"
        );
    }
}

#[test]
fn nothing_is_seen_outside() {
    let disk = on_disk();
    let site = disk.path().join("site");
    let modules = [
        module_of(ModulesBelow::open(&site).unwrap()),
        module_of(in_memory()),
        module_of(Chain::new().at("site", in_memory())),
    ];
    for module in &modules {
        for path in ["../..", "/", "/etc", "a/../../../..", "file:///etc"] {
            let outside = format!("error: `{path}` is outside of what may be loaded here");
            assert_eq!(listed(module, path), outside);
            let file = format!("{path}/passwd");
            assert_eq!(
                exists(module, &file),
                format!("error: `{file}` is outside of what may be loaded here")
            );
        }
    }
    let detached = module(None, None);
    let nowhere = "error: x cannot be read here: the module is not a file, so nothing is next to it";
    assert_eq!((listed(&detached, "x"), exists(&detached, "x")), (nowhere.to_owned(), nowhere.to_owned()));
}

/// A link to a file counts as a file unless its target is outside.
///
/// A link to a folder is never followed.
#[test]
fn links_lead_nowhere_else() {
    let disk = on_disk();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret"), "").unwrap();
    let conf = disk.path().join("site/conf.d");
    for (target, link) in [
        (elsewhere.path().join("secret"), "out"),
        (elsewhere.path().to_owned(), "outdir"),
        ("a.conf".into(), "in"),
        ("../main.hcl".into(), "up"),
        ("..".into(), "round"),
        ("gone".into(), "dangling"),
        ("dangling2".into(), "dangling2"),
    ] {
        symlink(target, conf.join(link)).unwrap();
    }
    nix::unistd::mkfifo(&conf.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let plain_module = module(Some(&disk.path().join("site")), None);
    let in_folder = module_of(ModulesBelow::open(disk.path()).unwrap());
    for (name, module) in [("plain", plain_module), ("below", in_folder)] {
        assert_eq!(listed(&module, "conf.d"), ".b a.conf in tls/ up", "{name}");
        assert_eq!(exists(&module, "conf.d/dangling"), "false", "{name}");
        assert_eq!(exists(&module, "conf.d/in"), "true", "{name}");
        let message = exists(&module, "conf.d/pipe");
        assert!(message.ends_with("it is a named pipe, not a regular file"), "{name}: {message}");
    }
    let in_folder = module_of(ModulesBelow::open(disk.path()).unwrap());
    assert_eq!(
        exists(&in_folder, "conf.d/out"),
        "error: `site/conf.d/out` is outside of what may be loaded here"
    );
    assert_eq!(
        listed(&in_folder, "conf.d/outdir"),
        "error: `conf.d/outdir` is outside of what may be loaded here"
    );
}

#[test]
fn a_name_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt as _;

    let disk = on_disk();
    std::fs::write(disk.path().join(std::ffi::OsStr::from_bytes(b"site/conf.d/\xff")), "").unwrap();
    let plain_module = module(Some(&disk.path().join("site")), None);
    let in_folder = module_of(ModulesBelow::open(disk.path()).unwrap());
    for module in [plain_module, in_folder] {
        let message = listed(&module, "conf.d");
        assert!(message.ends_with("conf.d: the name `\u{fffd}` in it is not text"), "{message}");
        assert_eq!(listed(&module, "conf.d/tls"), "c.conf");
    }
}

/// An entry counts in the first of several directories that has its name.
#[test]
fn directories_of_one_tree() {
    let (first, second) = (tempfile::tempdir().unwrap(), on_disk());
    std::fs::create_dir_all(first.path().join("site/conf.d/a.conf")).unwrap();
    std::fs::write(first.path().join("site/conf.d/z"), "").unwrap();
    let merged_folders = || ModulesBelow::open(first.path()).unwrap().and(second.path()).unwrap();
    assert_eq!(listed(&module_of(merged_folders()), "conf.d"), ".b a.conf/ tls/ z");
    assert_eq!(listed(&module_of(merged_folders()), "conf.d/tls"), "c.conf");
}

/// A source that returns texts by name, and cannot list them.
#[derive(Debug)]
struct ByName;

impl ModuleSource for ByName {
    fn read(&self, _: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
        Ok("text".into())
    }
}

#[test]
fn a_source_that_does_not_tell_says_so() {
    let module = module_of(ByName);
    let message = "error: cannot list the files at site/x: its source reads files by name only";
    assert_eq!((listed(&module, "x"), exists(&module, "x")), (message.to_owned(), message.to_owned()));
}

#[test]
fn what_is_too_much_is_not_kept() {
    let many =
        (0..=crate::listing::MAX_ENTRIES).map(|number| (format!("site/{number}"), "")).collect::<Memory>();
    assert_eq!(
        listed(&module_of(many), "."),
        "error: site has more than 50000 entries, which are not looked at"
    );
    let limits = Limits { bytes: 10, ..Limits::default() };
    let (module, budget) = (module_of(in_memory()), WorkBudget::from_limits(limits));
    assert!(list_folder(&module, "conf.d/tls", &budget).is_ok(), "six bytes");
    let message = list_folder(&module, "conf.d/tls", &budget).unwrap_err().to_string();
    assert_eq!(message, "with conf.d/tls all modules together have more than 10 bytes");
}
