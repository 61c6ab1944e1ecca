use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use converge_sdk::RunMode;
use converge_sdk::prelude::*;
use converge_sdk::system::{CommitFile, ReadAt, StagedFile, SystemErrorKind, Url};

use super::compare::{differs_from_file, differs_from_url};
use crate::file::attributes::{Attributes, Changes};
use crate::file::destination_link::FollowLink;
use crate::file::mode::Mode;
use crate::file::{destination_link, direct_change, missing_path};
use crate::net::date;
use crate::net::download::{BodyReader, Meter, RequestOptions, not_yet, with_retries};
use crate::net::hash::{Expected, Hash, HashType, Hasher};
use crate::net::source::{Location, Source};

/// The permissions of a new file before `mode` is applied.
const FRESH: Mode = Mode::new(0o600);

/// The number of bytes of a file that are copied at once.
const PIECE: usize = 64 * 1024;

/// The task of a `file.fetch` resource.
#[derive(Debug, Export)]
pub struct Fetch {
    /// The source of the file.
    #[export]
    pub(super) source: Source,
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The hash function.
    #[export]
    pub(super) hash_type: Option<HashType>,
    /// The expected hash of the content.
    #[export]
    pub(super) hash: Option<String>,
    /// Whether an existing file that differs is replaced.
    #[export]
    pub(super) force: bool,
    pub(super) only_if_missing: bool,
    pub(super) follow: FollowLink,
    pub(super) expected: Option<Expected>,
    pub(super) attributes: Attributes,
    pub(super) options: RequestOptions,
    pub(super) found: FetchFindings,
    /// The hash of the content fetched in this run, by which later checks know the source.
    pub(super) fetched: Option<Hash>,
}

#[derive(Debug, Default)]
pub(super) struct FetchFindings {
    fetch: bool,
    exists: bool,
    changes: Changes,
}

impl Fetch {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// Reports a file that does not exist, and in a plan a source that is missing as well.
    async fn check_missing(&self, cx: &Context, status: &mut Status, link: Option<&Path>) -> Result<()> {
        status.add_difference("state", destination_link::shown(link), "present");
        // An apply notices a missing source when it fetches.
        if cx.mode() == RunMode::Apply {
            return Ok(());
        }
        missing_path::check_directory(cx, status, self.path()).await?;
        let length = match self.source.location() {
            Location::Url(url) => {
                let result = with_retries(cx, || self.options.once(cx, &self.source, url, None)).await;
                match not_yet(cx, status, result)? {
                    Some(response) => response.content_length(),
                    None => return Ok(()),
                }
            }
            Location::File(path) => match self.source.open(cx, path).await {
                Ok(file) => Some(file.metadata().len),
                Err(error) => not_yet(cx, status, Err(error))?,
            },
        };
        if let Some(length) = length {
            status.add_message(format!("{length} bytes from {}", self.source.shown()));
        }
        Ok(())
    }

    /// Compares an existing file with its declaration, and returns whether it has to be fetched.
    async fn check_existing(&self, cx: &Context, status: &mut Status, have: Arc<dyn ReadAt>) -> Result<bool> {
        if self.only_if_missing {
            return Ok(false);
        }
        if let Some(expected) = &self.expected {
            let actual = expected.hash_type.hash_file(have).await?;
            let Err(mismatch) = expected.check(&self.destination, &actual) else { return Ok(false) };
            let name = expected.hash_type.to_string();
            status.add_difference(name, actual.to_string(), expected.hash.to_string());
            if !self.force {
                status.raise_level(StatusLevel::CantChange);
                status.set_error(format!("{mismatch}; the file is kept: write `force = true` to replace it"));
            }
            return Ok(self.force);
        }
        if !self.force {
            return Ok(false);
        }
        if let Some(fetched) = &self.fetched {
            return Ok(HashType::Sha256.hash_file(have).await? != *fetched);
        }
        let compared = match self.source.location() {
            Location::Url(url) => differs_from_url(cx, &self.options, &self.source, url, &have).await,
            Location::File(path) => differs_from_file(cx, &self.source, path, &have).await,
        };
        let differs = not_yet(cx, status, compared)? == Some(true);
        if differs {
            let target = format!("as {} has it", self.source.shown());
            status.add_difference("content", format!("{} bytes", have.metadata().len), target);
        }
        Ok(differs)
    }

    /// Fetches once, and replaces the file if everything is as expected.
    async fn fetch(&self, cx: &Context, changes: Changes) -> Result<Hash> {
        let staged = self.follow.stage(cx, self.path()).await?;
        let mut incoming = Incoming {
            staged,
            meter: Meter::new(&self.source, &self.options),
            sha256: HashType::Sha256.hasher(),
            expected: self.expected.as_ref().map(|expected| expected.hash_type.hasher()),
        };
        let modified = match self.source.location() {
            Location::Url(url) => self.receive(cx, url, &mut incoming).await?,
            Location::File(path) => self.copy(cx, path, &mut incoming).await?,
        };
        let Incoming { staged, sha256, expected, .. } = incoming;
        if let Some((expected, hasher)) = self.expected.as_ref().zip(expected) {
            expected.check(self.source.shown(), &hasher.finish())?;
        }
        let mode = changes.mode.or_else(|| (!self.found.exists).then_some(FRESH)).map(Mode::bits);
        let commit = CommitFile { mode, ownership: changes.ownership, modified, ..CommitFile::default() };
        staged.commit(commit).await?;
        Ok(sha256.finish())
    }

    async fn receive(
        &self,
        cx: &Context,
        url: &Url,
        incoming: &mut Incoming<'_>,
    ) -> Result<Option<SystemTime>> {
        let response = self.options.once(cx, &self.source, url, None).await?;
        let modified = response.header("last-modified").and_then(date::parse);
        incoming.meter.check(response.content_length().unwrap_or_default())?;
        let mut body = BodyReader::new(cx, &self.source, response);
        while let Some(chunk) = body.chunk().await? {
            incoming.write(&chunk).await?;
        }
        Ok(modified)
    }

    async fn copy(
        &self,
        cx: &Context,
        path: &Path,
        incoming: &mut Incoming<'_>,
    ) -> Result<Option<SystemTime>> {
        let file = self.source.open(cx, path).await?;
        let mut buffer = vec![0; PIECE];
        let mut offset = 0;
        loop {
            cx.check_cancelled()?;
            let count = file.read_at(offset, &mut buffer).await?;
            let total = if count == 0 { offset } else { file.metadata().len };
            cx.progress().bytes(offset, Some(total));
            if count == 0 {
                return Ok(None);
            }
            incoming.write(&buffer[..count]).await?;
            offset += count as u64;
            // A large file takes a while, and other tasks wait for this thread.
            tokio::task::yield_now().await;
        }
    }
}

/// A file that is being received, and its hashes.
struct Incoming<'a> {
    meter: Meter<'a>,
    staged: Box<dyn StagedFile>,
    sha256: Hasher,
    expected: Option<Hasher>,
}

impl Incoming<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.meter.add(bytes.len() as u64)?;
        self.sha256.update(bytes);
        if let Some(expected) = &mut self.expected {
            expected.update(bytes);
        }
        Ok(self.staged.write(bytes).await?)
    }
}

impl Task for Fetch {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let link =
            if self.only_if_missing { None } else { self.follow.replaced_link(cx, self.path()).await? };
        let have: Option<Arc<dyn ReadAt>> = match link {
            Some(_) => None,
            None => cx.system().files().open(self.path()).await?.map(Arc::from),
        };
        let metadata = have.as_ref().map(|have| have.metadata().clone());
        self.found = FetchFindings { exists: have.is_some(), ..FetchFindings::default() };
        self.found.fetch = match have {
            None => {
                self.check_missing(cx, &mut status, link.as_deref()).await?;
                true
            }
            Some(have) => self.check_existing(cx, &mut status, have).await?,
        };
        let found = (self.path(), metadata.as_ref());
        let changes = self.attributes.compare(cx, &mut status, found, FRESH, false).await?;
        if let Some(metadata) = metadata.filter(|_| !self.found.fetch && changes != Changes::default()) {
            direct_change::is_allowed(cx, self.path(), &metadata).await?;
        }
        self.found.changes = changes;
        if self.found.fetch || changes != Changes::default() {
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let FetchFindings { fetch, exists, changes } = self.found;
        if !fetch {
            changes.apply(cx, self.path()).await?;
            cx.system().files().flush(&[self.path()]).await?;
            return Ok(Status::new());
        }
        match with_retries(cx, || self.fetch(cx, changes)).await {
            Ok(hash) => self.fetched = Some(hash),
            // A problem of the directory explains more than the system's error about the file.
            Err(Error::System(error))
                if !exists
                    && matches!(error.kind, SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) =>
            {
                missing_path::check_directory(cx, &mut Status::new(), self.path()).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error),
        }
        Ok(Status::new())
    }
}
