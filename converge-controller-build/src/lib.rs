//! Generation of stored types from `.proto` files in a build script, without `protoc`.
//!
//! A message with the option `(converge.resource.spec)` becomes a struct with `#[derive(StoredResource)]`.
//! Other messages become structs with `StoredMessage`, and enums get `StoredEnum`. A `oneof` becomes an enum
//! with `StoredOneof`, named after the message and the oneof. The files of `converge/resource` and of
//! `google/protobuf` are included and need not be copied.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), converge_controller_build::BuildError> {
//!     converge_controller_build::Types::new(["proto"])
//!         .with_hooks("converge.demo.v2.Album", "validate = crate::check_album")
//!         .compile(["demo/album.proto"])
//! }
//! ```
//!
//! The types are written to `stored.rs` in `OUT_DIR`, with one module for each part of a package name:
//!
//! ```text
//! include!(concat!(env!("OUT_DIR"), "/stored.rs"));
//! use converge::demo::v2::Album;
//! ```

mod error;
mod generate;
mod names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use converge_controller::protobuf::PROTO_FILES;
pub use error::BuildError;
use prost_reflect::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver};

/// A builder that generates stored types from `.proto` files.
#[derive(Clone, Debug, Default)]
pub struct Types {
    folders: Vec<PathBuf>,
    hooks: BTreeMap<String, String>,
}

impl Types {
    /// Creates a builder that searches files and their imports in these folders.
    pub fn new(folders: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let folders = folders.into_iter().map(|folder| folder.as_ref().to_path_buf()).collect();
        Self { folders, hooks: BTreeMap::new() }
    }

    /// Adds hooks to the `#[stored(..)]` attribute of a resource, given the full name of its message.
    pub fn with_hooks(mut self, message: impl Into<String>, hooks: impl Into<String>) -> Self {
        self.hooks.insert(message.into(), hooks.into());
        self
    }

    /// Writes the types of these files to `stored.rs` and tells cargo to build again when a file changes.
    ///
    /// # Errors
    ///
    /// A file cannot be read or compiled, or contains a definition that has no counterpart in stored types.
    #[expect(clippy::print_stdout, reason = "a build script talks to cargo through it")]
    pub fn compile(&self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<(), BuildError> {
        let path = Path::new(&env::var_os("OUT_DIR").ok_or(BuildError::NoBuildScript)?).join("stored.rs");
        let source = self.source(files)?;
        for folder in &self.folders {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        fs::write(&path, source).map_err(|source| BuildError::Write { path, source })
    }

    /// Returns the types of these files as Rust source.
    ///
    /// # Errors
    ///
    /// A file cannot be read or compiled, or contains a definition that has no counterpart in stored types.
    pub fn source(&self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<String, BuildError> {
        let mut resolver = ChainFileResolver::new();
        for folder in &self.folders {
            resolver.add(IncludeFileResolver::new(folder.clone()));
        }
        resolver.add(Bundled);
        resolver.add(GoogleFileResolver::new());
        let mut compiler = protox::Compiler::with_file_resolver(resolver);
        compiler.include_imports(true).include_source_info(true).open_files(files)?;
        let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice())?;
        generate::source(&pool, &self.hooks)
    }
}

/// A resolver for the `.proto` files that come with `converge-controller`.
struct Bundled;

impl FileResolver for Bundled {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match PROTO_FILES.iter().find(|(path, _)| *path == name) {
            Some((path, text)) => File::from_source(path, text),
            None => Err(protox::Error::file_not_found(name)),
        }
    }
}
