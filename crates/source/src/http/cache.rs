//! The on-disk cache of fetched modules, addressed by content.
#![expect(clippy::disallowed_methods, reason = "the cache is where the program runs, not on the system")]

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use converge_system::folder_trust::examine;
use converge_system::private_files::{create, create_folder};
use serde::{Deserialize, Serialize};

use crate::pin::ContentHash;
use crate::syntax::MAX_SOURCE_BYTES;
use crate::system::SystemError;
use crate::system::http::Url;

/// A folder with the contents of URLs.
///
/// `modules/blobs/HASH` is a content, and its name is its hash. `modules/index/HASH`, named by the hash of a
/// URL, stores which content the URL had last. Both are written under a temporary name and then renamed. A
/// reader therefore never sees a partial file, and no lock is needed.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    modules: PathBuf,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CacheEntry {
    /// The URL, for people who inspect the cache.
    url: String,
    sha256: String,
    #[serde(flatten)]
    origin: Origin,
    fetched_at: String,
}

/// The origin of a content, with the server's validators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The URL after redirects.
    pub(super) fetched_from: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_modified: Option<String>,
}

impl Cache {
    /// Opens the cache in a folder.
    ///
    /// # Errors
    ///
    /// Fails if other users could change the folder. They could then provide any content, or redirect what is
    /// written.
    pub(super) fn trusted(folder: &Path) -> Result<Self, String> {
        let folder = std::path::absolute(folder)
            .map_err(|error| SystemError::file("use", folder, error).to_string())?;
        let cache = Self { modules: folder.join("modules") };
        examine(&cache.blobs()).map_err(|untrusted| untrusted.to_string())?;
        examine(&cache.entries()).map_err(|untrusted| untrusted.to_string())?;
        Ok(cache)
    }

    pub(super) fn find(&self, url: &Url) -> Option<(Origin, String)> {
        let text = read(&self.index(url))?;
        let entry: CacheEntry = serde_json::from_str(&text).ok()?;
        let content = self.content(entry.sha256.parse().ok()?)?;
        Some((entry.origin, content))
    }

    /// Returns the content with this hash; removes a damaged file with another hash.
    pub(super) fn content(&self, hash: ContentHash) -> Option<String> {
        let path = self.blob(hash);
        let content = read(&path)?;
        if ContentHash::from_content(content.as_bytes()) == hash {
            return Some(content);
        }
        tracing::warn!(%hash, "the cached file does not match its hash and was removed");
        if let Err(error) = fs::remove_file(&path) {
            tracing::warn!(%error, "it cannot be removed");
        }
        None
    }

    pub(super) fn keep(&self, url: &Url, origin: Origin, content: &str) -> io::Result<()> {
        let hash = ContentHash::from_content(content.as_bytes());
        let entry = CacheEntry {
            url: url.to_string(),
            sha256: hash.to_string(),
            origin,
            fetched_at: jiff::Timestamp::now().to_string(),
        };
        // The content is written first, so that an index entry never names a missing content.
        write(&self.blob(hash), content.as_bytes())?;
        write(&self.index(url), &serde_json::to_vec_pretty(&entry)?)
    }

    fn blobs(&self) -> PathBuf {
        self.modules.join("blobs")
    }

    fn entries(&self) -> PathBuf {
        self.modules.join("index")
    }

    fn blob(&self, hash: ContentHash) -> PathBuf {
        self.blobs().join(hash.to_string())
    }

    fn index(&self, url: &Url) -> PathBuf {
        let name = format!("{}.json", ContentHash::from_content(url.to_string().as_bytes()));
        self.entries().join(name)
    }
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_SOURCE_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Flushes the entries of a folder to disk.
#[cfg(unix)]
fn sync_names(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing, because the file system journals its entries and cannot flush a folder.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a folder to open")]
fn sync_names(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes a file atomically, readable only by its owner.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    static WRITES: AtomicU32 = AtomicU32::new(0);
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    let result = (|| {
        let mut file = create(&temporary)?;
        file.write_all(content)?;
        // After a power failure the file is either missing or complete.
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        path.parent().map_or(Ok(()), sync_names)
    })();
    if result.is_err() {
        // The first error is reported because it explains the failure.
        let _ = fs::remove_file(&temporary);
    }
    result
}
