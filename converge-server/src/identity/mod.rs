//! The identity folder of a server: an authority, a certificate that it signed, and the first token.

mod certify;
mod folder_setup;
mod key;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(crate) use certify::{Authority, CertifyError, Signed};
pub(crate) use folder_setup::{MakeError, make, renew};
pub(crate) use key::{NodeKey, PublicKey};

/// The name of the identity folder inside the folder of a store.
pub(crate) const FOLDER: &str = "identity";
/// The file with the authority's certificate, which clients need.
pub(crate) const AUTHORITY: &str = "ca.pem";
/// The file with the authority's private key.
const AUTHORITY_KEY: &str = "ca-key.pem";
/// The file with the key and the certificate of the server.
///
/// One file keeps them consistent.
const SERVER: &str = "server.pem";
/// The file with the tokens that exist before any is stored.
const TOKENS: &str = "tokens.json";
/// The file with the keys that encrypt secrets.
pub(crate) const SECRETS_KEY: &str = "secrets.key";
/// The file with the first token.
pub(crate) const FIRST_TOKEN: &str = "admin.token";

/// Returns the path of the file with a server's key and certificate.
pub(crate) fn server_file(folder: &Path) -> PathBuf {
    folder.join(SERVER)
}

/// Returns the path of the file with the authority's certificate.
pub(crate) fn authority_file(folder: &Path) -> PathBuf {
    folder.join(AUTHORITY)
}

/// Returns the path of the file with the authority's private key.
pub(crate) fn authority_key_file(folder: &Path) -> PathBuf {
    folder.join(AUTHORITY_KEY)
}

/// Returns the path of the file with the keys for secrets.
pub(crate) fn secrets_key_file(folder: &Path) -> PathBuf {
    folder.join(SECRETS_KEY)
}

/// Returns the path of the file with the hashes of the first tokens.
pub(crate) fn tokens_file(folder: &Path) -> PathBuf {
    folder.join(TOKENS)
}

/// Formats bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
