use std::io;

use converge_sdk::system::SystemError;

#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error("it is not an archive in a known format: tar, gzip, bzip2, xz, zstd or zip")]
    Unknown,
    #[error("it is compressed with {0}, and there is no tar archive in it")]
    NoTar(&'static str),
    #[error("it is damaged: {0}")]
    Damaged(String),
    #[error("it needs {0}, which is not supported")]
    Unsupported(String),
    #[error("{name:?} {problem}")]
    Entry { name: String, problem: String },
    #[error("it has more than {0} entries: `max_entries` allows more")]
    TooMany(u64),
    #[error("it expands to more than {0} bytes: `max_size` allows more")]
    TooLarge(u64),
    #[error("it expands to more than {0} times its size, which looks like a trap: `max_ratio` allows more")]
    TooDense(u64),
    #[error("the file changed while it was read")]
    Changed,
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    System(SystemError),
}

impl ArchiveError {
    pub(super) fn entry(name: &[u8], problem: String) -> Self {
        Self::Entry { name: String::from_utf8_lossy(name).into_owned(), problem }
    }
}

/// Converts errors of a decoder; errors of this type that passed through a decoder are unwrapped.
impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        let kind = error.kind();
        match error.downcast::<ArchiveError>() {
            Ok(ours) => ours,
            Err(_) if kind == io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early".to_owned()),
            Err(error) => Self::Damaged(error.to_string()),
        }
    }
}

impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> Self {
        io::Error::other(error)
    }
}
