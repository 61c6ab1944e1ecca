//! What a server needs so that other machines may ask it, as files in one folder: an authority, a certificate that the authority has signed, and the
//! first token.

mod certify;
mod folder_setup;
mod key;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(crate) use certify::{Authority, CertifyError, Signed};
pub(crate) use folder_setup::{MakeError, make, renew};
pub(crate) use key::{NodeKey, PublicKey};

/// What the folder is called in that of a store.
pub(crate) const FOLDER: &str = "identity";
/// The certificate of the authority. Whoever asks the server has to have it.
pub(crate) const AUTHORITY: &str = "ca.pem";
/// The key of the authority.
const AUTHORITY_KEY: &str = "ca-key.pem";
/// The key and the certificate of the server, in one file so that they are never of two.
const SERVER: &str = "server.pem";
/// The tokens that there are before any is stored.
const TOKENS: &str = "tokens.json";
/// The keys by which secrets are sealed.
pub(crate) const SECRETS_KEY: &str = "secrets.key";
/// The first token.
pub(crate) const FIRST_TOKEN: &str = "admin.token";

/// The file with the key and the certificate of a server.
pub(crate) fn server_file(folder: &Path) -> PathBuf {
    folder.join(SERVER)
}

/// The file with the certificate of the authority.
pub(crate) fn authority_file(folder: &Path) -> PathBuf {
    folder.join(AUTHORITY)
}

/// The file with the key of the authority.
pub(crate) fn authority_key_file(folder: &Path) -> PathBuf {
    folder.join(AUTHORITY_KEY)
}

/// The file with the keys for secrets.
pub(crate) fn secrets_key_file(folder: &Path) -> PathBuf {
    folder.join(SECRETS_KEY)
}

/// The file with the first tokens, as hashes.
pub(crate) fn tokens_file(folder: &Path) -> PathBuf {
    folder.join(TOKENS)
}

/// Bytes, as they are written in names and hashes.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
