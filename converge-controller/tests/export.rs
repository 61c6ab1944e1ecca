//! Tests that the committed `.proto` files of the built-in types match the code.
//!
//! The files are in `proto`; no number changes by accident.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use converge_controller::protobuf::{Declaration, Files};
use converge_controller::registry::TypeRegistry;
use converge_controller::{Id, Reference, Resource, StoredMessage, builtin_types};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Names the types that every API client knows, whether a built-in type contains them or not.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.test")]
struct Common {
    #[stored(tag = 1)]
    id: Option<Id>,
    #[stored(tag = 2)]
    reference: Option<Reference>,
    #[stored(tag = 3)]
    resource: Option<Resource>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("proto")
}

fn files() -> Outcome<Files> {
    let mut registry = TypeRegistry::new();
    builtin_types::register_types(&mut registry)?;
    let expected_files = registry.files()?;
    // `Common` adds a file of its own, and those of the types it contains.
    let types = registry.iter().filter_map(|entry| entry.message.clone()).map(Declaration::Message);
    let all_files = Files::from_types(types.chain([Declaration::for_message::<Common>()]))?;
    assert!(expected_files.iter().all(|file| all_files.get(&file.path) == Some(file)));
    Ok(all_files)
}

/// Returns the texts by path, without the addition of this test.
fn texts(files: &Files) -> BTreeMap<String, String> {
    let library_files = files.iter().filter(|file| file.package != "converge.test");
    library_files.map(|file| (file.path.clone(), file.to_string())).collect()
}

/// Compiles the committed files with an independent compiler, as a descriptor set.
fn committed(paths: impl IntoIterator<Item = String>) -> Outcome<Vec<u8>> {
    let paths = paths.into_iter().filter(|path| folder().join(path).is_file());
    let mut compiler = protox::Compiler::new([folder()])?;
    compiler.include_imports(true).open_files(paths)?;
    Ok(compiler.encode_file_descriptor_set())
}

#[test]
fn nothing_that_is_committed_is_broken() {
    let files = files().unwrap();
    let broken = files.breaking(&committed(texts(&files).into_keys()).unwrap()).unwrap();
    let broken: Vec<_> = broken.iter().map(ToString::to_string).collect();
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn what_is_committed_is_current() {
    let update = env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always");
    for (path, text) in texts(&files().unwrap()) {
        let path = folder().join(path);
        if update {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        } else {
            let committed = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(committed, text, "write {} with INSTA_UPDATE=always", path.display());
        }
    }
}
