//! Local files as sources of modules.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::blocking_read;
use super::error::{FileUrlError, SourceError};
use super::listing::{self, Listing};
use super::read_limits::Reading;
use crate::graph::Module;
use crate::language::WorkBudget;
use crate::system::SpecialFile;
use crate::types::base_path::BasePath;
use crate::types::folder_entry::FolderEntry;
use crate::types::scope::ScopeError;
use crate::types::value::Value;

/// The path of a file, and its identity.
#[derive(Clone)]
pub(super) struct FileLocation {
    /// The path that is opened and shown.
    path: PathBuf,
    /// The identity, which is equal for all paths of one file.
    identity: PathBuf,
}

impl PartialEq for FileLocation {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for FileLocation {}

impl std::hash::Hash for FileLocation {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}

impl FileLocation {
    pub(super) fn new(path: PathBuf) -> Self {
        // A file that does not exist has no canonical path, so the names are compared.
        let identity = path.canonicalize().unwrap_or_else(|_| {
            let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
            without_parents(&absolute)
        });
        Self { path, identity }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Resolves a path relative to the folder of this file.
    pub(super) fn join(&self, reference: &str) -> PathBuf {
        let path: PathBuf = self
            .directory()
            .join(reference)
            .components()
            .filter(|component| *component != Component::CurDir)
            .collect();
        if path.as_os_str().is_empty() {
            return PathBuf::from(".");
        }
        if !path.components().any(|component| component == Component::ParentDir) {
            return path;
        }
        // `site/../common.hcl` is shortened to `common.hcl`, unless `site` is a link to another folder.
        let short = without_parents(&path);
        if same_file(&short, &path) { short } else { path }
    }
}

/// Returns a folder that relative paths of a module may start from, as an absolute path.
#[doc(hidden)]
pub fn base_path(module: &Module, base: BasePath) -> Result<Value, ScopeError> {
    let refuse =
        |reason: String| ScopeError::Message(format!("`path.{}` has no value: {reason}", base.name()));
    let directory = match base {
        BasePath::Module => module.directory.as_deref(),
        BasePath::Root => module.root.as_deref(),
        BasePath::WorkingDirectory => Some(Path::new("")),
    };
    if base == BasePath::WorkingDirectory && !module.visible.shows_working_dir() {
        return Err(refuse(format!("it is not shown to {}", module.source)));
    }
    let from_no_file = || refuse(format!("{} comes from no file", module.source));
    let working_directory = std::env::current_dir().map_err(|error| refuse(error.to_string()))?;
    let path = working_directory.join(directory.ok_or_else(from_no_file)?);
    let path: PathBuf = path.components().filter(|component| *component != Component::CurDir).collect();
    match path.to_str() {
        Some(text) => Ok(Value::string(text)),
        None => Err(refuse(format!("{} is not text", path.display()))),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Removes `.` from a path, and `..` where a name precedes it.
fn without_parents(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            component => short.push(component),
        }
    }
    short
}

pub(super) fn from_url(url: &str) -> Result<PathBuf, SourceError> {
    let bad = |problem| SourceError::BadFileUrl { url: url.to_owned(), problem };
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Err(bad(FileUrlError::Host(host.to_owned())));
    }
    if let Some(mark) = path.chars().find(|mark| matches!(mark, '?' | '#')) {
        return Err(bad(FileUrlError::Mark(mark)));
    }
    if path.trim_end_matches('/').is_empty() {
        return Err(bad(FileUrlError::NoPath));
    }
    let bytes = percent_decoded(path).map_err(|escape| bad(FileUrlError::Escape(escape)))?;
    path_of(bytes).map_err(|escaped| bad(FileUrlError::Escape(escaped)))
}

/// Converts bytes to a path; any bytes are valid.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a path is text")]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStringExt as _;

    Ok(std::ffi::OsString::from_vec(bytes).into())
}

/// Converts bytes to a path, which must be text; `/C:/site.hcl` starts at the drive.
#[cfg(windows)]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf, String> {
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let drive = text.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Ok(drive.unwrap_or(&text).into())
}

/// Decodes percent escapes; returns the first invalid escape as the error.
fn percent_decoded(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            // The operating system would end a path at a NUL, and so open another file.
            None | Some(0) => return Err(std::iter::once('%').chain(part.chars().take(2)).collect()),
            Some(byte) => bytes.push(byte),
        }
        bytes.extend(part.bytes().skip(2));
    }
    Ok(bytes)
}

/// Opens a regular file and refuses anything else.
///
/// Opening a pipe without a writer would block, and a device may never end.
fn open(path: &Path) -> std::io::Result<File> {
    // The first check happens before a device is opened, the second one on the opened file.
    expect_file(&std::fs::metadata(path)?)?;
    let file = open_at_once(path)?;
    expect_file(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file without blocking, even if it has become a pipe or a terminal.
#[cfg(unix)]
fn open_at_once(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(windows)]
fn open_at_once(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

pub(super) fn expect_file(metadata: &Metadata) -> std::io::Result<()> {
    match special(metadata.file_type()) {
        Some(special) => Err(std::io::Error::other(format!("it is {special}, not a regular file"))),
        None => Ok(()),
    }
}

#[cfg(windows)]
fn special(file_type: FileType) -> Option<SpecialFile> {
    (!file_type.is_file() && !file_type.is_dir()).then_some(SpecialFile::Unknown)
}

#[cfg(unix)]
fn special(file_type: FileType) -> Option<SpecialFile> {
    use std::os::unix::fs::FileTypeExt as _;

    if file_type.is_file() || file_type.is_dir() {
        None
    } else if file_type.is_fifo() {
        Some(SpecialFile::Pipe)
    } else if file_type.is_socket() {
        Some(SpecialFile::Socket)
    } else if file_type.is_char_device() {
        Some(SpecialFile::CharacterDevice)
    } else if file_type.is_block_device() {
        Some(SpecialFile::BlockDevice)
    } else {
        Some(SpecialFile::Unknown)
    }
}

/// Returns the text of a file, or `None` if it cannot be read.
#[doc(hidden)]
pub fn read_file(path: &Path) -> Option<Arc<str>> {
    read(path, &Reading::default()).ok()
}

pub(super) fn read(path: &Path, reading: &Reading) -> Result<Arc<str>, SourceError> {
    text(&path.display().to_string(), open(path), reading)
}

/// Reads the text of a file, or converts the error of opening it.
pub(super) fn text(
    name: &str,
    file: std::io::Result<File>,
    reading: &Reading,
) -> Result<Arc<str>, SourceError> {
    let file = file.map_err(|error| SourceError::unreadable(name, &error))?;
    reading.text(name, file).map(Arc::from)
}

pub(super) fn exists(path: &Path) -> Result<bool, SourceError> {
    let display_name = || path.display().to_string();
    match std::fs::metadata(path) {
        Ok(metadata) => is_file(&display_name(), &metadata),
        Err(error) => absent(&display_name(), &error),
    }
}

/// Returns true for a file; anything else is an error, because the caller expects a file.
pub(super) fn is_file(name: &str, metadata: &Metadata) -> Result<bool, SourceError> {
    let refuse = |error: &std::io::Error| SourceError::unreadable(name, error);
    expect_file(metadata).map_err(|error| refuse(&error))?;
    if metadata.is_dir() { Err(refuse(&std::io::ErrorKind::IsADirectory.into())) } else { Ok(true) }
}

/// Returns false if the error means that nothing exists; any other error is returned.
pub(super) fn absent(name: &str, error: &std::io::Error) -> Result<bool, SourceError> {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Ok(false),
        _ => Err(SourceError::unreadable(name, error)),
    }
}

/// Lists a folder that a module in `base` names.
///
/// A link to a file counts only if its target is below the module's folder, or below the named folder if that
/// is elsewhere.
pub(super) fn list_plain(
    base: &Path,
    folder: &Path,
    reading: &Reading,
) -> Result<Vec<FolderEntry>, SourceError> {
    let display_name = folder.display().to_string();
    let failed = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => listing::missing(&display_name),
        std::io::ErrorKind::NotADirectory => listing::no_folder(&display_name),
        _ => SourceError::unreadable(&display_name, error),
    };
    let canonical_folder = folder.canonicalize().map_err(|error| failed(&error))?;
    let base_folder = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let boundary = base_folder
        .canonicalize()
        .ok()
        .filter(|base| canonical_folder.starts_with(base))
        .unwrap_or_else(|| canonical_folder.clone());
    let mut entries = Listing::new(&display_name);
    for entry in std::fs::read_dir(&canonical_folder).map_err(|error| failed(&error))? {
        if let Some(reason) = reading.stopped() {
            return Err(SourceError::Stopped { name: display_name.clone(), reason });
        }
        let entry = entry.map_err(|error| failed(&error))?;
        let kind = entry.file_type().map_err(|error| failed(&error))?;
        let leads_to_file = || {
            let target = entry.path().canonicalize().ok();
            target.is_some_and(|target| target.starts_with(&boundary) && target.is_file())
        };
        let name = || named(&display_name, &entry.file_name());
        if kind.is_dir() {
            entries.add(FolderEntry::folder(name()?))?;
        } else if kind.is_file() || (kind.is_symlink() && leads_to_file()) {
            entries.add(FolderEntry::file(name()?))?;
        }
    }
    Ok(entries.into_entries())
}

/// Returns the name of an entry as text, because modules can only write text.
pub(super) fn named(folder: &str, name: &OsStr) -> Result<String, SourceError> {
    let no_text = || SourceError::Unreadable {
        name: folder.to_owned(),
        reason: format!("the name `{}` in it is not text", name.display()),
    };
    name.to_str().map(str::to_owned).ok_or_else(no_text)
}

/// A file that a module reads with `file` or `templatefile`.
///
/// It has one name for all modules, and knows how the file is read.
#[doc(hidden)]
pub struct ModuleText<'a> {
    pub(super) module: &'a Module,
    /// The name by which file contents are cached.
    #[doc(hidden)]
    pub name: PathBuf,
}

impl<'a> ModuleText<'a> {
    /// Resolves `path` in a module.
    ///
    /// # Errors
    ///
    /// Fails if the module may read no files, or not this one. A module from elsewhere reads no files of this
    /// machine, so it may not use absolute paths either.
    #[doc(hidden)]
    pub fn new(module: &'a Module, path: &str) -> Result<Self, ScopeError> {
        let name = match (&module.files, &module.directory) {
            (Some(files), _) => files.name(path)?.into(),
            (None, Some(directory)) => directory.join(path),
            (None, None) => return Err(SourceError::NoFolder { path: path.to_owned() }.into()),
        };
        Ok(Self { module, name })
    }

    /// Reads and counts the text.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read as text, or is too long.
    #[doc(hidden)]
    pub fn read(&self, budget: &WorkBudget) -> Result<Arc<str>, ScopeError> {
        let text = self.read_uncounted(budget)?;
        budget.count_text(text.len());
        Ok(text)
    }

    fn read_uncounted(&self, budget: &WorkBudget) -> Result<Arc<str>, ScopeError> {
        if let Some(files) = &self.module.files {
            return files.read(&self.name.to_string_lossy(), budget);
        }
        let reading = Reading::within(budget);
        let Some(stop) = budget.stop() else { return Ok(read(&self.name, &reading)?) };
        let (display_name, path) = (self.name.display().to_string(), self.name.clone());
        Ok(blocking_read::read_until(stop, &display_name, move || read(&path, &reading))?)
    }
}

/// Returns a stable name of a module for state that is kept between runs.
///
/// This is the canonical path of its file, however it was written. A module that is not a file is called by
/// the name in messages.
#[doc(hidden)]
pub fn identity(module: &Module) -> String {
    let Some((directory, name)) = module.directory.as_deref().zip(Path::new(&*module.source).file_name())
    else {
        // The commit is left out, so that the name stays the same when the module is updated.
        let name = module.source.split_once("?ref=").filter(|_| module.source.starts_with("git::"));
        return name.map_or(&*module.source, |(name, _)| name).to_owned();
    };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let path = directory.join(name);
    let path = std::fs::canonicalize(&path).or_else(|_| std::path::absolute(&path)).unwrap_or(path);
    path.display().to_string()
}
