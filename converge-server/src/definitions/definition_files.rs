//! The files of a definition, and the files that come with the server.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_controller::protobuf::PROTO_FILES;
use protox::Error;
use protox::file::{File, FileResolver, GoogleFileResolver};

/// The folders of the files that come with the server.
const GIVEN: [&str; 2] = ["converge/resource/", "google/protobuf/"];

/// Whether the path is reserved for files that come with the server.
pub(super) fn is_builtin(path: &str) -> bool {
    GIVEN.iter().any(|folder| path.starts_with(folder))
}

/// A resolver of imported files.
pub(super) struct Texts(pub(super) Arc<BTreeMap<String, String>>);

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, Error> {
        if let Some(text) = self.0.get(name) {
            return File::from_source(name, text);
        }
        match PROTO_FILES.iter().find(|(path, _)| *path == name) {
            Some((path, text)) => File::from_source(path, text),
            None => GoogleFileResolver::new().open_file(name),
        }
    }
}
