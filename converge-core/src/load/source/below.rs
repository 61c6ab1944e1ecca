//! Module files below a directory, and none outside of it.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

use super::error::SourceError;
use super::file;
use super::module_source::ModuleSource;
use super::reading::Reading;

/// The files below a directory. No path and no symbolic link leads out of it, also while others change what is there.
///
/// The directory is opened once, so it may be moved.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Loader, ModulesBelow, Sources};
///
/// let registry = Registry::new();
/// let sources = Sources::only(ModulesBelow::open("src")?);
/// let loader = Loader::new(&registry).with_sources(sources);
/// let error = loader.load("../Cargo.toml").into_graph().unwrap_err();
/// assert_eq!(error.diagnostics[0].code, "outside-source");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ModulesBelow {
    /// Each is looked into when there is no such file in those before.
    roots: Vec<OwnedFd>,
}

impl ModulesBelow {
    /// Opens the directory.
    ///
    /// # Errors
    ///
    /// When it is none, or may not be opened.
    pub fn open(root: impl AsRef<Path>) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { roots: vec![openat(CWD, root.as_ref(), flags, Mode::empty())?] })
    }

    /// Adds the files below another directory, where there is none of their name before.
    ///
    /// # Errors
    ///
    /// When it is none, or may not be opened.
    pub fn and(mut self, root: impl AsRef<Path>) -> io::Result<Self> {
        self.roots.extend(Self::open(root)?.roots);
        Ok(self)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let mut missing = io::Error::from(io::ErrorKind::NotFound);
        for root in &self.roots {
            match below(root, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing = error,
                file => return file,
            }
        }
        Err(missing)
    }
}

/// Opens what is a file, and nothing else.
fn below(root: &OwnedFd, name: &str) -> io::Result<File> {
    let open = |flags| -> io::Result<File> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        Ok(openat2(root, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?.into())
    };
    // Twice, as to open a device may do something already. What is opened then is not waited for.
    file::expect_file(&open(OFlags::PATH)?.metadata()?)?;
    let file = open(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    file::expect_file(&file.metadata()?)?;
    Ok(file)
}

impl ModuleSource for ModulesBelow {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        match self.file(name) {
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error()) => {
                Err(SourceError::Outside { written: name.to_owned() })
            }
            file => file::text(name, file, reading),
        }
    }
}
